// Which processes the fleet shows, and in which order. Pure, and tested alone.

import type { JournalView } from '../../core/contract/fleet-views.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { fullestOf, shareOf } from '../../core/model/limit-gauge.ts';
import { parseTimestamp } from '../../core/model/time.ts';

export type FilterId =
  | 'running'
  | 'awaiting'
  | 'suspended'
  | 'failed'
  | 'doubt'
  | 'failing'
  | 'unwell'
  | 'resting'
  | 'changing'
  | 'unknown'
  | 'recorded';

export interface Filter {
  readonly id: FilterId;
  /** After a count: "3 suspended". */
  readonly word: string;
  /** Shown at zero too: their absence is news. */
  readonly always: boolean;
  readonly has: (row: ProcessRow) => boolean;
}

const STATES: Readonly<Record<string, FilterId>> = {
  running: 'running',
  awaiting: 'awaiting',
  suspended: 'suspended',
  failed: 'failed',
  created: 'resting',
  stopped: 'resting',
  starting: 'changing',
  stopping: 'changing',
};

const filter = (id: FilterId, word: string, has: Filter['has'], always = false): Filter => ({
  id,
  word,
  has,
  always,
});
const live = (id: FilterId, word: string, always = false): Filter =>
  filter(id, word, (row) => row.live && (STATES[row.state] ?? 'unknown') === id, always);

/** The counts over the table. What nobody runs is counted apart, whatever state its journal last told. */
export const FILTERS: readonly Filter[] = [
  live('running', 'running', true),
  live('awaiting', 'awaiting'),
  live('suspended', 'suspended', true),
  live('failed', 'failed', true),
  filter('doubt', 'in doubt', (row) => row.live && row.doubts > 0, true),
  filter('failing', 'failing runs', (row) => row.live && row.health.verdict === 'failing'),
  filter('unwell', 'unwell', (row) => row.live && row.health.anomalies.length > 0),
  live('resting', 'at rest'),
  live('changing', 'changing'),
  live('unknown', 'unknown'),
  filter('recorded', 'recorded', (row) => !row.live),
];

export function countsOf(rows: readonly ProcessRow[]): Readonly<Record<FilterId, number>> {
  return Object.fromEntries(
    FILTERS.map(({ id, has }) => [id, rows.reduce((count, row) => count + (has(row) ? 1 : 0), 0)]),
  ) as Record<FilterId, number>;
}

export type SortColumn = 'name' | 'state' | 'budget' | 'health' | 'last' | 'restarts';
export interface Sorting {
  readonly column: SortColumn;
  readonly descending: boolean;
}
/** The calm order: nothing that changes by itself moves a row. */
export const BY_NAME: Sorting = { column: 'name', descending: false };

/** What comes next when a column's head is pressed: numbers and times begin with the most. */
export function nextSorting(now: Sorting, column: SortColumn): Sorting {
  if (now.column === column) return { column, descending: !now.descending };
  return { column, descending: column !== 'name' && column !== 'state' };
}

export interface Wanted {
  readonly text: string;
  readonly filter: FilterId | null;
  readonly sorting: Sorting;
}

export interface Group {
  readonly journal: JournalView;
  readonly rows: readonly ProcessRow[];
}

/** The rows that are wanted, in order: journals as the host lists them, processes within them as sorted. */
export function arrange(
  processes: Readonly<Record<string, ProcessRow>>,
  journals: readonly JournalView[],
  wanted: Wanted,
): readonly ProcessRow[] {
  const rows = Object.values(processes).filter((row) => matches(row, wanted));
  const rank = new Map(journals.map((journal, at) => [journal.id, at]));
  const compare = comparing(wanted.sorting);
  return rows.sort(
    (a, b) =>
      (rank.get(a.journalId) ?? journals.length) - (rank.get(b.journalId) ?? journals.length) ||
      compare(a, b) ||
      byName(a, b),
  );
}

/** Rows under their journals, in the order given; a row whose journal is not listed any more is left out. */
export function groupRows(rows: readonly ProcessRow[], journals: readonly JournalView[]): readonly Group[] {
  const byJournal = Map.groupBy(rows, (row) => row.journalId);
  return journals.flatMap((journal) => {
    const own = byJournal.get(journal.id);
    return own === undefined ? [] : [{ journal, rows: own }];
  });
}

function matches(row: ProcessRow, wanted: Wanted): boolean {
  const chosen = FILTERS.find(({ id }) => id === wanted.filter);
  if (chosen !== undefined && !chosen.has(row)) return false;
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
  const hay = `${row.name} ${row.description} ${row.state} ${row.why}`.toLowerCase();
  return words.every((word) => hay.includes(word));
}

const collator = new Intl.Collator('en', { numeric: true });

const byName = (a: ProcessRow, b: ProcessRow): number =>
  collator.compare(a.name, b.name) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

function comparing({ column, descending }: Sorting): (a: ProcessRow, b: ProcessRow) => number {
  const sign = descending ? -1 : 1;
  switch (column) {
    case 'name':
      return (a, b) => sign * byName(a, b);
    case 'state':
      return (a, b) => sign * (Number(b.live) - Number(a.live) || collator.compare(a.state, b.state));
    case 'budget':
      return (a, b) =>
        sign * (usedOf(a) - usedOf(b) || (a.budget.runs ?? UNKNOWN) - (b.budget.runs ?? UNKNOWN));
    case 'health':
      return (a, b) =>
        sign *
        (a.health.anomalies.length - b.health.anomalies.length || a.health.failures - b.health.failures);
    case 'last':
      return (a, b) => sign * (timeOf(a) - timeOf(b));
    case 'restarts':
      return (a, b) => sign * (a.restarts - b.restarts);
  }
}

/** Sorts before every number. */
const UNKNOWN = -1;

/** What has no limits sorts before all that has. */
function usedOf({ budget }: ProcessRow): number {
  const fullest = fullestOf(budget.limits);
  return fullest === null ? UNKNOWN : shareOf(fullest);
}

function timeOf(row: ProcessRow): number {
  // Never written sorts before everything that was.
  return (row.lastEntryAt === null ? null : parseTimestamp(row.lastEntryAt)) ?? 0;
}
