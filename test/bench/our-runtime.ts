// Our contender of `effects` and `resume`: a runtime on a journal of its own, and agents in real child processes.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { systemClock } from '../../core/host/system-clock.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { journalForwards } from '../../core/journal/read-entries.ts';
import type { EffectClass } from '../../core/model/effects.ts';
import { isBad } from '../../core/model/entry.ts';
import type { Json } from '../../core/model/json.ts';
import type { WorkerHost } from '../../core/model/ports.ts';
import { DEFAULT_PROCESS_CONFIG, type ProcessDefinition } from '../../core/model/process-config.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import { AgentRuntime } from '../../core/runtime/agent-runtime.ts';
import { secondsOf } from './rounds.ts';
import { killAndResume, type Started, type StepRunner } from './step-runner.ts';
import type { AgentOrder } from './steps-agent.ts';
import { newOrder, settle, type Order } from './steps.ts';

export const OURS = 'Holdfast';
const AGENT_MODULE = fileURLToPath(new URL('steps-agent.ts', import.meta.url));

/**
 * A runtime with that many processes, their workers warm, everything as it is shipped. Each order goes to a process of
 * its own. Its journal is checked when it is disposed of.
 */
export async function ourRuntime(
  directory: string,
  processes: number,
  effectClass: EffectClass,
): Promise<StepRunner> {
  const names = Array.from({ length: processes }, (_, at) => `agent-${at}`);
  const journalDirectory = join(directory, 'journal');
  const journal = openFileJournal(journalDirectory);
  const watched = watchedHost(childProcessWorkerHost());
  const changes = new Changes();
  const runtime = new AgentRuntime({
    definitions: names.map(definitionOf),
    maxWorkers: processes,
    journal,
    journalId: journal.marker!.id,
    workerHost: watched.host,
    clock: systemClock(),
    ids: { next: () => crypto.randomUUID() },
    onChange: (name) => changes.tell(name),
  });
  await runtime.start();
  const done = new Map(names.map((name) => [name, 0]));

  const carryOut = async (name: string, order: Order): Promise<void> => {
    const process = runtime.process(name);
    const ordered: AgentOrder = { ...order, effectClass };
    await process.trigger(ordered as unknown as Json);
    await changes.until(name, () => isThrough(process));
    done.set(name, done.get(name)! + order.steps);
  };
  const run: StepRunner['run'] = (orders) =>
    secondsOf(() => Promise.all(orders.map((order, at) => carryOut(names[at]!, order))));

  const warmUp = names.map((name) => newOrder(join(directory, `${name}.warm-up`), 1));
  await run(warmUp);
  for (const order of warmUp) settle(order, OURS);
  return {
    run,
    resume: (order) => {
      const [name] = names;
      const begun = carryOut(name!, order);
      return killAndResume(order, { who: OURS, begun, restarted: watched.next(), ended: () => begun });
    },
    [Symbol.asyncDispose]: async () => {
      await runtime.quit();
      await journal.close();
      for (const [name, steps] of done) checkEffects(journalDirectory, name, steps);
    },
  };
}

function definitionOf(name: string): ProcessDefinition {
  return {
    name,
    description: '',
    entrypoint: AGENT_MODULE,
    directory: '',
    config: DEFAULT_PROCESS_CONFIG,
    configHash: 'bench',
    codeHash: 'bench',
  };
}

/** @throws Error where the process can't go on by itself */
function isThrough({ name, snapshot, live }: AgentProcess): boolean {
  const why = live.trouble?.message ?? snapshot.holds[0]?.reason ?? snapshot.lastError?.message;
  if (why !== undefined) throw new Error(`${name} does not go on: ${why}`);
  return snapshot.open.length === 0 && snapshot.queue.length === 0;
}

/** Who waits for something to change, by process. */
class Changes {
  readonly #waiting = new Map<string, () => void>();

  tell(name: string): void {
    this.#waiting.get(name)?.();
  }

  /** Resolves as soon as a change makes it so. */
  until(name: string, look: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        try {
          if (!look()) return;
          resolve();
        } catch (error) {
          reject(error);
        }
        this.#waiting.delete(name);
      };
      this.#waiting.set(name, check);
      check();
    });
  }
}

/** The same host, and when the next worker that it starts was asked for and ready. */
function watchedHost(host: WorkerHost): { host: WorkerHost; next: () => () => Promise<Started> } {
  let tell: (started: Started) => void = () => {};
  return {
    host: {
      ...host,
      spawn: async (...asked) => {
        const startedAt = process.hrtime.bigint();
        const worker = await host.spawn(...asked);
        tell({ startedAt, readyAt: process.hrtime.bigint() });
        return worker;
      },
    },
    next: () => {
      const started = new Promise<Started>((resolve) => {
        tell = resolve;
      });
      return () => started;
    },
  };
}

/** Every line is there, whole, and follows the one before it, and each step has its outcome. */
function checkEffects(directory: string, process: string, steps: number): void {
  let lines = 0;
  const finished = new Set<unknown>();
  for (const item of journalForwards(directory, process)) {
    lines += 1;
    if (isBad(item) || item.verification !== 'verified' || item.seq !== lines) {
      throw new Error(`Line ${lines} of ${process} can't be trusted: ${JSON.stringify(item)}`);
    }
    if (item.entry_type === 'effect_finished') finished.add(item.data['effect_id']);
  }
  if (finished.size !== steps) {
    throw new Error(`${finished.size} of ${steps} steps of ${process} are on record.`);
  }
}
