// [J3] Timestamps are ISO 8601 in UTC, end in `+00:00`, and carry no fraction, three digits or six.

/** The last moment that a date can hold, in milliseconds since the epoch; the first is as far before it. */
export const MAX_TIME_MS = 8.64e15;

/** Whether a date can hold it. */
export function isMoment(epochMs: number): boolean {
  return Math.abs(epochMs) <= MAX_TIME_MS;
}

/** Milliseconds since the epoch as a journal timestamp with three digits. */
export function timestampOf(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '+00:00');
}

const TIMESTAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Milliseconds since the epoch, or null for what is not a time. A time without a zone counts as UTC. */
export function parseTimestamp(text: string): number | null {
  const match = TIMESTAMP.exec(text);
  if (match === null) return null;
  const epochMs = Date.parse(
    (match[3] === undefined ? `${text}Z` : text).replace(' ', 'T').replace(',', '.'),
  );
  return Number.isNaN(epochMs) || !isOnCalendar(text) ? null : epochMs;
}

/** Days that do not exist, and hour 24, would roll over to the next that does; no other reader takes them. */
function isOnCalendar(text: string): boolean {
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8, 10));
  if (year === 0 || text.slice(11, 13) === '24') return false;
  return day <= 28 || day <= new Date(Date.UTC(year < 100 ? year + 400 : year, month, 0)).getUTCDate();
}

const OURS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

/** The UTC day of a journal timestamp, `2026-01-31`; empty for what is not a time. */
export function dayOf(timestamp: string): string {
  // Ours say the day as it is in UTC.
  if (OURS.test(timestamp)) return timestamp.slice(0, 10);
  const epochMs = parseTimestamp(timestamp);
  return epochMs === null ? '' : new Date(epochMs).toISOString().slice(0, 10);
}
