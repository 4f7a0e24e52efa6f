// Which of the good lines of a damaged journal have their place in it.

import { FIRST_PREV } from './codec.ts';
import type { Place } from './read-entries.ts';
import { heaviestRow, type Run } from './repair-runs.ts';
import { lineFacts, type LineFacts } from './verify-line.ts';
import { scanJournal, type ScannedLine, type ScannedSegment } from './verify-scan.ts';

export interface RepairPlan {
  /** Ranges of indexes that have no place, in order. */
  readonly leftOut: readonly { readonly start: number; readonly end: number }[];
}

/** A line as it is met; `facts` is null for what is no whole line, or belongs to a batch that was never finished. */
export interface MetLine {
  readonly segment: ScannedSegment;
  /** Null where a segment begins. */
  readonly line: ScannedLine | null;
  readonly facts: LineFacts | null;
  readonly isUnfinished: boolean;
  /** Counts lines that have facts. */
  readonly index: number;
}

/** All lines of a journal, in order; each segment announces itself first. */
export async function* meetLines(
  directory: string,
  name: string,
  unfinished: Place | null,
): AsyncGenerator<MetLine> {
  let known: ScannedSegment | null = null;
  let index = 0;
  for await (const { segment, lines } of scanJournal(directory, name)) {
    if (segment !== known) yield { segment, line: null, facts: null, isUnfinished: false, index };
    known = segment;
    for (const line of lines) {
      const isUnfinished =
        unfinished !== null && segment.first === unfinished.first && line.offset >= unfinished.offset;
      const facts = isUnfinished || !line.isWhole ? null : lineFacts(line.bytes);
      yield { segment, line, facts, isUnfinished, index };
      if (facts !== null) index += 1;
    }
  }
}

export async function planRepair(
  directory: string,
  name: string,
  unfinished: Place | null,
): Promise<RepairPlan> {
  const runs: Run[] = [];
  const ends = new Set<string>();
  const putIn: { start: number; end: number }[] = [];
  let lastOurs = { seq: 0, hash: FIRST_PREV };
  /** The last line that can be read. */
  let last = FIRST_PREV;
  let others = NO_OTHERS;
  for await (const { facts, index } of meetLines(directory, name, unfinished)) {
    if (facts === null || facts.is === 'bad') continue;
    if (facts.is !== 'ours') {
      last = facts.hash;
      others = { start: others.count === 0 ? index : others.start, count: others.count + 1 };
      continue;
    }
    const { prev, seq } = facts.keys;
    const isNamed = prev === last;
    const stretch = others.count === 0 ? 0 : index - others.start;
    const strangers = strangersIn(others, stretch, isNamed, prev, seq, lastOurs);
    if (strangers > 0) putIn.push({ start: others.start, end: others.start + strangers - 1 });
    const between = stretch - strangers;
    const isNext = seq === lastOurs.seq + between + 1;
    const run = runs.at(-1);
    const end = { end: index, lastSeq: seq, lastHash: facts.hash };
    // Where another piece ends too, this one may go on there just as well.
    const isFork = ends.has(prev) || ends.has(lastOurs.hash);
    if (run !== undefined && (isNamed || strangers > 0) && isNext && !isFork) {
      runs[runs.length - 1] = { ...run, ...end, lines: run.lines + 1 };
    } else {
      if (run !== undefined) ends.add(run.lastHash);
      const leading = isNamed ? between : 0;
      runs.push({ ...end, start: index - leading, lines: 1, prev, firstSeq: seq - leading });
    }
    last = facts.hash;
    lastOurs = { seq, hash: facts.hash };
    others = NO_OTHERS;
  }
  const leftOut = [...outside(runs, heaviestRow(runs)), ...putIn].sort((a, b) => a.start - b.start);
  return { leftOut };
}

/** Runs that are not kept, and lines of others behind those that are, where numbers leave no room for them. */
function outside(runs: readonly Run[], kept: ReadonlySet<Run>): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  let nextKept: Run | null = null;
  for (const [at, run] of [...runs.entries()].toReversed()) {
    // Lines of others that nobody names belong to what they stand behind.
    const end = (runs[at + 1]?.start ?? run.end + 1) - 1;
    if (!kept.has(run)) ranges.push({ start: run.start, end });
    else {
      const room = nextKept === null ? end : Math.max(0, nextKept.firstSeq - run.lastSeq - 1);
      if (end - run.end > room) ranges.push({ start: run.end + 1 + room, end });
      nextKept = run;
    }
  }
  return ranges;
}

/** Somebody else's lines since the last of ours. */
interface Others {
  /** The index of the first, and how many there are. */
  readonly start: number;
  readonly count: number;
}
const NO_OTHERS: Others = { start: 0, count: 0 };

/**
 * How many lines of a stretch that begins with somebody else's were put in, from the first on, since the line of ours
 * behind them was written.
 */
function strangersIn(
  { count }: Others,
  stretch: number,
  isNamed: boolean,
  prev: string,
  seq: number,
  lastOurs: { readonly seq: number; readonly hash: string },
): number {
  // Whoever wrote it had not seen any of them.
  if (!isNamed) return prev === lastOurs.hash ? stretch : 0;
  // It names the last of them, and numbers say how many there were; damaged lines among them may be some of these.
  const due = seq - lastOurs.seq - 1;
  return stretch === count && due >= 1 && count > due ? count - due : 0;
}
