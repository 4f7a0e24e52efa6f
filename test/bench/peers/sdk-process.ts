// The process of a peer's SDK that performs the steps: started, told what to do, killed by a benchmark, started again.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Started } from '../step-runner.ts';
import { ownEnvironment } from './server.ts';

/** What such a process says: that it can take work, once, and what became of each request. */
export type FromSdk =
  /** By its own look at the clock that all processes share, in nanoseconds: this one may be busy. */
  | { readonly type: 'ready'; readonly at: string }
  | { readonly type: 'answer'; readonly id: number; readonly value: number }
  | { readonly type: 'failure'; readonly id: number; readonly message: string };

/** The variable that tells it, which others can't read as they can arguments: there may be a password. */
export const SDK_START = 'HOLDFAST_BENCH_SDK';

/** Starts itself again as often as asked; `script` ends with the process that started it. */
export class SdkProcess {
  readonly #script: string;
  readonly #start: object;
  #child: ChildProcess | null = null;
  #output = '';
  #lastId = 0;

  /** `start` is what the script is told. */
  constructor(script: string, start: object) {
    this.#script = script;
    this.#start = start;
  }

  /** Resolves when it can take work. */
  async start(): Promise<Started> {
    const startedAt = process.hrtime.bigint();
    const child = fork(this.#script, {
      env: { ...ownEnvironment(), [SDK_START]: JSON.stringify(this.#start) },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.#output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-2_000);
      });
    }
    const { at } = await this.#next(child, (message) => message.type === 'ready');
    return { startedAt, readyAt: BigInt(at) };
  }

  /** The same, once the one that was killed is gone. */
  async restart(): Promise<Started> {
    const child = this.#child;
    if (child !== null && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return this.start();
  }

  /** What it answers. Rejects when it fails, or ends before. */
  async ask(request: object): Promise<number> {
    const child = this.#child!;
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = this.#next(
      child,
      (message): message is Exclude<FromSdk, { type: 'ready' }> =>
        message.type !== 'ready' && message.id === id,
    );
    child.send({ ...request, id });
    const message = await answer;
    if (message.type === 'answer') return message.value;
    throw new Error(message.message);
  }

  async end(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  #next<T extends FromSdk>(child: ChildProcess, isIt: (message: FromSdk) => message is T): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        child.off('message', heard);
        child.off('exit', gone);
        child.off('error', reject);
      };
      const heard = (raw: unknown): void => {
        const message = raw as FromSdk;
        if (!isIt(message)) return;
        done();
        resolve(message);
      };
      const gone = (): void => {
        done();
        reject(new Error(`The process of its SDK ended: ${this.#output.trim()}`));
      };
      child.on('message', heard);
      child.once('exit', gone);
      child.once('error', reject);
    });
  }
}
