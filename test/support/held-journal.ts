import { fileURLToPath } from 'node:url';
import { startNode, type Running } from './child.ts';
import { endsWithTest } from './ends-with-test.ts';
import { waitFor } from './wait-for.ts';

export const HOLD_JOURNAL = fileURLToPath(new URL('./hold-journal.ts', import.meta.url));

/** Another program that has the journal of that directory open for writing, until it is killed or the test ends. */
export async function heldJournal(directory: string): Promise<Running> {
  const holder = startNode(HOLD_JOURNAL, [directory]);
  endsWithTest(holder);
  await waitFor(() => holder.stdout() === 'held\n', { what: 'the holder' });
  return holder;
}
