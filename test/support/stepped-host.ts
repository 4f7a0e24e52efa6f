// A host of one agent in this very process, on a real journal, whose workers, clock, disk and world a test has in its hands;
// and what has to hold of it after every step.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { onTestFinished } from 'vitest';
import { runtimeOn } from '../../core/host/runtime-on.ts';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal, readFileJournal, type FileJournal } from '../../core/journal/file-journal.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { isLifecycleState, nextStates } from '../../core/model/lifecycle.ts';
import { textAt } from '../../core/model/json.ts';
import {
  DEFAULT_PROCESS_CONFIG,
  type ProcessConfig,
  type ProcessDefinition,
} from '../../core/model/process-config.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/replay-engine.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import type { AgentRuntime } from '../../core/runtime/agent-runtime.ts';
import { SteppedClock } from './stepped-clock.ts';
import { endWorld, makeWorld, type World } from './stepped-world.ts';
import { tempDirectory } from './temp-directory.ts';
import { workersInProcess, type WorkersInProcess } from './workers-in-process.ts';

/** Behind the real one, by which agents reckon how old something is. */
const BEGINNING = Date.parse('2020-06-01T00:00:00Z');
/** What goes by with each turn that something is waited for. */
const TURN_MS = 5;
/** Of real time, after which a step hangs. */
const PATIENCE_MS = 40_000;

export class SteppedHost {
  readonly clock = new SteppedClock(BEGINNING);
  readonly workers: WorkersInProcess;
  readonly world: World;
  readonly directory: string;
  readonly #definition: ProcessDefinition;
  #journal!: FileJournal;
  #runtime!: AgentRuntime;
  isFull = false;

  constructor(directory: string, random: () => number, config: Partial<ProcessConfig> = {}) {
    this.directory = join(directory, 'journal');
    this.workers = workersInProcess({ clock: this.clock, random });
    const name = `stepped-${crypto.randomUUID()}`;
    this.world = makeWorld(name, random);
    this.#definition = {
      name,
      description: '',
      entrypoint: fileURLToPath(new URL('./stepped-agent.ts', import.meta.url)),
      directory: '',
      config: {
        ...DEFAULT_PROCESS_CONFIG,
        concurrency: 2,
        heartbeatIntervalMs: 1_000,
        workerIdleMs: 2_000,
        idleTimeoutMs: 300_000,
        delivery: { ...DEFAULT_DELIVERY, maxRetries: 1, retryBackoffMs: 500 },
        maxConsecutiveFailures: 3,
        restartPolicy: 'on_failure',
        maxRestarts: 3,
        restartBackoffMs: 200,
        durability: 'os',
        ...config,
      },
      configHash: 'stepped',
      codeHash: 'stepped',
    };
  }

  get agent(): AgentProcess {
    return this.#runtime.process(this.#definition.name);
  }

  get name(): string {
    return this.#definition.name;
  }

  async start(): Promise<void> {
    this.#journal = openFileJournal(this.directory, { disk: this.#disk() });
    this.#runtime = runtimeOn(this.#journal, {
      definitions: [this.#definition],
      workerHost: this.workers,
      clock: this.clock,
    });
    await this.#runtime.start();
  }

  async quit(): Promise<void> {
    await this.#runtime.quit();
    await this.#journal.close();
  }

  #disk(): Disk {
    return {
      ...LOCAL_DISK,
      write: (...args) => {
        if (this.isFull) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
        return LOCAL_DISK.write(...args);
      },
    };
  }

  /** Time goes by until it is so. @throws Error for what never is */
  async until(what: string, look: (agent: AgentProcess) => boolean, turnMs = TURN_MS): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!look(this.agent)) {
      if (performance.now() > deadline) throw new Error(`${what} never comes`);
      await this.turns(1, turnMs);
    }
  }

  /** Some turns of everything, with the time that they take. */
  async turns(count: number, ms = TURN_MS): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      await new Promise((resolve) => void setImmediate(resolve));
      this.clock.pass(ms);
    }
  }

  /** The same, where time stands still while the disk is slow: what is to come of it is not overtaken by the clock. */
  async settledTurns(count: number, ms = TURN_MS): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      await this.agent.settled();
      await this.turns(1, ms);
    }
  }

  /** What comes of it, while time goes by. @throws Error for what never comes to an end */
  async outcome<T>(what: string, work: Promise<T>): Promise<T> {
    const seen = { isSettled: false };
    const settled = (): void => {
      seen.isSettled = true;
    };
    work.then(settled, settled);
    const deadline = performance.now() + PATIENCE_MS;
    while (!seen.isSettled) {
      if (performance.now() > deadline) throw new Error(`${what} never comes to an end`);
      await this.turns(1);
    }
    return work;
  }

  /**
   * Resolves with what the journal gives once that is as far as what is live; null where an entry was refused, and the live
   * state is ahead for good. @throws Error where neither comes while time stands still
   */
  async settled(): Promise<ProcessSnapshot | null> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      if (this.agent.live.trouble !== null) return null;
      const { snapshot } = await new ReplayEngine(readFileJournal(this.directory)).recover(this.name);
      const { seq } = this.agent.snapshot;
      if (seq === snapshot.seq) return snapshot;
      if (performance.now() > deadline) throw new Error(`the journal stays at ${snapshot.seq} of ${seq}`);
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }

  /** What was seen live is lined up, and read only once it is written. */
  async entries(): Promise<readonly StoredEntry[]> {
    await this.agent.settled();
    return readFileJournal(this.directory).read(this.name);
  }

  /** What is wrong with it now; null for nothing. */
  async wrong(): Promise<string | null> {
    const { lifecycle } = this.agent.snapshot;
    if (!isLifecycleState(lifecycle)) return `it is ${lifecycle}, which is no state`;
    const recovered = await this.settled();
    const live = this.agent.snapshot;
    if (recovered !== null && recovered.seq !== live.seq) return this.wrong();
    if (recovered !== null && !isDeepStrictEqual(recovered, live)) {
      return `recovered is ${JSON.stringify(recovered)}, and live is ${JSON.stringify(live)}`;
    }
    const report = await verifyJournal(this.directory);
    const [damage] = report.processes.flatMap((process) => process.damage);
    if (damage !== undefined) return `its journal is damaged at ${damage.seq}: ${damage.reason}`;
    return wrongTransition(await this.entries());
  }
}

/** A host that runs, and is over with the test. */
export async function startStepped(
  random: () => number,
  config: Partial<ProcessConfig> = {},
): Promise<SteppedHost> {
  const host = new SteppedHost(tempDirectory(), random, config);
  await host.start();
  onTestFinished(async () => {
    await host.outcome('quitting', host.quit());
    endWorld(host.name);
  });
  return host;
}

/** Each leads on from the one before, as the table allows. */
function wrongTransition(entries: readonly StoredEntry[]): string | null {
  let state = 'created';
  for (const { entry_type, data, seq } of entries) {
    if (entry_type !== 'state_transition') continue;
    const [from, to] = [textAt(data, 'from_state'), textAt(data, 'to_state')];
    if (from !== state) return `entry ${seq} leads on from ${from}, and it was ${state}`;
    if (!isLifecycleState(from) || !(nextStates(from) as readonly string[]).includes(to)) {
      return `entry ${seq} leads from ${from} to ${to}, where nothing leads`;
    }
    state = to;
  }
  return null;
}
