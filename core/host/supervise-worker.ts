// What every kind of worker has in common, once the system has been asked for a process: waiting until it is ready, hearing
// what it says and writes, its limits, and its end in stages. Nothing here waits for ever for a process that does not go.

import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import type { FromHarness, ToHarness } from '../agent/worker-harness.ts';
import { messageOf } from '../model/errors.ts';
import { hasRawNumber, withDoubles, type Json } from '../model/json.ts';
import type { CallOff, Secrecy, WorkerExit, WorkerHandle, WorkerOutput, WorkerSpec } from '../model/ports.ts';
import type { OsProcess } from '../model/snapshot.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import { drainStream } from './drain-stream.ts';
import { killGroup, reapOsProcess, signalGroup } from './os-process.ts';
import { OutputLines } from './output-lines.ts';
import { OutputTail } from './output-tail.ts';
import { factsOf, usageOf } from './process-usage.ts';
import { describeEnd, type EndStage } from './worker-end.ts';
import { parseFromWorker } from './worker-messages.ts';
import { DEFAULT_LIMITS, readyWorker } from './worker-start.ts';

/** Between a worker's end and the last of what it wrote. */
const DRAIN_PATIENCE_MS = 500;
/** Between a worker's killing and its end, as the system tells it. */
const KILL_PATIENCE_MS = 5_000;
const MEMORY_CHECK_MS = 500;
const STARTING_POLL_MS = 10;
const MEGABYTE = 1024 * 1024;
/** What a worker writes is read whether anybody wants it or not. */
const UNHEARD: WorkerOutput = { hasRoom: () => false, onLine: () => {}, onDropped: () => {} };

/** A process that the system was asked for. */
export interface WorkerProcess {
  /** Null until the system has started it. */
  readonly identity: () => OsProcess | null;
  readonly out: Readable | null;
  readonly err: Readable | null;
  /** One that is going is told nothing; its exit says the rest. */
  readonly send: (message: ToWorker | ToHarness) => void;
  readonly onMessage: (listener: (raw: unknown) => void) => void;
  readonly exit: Promise<ProcessExit>;
  /** Resolves when nothing more comes over the channel. */
  readonly channelEnd: Promise<void>;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why there never was a process; null when there was one. */
  readonly refusal: unknown;
}

export interface Supervision {
  readonly spec: WorkerSpec;
  readonly callOff: CallOff;
  readonly output: WorkerOutput | undefined;
  readonly secrecy?: Secrecy | undefined;
  /** What the worker was given to mark its output with. */
  readonly outputMark: string;
  readonly reap?: (worker: OsProcess) => Promise<void>;
  readonly killPatienceMs?: number;
}

/** Resolves when the worker is ready. @throws as {@link readyWorker} does */
export async function superviseWorker(child: WorkerProcess, supervision: Supervision): Promise<WorkerHandle> {
  const { spec, callOff } = supervision;
  const worker = new SupervisedWorker(child, supervision);
  await readyWorker({
    spec,
    callOff,
    ready: worker.ready,
    exited: worker.exited,
    kill: (why) => worker.kill(why),
    patienceMs: (spec.limits ?? DEFAULT_LIMITS).startDeadlineMs,
    refusal: () => worker.refusal,
  });
  return worker;
}

/** A raw number does not cross as what it is, and code in there could do nothing with it. */
function asCodeReadsIt(message: ToWorker): ToWorker {
  return hasRawNumber(message) ? (withDoubles(message as unknown as Json) as unknown as ToWorker) : message;
}

class SupervisedWorker implements WorkerHandle {
  readonly exited: Promise<WorkerExit>;
  readonly ready: Promise<'ready'>;
  readonly #child: WorkerProcess;
  readonly #supervision: Supervision;
  readonly #streams: readonly ReturnType<typeof drainStream>[];
  readonly #lines: readonly OutputLines[];
  readonly #tail: OutputTail;
  readonly #givenUp = Promise.withResolvers<'given-up'>();
  readonly #ready = Promise.withResolvers<'ready'>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly facts: WorkerHandle['facts'];
  #identity: OsProcess | null = null;
  #listener: ((message: FromWorker) => void) | null = null;
  #waiting: FromWorker[] = [];
  #stage: EndStage = 'none';
  #killedFor: string | null = null;
  #isGone = false;
  refusal: unknown = null;

  constructor(child: WorkerProcess, supervision: Supervision) {
    const { output = UNHEARD, outputMark } = supervision;
    this.#child = child;
    this.facts = factsOf(() => this.pid, supervision.spec.generation);
    this.#supervision = supervision;
    this.#tail = new OutputTail(outputMark, supervision.secrecy?.scrub);
    this.#lines = (['out', 'err'] as const).map((stream) => new OutputLines(stream, outputMark, output));
    this.#streams = [child.out, child.err].map((stream, at) =>
      drainStream(stream, (bytes) => {
        this.#tail.push(bytes);
        this.#lines[at]!.push(bytes);
      }),
    );
    this.ready = this.#ready.promise;
    child.onMessage((raw) => this.#heard(raw));
    this.#watchMemory();
    this.exited = this.#exit();
  }

  get pid(): number {
    return this.#known()?.pid ?? 0;
  }

  get startTime(): string {
    return this.#known()?.startTime ?? '';
  }

