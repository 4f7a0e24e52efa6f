export { ReplayEngine, type Recovered, type RecoverOptions } from './replay-engine.ts';
