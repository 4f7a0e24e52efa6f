export {
  defineAgent,
  type AgentContext,
  type AgentDefinition,
  type AgentState,
  type EffectCall,
  type EffectOptions,
} from './define-agent.ts';
export { DidNotHappen, EffectFailed } from './effect-errors.ts';
export type { TriggerEvent } from '../model/entry.ts';
export type { Json, JsonObject } from '../model/json.ts';
