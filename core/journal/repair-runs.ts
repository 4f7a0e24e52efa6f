// Which pieces of a damaged journal belong together. A piece that does not follow the one before may be put in from
// elsewhere, come a second time, or stand behind lines that are lost; what is kept is the heaviest row of pieces in which
// numbers only grow.

import { FIRST_PREV } from './codec.ts';

/** Lines that follow each other without a break, somebody else's that ours name among them. */
export interface Run {
  /** Indexes of its first and last line. */
  readonly start: number;
  readonly end: number;
  readonly lines: number;
  /** What its first line of ours says of the one before it, and the numbers of its first and last line. */
  readonly prev: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly lastHash: string;
}

/** That one piece goes on exactly where another ends is no accident: it is worth this many lines. */
const LINK_WORTH = 100;
/** The first line says less, since it names no other. */
const BEGINNING_WORTH = 50;

interface Weighed {
  readonly score: number;
  /** The piece before it; -1 for none. */
  readonly before: number;
}

/** Of runs in the order in which they stand, those to keep. */
export function heaviestRow(runs: readonly Run[]): ReadonlySet<Run> {
  const weighed: Weighed[] = [];
  const ends = new Map<string, number>();
  const heaviest = new HeaviestBelow(runs.map(({ lastSeq }) => lastSeq));
  let last = -1;
  for (const [at, { prev, firstSeq, lastSeq, lastHash, lines }] of runs.entries()) {
    const linked = ends.get(prev) ?? -1;
    const candidates = [
      { at: -1, score: prev === FIRST_PREV ? BEGINNING_WORTH : 0 },
      withScore(heaviest.below(firstSeq), weighed, 0),
      withScore(linked >= 0 && runs[linked]!.lastSeq < firstSeq ? linked : -1, weighed, LINK_WORTH),
    ];
    const best = candidates.reduce((one, other) => (other.score > one.score ? other : one));
    const score = best.score + lines;
    weighed.push({ score, before: best.at });
    heaviest.put(lastSeq, at, score);
    const rival = ends.get(lastHash);
    if (rival === undefined || weighed[rival]!.score < score) ends.set(lastHash, at);
    if (last < 0 || score > weighed[last]!.score) last = at;
  }
  const kept = new Set<Run>();
  for (let at = last; at >= 0; at = weighed[at]!.before) kept.add(runs[at]!);
  return kept;
}

function withScore(at: number, weighed: readonly Weighed[], more: number): { at: number; score: number } {
  return at < 0 ? { at, score: 0 } : { at, score: weighed[at]!.score + more };
}

/** The heaviest of those with a number below another, however many there are (a Fenwick tree of maxima). */
class HeaviestBelow {
  readonly #numbers: readonly number[];
  readonly #best: { at: number; score: number }[];

  constructor(numbers: readonly number[]) {
    this.#numbers = [...new Set(numbers)].sort((a, b) => a - b);
    this.#best = Array.from({ length: this.#numbers.length + 1 }, () => ({ at: -1, score: 0 }));
  }

  put(number: number, at: number, score: number): void {
    for (let node = this.#rank(number) + 1; node < this.#best.length; node += node & -node)
      if (score > this.#best[node]!.score) this.#best[node] = { at, score };
  }

  /** -1 for none. */
  below(number: number): number {
    let best = { at: -1, score: 0 };
    for (let node = this.#rank(number); node > 0; node -= node & -node)
      if (this.#best[node]!.score > best.score) best = this.#best[node]!;
    return best.at;
  }

  /** How many numbers are below. */
  #rank(number: number): number {
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#numbers[middle]! < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
