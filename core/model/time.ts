// [J3] Timestamps are ISO 8601 in UTC, end in `+00:00`, and carry no fraction, three digits or six.

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
  return Number.isNaN(epochMs) ? null : epochMs;
}

/** The UTC day of a journal timestamp, `2026-01-31`; empty for what is not a time. */
export function dayOf(timestamp: string): string {
  const epochMs = parseTimestamp(timestamp);
  return epochMs === null ? '' : new Date(epochMs).toISOString().slice(0, 10);
}
