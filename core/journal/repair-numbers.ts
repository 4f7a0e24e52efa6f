// How whoever reads the copy will count its lines: a line of ours says its number itself, any other has the one after the
// line before it, or begins its segment.

import type { ScannedSegment } from './verify-scan.ts';

type Named = Pick<ScannedSegment, 'first' | 'last'>;

export class CopyNumbers {
  /** The number of the last line that is kept. */
  last = 0;
  /** Where the last segment before this one that keeps a line ends by its name. */
  boundary = 0;
  /** No line of this segment is kept yet. */
  isSegmentStart = true;
  #segment: Named | null = null;

  /** Lines of this segment come next. */
  begin(segment: Named): void {
    if (segment === this.#segment) return;
    // A segment of which nothing is kept is none.
    if (this.#segment !== null && !this.isSegmentStart) this.boundary = this.#segment.last ?? this.last;
    this.#segment = segment;
    this.isSegmentStart = true;
  }

  /** The number of a line that does not say it itself. */
  next(): number {
    if (!this.isSegmentStart) return this.last + 1;
    const last = this.#segment?.last ?? null;
    return last === null ? this.boundary + 1 : Math.max(this.#segment!.first, this.boundary + 1);
  }

  /**
   * The highest number that such a line may have; a sealed segment says where it ends. Behind missing ones none may begin it:
   * as part of a sealed segment it would be counted in another way than as part of the active one, which it may become.
   */
  highest(): number {
    if (this.#segment === null || this.#segment.last === null) return Infinity;
    const isBehindHole = this.isSegmentStart && this.#segment.first > this.boundary + 1;
    return isBehindHole ? 0 : this.#segment.last;
  }

  take(number: number): void {
    this.last = number;
    this.isSegmentStart = false;
  }
}
