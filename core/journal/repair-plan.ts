// Which lines of a damaged journal go on with each other. A line that does not follow the one before may be put in from
// elsewhere, or be behind lines that are lost; which of the two is told by whether the chain goes on later.

import { FIRST_PREV } from './codec.ts';
import type { Place } from './read-entries.ts';
import { lineFacts, type LineFacts } from './verify-line.ts';
import { scanJournal, type ScannedLine, type ScannedSegment } from './verify-scan.ts';

export interface RepairPlan {
  /** Where the chain goes on, by the hash of the line that it goes on from: the index of that line. */
  readonly resumes: ReadonlyMap<string, number>;
  /** Indexes of somebody else's lines that the chain leaves out: whoever wrote the line behind them had not seen them. */
  readonly putIn: ReadonlySet<number>;
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
  const wanted = new Set<string>();
  const resumes = new Map<string, number>();
  const putIn = new Set<number>();
  let lastOurs = FIRST_PREV;
  /** The last line that can be read. */
  let last = FIRST_PREV;
  /** Somebody else's lines since the last of ours. */
  let others: number[] = [];
  for await (const { facts, index } of meetLines(directory, name, unfinished)) {
    if (facts === null || facts.is === 'bad') continue;
    if (facts.is !== 'ours') {
      last = facts.hash;
      others.push(index);
      continue;
    }
    const { prev } = facts.keys;
    if (wanted.has(prev) && !resumes.has(prev)) resumes.set(prev, index);
    if (prev !== last) {
      if (prev === lastOurs) for (const other of others) putIn.add(other);
      else wanted.add(last).add(lastOurs);
    }
    last = facts.hash;
    lastOurs = facts.hash;
    others = [];
  }
  return { resumes, putIn };
}