  send(message: ToWorker): void {
    if (!this.#isGone) this.#child.send(asCodeReadsIt(message));
  }

  onMessage(listener: (message: FromWorker) => void): void {
    this.#listener = listener;
    this.#waiting.splice(0).forEach(listener);
  }

  end(): void {
    if (this.#isGone || this.#stage !== 'none') return;
    const { stopDeadlineMs } = this.#limits;
    this.#stage = 'asked';
    this.#child.send({ type: 'end' });
    // One after the other: a host that stood still gives it the time of each all the same.
    this.#after(stopDeadlineMs / 2, () => {
      this.#stage = 'terminated';
      const { pid } = this;
      if (pid > 0) signalGroup(pid, 'SIGTERM');
      this.#after(stopDeadlineMs / 2, () => {
        this.#stage = 'killed';
        this.#endNow();
      });
    });
  }

  kill(why = 'was killed'): void {
    if (this.#isGone) return;
    this.#killedFor ??= why;
    this.#endNow();
  }

  #endNow(): void {
    this.#after(this.#supervision.killPatienceMs ?? KILL_PATIENCE_MS, () =>
      this.#givenUp.resolve('given-up'),
    );
    this.#killOnceStarted();
  }

  #killOnceStarted(): void {
    if (this.pid > 0) killGroup(this.pid);
    else this.#after(STARTING_POLL_MS, () => this.#killOnceStarted());
  }

  get #limits(): NonNullable<WorkerSpec['limits']> {
    return this.#supervision.spec.limits ?? DEFAULT_LIMITS;
  }

  /** Kept: a process that has ended is not asked who it was. */
  #known(): OsProcess | null {
    this.#identity ??= this.#child.identity();
    return this.#identity;
  }

  #heard(raw: unknown): void {
    this.#known();
    const message: FromWorker | FromHarness | null = parseFromWorker(raw);
    if (message === null) {
      this.kill('sent what no worker sends, so it was ended');
      return;
    }
    if (message.type === 'leaving') {
      if (this.#stage !== 'none') this.#child.send({ type: 'leave' });
      return;
    }
    if (message.type === 'ready') {
      this.#ready.resolve('ready');
      return;
    }
    if (message.type === 'pong' && message.rss !== undefined) this.#checkMemory(message.rss);
    if (this.#listener === null) this.#waiting.push(message);
    else this.#listener(message);
  }

  #watchMemory(): void {
    if (this.#limits.memoryMb === null) return;
    this.#after(MEMORY_CHECK_MS, () => {
      const usage = this.pid > 0 ? usageOf(this.pid) : null;
      if (usage !== null) this.#checkMemory(usage.rssBytes);
      this.#watchMemory();
    });
  }

  #checkMemory(rssBytes: number): void {
    const { memoryMb } = this.#limits;
    if (memoryMb === null || rssBytes <= memoryMb * MEGABYTE) return;
    this.kill(`memory: ${Math.ceil(rssBytes / MEGABYTE)} MB of ${memoryMb} MB`);
  }

  /** Not once the worker is gone. Whether it is, a host that stood still meanwhile hears first. */
  #after(delayMs: number, act: () => void): void {
    if (this.#isGone) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      setImmediate(() => {
        if (!this.#isGone) act();
      });
    }, delayMs);
    this.#timers.add(timer);
  }

  async #exit(): Promise<WorkerExit> {
    const end = await Promise.race([this.#child.exit, this.#givenUp.promise]);
    this.#isGone = true;
    this.#timers.forEach(clearTimeout);
    const isUndead = !(await this.#isReaped()) || end === 'given-up';
    for (const { hurry } of this.#streams) hurry();
    const heard = Promise.all([...this.#streams.map(({ ended }) => ended), this.#child.channelEnd]);
    // What lies ready by then is read.
    await Promise.race([heard, delay(DRAIN_PATIENCE_MS).then(() => turn())]);
    for (const lines of this.#lines) lines.end();
    this.refusal = end === 'given-up' ? null : end.refusal;
    return this.#told(end === 'given-up' ? { code: null, signal: null } : end, isUndead);
  }

  /** Everything that it started goes with it [S30]. */
  async #isReaped(): Promise<boolean> {
    const identity = this.#known();
    if (identity === null) return true;
    try {
      await (this.#supervision.reap ?? reapOsProcess)(identity);
      return true;
    } catch {
      return false;
    }
  }

  #told(end: Pick<ProcessExit, 'code' | 'signal'>, isUndead: boolean): WorkerExit {
    const { stopDeadlineMs, memoryMb } = this.#limits;
    // Not every host tells by what a process was ended.
    const wasKilled = this.#killedFor !== null || this.#stage === 'killed';
    const by = wasKilled ? 'SIGKILL' : this.#stage === 'terminated' && end.code !== 0 ? 'SIGTERM' : null;
    const code = by === null ? end.code : null;
    const signal = end.signal ?? by;
    const lastOutput = this.refusal === null ? this.#tail.text() : messageOf(this.refusal);
    const why = describeEnd({
      code,
      signal,
      stage: this.#stage,
      killedFor: this.#killedFor,
      lastOutput,
      stopDeadlineMs,
      memoryMb,
      isUndead,
    });
    return { code, signal, lastOutput, why, isUndead };
  }
}
