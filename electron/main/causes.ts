// What processes want somebody told of, on the desktop: a cause once, until it is over and long past.

import type { FleetView } from '../../core/contract/fleet-views.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { FAILED_KEY } from '../../core/model/own-causes.ts';
import type { IncidentNotification } from './incidents.ts';
import { shortened } from './tray-model.ts';

/** The same cause, over and there again within this time, is the same incident. */
const SAME_CAUSE_MS = 10 * 60_000;
/** More new causes at once than this share one notification. */
const MOST_APART = 3;
const LONGEST_CAUSE = 160;
const STILL = Number.POSITIVE_INFINITY;

/** When each was found over, infinite while it is open, by the keys of the process and of the cause. Null before the first look. */
export type KnownCauses = ReadonlyMap<string, number> | null;

interface Fresh {
  readonly row: ProcessRow;
  readonly summary: string;
}

/**
 * One notification for each cause of a process that this host runs, when it is raised. What was open before the first look
 * is on the screen and is not told; that a process has failed is told as such.
 */
export function causesAfter(
  before: KnownCauses,
  fleet: FleetView,
  nowMs: number,
): { readonly causes: KnownCauses; readonly notifications: readonly IncidentNotification[] } {
  const known = new Map(
    [...(before ?? [])].filter(([, overMs]) => overMs === STILL || nowMs - overMs < SAME_CAUSE_MS),
  );
  const next = new Map([...known].map(([name, overMs]) => [name, Math.min(overMs, nowMs)]));
  const fresh: Fresh[] = [];
  for (const row of fleet.processes) {
    if (!row.live) continue;
    for (const { key, summary } of row.causes) {
      if (key === FAILED_KEY) continue;
      const name = `${row.key} ${key}`;
      if (before !== null && !known.has(name)) fresh.push({ row, summary });
      next.set(name, STILL);
    }
  }
  return { causes: next, notifications: notificationsOf(fresh) };
}

function notificationsOf(fresh: readonly Fresh[]): readonly IncidentNotification[] {
  if (fresh.length > MOST_APART) {
    const names = [...new Set(fresh.map(({ row }) => shortened(row.name)))];
    const more = names.length - MOST_APART;
    return [
      {
        title: `${String(fresh.length)} things need somebody`,
        body: `${names.slice(0, MOST_APART).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}.`,
        target: null,
      },
    ];
  }
  return fresh.map(({ row, summary }) => ({
    title: `${shortened(row.name)} needs somebody`,
    body: shortenedTo(summary),
    target: { journalId: row.journalId, process: row.name },
  }));
}

function shortenedTo(text: string): string {
  return text.length <= LONGEST_CAUSE ? text : `${text.slice(0, LONGEST_CAUSE - 1)}…`;
}
