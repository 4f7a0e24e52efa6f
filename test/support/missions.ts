// Processes with a mission, whose judge says what the ledger folder tells it to, in real workers.

import type { JsonObject } from '../../core/model/json.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { DEFAULT_MISSION, type MissionConfig } from '../../core/model/mission.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import type { Bench } from './runtime.ts';

export const mission = (more: Partial<MissionConfig> = {}): Pick<ProcessConfig, 'mission'> => ({
  mission: {
    ...DEFAULT_MISSION,
    objective: 'every order is shipped',
    judgeBackoffMs: 20,
    judgeTimeoutMs: 20_000,
    ...more,
  },
});

/** An agent that counts its runs in its state, and a judge with this body. */
export const judged = (judge: string, onTrigger = ''): string => `
export default defineAgent({
  async onTrigger(ctx, event) {
    ${onTrigger}
    await ctx.state.update('runs', (runs) => (runs ?? 0) + 1);
    return 'run ' + ctx.state.get('runs');
  },
  async judge(view) {
    note('judge ' + view.runs);
    ${judge}
  },
});`;

/** Achieved from this run on. */
export const achievedAt = (run: number, confidence = 0.9): string =>
  `return { achieved: view.runs >= ${run}, confidence: view.runs >= ${run} ? ${confidence} : 0.1, reasoning: 'saw ' + view.runs, progress: Math.min(1, view.runs / ${run}) };`;

export const entriesOf = async (of: Bench, ...types: readonly string[]): Promise<readonly StoredEntry[]> =>
  (await of.entries()).filter(({ entry_type }) => types.includes(entry_type));

/** What the evaluations say, in their order. */
export const evaluations = async (of: Bench): Promise<readonly JsonObject[]> =>
  (await entriesOf(of, 'mission_evaluated')).map(({ data }) => data);

export const isMission =
  (status: string) =>
  ({ snapshot }: Bench['process']): boolean =>
    snapshot.mission?.status === status;

export const verdictsOf = ({ snapshot }: Bench['process']): number => snapshot.mission?.evaluations ?? 0;

/** Triggers it so often, one after the other. */
export async function runs(of: Bench, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const before = of.process.snapshot.invocationCount;
    await of.trigger();
    await of.until('the run', ({ snapshot }) => snapshot.invocationCount > before);
  }
}
