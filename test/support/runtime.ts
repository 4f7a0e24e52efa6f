// A real runtime on a real journal, with agents in real child processes.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runtimeOn, type OnThisMachine } from '../../core/host/runtime-on.ts';
import { openFileJournal, readFileJournal, type FileJournal } from '../../core/journal/file-journal.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { foldEntries } from '../../core/model/fold.ts';
import {
  DEFAULT_PROCESS_CONFIG,
  withoutSecrets,
  type ProcessConfig,
  type ProcessDefinition,
} from '../../core/model/process-config.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import type { AgentRuntime } from '../../core/runtime/agent-runtime.ts';
import { killProcess } from './kill-process.ts';
import { tempDirectory } from './temp-directory.ts';
import { waitFor } from './wait-for.ts';

export const OPERATOR = { name: 'operator:tester', reason: 'test' } as const;

export interface Bench {
  readonly directory: string;
  readonly journal: FileJournal;
  readonly runtime: AgentRuntime;
  readonly process: AgentProcess;
  /** Lines that agents wrote to the ledger, which stands for the world. */
  ledger(): string[];
  entries(): Promise<readonly StoredEntry[]>;
  trigger(payload?: string): Promise<string>;
  until(what: string, look: (process: AgentProcess) => unknown): Promise<void>;
  /** Ends this runtime and starts another on the same journal. */
  again(): Promise<Bench>;
  quit(): Promise<void>;
}

/** What every agent source may use: `note(line)` writes a line to the ledger at once. */
const PRELUDE = (ledger: string): string => `
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent, DidNotHappen, PromiseExpired, PromiseRejected, TerminalError } from 'holdfast';
const note = (line) => appendFileSync(${JSON.stringify(ledger)}, line + '\\n');
`;

/** Starts a runtime on a journal, with workers as child processes; it ends with the test. */
export async function startRuntime(
  journalDirectory: string,
  definitions: readonly ProcessDefinition[],
  more: Omit<OnThisMachine, 'definitions'> = {},
): Promise<Pick<Bench, 'journal' | 'runtime' | 'quit'>> {
  const journal = openFileJournal(journalDirectory);
  const runtime = runtimeOn(journal, { definitions, ...more });
  let isOver = false;
  const quit = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await runtime.quit();
    await journal.close();
  };
  // A test that is over proves nothing more by waiting for effects that never end.
  onTestFinished(async () => {
    const over = quit();
    for (const { live } of runtime.processes.values()) endAtOnce(live.worker);
    await over;
  });
  await runtime.start();
  return { journal, runtime, quit };
}

/** Kills a worker; null, or one that is gone, is left alone. */
export function endAtOnce(worker: { readonly pid: number } | null): void {
  killProcess(worker?.pid);
}

/** Starts one process called `agent`; `source` is the body of its onTrigger(ctx, event, run), or a whole module after the prelude. */
export async function bench(
  source: string,
  config: Partial<ProcessConfig> = {},
  directory: string = tempDirectory(),
  more: Omit<OnThisMachine, 'definitions'> = {},
): Promise<Bench> {
  mkdirSync(directory, { recursive: true });
  const ledgerPath = join(directory, 'ledger.txt');
  const entrypoint = join(directory, 'agent.ts');
  const body = source.includes('export default')
    ? source
    : `export default defineAgent({ async onTrigger(ctx, event, run) { ${source} } });`;
  writeFileSync(entrypoint, PRELUDE(ledgerPath) + body);
  const full: ProcessConfig = { ...DEFAULT_PROCESS_CONFIG, restartBackoffMs: 20, ...config };
  const definition: ProcessDefinition = {
    name: 'agent',
    description: '',
    entrypoint,
    directory,
    config: full,
    configHash: JSON.stringify(withoutSecrets(full)),
    codeHash: 'test',
  };
  const journalDirectory = join(directory, 'journal');
  const { journal, runtime, quit } = await startRuntime(journalDirectory, [definition], more);
  const process = runtime.process('agent');
  return {
    directory,
    journal,
    runtime,
    process,
    // Whole lines: one that is being written is none yet.
    ledger: () => (existsSync(ledgerPath) ? readFileSync(ledgerPath, 'utf8').split('\n').slice(0, -1) : []),
    // The live state is ahead of the disk: what a test saw in it is lined up, and read only once it is written.
    entries: async () => {
      await process.settled();
      return readFileJournal(journalDirectory).read('agent');
    },
    trigger: (payload = '') => process.trigger(payload),
    until: async (what, look) => void (await waitFor(() => Boolean(look(process)), { what })),
    again: async () => {
      await quit();
      return bench(source, config, directory, more);
    },
    quit,
  };
}

/** The state that the journal alone gives, read from its first line. */
export async function folded(of: Bench): Promise<ProcessSnapshot> {
  return foldEntries(await of.entries());
}

export const isIdle = ({ snapshot }: AgentProcess): boolean =>
  snapshot.open.length === 0 && snapshot.queue.length === 0;
