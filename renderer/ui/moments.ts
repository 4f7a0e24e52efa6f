import { parseTimestamp } from '../../core/model/time.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** The local zone's offset at that moment: `+02:00`. */
export function offsetText(epochMs: number): string {
  const minutes = -new Date(epochMs).getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** `14:02:11`, local. */
export function clockText(epochMs: number): string {
  const at = new Date(epochMs);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** `14:02:11.305`, local. */
export function preciseClockText(epochMs: number): string {
  return `${clockText(epochMs)}.${String(new Date(epochMs).getMilliseconds()).padStart(3, '0')}`;
}

/** `2026-11-29`, local. */
export function dayText(epochMs: number): string {
  const at = new Date(epochMs);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** `14:02:11`, or `2026-11-29 14:02:11` on another day than now's; local. */
export function dayClockText(epochMs: number, nowMs: number): string {
  const day = dayText(epochMs);
  return day === dayText(nowMs) ? clockText(epochMs) : `${day} ${clockText(epochMs)}`;
}

/** A journal's timestamp for a person: local with its offset, then UTC. What is no time is shown as written. */
export function momentText(timestamp: string): string {
  const epochMs = parseTimestamp(timestamp);
  if (epochMs === null) return timestamp;
  const local = `${dayText(epochMs)} ${clockText(epochMs)} ${offsetText(epochMs)}`;
  return `${local} (${new Date(epochMs).toISOString().replace('T', ' ').replace(/\..*/, '')} UTC)`;
}

/** What is copied: ISO 8601 in UTC, with every digit that the journal has. */
export function isoText(timestamp: string): string {
  if (/(Z|\+00:00)$/.test(timestamp)) return timestamp;
  const epochMs = parseTimestamp(timestamp);
  return epochMs === null ? timestamp : new Date(epochMs).toISOString();
}

/** "today", or the day that a count belongs to, if the journal names one; days are those of UTC. */
export function dayWords(day: string, nowMs: number): string {
  if (day === '') return 'counted';
  return day === new Date(nowMs).toISOString().slice(0, 10) ? 'today' : `on ${day}`;
}
