// What workers wrote, as far as it was read. Pure, and tested alone.

import type { OutputLine, OutputPage } from '../../core/contract/worker-views.ts';

export interface Output {
  /** Oldest first. */
  readonly lines: readonly OutputLine[];
  /** The first line's number, below 0 for lines that were read later: a line keeps its own whatever comes around it. */
  readonly first: number;
  /** Where to go on towards the beginning; null at the beginning. */
  readonly before: string | null;
}

/** Lines that a reader who stays at the end keeps; older ones can be read again. */
export const MOST_LINES = 2_000;

/**
 * The newest page joined to what was read before. Lines have no numbers: what both hold is found by what it says. A
 * page that has nothing in common with what is there begins afresh, since lines between the two may be missing.
 */
export function withNewest(output: Output | null, page: OutputPage): Output {
  if (output === null) return { ...page, first: 0 };
  const common = overlap(output.lines, page.lines);
  if (common === 0) return page.lines.length === 0 ? output : afresh(output, page);
  if (common === page.lines.length) return output;
  return { ...output, lines: [...output.lines, ...page.lines.slice(common)] };
}

/** An older page before what is there. */
export function withOlderLines(output: Output, page: OutputPage): Output {
  return {
    lines: [...page.lines, ...output.lines],
    first: output.first - page.lines.length,
    before: page.before,
  };
}

/** Bounded again, where nobody reads the beginning: as if only the newest page had been read. */
export function trimmed(output: Output, page: OutputPage): Output {
  if (output.lines.length <= MOST_LINES) return output;
  return { ...page, first: output.first + output.lines.length - page.lines.length };
}

/** Numbers go on, so that no line is taken for one that is gone. */
function afresh(output: Output, page: OutputPage): Output {
  return { ...page, first: output.first + output.lines.length };
}

/** How many lines at the beginning of `page` are those at the end of `lines`. */
function overlap(lines: readonly OutputLine[], page: readonly OutputLine[]): number {
  for (let size = Math.min(lines.length, page.length); size > 0; size -= 1) {
    const from = lines.length - size;
    // The last one differs most often.
    let at = size - 1;
    while (at >= 0 && isSame(lines[from + at]!, page[at]!)) at -= 1;
    if (at < 0) return size;
  }
  return 0;
}

function isSame(a: OutputLine, b: OutputLine): boolean {
  return a.at === b.at && a.text === b.text && a.generation === b.generation && a.stream === b.stream;
}
