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
  /** The hash of the last line that can be read, and where somebody else's lines before it begin. */
  let last = FIRST_PREV;
  let others: number | null = null;
  for await (const { facts, index } of meetLines(directory, name, unfinished)) {
    if (facts === null || facts.is === 'bad') continue;
    if (facts.is !== 'ours') {
      last = facts.hash;
      others ??= index;
      continue;
    }
    const { prev, seq } = facts.keys;
    // Whoever wrote it had not seen the lines of others before it: they were put in since.
    const isPutIn = others !== null && prev !== last && prev === lastOurs.hash;
    if (isPutIn) putIn.push({ start: others!, end: index - 1 });
    // The line of somebody else names none before it; the numbers tell whether it stood behind the last of ours.
    const between = others === null || isPutIn ? 0 : index - others;
    const isNext = seq === lastOurs.seq + between + 1;
    // Where another piece ends too, this one may go on there just as well.
    const run = runs.at(-1);
    const end = { end: index, lastSeq: seq, lastHash: facts.hash };
    if (run !== undefined && (prev === last || isPutIn) && isNext && !ends.has(prev)) {
      runs[runs.length - 1] = { ...run, ...end, lines: run.lines + 1 };
    } else {
      const start = others !== null && prev === last ? others : index;
      if (run !== undefined) {
        ends.add(run.lastHash);
        // Lines of others that nobody names belong to what they stand behind.
        runs[runs.length - 1] = { ...run, end: start - 1 };
      }
      runs.push({ ...end, start, lines: 1, prev, firstSeq: seq });
    }
    last = facts.hash;
    lastOurs = { seq, hash: facts.hash };
    others = null;
  }
  const kept = heaviestRow(runs);
  const leftOut = [...runs.filter((each) => !kept.has(each)), ...putIn].sort((a, b) => a.start - b.start);
  return { leftOut: leftOut.map(({ start, end }) => ({ start, end })) };
}
