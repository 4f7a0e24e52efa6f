// From a directory that somebody typed to the host that runs the journal in there.

import { dirname, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dataDirectory } from '../host/data-directory.ts';
import { seekHost, type ReachedHost, type SoughtHost } from '../host/seek-host.ts';
import { inspectDirectory } from '../journal/inspect-directory.ts';
import { isWorkspace } from '../manifest/load-workspace.ts';
import { AppError, codeOf } from '../model/errors.ts';
import { lineToType } from './invocation.ts';

/** A host that is starting holds its journal before it listens. */
const STARTS_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** Nothing is wrong with the place but that no journal is there. */
const NO_JOURNAL: ReadonlySet<string> = new Set([
  'journal.none-here',
  'journal.not-a-journal',
  'journal.empty',
]);

/** A journal of ours, and where the workspace is that it belongs to; null: it is not there. */
export interface Place {
  readonly directory: string;
  readonly journalId: string;
  readonly workspace: string | null;
}

/**
 * The journal of a directory in which something is to be done.
 * @throws `journal.not-ours` for Promptise's, and what {@link inspectDirectory} throws
 */
export function placeOf(path: string): Place {
  let found;
  try {
    found = inspectDirectory(path);
  } catch (error) {
    throw explained(path, error);
  }
  const { directory, marker } = found;
  if (marker === null) {
    throw new AppError(
      'journal.not-ours',
      `${directory} is a journal of Promptise's, which is looked at and never acted on. Adopt it into a copy first: ${typed('adopt', directory)} --to <copy>`,
      { directory },
    );
  }
  const workspace = [path, resolve(directory, marker.workspace ?? '..')].find(
    (candidate) => !relative(dirname(directory), candidate).startsWith('..') && isWorkspace(candidate),
  );
  return { directory, journalId: marker.id, workspace: workspace ?? null };
}

/** One look. Asks for the user's data folder only when somebody holds the journal. */
export function seek({ directory, journalId }: Omit<Place, 'workspace'>): Promise<SoughtHost> {
  return seekHost({ directory, journalId, data: dataDirectory });
}

/** The same, with patience for a host that is only starting. */
export async function seekPatiently(place: Place): Promise<SoughtHost> {
  const until = performance.now() + STARTS_WITHIN_MS;
  for (;;) {
    const sought = await seek(place);
    const mayBeStarting = sought.kind === 'unreachable' && sought.why.code === 'socket.none';
    if (!mayBeStarting || performance.now() > until) return sought;
    await delay(LOOK_EVERY_MS);
  }
}

/** @throws `host.none` where nobody runs the journal, `host.unreachable` */
export async function reachHost(place: Place): Promise<ReachedHost> {
  const sought = await seekPatiently(place);
  if (sought.kind === 'reached') return sought.host;
  if (sought.kind === 'unreachable') throw unreachable(place, sought);
  throw new AppError(
    'host.none',
    `No host runs ${place.directory}, so nothing can be done to its processes. ${runHint(place.workspace)}`,
    { directory: place.directory },
  );
}

export function unreachable(
  { directory }: Place,
  { pid, why }: Extract<SoughtHost, { kind: 'unreachable' }>,
): AppError {
  return new AppError(
    'host.unreachable',
    `Process ${pid} holds ${directory}, and can't be asked from here: ${why.message} It may be another user's, run with another HOLDFAST_DATA, be of another version, or hang. Use its own console, or end it.`,
    { directory, pid, code: why.code },
    { cause: why },
  );
}

export function runHint(workspace: string | null): string {
  return workspace === null
    ? `Run the workspace that it belongs to: ${typed('run')} <workspace>`
    : `To run it: ${typed('run', workspace)}`;
}

/** A workspace without a journal is not a wrong place to look at, only an early one. */
export function explained(directory: string, error: unknown): unknown {
  if (!NO_JOURNAL.has(codeOf(error)) || !isWorkspace(directory)) return error;
  return new AppError(
    'workspace.not-run-yet',
    `${directory} is a workspace that has not been run yet. ${runHint(directory)}`,
    { directory },
    { cause: error },
  );
}

/** The line to type for a verb of this program, as it was called itself. */
export function typed(...words: readonly string[]): string {
  return lineToType(words, process.env, process.platform);
}
