// The host is killed while a process is loaded anew from its manifest, at every step of that.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { WORKSPACE_JOURNAL } from '../../core/journal/layout.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { runHost, workspaceOf, type ChildHost } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';

const STEPS = 12;

/** Each step is a line in the ledger, which stands for the world. */
const CODE = (ledger: string): string => `
  const { appendFileSync } = await import('node:fs');
  for (let n = 0; n < ${STEPS}; n += 1) {
    await ctx.effect('step', { class: 'ask', args: n }, async () => {
      appendFileSync(${JSON.stringify(ledger)}, n + '\\n');
      await new Promise((resolve) => setTimeout(resolve, 15));
    });
  }
  ctx.state.set('done', ctx.instructions);
`;

interface Killed {
  readonly host: ChildHost;
  readonly workspace: string;
  readonly ledger: () => readonly number[];
  readonly entries: () => Promise<readonly StoredEntry[]>;
  readonly recovered: () => ReturnType<ReplayEngine['recover']>;
}

async function started(): Promise<Killed> {
  const workspace = workspaceOf({ clerk: '' }, 'instructions: old\n');
  const path = join(workspace, 'ledger');
  const code = `import { defineAgent } from 'holdfast';\nexport default defineAgent({ async onTrigger(ctx, event) { ${CODE(path)} } });\n`;
  writeFileSync(join(workspace, 'clerk.ts'), code);
  const ledger = (): readonly number[] =>
    existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1).map(Number) : [];
  const host = await runHost(workspace);
  const journal = readFileJournal(join(workspace, WORKSPACE_JOURNAL));
  const entries = (): Promise<readonly StoredEntry[]> => journal.read('clerk');
  const recovered = (): ReturnType<ReplayEngine['recover']> => new ReplayEngine(journal).recover('clerk');
  return { host, workspace, ledger, entries, recovered };
}

const isOf = (type: string) => (entry: StoredEntry) => entry.entry_type === type;

/** What is in the journal by the time that the host is killed. */
const MOMENTS: readonly (readonly [string, (entries: readonly StoredEntry[]) => boolean])[] = [
  ['it is asked for', (entries) => entries.some(({ data }) => data['action'] === 'reload')],
  ['it is held', (entries) => entries.some(isOf('hold_placed'))],
  ['its worker is gone', (entries) => entries.some(isOf('worker_exited'))],
  ['it is configured', (entries) => entries.filter(isOf('configured')).length === 2],
  ['it goes on', (entries) => entries.some(isOf('hold_lifted'))],
  ['it is told', (entries) => entries.filter(isOf('operator_outcome')).length === 2],
];

test.each(MOMENTS)(
  '[P1] [P2] killed when %s: nothing is lost, and nothing is done twice',
  async (_, isTime) => {
    const { host, workspace, ledger, entries, recovered } = await started();
    await host.command('trigger', workspace, 'clerk');
    await waitFor(() => ledger().length >= 3, { what: 'the work' });
    const path = join(workspace, 'clerk.agent');
    writeFileSync(`${path}.new`, readFileSync(path, 'utf8').replace('old', 'new'));
    renameSync(`${path}.new`, path);
    const reloading = host.command('reload', workspace, 'clerk', '--reason', 'a test');
    await waitFor(async () => isTime(await entries()), { what: 'the moment' });
    await host.kill();
    await reloading;

    const again = await runHost(workspace, host.data);
    const changes = await again.command('changes', workspace);
    expect(changes.stdout).toBe('All manifests are in force.\n');
    await waitFor(
      async () => {
        const { holds, open, invocationCount } = (await recovered()).snapshot;
        if (holds.some(({ kind }) => kind === 'in_doubt')) {
          const doubt = open.flatMap(({ effects }) => effects).find(({ end }) => end?.kind !== 'done');
          // Decided already, and still held for a moment.
          if (doubt === undefined) return false;
          const said = ledger().includes(doubt.occurrence) ? ['--happened', 'null'] : ['--did-not-happen'];
          await again.command('resolve', workspace, 'clerk', doubt.effectId, ...said, '--reason', 'looked');
        }
        return invocationCount === 1;
      },
      { what: 'the end of it' },
    );
    expect(ledger()).toEqual(Array.from({ length: STEPS }, (__, n) => n));
    const done = (await entries()).filter(
      ({ entry_type: type, data }) => type === 'context_update' && data['key'] === 'done',
    );
    // What it began with.
    expect(done.map(({ data }) => data['value'])).toEqual(['old']);
    await again.kill();
  },
);
