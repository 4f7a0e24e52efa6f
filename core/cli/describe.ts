import { cut } from '../host/cut.ts';
import { entrySummary } from '../host/entry-summary.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import type { StoredEntry } from '../model/entry.ts';
import { parseTimestamp } from '../model/time.ts';
import { fullestText } from './budget-verbs.ts';
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

/** Of a table, whose other rows a longer one would push out of sight. The whole text is in `show` and `--json`. */
const LONGEST_CELL = 32;
const LONGEST_WHY = 160;

/** Shape and word of a state; what nobody runs says that it is only what was recorded [S41]. */
export function stateText({ state, live }: Pick<ProcessRow, 'state' | 'live'>): string {
  const word = safeText(`${state.slice(0, 1).toUpperCase()}${state.slice(1)}`);
  return live ? `${SHAPES[state] ?? '?'} ${word}` : `last recorded: ${word}`;
}

/** With its time in UTC, as everything here is. */
export function whyText({ why, whyAt }: Pick<ProcessRow, 'why' | 'whyAt'>): string {
  return whyAt === null ? why : `${why} ${whyAt.slice(0, 10)} ${whyAt.slice(11, 19)} UTC`;
}

/** No line is longer than `width`; null: nobody says how wide, so no reason is longer than is good to read. */
export function fleetTable(rows: readonly ProcessRow[], nowMs: number, width: number | null): string[] {
  const isLimited = rows.some(({ budget }) => budget.limits.length > 0);
  const head = ['NAME', 'STATE', 'RUNS TODAY', ...(isLimited ? ['BUDGET'] : []), 'FAILED', 'LAST', 'WHY'];
  const lines = columns([head, ...rows.map((row) => cells(row, nowMs, width ?? LONGEST_WHY, isLimited))]);
  return width === null ? lines : lines.map((line) => cut(line, width));
}

function cells(row: ProcessRow, nowMs: number, longestWhy: number, isLimited: boolean): string[] {
  const { budget, health } = row;
  return [
    cutMiddle(safeText(row.name), LONGEST_CELL),
    cut(stateText(row), LONGEST_CELL),
    `${budget.runs ?? 'unknown'}${budget.maxRunsPerDay === null ? '' : ` of ${budget.maxRunsPerDay}`}`,
    ...(isLimited ? [fullestText(budget)] : []),
    health.sample === 0 ? 'unknown' : `${health.failures} of ${health.sample}`,
    row.lastEntryAt === null ? 'never' : ago(row.lastEntryAt, nowMs),
    cut(safeText(whyText(row)), longestWhy),
  ];
}

/** Names of one kind often differ at their ends alone. */
function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${wholeCharacters(text.slice(0, most - 1 - end))}…${wholeCharacters(text.slice(-end))}`;
}

/** Without the half of a character that a cut left at either end. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
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
