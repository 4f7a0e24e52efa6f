// What both kinds of worker have around the agent: the host's requests to end, the answer to "how large are you", marks in
// the output that say which run is in hand, and a limit to what an agent can say through its log.

import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import { markOwnProcesses } from './own-processes.ts';
import type { WorkerChannel, WorkerStart } from './run-worker.ts';
import { tokenBucket } from './token-bucket.ts';

/** The answer to `leaving`: exit. */
export type ToHarness = { readonly type: 'leave' };
/** After `end`, once nothing that touches the world is under way; nothing comes after it. */
export type FromHarness = { readonly type: 'leaving' };

export interface HarnessStart extends WorkerStart {
  /** Hex; no agent writes it by accident. */
  readonly outputMark: string;
}

/** What carries messages; the harness stands between it and the agent. */
export interface HarnessChannel {
  send(message: FromWorker | FromHarness): void;
  onMessage(listener: (message: ToWorker | ToHarness) => void): void;
}

const LOG_BURST_LINES = 2_000;
const LOG_LINES_PER_SECOND = 200;
const RUN_DIGITS = 10;
/** What a worker that is to end does no more. */
const BEGINS: ReadonlySet<ToWorker['type']> = new Set(['invoke', 'effect-permitted', 'judge']);

/** A mark in the output: from here on this run is the only one in hand; 0 for none or several. As long as all others. */
export function outputMark(mark: string, run: number): string {
  return `\u001e${mark}${String(run).padStart(RUN_DIGITS, '0')}\u001e`;
}

/** The agent's end of the channel. */
export function harness(channel: HarnessChannel, start: HarnessStart): WorkerChannel {
  markOwnProcesses();
  const inHand = new Set<number>();
  const performing = new Set<string>();
  // As they are now: agents like to put their own in place of them.
  const writes = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream));
  let isEnding = false;
  let isLeaving = false;

  const leaveWhenIdle = (): void => {
    if (!isEnding || isLeaving || performing.size > 0) return;
    isLeaving = true;
    channel.send({ type: 'leaving' });
  };
  const markOutput = (): void => {
    const [only = 0] = inHand.size === 1 ? inHand : [];
    const text = outputMark(start.outputMark, only);
    writes.forEach((write) => write(text));
  };
  const log = limitedLog((message) => channel.send(message));

  return {
    send: (message) => {
      if (isLeaving) return;
      if (message.type === 'log') {
        log(message);
        return;
      }
      const ended = endsRun(message);
      if (ended !== null && inHand.delete(ended)) markOutput();
      channel.send(message.type === 'pong' ? { ...message, rss: process.memoryUsage.rss() } : message);
      if (message.type === 'effect-ended') {
        performing.delete(`${message.run} ${message.effectId}`);
        leaveWhenIdle();
      }
    },
    onMessage: (listener) =>
      channel.onMessage((message) => {
        if (message.type === 'leave') process.exit(0);
        if (message.type === 'end') {
          isEnding = true;
          leaveWhenIdle();
          return;
        }
        if (isEnding && BEGINS.has(message.type)) return;
        if (message.type === 'invoke') {
          inHand.add(message.run);
          markOutput();
        }
        if (message.type === 'effect-permitted') performing.add(`${message.run} ${message.effectId}`);
        listener(message);
      }),
  };
}

/** The run that is over with this message. */
export function endsRun(message: FromWorker): number | null {
  return message.type === 'invocation-done' ||
    message.type === 'invocation-failed' ||
    message.type === 'invocation-refused' ||
    message.type === 'invocation-held'
    ? message.run
    : null;
}

type Log = Extract<FromWorker, { readonly type: 'log' }>;

/** An agent that says too much is not slowed down: what it says is left out, and counted. */
function limitedLog(send: (message: Log) => void): (message: Log) => void {
  const bucket = tokenBucket({ capacity: LOG_BURST_LINES, perSecond: LOG_LINES_PER_SECOND });
  let dropped = 0;
  let last: Log | null = null;
  const tell = (): void => {
    if (last !== null && dropped > 0) send({ ...last, level: 'warning', text: `… ${dropped} lines dropped` });
    dropped = 0;
  };
  return (message) => {
    const now = performance.now();
    if (bucket.level(now) < 1) {
      if (dropped === 0) setTimeout(tell, 1_000).unref();
      dropped += 1;
      last = message;
      return;
    }
    tell();
    bucket.take(now, 1);
    send(message);
  };
}
