// Checking one process's journal: every line of every segment, what they name, and the head that was kept apart from them.
// Changes nothing and takes no lock [P6].
//
// S9  Somebody may be writing it. What is incomplete is being written until it has been left alone for five seconds, and
//     whatever is found is looked for again where segments came or went meanwhile.
// An entry that explains a break comes after it, so a journal in which anything is found is read a second time, knowing
// what all of it says.

import { statSync } from 'node:fs';
import { codeOf } from '../model/errors.ts';
import { recordedSeq } from './codec.ts';
import type { Suspects } from './duplicate-ids.ts';
import { headPath, readHead, type Head } from './head-file.ts';
import { judgeTail } from './judge-tail.ts';
import { ENTRIES_SUFFIX } from './process-files.ts';
import type { Place as LinePlace } from './read-entries.ts';
import { sealedSegments } from './segments.ts';
import { Chain } from './verify-chain.ts';
import { CheckpointCheck } from './verify-checkpoint.ts';
import { learn, noFacts, type Facts } from './verify-facts.ts';
import { Findings, type Damage, type Note, type Place } from './verify-findings.ts';
import { HeadCheck } from './verify-head.ts';
import { IdCheck } from './verify-ids.ts';
import { lineFacts } from './verify-line.ts';
import { scanJournal, type ScannedLine, type ScannedSegment } from './verify-scan.ts';
import { SpillCheck } from './verify-spill.ts';

export interface ProcessReport {
  readonly process: string;
  readonly segments: number;
  /** That say something; blank ones don't count. */
  readonly lines: number;
  /** Lines of ours that are as they were written and where they belong, and entries without our keys. */
  readonly verified: number;
  readonly unverified: number;
  /** 0 where there is no line. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Of the last line, as the next one has to name it; the same for the same journal. Null where that can't be told. */
  readonly head: string | null;
  /** Up to where the journal is known to have been durable; null where nothing is known. */
  readonly durableSeq: number | null;
  /** At most {@link MOST_PLACES} of each, and how many there are. */
  readonly damage: readonly Damage[];
  readonly damageCount: number;
  readonly notes: readonly Note[];
  readonly noteCount: number;
}

/** For who has to repair it. */
export interface Checked {
  readonly report: ProcessReport;
  readonly suspects: Suspects;
  readonly unfinished: LinePlace | null;
  readonly missingSpills: readonly string[];
  /** Where the end is missing [S13]. */
  readonly lostTail: Place | null;
}

export interface CheckTarget {
  readonly directory: string;
  readonly process: string;
  /** Its file name without suffix. */
  readonly name: string;
  /** Whether the directory has our marker. */
  readonly isOurs: boolean;
}

/** A writer that seals faster than it is read is looked at again, for so long. */
const PATIENCE_MS = 10_000;
const STILL_MS = 5_000;

/** @throws RetryableError `journal.changed` */
export async function checkProcess(target: CheckTarget): Promise<Checked> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const before = segmentsText(target);
    const isLast = performance.now() > deadline;
    try {
      const checked = await check(target);
      if (checked.report.damageCount === 0 || segmentsText(target) === before || isLast) return checked;
    } catch (error) {
      if (codeOf(error) !== 'journal.changed' || isLast) throw error;
    }
  }
}

function segmentsText({ directory, name }: CheckTarget): string {
  return sealedSegments(directory, name)
    .map(({ path }) => path)
    .join('\n');
}

async function check(target: CheckTarget): Promise<Checked> {
  const { directory, name } = target;
  // Before the lines: it is never ahead of them.
  const head = target.isOurs ? readHead(headPath(directory, name)) : null;
  const first = await readThrough(target, { head, facts: noFacts(), suspects: null, unfinished: null });
  const { facts, suspects } = first;
  if (first.report.damageCount === 0 && suspects.ids.size === 0) return { ...first, unfinished: null };
  const unfinished = target.isOurs && first.hasOurs ? await unfinishedBatch(target, head) : null;
  const { report, missingSpills, lostTail } = await readThrough(target, {
    head,
    facts,
    suspects,
    unfinished,
  });
  return { report, suspects, unfinished, missingSpills, lostTail };
}

/** Where a batch begins that nobody was told is safe, and that the next start therefore sets aside [S11]. */
async function unfinishedBatch(
  { directory, name }: CheckTarget,
  head: Head | null,
): Promise<LinePlace | null> {
  try {
    const { unfinished } = await judgeTail(directory, name, head?.seq ?? 0);
    const isSealed = sealedSegments(directory, name).some(({ first }) => first === unfinished?.first);
    return isSealed ? null : unfinished;
  } catch (error) {
    // Then nobody can start it, and nothing is set aside.
    if (codeOf(error) === 'journal.segment-unreadable') return null;
    throw error;
  }
}

interface Known {
  readonly head: Head | null;
  readonly facts: Facts;
  /** Null while they are only looked for. */
  readonly suspects: Suspects | null;
  readonly unfinished: LinePlace | null;
}

interface Reading {
  readonly report: ProcessReport;
  readonly facts: Facts;
  readonly suspects: Suspects;
  readonly hasOurs: boolean;
  readonly missingSpills: readonly string[];
  /** Where the end is missing [S13]. */
  readonly lostTail: Place | null;
}

