// Values as a reader hopes not to meet them: numbers that no double holds, half characters, names that mean something
// elsewhere, times that are none, and what is left of a right value when one thing in it is changed.

import { isObject, RawNumber, type Json } from '../../core/model/json.ts';

/** Chance that is the same for the same seed and number. */
export interface Dice {
  /** A whole number from 0 to below the limit. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function diceOf(seed: number, index: number): Dice {
  let state = (Math.imul(index + 1, 0x9e3779b1) ^ seed) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, chance: (share) => next() < share, pick: (list) => list[below(list.length)]! };
}

const NUMBERS: readonly Json[] = [
  // Zeros, and whole numbers in all their spellings.
  ...'-0 -0.0 -0e1 -0.0000000000000000 0E9999999999 1 1.0 10e-1 -2 2 3.5 1E2 1e+16 1e21 -1.5e21'.split(' '),
  ...'123456789012345680000 1234567890123456800000 100000000000000000000 9007199254740992'.split(' '),
  // At the ends of what a double holds.
  ...'0.1 0.10 0.000001 1e-7 1e-07 5e-324 1.7976931348623157e308'.split(' '),
  // And what it does not.
  ...'9007199254740993 4.9e-324 1e400 -1E400 1e-400 0.12345678901234567890 123456789012345678.25'.split(' '),
  ...'NaN Infinity -Infinity'.split(' '),
  '1'.repeat(400),
  `1e${'9'.repeat(400)}`,
  `0.${'0'.repeat(30)}1e31`,
].map((source) => new RawNumber(source));

export const TEXTS = [
  '',
  'one',
  'done',
  'gap',
  'null',
  '\ud83d',
  '\udce6\ud83d',
  'Köln 📦',
  '\u2028"\\\u0001',
  'NaN',
  '__proto__',
  '\u0000NaN',
];

/** Objects and lists in one another. */
export function deep(levels: number): Json {
  let value: Json = 'deep';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}

/** Anything that is not what a reader hopes for. */
export function oddValue(dice: Dice): Json {
  switch (dice.below(6)) {
    case 0:
      return dice.pick<Json>([null, true, false]);
    case 1:
      return dice.pick(TEXTS);
    case 2:
      return [oddValue(dice), dice.pick(NUMBERS)];
    case 3:
      return Object.fromEntries(
        [dice.pick(TEXTS), dice.pick(['10', '9', '4294967294', '4294967295', '01', 'b']), 'state'].map(
          (key) => [key, dice.chance(0.3) ? oddValue(dice) : dice.pick(NUMBERS)],
        ),
      );
    default:
      return dice.pick(NUMBERS);
  }
}

/** The value with one thing in it lost, put in or replaced. */
export function mutated(dice: Dice, value: Json): Json {
  if (Array.isArray(value) && value.length > 0 && dice.chance(0.9)) {
    const at = dice.below(value.length);
    const items = [...(value as readonly Json[])];
    const kept = [[], [items[at]!, items[at]!]][dice.below(14)];
    items.splice(at, 1, ...(kept ?? [mutated(dice, items[at]!)]));
    return items;
  }
  if (isObject(value) && Object.keys(value).length > 0 && dice.chance(0.9)) {
    const key = dice.pick(Object.keys(value));
    const changed = mutated(dice, value[key]!);
    const pairs = Object.entries(value).flatMap(([name, item]): [string, Json][] =>
      name === key ? (dice.chance(0.15) ? [] : [[name, changed]]) : [[name, item]],
    );
    return Object.fromEntries(dice.chance(0.1) ? [...pairs, [dice.pick(TEXTS), 1]] : pairs);
  }
  return oddValue(dice);
}

/** Times, and what looks like one. */
const TIMES = `2026-01-05T09:00:00+00:00|2026-01-05 08:59:59.1|2026-01-05T09:00|2024-02-29T00:00:00Z
0001-01-01T23:59:59-2359|9999-12-31T23:59:59.999999+23:59|2000-02-29 00:00-00:00|2026-01-05T10:00:00,123456789+0100
2026-02-29T00:00:00Z|0000-01-01T00:00|2026-01-05|2026-01-05T24:00:00+00:00|2026-01-05T09:60|2026-01-05T09:00:60Z
2026-01-05T09:00:00+24:00|2026-01-05T09:00:00-0060|2026-01-05t09:00:00z|2026-04-31T00:00|1900-02-29T00:00
2026-01-05T09:00.5|2026-01-05T09:00:00. | 2026-01-05T09:00|2026-01-05T09:00:00+01:00:00`.split(/[|\n]/);
const TIME_CHARACTERS = '0123456789:.TZ +-٣'.split('');

export function timeOf(dice: Dice, timestamp: string): Json {
  if (dice.chance(0.96)) return timestamp;
  if (dice.chance(0.1)) return oddValue(dice);
  const time = dice.chance(0.5) ? timestamp : dice.pick(TIMES);
  if (dice.chance(0.5)) return time;
  const at = dice.below(time.length);
  return `${time.slice(0, at)}${dice.pick(TIME_CHARACTERS)}${time.slice(at + 1)}`;
}
