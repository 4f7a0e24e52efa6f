const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span in its largest unit: `12 s`, `3 m`, `1 h`, `3 d`. Never negative. */
export function spanText(ms: number): string {
  const span = Math.max(0, ms);
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)} m`;
  if (span < DAY) return `${Math.floor(span / HOUR)} h`;
  return `${Math.floor(span / DAY)} d`;
}

/**
 * An age in steps that are worth a look: seconds up to ten, then tens of seconds. A hundred ages that change each
 * second keep the machine busy for nothing.
 */
export function steppedAge(ms: number): number {
  return ms < 10 * SECOND ? ms : ms - (ms % (10 * SECOND));
}

/** A span in its two largest units: `3 h 10 m`. */
export function longSpanText(ms: number): string {
  const span = Math.max(0, ms);
  const rest = span < HOUR ? [span % MINUTE, MINUTE] : span < DAY ? [span % HOUR, HOUR] : [span % DAY, DAY];
  const [left, unit] = rest as [number, number];
  const small = spanText(left);
  return span < MINUTE || left < unit / 60 || small.startsWith('0 ')
    ? spanText(span)
    : `${spanText(span)} ${small}`;
}

/** "in 3 m 20 s", "now", and from a minute on "now, 2 h 4 m late". */
export function untilText(leftMs: number): string {
  // Counting down, a second that has begun still counts.
  if (leftMs > 0) return `in ${longSpanText(leftMs + 999)}`;
  return -leftMs < MINUTE ? 'now' : `now, ${longSpanText(steppedAge(-leftMs))} late`;
}
