// Reckoning in a zone takes the library ten times as long as with a fixed offset, and a schedule that was not followed
// for long is asked thousands of times. While a zone's clock stays as it is, a fixed offset says the same.

import type { Cron } from 'croner';

type Next = (afterMs: number) => number | null;

const HOUR_MS = 3_600_000;
/** No zone changes its clock and changes it back in less. */
const PROBE_MS = 6 * HOUR_MS;
/** A time is shown twice within less than this; looking back so far tells whether it is the second one. */
const MARGIN_MS = 24 * HOUR_MS;
/** How far a single question may look ahead. */
const PROBES = 8;

/** The same as `slow`, which knows what happens when clocks change. */
export function quickly(slow: Next, zone: string, nextAt: (utcOffset: number) => Cron): Next {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const offsetAt = (ms: number): number | null => minutesOf(format.format(ms));
  let known: {
    readonly fromMs: number;
    untilMs: number;
    readonly offset: number;
    readonly cron: Cron;
  } | null = null;

  function stay(fromMs: number, untilMs: number): typeof known {
    if (known !== null && known.fromMs <= fromMs && untilMs <= known.untilMs + PROBES * PROBE_MS)
      return known;
    const offset = offsetAt(fromMs);
    return offset === null ? null : { fromMs, untilMs: fromMs, offset, cron: nextAt(offset) };
  }

  return (afterMs) => {
    known = stay(afterMs - MARGIN_MS, afterMs);
    if (known === null) return slow(afterMs);
    const next = known.cron.nextRun(new Date(afterMs))?.getTime() ?? null;
    if (next === null) return slow(afterMs);
    for (let left = PROBES * 2; known.untilMs < next; left -= 1) {
      if (left === 0 || offsetAt(known.untilMs + PROBE_MS) !== known.offset) return slow(afterMs);
      known.untilMs += PROBE_MS;
    }
    return next;
  };
}

/** `1/1/2026, GMT+05:30`, and `GMT` alone for 0. Null where it has seconds, as it had before there were zones. */
function minutesOf(text: string): number | null {
  const [, sign, hours, minutes, seconds] = /GMT(?:([+-])(\d\d):(\d\d)(:\d\d)?)?$/.exec(text) ?? [];
  if (seconds !== undefined) return null;
  const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === '-' ? -size : size;
}
