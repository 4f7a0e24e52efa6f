// Which of somebody else's lines, and of blank ones, have their place in a damaged journal. Such a line names none before
// it, so the lines of ours around it decide: the numbers of two that are kept say how many lines there were between them,
// and the second one names the last of those.

import { FIRST_PREV, hashLine } from './codec.ts';
import { CopyNumbers } from './repair-numbers.ts';
import type { MetLine, Range } from './repair-plan.ts';
import type { ScannedSegment } from './verify-scan.ts';

interface Other {
  readonly segment: ScannedSegment;
  readonly index: number;
  readonly hash: string;
  /** It can't be read, and is not kept; it may be the one that is named. */
  readonly isBad: boolean;
  /** A line of ours that is not kept stands between it and the last one that is. */
  readonly isBehindOurs: boolean;
}

export class OthersBetween {
  readonly #numbers = new CopyNumbers();
  readonly #leftOut: { start: number; end: number }[] = [];
  /** Since the last line of ours that is kept. */
  #waiting: Other[] = [];
  #lastHash = FIRST_PREV;
  #isBehindOurs = false;

  /** Hears every line in turn, and of one of ours whether it is left out. */
  take({ segment, line, facts, index }: MetLine, isLeftOut: boolean): void {
    if (line === null || facts === null) return;
    if (facts.is !== 'ours') {
      const isBad = facts.is === 'bad';
      const hash = isBad ? hashLine(line.bytes) : facts.hash;
      this.#waiting.push({ segment, index, hash, isBad, isBehindOurs: this.#isBehindOurs });
    } else if (isLeftOut) {
      this.#isBehindOurs = true;
    } else {
      const { prev, seq } = facts.keys;
      const named = this.#waiting.findLastIndex(({ hash }) => hash === prev);
      // It was written right behind the line of ours before it.
      const isNext = named < 0 && prev === this.#lastHash;
      this.#settle(named, isNext ? 0 : seq - 1);
      this.#numbers.begin(segment);
      this.#numbers.take(seq);
      this.#lastHash = facts.hash;
      this.#isBehindOurs = false;
    }
  }

  /** The indexes of those that have no place, in order. */
  end(): readonly Range[] {
    this.#settle(-1, Infinity);
    return this.#leftOut;
  }

  /** `named` is the last of them that was there when the next line of ours was written, and has the number `lastNumber`. */
  #settle(named: number, lastNumber: number): void {
    for (const [at, { segment, index, isBad, isBehindOurs }] of this.#waiting.entries()) {
      if (isBad) continue;
      this.#numbers.begin(segment);
      const number = this.#numbers.next();
      const wasThere = named < 0 ? !isBehindOurs : at <= named;
      // The last place belongs to the line that is named, whether it is still there or not.
      const room = at === named ? lastNumber : lastNumber - 1;
      if (wasThere && number <= Math.min(room, this.#numbers.highest())) this.#numbers.take(number);
      else this.#leaveOut(index);
    }
    this.#waiting = [];
  }

  #leaveOut(index: number): void {
    const range = this.#leftOut.at(-1);
    if (range !== undefined && range.end === index - 1) range.end = index;
    else this.#leftOut.push({ start: index, end: index });
  }
}
