// What a rewind and a fork begin with: the state of a process right after one of its entries, and what came behind it. Read
// backwards from the end to the last full checkpoint before the entry, so the length of the journal before that does not
// matter. Nothing is written [P6].

import { isFullCheckpoint } from '../model/checkpoint.ts';
import { damagedError, damageOf } from '../model/damage.ts';
import { isBad, type BadLine, type StoredEntry } from '../model/entry.ts';
import { AppError } from '../model/errors.ts';
import { applyEntry } from '../model/fold.ts';
import { textAt } from '../model/json.ts';
import type { Cursor, JournalProvider } from '../model/ports.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';

const PAGE = 1_000;
/** All of them are held in memory at once. */
const MAX_ENTRIES = 500_000;

export interface FromEntry {
  readonly target: StoredEntry;
  /** The state right after it; of an entry that moves the process, where it was moved to. */
  readonly snapshot: ProcessSnapshot;
  /** Everything behind that which is in the journal, oldest first. */
  readonly behind: readonly StoredEntry[];
}

/**
 * @throws `rewind.no-entry` where `seq` is the number of no entry, `rewind.too-far` where too much lies behind it, and
 * `journal.damaged` where lines from its checkpoint on can't be trusted
 */
export async function readFromEntry(
  journal: Pick<JournalProvider, 'readLast'>,
  processId: string,
  seq: number,
): Promise<FromEntry> {
  if (!Number.isSafeInteger(seq) || seq < 1) {
    const { entries } = await journal.readLast(processId, 1);
    throw noEntry(processId, seq, entries.at(-1)?.seq ?? 0);
  }
  const { entries, isWhole } = await sinceCheckpointBefore(journal, processId, seq);
  const target = entries.find((entry) => entry.seq === seq);
  const isGone = target === undefined && seq < (entries[0]?.seq ?? 0);
  if (isGone || (target !== undefined && !isWhole)) throw noBeginning(processId, seq, entries[0]!.seq);
  if (target === undefined) throw noEntry(processId, seq, entries.at(-1)?.seq ?? 0);
  const begun = entries.findLast((entry) => entry.seq > seq && entry.entry_type === 'forked');
  if (begun !== undefined) throw notBegun(processId, seq, begun);
  let snapshot = emptySnapshot();
  for (const entry of entries) if (entry.seq <= seq) snapshot = applyEntry(snapshot, entry);
  const last = isMoving(target, snapshot) ? nextCheckpoint(entries, seq) : seq;
  for (const entry of entries)
    if (entry.seq > seq && entry.seq <= last) snapshot = applyEntry(snapshot, entry);
  return { target, snapshot, behind: entries.filter((entry) => entry.seq > last) };
}

/** What it says is done by the checkpoint that follows at once, or, after a crash between the two, by the next [S39, S40]. */
function isMoving({ entry_type: type }: StoredEntry, { rewinding }: ProcessSnapshot): boolean {
  return rewinding !== null || type === 'forked';
}

function nextCheckpoint(entries: readonly StoredEntry[], seq: number): number {
  return entries.find((entry) => entry.seq > seq && isWhereToBegin(entry))?.seq ?? seq;
}

interface Since {
  readonly entries: readonly StoredEntry[];
  /** Whether they begin with a full checkpoint or with the first entry there ever was. */
  readonly isWhole: boolean;
}

async function sinceCheckpointBefore(
  journal: Pick<JournalProvider, 'readLast'>,
  processId: string,
  seq: number,
): Promise<Since> {
  const pages: (readonly StoredEntry[])[] = [];
  const damage: BadLine[] = [];
  let before: Cursor | undefined;
  let count = 0;
  for (;;) {
    const page = await journal.readLast(processId, PAGE, before);
    const from = page.entries.findLastIndex((entry) => entry.seq <= seq && isWhereToBegin(entry));
    const entries = page.entries.slice(Math.max(0, from));
    const first = from < 0 ? 0 : entries[0]!.seq;
    // What is before the checkpoint is of no concern, and its own link to it neither.
    for (const item of [...page.badLines, ...entries]) {
      const place = item.seq > first ? damageOf(item) : null;
      if (place !== null) damage.push(place);
    }
    pages.unshift(entries);
    count += entries.length;
    if (from >= 0 || page.before === null) {
      if (damage.length > 0)
        throw damagedError(
          processId,
          damage.sort((a, b) => a.seq - b.seq),
        );
      const all = pages.flat();
      return { entries: all, isWhole: from >= 0 || all[0] === undefined || all[0].seq === 1 };
    }
    if (count > MAX_ENTRIES) throw tooFar(processId, seq);
    before = page.before;
  }
}

function isWhereToBegin(entry: StoredEntry): boolean {
  return (
    !isBad(entry) &&
    entry.fault !== 'checksum' &&
    entry.entry_type === 'checkpoint' &&
    isFullCheckpoint(entry.data)
  );
}

function noEntry(process: string, seq: number, last: number): AppError {
  return new AppError(
    'rewind.no-entry',
    `${process} has no entry ${seq}${last === 0 ? '' : `; its last is ${last}`}. Choose one of its timeline.`,
    { process, seq, last },
  );
}

function noBeginning(process: string, seq: number, first: number): AppError {
  return new AppError(
    'rewind.no-entry',
    `What ${process} was at entry ${seq} is not kept any more: what is left of its journal begins with entry ${first}. Choose one behind a full checkpoint there.`,
    { process, seq, first },
  );
}

function notBegun(process: string, seq: number, { seq: first, data }: StoredEntry): AppError {
  return new AppError(
    'rewind.no-entry',
    `At entry ${seq}, ${process} had not begun: it was forked from ${textAt(data, 'process')} with entry ${first}. Choose that one or a later one.`,
    { process, seq, first },
  );
}

function tooFar(process: string, seq: number): AppError {
  return new AppError(
    'rewind.too-far',
    `More than ${MAX_ENTRIES} entries lie between entry ${seq} of ${process} and now. Choose a later one.`,
    { process, seq },
  );
}
