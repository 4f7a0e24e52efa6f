// The fields of a schedule, from Promptise's spelling to the library's.

import { CronPattern } from 'croner';

export interface Field {
  readonly name: string;
  /** For a person. */
  readonly takes: string;
  readonly first: number;
  readonly last: number;
  /** Of its values, from the first on. */
  readonly names: readonly string[];
}

function field(name: string, first: number, last: number, names: readonly string[], takes?: string): Field {
  return { name, takes: takes ?? `${first} to ${last}`, first, last, names };
}

export const DAY = field('day of month', 1, 31, [], '1 to 31, or L for the last one');
export const MONTH = field(
  'month',
  1,
  12,
  ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  '1 to 12, or jan to dec',
);
const WEEKDAY = field(
  'day of week',
  0,
  7,
  ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  '0 to 7, where 0 and 7 are Sunday, or sun to sat',
);
/** In the order in which they are written, the second being left out or last. */
export const FIELDS = [
  field('minute', 0, 59, []),
  field('hour', 0, 23, []),
  DAY,
  MONTH,
  WEEKDAY,
  field('second', 0, 59, []),
] as const;

/** The field as the library reads it; null where it makes no sense. */
export function readField(field: Field, text: string): string | null {
  const read = text
    .split(',')
    .map((item) => readItem(field, item))
    .join(',');
  if (!/^[\w*,/#?-]+$/.test(read)) return null;
  const [second, minute, hour, day, month, weekday] = [FIELDS[5], ...FIELDS.slice(0, 5)].map((other) =>
    other === field ? read : '*',
  );
  return isPattern([second, minute, hour, day, month, weekday].join(' ')) ? read : null;
}

function isPattern(text: string): boolean {
  try {
    return new CronPattern(text) instanceof CronPattern;
  } catch {
    // What it says counts the library's own fields, from 0.
    return false;
  }
}

/** What Promptise reads and the library doesn't: 3/5 is 3-59/5, 22-2 is 22-23,0-2, and L5 is the last Friday. */
function readItem(field: Field, item: string): string {
  const [, start, step] = /^(\d+)\/(\d+)$/.exec(item) ?? [];
  if (start !== undefined) return `${start}-${field.last}/${step}`;
  if (field === WEEKDAY && /^L\d$/i.test(item)) return `${item.slice(1)}L`;
  const [from, to] = item.split('-').map((end) => numberOf(field, end));
  if (from === undefined || to === undefined || from <= to || !/^\w+-\w+$/.test(item)) return item;
  return `${from}-${field.last},${field.first}-${to}`;
}

/** NaN for what is neither a number nor a name. */
function numberOf({ names, first }: Field, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const at = names.indexOf(text.toLowerCase());
  return at < 0 ? Number.NaN : first + at;
}
