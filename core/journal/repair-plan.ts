// Which of the good lines of a damaged journal have their place in it. Of ours that is the heaviest row in which numbers only
// grow; of somebody else's, as many as the numbers of ours leave room for.

import { FIRST_PREV } from './codec.ts';
import type { Place } from './read-entries.ts';
import { OthersBetween } from './repair-others.ts';
import { heaviestRow, type Run } from './repair-runs.ts';
import { lineFacts, type LineFacts } from './verify-line.ts';
import { scanJournal, type ScannedLine, type ScannedSegment } from './verify-scan.ts';

/** Indexes from the first to the last one. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What has no place: lines of ours, and somebody else's, of which the ranges may hold lines of the other kind. In order. */
export interface RepairPlan {
  readonly ours: readonly Range[];
  readonly others: readonly Range[];
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
  const { runs, hasOthers } = await runsIn(meetLines(directory, name, unfinished));
  const kept = heaviestRow(runs);
  const ours = runs.filter((run) => !kept.has(run)).map(({ start, end }) => ({ start, end }));
  if (!hasOthers) return { ours, others: [] };
  const others = new OthersBetween();
  const isLeftOut = rangesInTurn(ours);
  for await (const met of meetLines(directory, name, unfinished)) others.take(met, isLeftOut(met.index));
  return { ours, others: others.end() };
}

/** Whether an index is in one of the ranges; to be asked for growing indexes. */
export function rangesInTurn(ranges: readonly Range[]): (index: number) => boolean {
  let at = 0;
  return (index) => {
    while (at < ranges.length && ranges[at]!.end < index) at += 1;
    const range = ranges[at];
    return range !== undefined && range.start <= index;
  };
}

/** The lines of ours in pieces, each of which is as it was written. */
async function runsIn(
  lines: AsyncIterable<MetLine>,
): Promise<{ readonly runs: readonly Run[]; readonly hasOthers: boolean }> {
  const runs: Run[] = [];
  const ends = new Set<string>();
  let hasOthers = false;
  let before = { seq: 0, hash: FIRST_PREV, index: -1 };
  /** Of the last line that can be read. */
  let last = FIRST_PREV;
  for await (const { facts, index } of lines) {
    if (facts === null || facts.is === 'bad') continue;
    if (facts.is !== 'ours') {
      hasOthers = true;
      last = facts.hash;
      continue;
    }
    const { hash } = facts;
    const { prev, seq } = facts.keys;
    const missing = seq - before.seq - 1;
    const goesOn =
      prev === before.hash
        ? missing === 0
        : // Somebody else's line is between, and as many lines as the numbers tell of, or more that were put in.
          prev === last && missing > 0 && missing < index - before.index;
    const run = runs.at(-1);
    // Where another piece ends too, this one may go on there just as well.
    const isFork = ends.has(prev) || ends.has(before.hash);
    if (run !== undefined && goesOn && !isFork) {
      runs[runs.length - 1] = { ...run, end: index, lines: run.lines + 1, lastSeq: seq, lastHash: hash };
    } else {
      if (run !== undefined) ends.add(run.lastHash);
      runs.push({ start: index, end: index, lines: 1, prev, firstSeq: seq, lastSeq: seq, lastHash: hash });
    }
    last = hash;
    before = { seq, hash, index };
  }
  return { runs, hasOthers };
}
