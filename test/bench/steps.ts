// The workload of `effects` and `resume`, the same for everybody: a sequence of trivial durable steps, performed one after
// the other. Each performance leaves a line in a ledger, which stands for the world: it tells how often something happened
// and when.

import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Plain data: it travels to whoever performs it. */
export interface Order {
  /** Absolute path, of no other order. */
  readonly ledger: string;
  readonly steps: number;
  /** The first performance of this step, counted from 0, never ends: whoever performs it is killed. Null: none. */
  readonly holdIn: number | null;
}

export interface Performed {
  readonly step: number;
  /** Of the operating system. */
  readonly pid: number;
  /** Nanoseconds of the clock that all processes share. */
  readonly at: bigint;
}

/** The name of every step, so that nobody keeps more of it than another. */
export const STEP = 'step';

/** Performs steps, in the process that is measured. */
export interface Performer extends Disposable {
  /** Small arguments in, a small result out. */
  readonly perform: (step: number) => Promise<{ readonly step: number }>;
}

export function performerOf({ ledger, holdIn }: Order): Performer {
  const fd = openSync(ledger, 'a');
  return {
    perform: async (step) => {
      writeSync(fd, `${step} ${process.pid} ${process.hrtime.bigint()}\n`);
      if (step === holdIn && !existsSync(holdMark(ledger))) {
        writeFileSync(holdMark(ledger), '');
        await delay(HOLD_MS);
      }
      return { step };
    },
    [Symbol.dispose]: () => closeSync(fd),
  };
}

/** Longer than anybody waits to kill what is held. */
const HOLD_MS = 60 * 60 * 1000;

function holdMark(ledger: string): string {
  return `${ledger}.held`;
}

/** Resolves with the number of the operating system's process that performs the step that is held. */
export async function heldBy({ ledger }: Order, patienceMs = 120_000): Promise<number> {
  const deadline = performance.now() + patienceMs;
  while (!existsSync(holdMark(ledger))) {
    if (performance.now() > deadline)
      throw new Error(`Nobody came to the step to be held in ${patienceMs} ms.`);
    await delay(1);
  }
  return readLedger(ledger).at(-1)!.pid;
}

export function readLedger(path: string): Performed[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [step, pid, at] = line.split(' ');
    return { step: Number(step), pid: Number(pid), at: BigInt(at!) };
  });
}

/**
 * Takes the ledger away; gives it, and how many performances were repetitions.
 * @throws Error when a step is missing, or was repeated that nobody was killed in
 */
export function settle(
  { ledger, steps, holdIn }: Order,
  who: string,
): { performed: Performed[]; repeated: number } {
  const performed = readLedger(ledger);
  const times = Array.from({ length: steps }, () => 0);
  for (const { step } of performed) times[step] = (times[step] ?? 0) + 1;
  if (times.length > steps) throw new Error(`${who} performed more than the ${steps} steps that there are.`);
  for (const [step, count] of times.entries()) {
    if (count === 0) throw new Error(`${who} never performed step ${step} of ${steps}.`);
    if (count > 1 && step !== holdIn) throw new Error(`${who} performed step ${step} ${count} times.`);
  }
  rmSync(ledger);
  rmSync(holdMark(ledger), { force: true });
  return { performed, repeated: performed.length - steps };
}

/** Makes the ledger of an order that nobody has begun. */
export function newOrder(ledger: string, steps: number, holdIn: number | null = null): Order {
  closeSync(openSync(ledger, 'wx'));
  return { ledger, steps, holdIn };
}
