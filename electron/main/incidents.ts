import type { FleetView, ProcessRow } from '../../core/contract/views.ts';
import { shortened } from './tray-model.ts';

/** Failures of one process closer together than this are one incident, whatever their causes. */
const SAME_INCIDENT_MS = 10 * 60_000;
/** More new incidents at once than this share one notification: one cause, many failures. */
const MOST_APART = 3;
const LONGEST_CAUSE = 160;

interface Incident {
  readonly cause: string;
  readonly lastFailureMs: number;
  readonly failed: boolean;
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
 * it stays failed, and while it fails again within ten minutes. What had failed before the first look is on the screen
 * and is not told.
 */
export function incidentsAfter(
  before: Incidents,
  fleet: FleetView,
  nowMs: number,
): { readonly incidents: Incidents; readonly notifications: readonly IncidentNotification[] } {
  const next = new Map<string, Incident>();
  const fresh: ProcessRow[] = [];
  for (const row of fleet.processes) {
    if (!row.live) continue;
    const known = before?.get(row.key);
    if (row.state !== 'failed') {
      if (known !== undefined && nowMs - known.lastFailureMs < SAME_INCIDENT_MS) {
        next.set(row.key, { ...known, failed: false });
      }
      continue;
    }
    const cause = signatureOf(row.why);
    const still = known?.failed === true && known.cause === cause;
    const recent = known !== undefined && nowMs - known.lastFailureMs < SAME_INCIDENT_MS;
    if (before !== null && !still && !recent) fresh.push(row);
    next.set(row.key, { cause, failed: true, lastFailureMs: still ? known.lastFailureMs : nowMs });
  }
  return { incidents: next, notifications: notificationsOf(fresh) };
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
    body: row.why.slice(0, LONGEST_CAUSE),
    target: { journalId: row.journalId, process: row.name },
  }));
}

/** The cause without what differs from one failure to the next: numbers, ids, times. */
function signatureOf(why: string): string {
  return why
    .replaceAll(/[0-9a-f]{8,}(-[0-9a-f]{4,})*/gi, '#')
    .replaceAll(/\d+/g, '#')
    .slice(0, LONGEST_CAUSE);
}
