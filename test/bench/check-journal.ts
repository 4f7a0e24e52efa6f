import { journalForwards } from '../../core/journal/read-entries.ts';
import { isBad } from '../../core/model/entry.ts';

/** Reads a journal of ours again, all segments of it: every line is there, whole, and follows the one before it. */
export function checkJournal(directory: string, process: string, expectedLines: number): void {
  let lines = 0;
  for (const item of journalForwards(directory, process)) {
    lines += 1;
    if (isBad(item) || item.verification !== 'verified' || item.seq !== lines) {
      throw new Error(`Line ${lines} of ${expectedLines} can't be trusted: ${JSON.stringify(item)}`);
    }
  }
  if (lines !== expectedLines)
    throw new Error(`${lines} lines are there, and ${expectedLines} were written.`);
}
