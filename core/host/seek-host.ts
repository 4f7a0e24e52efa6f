// From a journal's directory to the host that runs it: who holds the lock stands beside it, and where that host listens
// follows from the journal's id.

import { realpathSync } from 'node:fs';
import type { JournalView } from '../contract/fleet-views.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import { readHolder } from '../journal/lock.ts';
import { AppError, asAppError } from '../model/errors.ts';
import { connectToHost, type HostConnection } from './host-connection.ts';
import { isAlive } from './os-process.ts';
import { socketPath } from './socket-path.ts';

/** A host that hangs takes connections and answers nothing. */
const FIRST_ANSWER_WITHIN_MS = 5_000;

export interface ReachedHost {
  readonly connection: HostConnection;
  readonly pid: number;
  /** Of the change stream, as of the journal and the rows. */
  readonly sequence: number;
  /** As the host sees it. */
  readonly journal: JournalView;
  readonly rows: readonly ProcessRow[];
}

export type SoughtHost =
  | { readonly kind: 'reached'; readonly host: ReachedHost }
  /** Nobody holds the journal. */
  | { readonly kind: 'none' }
  /** It is held, and whoever holds it can't be talked to. */
  | { readonly kind: 'unreachable'; readonly pid: number; readonly why: AppError };

export interface SoughtJournal {
  readonly directory: string;
  readonly journalId: string;
  /** The user's data folder; asked for only when somebody holds the journal. */
  readonly data: () => string;
}

export async function seekHost(sought: SoughtJournal): Promise<SoughtHost> {
  const holder = readHolder(sought.directory);
  if (holder === null || !isAlive(holder)) return { kind: 'none' };
  const { pid } = holder;
  try {
    const connection = await connectToHost(socketPath(sought.data(), sought.journalId));
    return await checked(sought, pid, connection);
  } catch (error) {
    return { kind: 'unreachable', pid, why: asAppError(error) };
  }
}

async function checked(
  { directory, journalId }: SoughtJournal,
  pid: number,
  connection: HostConnection,
): Promise<SoughtHost> {
  const unreachable = (why: AppError): SoughtHost => {
    connection.close(why);
    return { kind: 'unreachable', pid, why };
  };
  const fleet = await connection.request('fleet.read', {}, FIRST_ANSWER_WITHIN_MS);
  if (!fleet.ok) return unreachable(new AppError(fleet.error.code, fleet.error.message));
  const { sequence, journals, processes } = fleet.value;
  const journal = journals.find(({ id, access }) => id === journalId && access === 'live');
  // A copy has the id of what it was copied from.
  if (journal === undefined || !isSamePlace(journal.directory, directory)) {
    return unreachable(
      new AppError('socket.other-journal', 'The host that listens there runs another journal of that id.'),
    );
  }
  const rows = processes.filter((row) => row.journalId === journalId);
  return { kind: 'reached', host: { connection, pid, sequence, journal: runBy(pid, journal), rows } };
}

/** False where it can't be found out. */
export function isSamePlace(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false; // One of them is gone or hidden, and so is nobody's for now.
  }
}

/** Its note speaks of "this console", which is the host and nobody else. */
export function runBy(pid: number, journal: JournalView): JournalView {
  return { ...journal, note: journal.note.replaceAll('this console', `process ${pid}`) };
}
