// Contenders take turns, so that a machine that gets slower or busier does so for all of them.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** With `HOLDFAST_BENCH_SMALL=1` everything is small: to see that a benchmark works, not how fast anything is. */
export const isSmall = process.env['HOLDFAST_BENCH_SMALL'] === '1';

const ROUNDS = isSmall ? 2 : 5;

export function sized(full: number, small: number): number {
  return isSmall ? small : full;
}

/** Measures once, checks what it made, clears up, and gives what it measured, each under its name. */
export type Contender = () => Samples | Promise<Samples>;
export type Samples = Readonly<Record<string, number>>;

/** All samples of a name, one for each round. */
export type Rounds = (name: string) => readonly number[];

/** Lets each contender measure once in each round, after a round that only warms up. */
export async function takeTurns(contenders: readonly Contender[], rounds = ROUNDS): Promise<Rounds> {
  const all = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
    for (let turn = 0; turn < contenders.length; turn += 1) {
      // Another one begins each time: nobody always follows the one that leaves the disk busy.
      const measure = contenders[(turn + round) % contenders.length]!;
      collectGarbage();
      const samples = await measure();
      if (round > 0) {
        for (const [name, sample] of Object.entries(samples))
          all.set(name, [...(all.get(name) ?? []), sample]);
      }
    }
  }
  return (name) => all.get(name) ?? [];
}

/** How long something took, in seconds. */
export async function secondsOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** What is going on, for whoever waits. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** What is missing from a result, said at once and once more behind the table. */
export const missing: string[] = [];

export function leaveOut(text: string): void {
  missing.push(text);
  say(text);
}

let collect: (() => void) | null = null;

/** Nobody pays for what the one before left behind. */
function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
