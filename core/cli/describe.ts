import { entrySummary } from '../host/entry-summary.ts';
import type { ProcessRow } from '../contract/views.ts';
import type { StoredEntry } from '../model/entry.ts';
import { parseTimestamp } from '../model/time.ts';
import { columns, safeText } from './safe-text.ts';

const SHAPES: Readonly<Record<string, string>> = {
  created: '○',
  starting: '◌',
  running: '●',
  awaiting: '◔',
  suspended: '❚❚',
  stopping: '◑',
  stopped: '■',
  failed: '✕',
};

/** Shape and word of a state; what nobody runs says that it is only what was recorded [S41]. */
export function stateText({ state, live }: Pick<ProcessRow, 'state' | 'live'>): string {
  const word = safeText(`${state.slice(0, 1).toUpperCase()}${state.slice(1)}`);
  return live ? `${SHAPES[state] ?? '?'} ${word}` : `last recorded: ${word}`;
}

export function fleetTable(rows: readonly ProcessRow[], nowMs: number): string[] {
  const head = ['NAME', 'STATE', 'RUNS TODAY', 'FAILED', 'LAST', 'WHY'];
  return columns([head, ...rows.map((row) => cells(row, nowMs))]);
}

function cells(row: ProcessRow, nowMs: number): string[] {
  const { budget, health } = row;
  return [
    safeText(row.name),
    stateText(row),
    `${budget.runs ?? 'unknown'}${budget.maxRunsPerDay === null ? '' : ` of ${budget.maxRunsPerDay}`}`,
    health.sample === 0 ? 'unknown' : `${health.failures} of ${health.sample}`,
    row.lastEntryAt === null ? 'never' : ago(row.lastEntryAt, nowMs),
    safeText(row.why),
  ];
}

/** `12 s`, `3 m`, `5 h`, `2 d`; never negative, whatever the clocks say. */
export function ago(timestamp: string, nowMs: number): string {
  const at = parseTimestamp(timestamp);
  if (at === null) return 'unknown';
  const seconds = Math.max(0, Math.floor((nowMs - at) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

export function entryLine(entry: StoredEntry): string {
  const mark = entry.verification === 'broken' ? ' !' : '';
  return `${entry.seq}${mark}  ${entry.timestamp}  ${safeText(entry.entry_type)}  ${safeText(entrySummary(entry).summary)}`;
}
