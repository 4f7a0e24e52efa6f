import type { FleetView } from '../../core/contract/fleet-views.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { shortened } from './tray-model.ts';

/** Failures of one process closer together than this are one incident, whatever their causes. */
const SAME_INCIDENT_MS = 10 * 60_000;
/** More new incidents at once than this share one notification: one cause, many failures. */
const MOST_APART = 3;
const LONGEST_CAUSE = 160;

/** A failure that the runtime is about to mend by itself has this long to heal before anybody is told. */
const HEALING_MS = 10_000;
/** So many failures of one process within {@link SAME_INCIDENT_MS} are told, even if each healed. */
const MANY_FAILURES = 3;
/** How `why` of a failed process says that it is started again by itself, and when. */
const RESTARTS = '; restarts at';

interface Incident {
  readonly cause: string;
  /** When its last failures began, oldest first; at most {@link MANY_FAILURES}, the last within the incident's time. */
  readonly beganMs: readonly number[];
  readonly failed: boolean;
  readonly told: boolean;
}

/** What was told so far, by the key of the process. Null before the first look. */
export type Incidents = ReadonlyMap<string, Incident> | null;

export interface IncidentNotification {
  readonly title: string;
  readonly body: string;
  /** Where *Show* leads; null: the fleet. */
  readonly target: { readonly journalId: string; readonly process: string } | null;
}

/**
 * One notification when a process that this host runs has failed, and then silence until that incident is over: while
 * it stays failed, and while it fails again within ten minutes. A failure with a restart ahead is not told before it
 * had ten seconds to heal, unless it is the third within ten minutes. What had failed before the first look is on the
 * screen and is not told.
 */
export function incidentsAfter(
  before: Incidents,
  fleet: FleetView,
  nowMs: number,
): {
  readonly incidents: Incidents;
  readonly notifications: readonly IncidentNotification[];
  /** When to look again though nothing changes; null: no failure is held back. */
  readonly dueMs: number | null;
} {
  const next = new Map<string, Incident>();
  const fresh: ProcessRow[] = [];
  let nextDueMs: number | null = null;
  for (const row of fleet.processes) {
    if (!row.live) continue;
    const known = before?.get(row.key);
    const recent = known !== undefined && nowMs - (known.beganMs.at(-1) ?? nowMs) < SAME_INCIDENT_MS;
    if (row.state !== 'failed') {
      if (recent) next.set(row.key, { ...known, failed: false });
      continue;
    }
    const cause = signatureOf(row.why);
    const still = known?.failed === true && (known.cause === cause || !known.told);
    const beganMs = still ? known.beganMs : [...recentOf(known, nowMs), nowMs].slice(-MANY_FAILURES);
    const silent = before === null || ((still || recent) && known.told);
    const dueMs = silent ? null : dueOf(row, beganMs);
    const due = dueMs !== null && nowMs >= dueMs;
    if (due) fresh.push(row);
    else if (dueMs !== null) nextDueMs = Math.min(nextDueMs ?? dueMs, dueMs);
    next.set(row.key, { cause, beganMs, failed: true, told: silent || due });
  }
  return { incidents: next, notifications: notificationsOf(fresh), dueMs: nextDueMs };
}

function recentOf(known: Incident | undefined, nowMs: number): readonly number[] {
  return known?.beganMs.filter((ms) => nowMs - ms < SAME_INCIDENT_MS) ?? [];
}

function dueOf({ why }: ProcessRow, beganMs: readonly number[]): number {
  const began = beganMs.at(-1) ?? 0;
  return why.includes(RESTARTS) && beganMs.length < MANY_FAILURES ? began + HEALING_MS : began;
}

function notificationsOf(fresh: readonly ProcessRow[]): readonly IncidentNotification[] {
  if (fresh.length > MOST_APART) {
    const names = fresh.slice(0, MOST_APART).map((row) => shortened(row.name));
    return [
      {
        title: `${String(fresh.length)} processes failed`,
        body: `${names.join(', ')} and ${String(fresh.length - MOST_APART)} more.`,
        target: null,
      },
    ];
  }
  return fresh.map((row) => ({
    title: `${shortened(row.name)} failed`,
    body: bodyOf(row).slice(0, LONGEST_CAUSE),
    target: { journalId: row.journalId, process: row.name },
  }));
}

function bodyOf({ why, whyAt }: ProcessRow): string {
  return whyAt === null ? why : `${why} ${new Date(whyAt).toTimeString().slice(0, 8)}`;
}

/** The cause without what differs from one failure to the next: numbers, ids, times, and whether a restart follows. */
function signatureOf(why: string): string {
  const end = why.lastIndexOf(RESTARTS);
  return why
    .slice(0, end === -1 ? why.length : end)
    .replaceAll(/[0-9a-f]{8,}(-[0-9a-f]{4,})*/gi, '#')
    .replaceAll(/\d+/g, '#')
    .slice(0, LONGEST_CAUSE);
}
