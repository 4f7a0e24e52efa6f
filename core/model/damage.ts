// What is wrong with lines of a journal, in words.

import type { BadLine, Fault, StoredEntry } from './entry.ts';
import { isBad } from './entry.ts';
import { AppError } from './errors.ts';

const FAULTS: Readonly<Record<Fault, string>> = {
  checksum: 'has been changed: its checksum does not fit',
  link: 'does not follow the line before it: lines were lost, put in or changed there',
  sequence: 'has a number that does not follow the one before it',
};

/** A line that is damaged, as a bad line; null for one that is as it should be. */
export function damageOf(item: StoredEntry | BadLine): BadLine | null {
  if (isBad(item)) return item;
  if (item.verification !== 'broken') return null;
  const { seq, offset, sizeBytes, fault = 'checksum' } = item;
  return { seq, offset, sizeBytes, reason: FAULTS[fault] };
}

/** The error for a journal that can't be taken over, with the places. */
export function damagedError(processId: string, damage: readonly BadLine[]): AppError {
  const first = damage[0]!;
  const more = damage.length === 1 ? '' : `, and ${damage.length - 1} more`;
  return new AppError(
    'journal.damaged',
    `The journal of ${processId} is damaged after its last checkpoint: line ${first.seq} at byte ${first.offset}: ${first.reason}${more}. It can be looked at; to run it, restore the journal from a backup, or repair it into a copy: holdfast repair <directory> --to <copy>`,
    { process: processId, lines: damage.map(({ seq, offset, reason }) => ({ seq, offset, reason })) },
  );
}
