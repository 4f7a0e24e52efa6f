// Agents whose ended invocations are run again, with their code as it was or changed.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { checkReplay, type CheckedInvocation, type ReplayCheckReport } from '../../core/host/replay-check.ts';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import type { WorkerHost } from '../../core/model/ports.ts';
import { DEFAULT_PROCESS_CONFIG, type ProcessConfig } from '../../core/model/process-config.ts';
import { treeHash } from './fixtures.ts';
import type { Bench } from './runtime.ts';

export interface Changes {
  readonly [before: string]: string;
}

/** The agent's module with some of its text changed, beside it. */
export function changed(b: Bench, changes: Changes): string {
  let source = readFileSync(join(b.directory, 'agent.ts'), 'utf8');
  for (const [before, after] of Object.entries(changes)) {
    if (!source.includes(before)) throw new Error(`the agent has no ${before}`);
    source = source.replaceAll(before, after);
  }
  const path = join(b.directory, `changed-${crypto.randomUUID()}.ts`);
  writeFileSync(path, source);
  return path;
}

interface CheckOptions {
  readonly config?: Partial<ProcessConfig>;
  readonly last?: number;
  readonly workerHost?: WorkerHost;
  readonly patienceMs?: number;
}

/** Checks, and makes sure that nothing was done: neither to the ledger that stands for the world, nor to the journal. */
export async function check(
  b: Bench,
  entrypoint: string,
  options: CheckOptions = {},
): Promise<ReplayCheckReport> {
  const journal = join(b.directory, 'journal');
  const before = { hash: treeHash(journal), ledger: b.ledger() };
  const report = await checkReplay({
    journal: readFileJournal(journal),
    process: 'agent',
    entrypoint,
    config: { ...DEFAULT_PROCESS_CONFIG, ...options.config },
    workerHost: options.workerHost ?? childProcessWorkerHost(),
    last: options.last ?? 200,
    ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
  });
  expect({ hash: treeHash(journal), ledger: b.ledger() }).toEqual(before);
  return report;
}

export const unchanged = (b: Bench, options: CheckOptions = {}): Promise<ReplayCheckReport> =>
  check(b, join(b.directory, 'agent.ts'), options);

export const briefly = (one: CheckedInvocation): string =>
  'expected' in one ? `${one.verdict}: ${one.expected} / ${one.found}` : one.verdict;

/** What one change of the code is told as. */
export async function told(b: Bench, changes: Changes): Promise<string> {
  const { checked } = await check(b, changed(b, changes));
  return checked.map(briefly).join('\n');
}

/** An invocation with something of everything that a change of the code may move. */
export const SHOP = `
  await ctx.effect('reserve', { class: 'ask', args: { item: 1 } }, async () => note('reserve'));
  await ctx.effect('charge', { class: 'ask', args: { amount: 5 } }, async () => note('charge'));
  await ctx.state.set('sold', 1);
  await ctx.conversation.append({ role: 'assistant', content: 'sold' });
  await ctx.send('orders', { item: 1 });
  await ctx.sleep(1);
  /* more */
  return 'sold';
`;