async function readThrough(target: CheckTarget, known: Known): Promise<Reading> {
  const found = new Findings();
  const chain = new Chain(known.facts, found);
  const facts = noFacts();
  const ids = new IdCheck(known.suspects, found);
  const head = new HeadCheck(known.head, known.facts, target.name + ENTRIES_SUFFIX, found);
  const checkpoints = new CheckpointCheck(target.directory, target.process);
  const spills = new SpillCheck(target.directory, target.name, known.facts, found);
  const counts = { segments: 0, lines: 0, verified: 0, unverified: 0, firstSeq: 0 };
  let segment: ScannedSegment | null = null;
  let lastHash: string | null = null;
  /** The number of the last line, in a batch that was never finished too. */
  let end = 0;
  let unfinished: (Place & { readonly lines: number }) | null = null;
  for await (const part of scanJournal(target.directory, target.name)) {
    if (part.segment !== segment) {
      segment = part.segment;
      counts.segments += 1;
      chain.begin(segment);
      head.begin(segment);
      if (segment.trouble !== null) addUnreadable(found, segment, segment.trouble);
    }
    for (const line of part.lines) {
      if (isFrom(known.unfinished, segment, line)) {
        unfinished = longer(unfinished, segment, line, chain.last + 1);
        if (line.isWhole) end = recordedSeq(line.bytes) ?? end + 1;
        continue;
      }
      if (!line.isWhole) {
        addTail(found, target.isOurs, segment, line, chain.last + 1);
        continue;
      }
      const is = lineFacts(line.bytes);
      const { seq, fits } = chain.take(is, line);
      end = seq;
      const place = { seq, segment: segment.file, offset: line.offset, sizeBytes: line.sizeBytes };
      if (is.is !== 'blank') counts.lines += 1;
      counts.firstSeq ||= seq;
      lastHash = is.is === 'bad' ? null : is.hash;
      head.take(is, place);
      if (is.is !== 'ours' && is.is !== 'foreign') continue;
      ids.take(is, place);
      const { entry_type, data } = is.entry;
      if (entry_type === 'checkpoint') checkpoints.take(data, place);
      if (is.is === 'foreign') counts.unverified += 1;
      else {
        if (fits) counts.verified += 1;
        learn(facts, is.entry);
        if (entry_type !== 'checkpoint' && line.bytes.includes(SPILLED)) await spills.check(data, place);
      }
    }
  }
  chain.end();
  ids.end();
  if (unfinished !== null) {
    const { lines } = unfinished;
    found.note(
      'unfinished-batch',
      unfinished,
      lines === 1
        ? 'the last line was never finished, and nobody was told that it is safe; the next start sets it aside'
        : `the last ${lines} lines were never finished, and nobody was told that they are safe; the next start sets them aside`,
    );
  }
  const lostTail = head.end(end, found.damageCount > 0) ?? chain.lostEnd();
  checkpoints.end(found, target.isOurs || chain.hasOurs, isFresh);
  // What it holds has to be there, whichever entry brought it.
  if (chain.hasOurs && checkpoints.last !== null)
    await spills.check(checkpoints.last.data, checkpoints.last.place);
  const { damage, damageCount, notes, noteCount } = found;
  return {
    facts,
    suspects: ids.suspects,
    hasOurs: chain.hasOurs,
    missingSpills: [...spills.missing],
    lostTail,
    report: {
      process: target.process,
      ...counts,
      lastSeq: chain.last,
      head: lastHash,
      durableSeq: known.head?.seq ?? null,
      damage,
      damageCount,
      notes,
      noteCount,
    },
  };
}

const SPILLED = '"spilled"';

function isFrom(place: LinePlace | null, segment: ScannedSegment, { offset }: ScannedLine): boolean {
  const isThere = place?.first === segment.first && place.isActive === (segment.last === null);
  return isThere && offset >= place.offset;
}

function longer(
  run: (Place & { readonly lines: number }) | null,
  { file }: ScannedSegment,
  { offset, sizeBytes }: ScannedLine,
  seq: number,
): Place & { readonly lines: number } {
  if (run === null) return { seq, segment: file, offset, sizeBytes, lines: 1 };
  return { ...run, sizeBytes: run.sizeBytes + sizeBytes, lines: run.lines + 1 };
}

function addUnreadable(
  found: Findings,
  { file, first, last, sizeBytes }: ScannedSegment,
  trouble: string,
): void {
  const place = { seq: first, segment: file, offset: 0, sizeBytes };
  found.add(
    'segment-unreadable',
    place,
    `entries ${first} to ${last ?? first} can't be unpacked: ${trouble}`,
  );
}

/** What stands behind the last line feed [J4]. */
function addTail(
  found: Findings,
  isOurs: boolean,
  segment: ScannedSegment,
  line: ScannedLine,
  seq: number,
): void {
  const place = { seq, segment: segment.file, offset: line.offset, sizeBytes: line.sizeBytes };
  if (segment.last !== null) {
    found.add('not-json', place, 'is incomplete: the segment ends in the middle of it');
  } else if (isFresh(segment.path)) {
    found.note(
      'being-written',
      place,
      'the last line is incomplete, and the file changed just now: it is being written',
    );
  } else {
    found.note(
      'torn-tail',
      place,
      `the last line is incomplete and counts for nothing${isOurs ? '; the next start sets it aside' : ''}`,
    );
  }
}

/** Changed so lately that somebody may be in the middle of it [S9]. */
function isFresh(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs < STILL_MS;
}
