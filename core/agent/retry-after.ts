// `Retry-After` of an answer over HTTP: seconds, or a date.

/** Dates of HTTP have a time of the day; `Date.parse` alone would find one in nearly anything. */
const DATE = /\d{2}:\d{2}:\d{2}/;

export interface AnswerHeaders {
  readonly retryAfter: string | null | undefined;
  /** `Date`: what a date is counted from where it is told, for it is the same clock, and ours may have been set. */
  readonly date: string | null | undefined;
}

/** In milliseconds, 0 for a moment that is over; null where it says nothing that can be understood. */
export function retryAfterIn({ retryAfter, date }: AnswerHeaders, nowMs: number): number | null {
  const said = retryAfter?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(said)) return finite(Number(said) * 1_000);
  if (!DATE.test(said)) return null;
  const theirs = Date.parse(date ?? '');
  const ms = Date.parse(said) - (Number.isNaN(theirs) ? nowMs : theirs);
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function finite(ms: number): number | null {
  return Number.isFinite(ms) ? ms : null;
}
