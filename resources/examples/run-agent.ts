// What the examples share: one agent, run for real, with a journal and a world of its own that are gone at the end.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from 'holdfast';
import { openFileJournal, readFileJournal, type FileJournal } from 'holdfast/journal';
import { runtimeOn } from '../../core/host/runtime-on.ts';
import { codeOf } from '../../core/model/errors.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import type { AgentRuntime } from '../../core/runtime/agent-runtime.ts';

const NAME = 'agent';
/** Who decides, and why: what a person does is on record with both. */
export const OPERATOR = { name: 'you', reason: 'this is an example' } as const;

export interface RunningAgent {
  /** The one of the present host, or of the last. */
  process(): AgentProcess;
  /** An event for the agent, with the world's file in it. */
  trigger(): Promise<void>;
  /** Resolves when that is so. */
  until(look: (process: AgentProcess) => boolean): Promise<void>;
  /** Waits for the end of the invocation, takes the host away, and tells what the journal says came of it. */
  ended(): Promise<string>;
  /** Kills its worker; where it only waits, that may have been let go of before. */
  loseWorker(): Promise<void>;
  /** Takes the whole host away. */
  stopHost(): Promise<void>;
  /** Another, which knows nothing but the journal. */
  startHost(): Promise<void>;
}

export async function runAgent(
  entrypoint: string,
  story: (agent: RunningAgent, world: string) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-example-'));
  const world = join(directory, 'world.txt');
  const journalDirectory = join(directory, 'journal');
  const config = { ...DEFAULT_PROCESS_CONFIG, restartBackoffMs: 20, workerIdleMs: 100 };
  const definition = {
    name: NAME,
    description: '',
    entrypoint,
    directory: '',
    config,
    configHash: '',
    codeHash: '',
  };
  const looks = new Set<() => void>();
  let host: { readonly runtime: AgentRuntime; readonly journal: FileJournal } | null = null;
  let last: AgentProcess;

  const agent: RunningAgent = {
    process: () => last,
    trigger: async () => void (await agent.process().trigger({ world } satisfies Json)),
    until: (look) =>
      new Promise((resolve) => {
        const again = (): void => {
          if (host === null || !look(last)) return;
          looks.delete(again);
          resolve();
        };
        looks.add(again);
        again();
      }),
    ended: async () => {
      await agent.until(({ snapshot: { open, queue } }) => open.length + queue.length === 0);
      await agent.stopHost();
      const entries = await readFileJournal(journalDirectory).read(NAME);
      const end = entries.findLast(
        ({ entry_type: type }) => type === 'invocation_result' || type === 'error',
      );
      const said = end?.data['response'] ?? end?.data['error'];
      return typeof said === 'string' ? said : 'nothing';
    },
    loseWorker: async () => {
      try {
        await last.killWorker();
      } catch (error) {
        if (codeOf(error) !== 'process.no-worker') throw error;
      }
      await agent.until(({ live }) => live.worker === null);
    },
    startHost: async () => {
      const journal = openFileJournal(journalDirectory);
      const runtime = runtimeOn(journal, {
        definitions: [definition],
        onChange: () => {
          for (const look of looks) setImmediate(look);
        },
      });
      host = { runtime, journal };
      last = runtime.process(NAME);
      await runtime.start();
    },
    stopHost: async () => {
      const gone = host;
      host = null;
      await gone?.runtime.quit();
      await gone?.journal.close();
    },
  };
  try {
    await agent.startHost();
    await story(agent, world);
  } finally {
    await agent.stopHost();
    rmSync(directory, { recursive: true, force: true });
  }
}
