import { kept } from '../../core/model/meters.ts';

const NARROW_SPACE = '\u{202f}';

/** An integer as written, its digits in threes from five digits on. */
export function countText(value: number): string {
  const digits = String(value);
  return /^-?\d{5,}$/.test(digits) ? digits.replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE) : digits;
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return unit === 0 ? `${countText(bytes)} bytes` : `${value.toFixed(value < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

/** "1 run", "2 runs". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** Why there are no ended runs to judge by: `runs` of the day have begun, or none that is known of. */
export function noRunsText(runs: number | null): string {
  return runs !== null && runs > 0 ? 'none ended' : 'no runs yet';
}

/** What may have a fraction, to the millionth at most. */
export function amountText(value: number): string {
  return countText(kept(value));
}

/** In the manifest's own units. Unknown is a word, never a number [P5]. */
export function costText(cost: number | null): string {
  return cost === null ? 'unknown' : amountText(cost);
}

/** Long ids lose their middle; whoever copies gets all of it. */
export function cutMiddle(text: string, room: number): string {
  if (text.length <= room) return text;
  const head = Math.ceil((room - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (room - 1 - head))}`;
}
