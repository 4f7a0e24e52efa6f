// A workspace that a host runs, with one process whose mission a model judges.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import { openLive } from './open-live.ts';
import { tempDirectory } from './temp-directory.ts';
import { waitFor } from './wait-for.ts';

export interface Judged {
  readonly workspace: string;
  readonly process: AgentProcess;
  /** Triggers it, and waits until that is done. */
  run(): Promise<void>;
  until(what: string, look: (process: AgentProcess) => unknown): Promise<void>;
  entries(...types: readonly string[]): Promise<readonly StoredEntry[]>;
  evaluations(): Promise<readonly JsonObject[]>;
  close(): Promise<void>;
}

export interface JudgedBy {
  readonly evalModel: string;
  /** Further lines of the mission. */
  readonly mission?: string;
  /** The rest of the manifest. */
  readonly manifest?: string;
  /** Of the script `judge.yaml`. */
  readonly script?: string;
  /** What its agent does beside counting. */
  readonly onTrigger?: string;
  /** Of the file `prices.yaml`. */
  readonly prices?: string;
}

/** Its agent counts its runs. */
function judgedWorkspace(by: JudgedBy): string {
  const { evalModel, mission = '', manifest = '', script, prices, onTrigger = '' } = by;
  const workspace = join(tempDirectory(), 'agents');
  mkdirSync(workspace, { recursive: true });
  if (prices !== undefined) writeFileSync(join(workspace, 'prices.yaml'), prices);
  if (script !== undefined) writeFileSync(join(workspace, 'judge.yaml'), script);
  writeFileSync(
    join(workspace, 'clerk.ts'),
    `import { defineAgent } from 'holdfast';
export default defineAgent({
  async onTrigger(ctx, event) {
    ${onTrigger}
    await ctx.state.update('runs', (runs) => (runs ?? 0) + 1);
    return 'run ' + ctx.state.get('runs');
  },
});
`,
  );
  writeFileSync(
    join(workspace, 'clerk.agent'),
    `name: clerk
entrypoint: ./clerk.ts
mission:
  objective: every order is shipped
  on_complete: continue
  eval_model: ${JSON.stringify(evalModel)}
${mission.trim().replaceAll(/^(?=.)/gm, '  ')}
${manifest}
`,
  );
  return workspace;
}

export async function judgedBy(by: JudgedBy): Promise<Judged> {
  const workspace = judgedWorkspace(by);
  const { live, close, isOpen } = await openLive(workspace);
  expect(live.problems).toEqual([]);
  const process = live.runtime.process('clerk');
  const until = async (what: string, look: (process: AgentProcess) => unknown): Promise<void> =>
    void (await waitFor(() => Boolean(look(process)), { what }));
  const entries = async (...types: readonly string[]): Promise<readonly StoredEntry[]> => {
    if (isOpen()) await process.settled();
    const all = await readFileJournal(live.directory).read('clerk');
    return all.filter(({ entry_type }) => types.includes(entry_type));
  };
  return {
    workspace,
    process,
    until,
    entries,
    close,
    evaluations: async () => (await entries('mission_evaluated')).map(({ data }) => data),
    run: async () => {
      const before = process.snapshot.invocationCount;
      await process.trigger('go');
      await until(
        'the run',
        ({ snapshot }) => snapshot.invocationCount > before && snapshot.open.length === 0,
      );
    },
  };
}

export const unknownOf = ({ snapshot }: AgentProcess): string => snapshot.mission?.unknown?.reason ?? '';
