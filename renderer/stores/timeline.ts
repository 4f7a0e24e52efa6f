import type { TimelinePage, TimelineRow } from '../../core/contract/timeline-views.ts';

/** The part of a process's journal that has been read, newest first. */
export interface Timeline {
  readonly rows: readonly TimelineRow[];
  /** Newer rows that wait for the reader, so that nothing moves under his eyes. */
  readonly arrivals: readonly TimelineRow[];
  /** More came than the host sent: the newest page has to be read again. */
  readonly missed: boolean;
  /** Where to go on towards the beginning; null at the beginning. */
  readonly before: string | null;
}

export const EMPTY_TIMELINE: Timeline = { rows: [], arrivals: [], missed: false, before: null };

/** Rows that may wait; past it the newest page is read again instead. */
export const MOST_ARRIVALS = 500;
/** Rows that a timeline that follows its journal may hold before it starts afresh from the newest page. */
export const MOST_FOLLOWED = 1_000;

/** The newest page, read anew, and what arrived in the meantime. */
export function fromNewest(page: TimelinePage, since: readonly TimelineRow[]): Timeline {
  return { ...EMPTY_TIMELINE, rows: newer(since, page.rows), before: page.before };
}

export function withOlder(timeline: Timeline, page: TimelinePage): Timeline {
  const known = new Set(timeline.rows.map((row) => row.id));
  const older = page.rows.filter((row) => !known.has(row.id));
  return { ...timeline, rows: [...timeline.rows, ...older], before: page.before };
}

/** Takes rows in at the top when the reader follows, and lets them wait otherwise. */
export function withArrivals(
  timeline: Timeline,
  rows: readonly TimelineRow[],
  gap: boolean,
  follow: boolean,
): Timeline {
  const missed = timeline.missed || gap;
  if (missed) return { ...timeline, missed, arrivals: [] };
  if (follow && timeline.arrivals.length === 0) return { ...timeline, rows: newer(rows, timeline.rows) };
  const arrivals = newer(fresh(rows, timeline.rows), timeline.arrivals);
  return arrivals.length > MOST_ARRIVALS
    ? { ...timeline, missed: true, arrivals: [] }
    : { ...timeline, arrivals };
}

/** What waited is shown. */
export function released(timeline: Timeline): Timeline {
  return { ...timeline, rows: newer(timeline.arrivals, timeline.rows), arrivals: [] };
}

function newer(rows: readonly TimelineRow[], before: readonly TimelineRow[]): readonly TimelineRow[] {
  const added = fresh(rows, before);
  return added.length === 0 ? before : [...added, ...before];
}

function fresh(rows: readonly TimelineRow[], known: readonly TimelineRow[]): readonly TimelineRow[] {
  const newest = known[0]?.seq ?? Number.NEGATIVE_INFINITY;
  return rows.filter((row) => row.seq > newest);
}
