// What the real Promptise recovers from each of the journals under test/journals/promptise, and where ours differs on
// purpose. A difference that is not listed fails, and so does one that is listed and is none (any more).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseLossless } from '../../core/journal/lossless.ts';
import { isObject, RawNumber, type Json, type JsonObject } from '../../core/model/json.ts';
import { PROMPTISE_JOURNALS, promptiseCases } from './fixtures.ts';

/** The four values that both give. */
export const FOUR = ['context_state', 'lifecycle_state', 'last_entry_type', 'entries_replayed'] as const;
export type Four = Readonly<Record<(typeof FOUR)[number], Json>>;

export const four = (
  context_state: JsonObject,
  entries_replayed: number,
  last_entry_type: Json = 'state_transition',
  lifecycle_state = 'suspended',
): Four => ({ context_state, lifecycle_state, last_entry_type, entries_replayed });

export interface Answer {
  readonly name: string;
  readonly process: string;
  readonly directory: string;
  /** Null where Promptise gives up, with what it says. */
  readonly theirs: Four | null;
  readonly error: string;
}

export function fourOf(value: JsonObject): Four {
  return Object.fromEntries(FOUR.map((key) => [key, value[key] ?? null])) as Four;
}

export function promptiseAnswers(): Answer[] {
  return promptiseCases().flatMap((name) => {
    const text = readFileSync(join(PROMPTISE_JOURNALS, name, 'expected.json'), 'utf8');
    return Object.entries(parseLossless(text) as JsonObject).map(([process, answer]) => {
      const object = isObject(answer) ? answer : {};
      const error = object['error'];
      return {
        name,
        process,
        directory: join(PROMPTISE_JOURNALS, name, 'journal'),
        theirs: error === undefined ? fourOf(object) : null,
        error: typeof error === 'string' ? error : '',
      };
    });
  });
}

export interface Difference {
  readonly ours: Four;
  readonly reason: string;
}

const WHOLE = four({ parcels: 2, city: 'Porto' }, 2);
const WITHOUT_ONE = four({ parcels: 3, city: 'Porto' }, 3, 'context_update');
const THE_LINE = 'The last checkpoint line holds the whole state, so a broken file loses nothing.';
const ONE_LINE =
  'One odd line makes the whole journal unreadable for Promptise; ours reports it and reads the rest.';

export const INTENDED: Readonly<Record<string, Difference>> = {
  'checkpoint-file-ahead': {
    ours: four({ parcels: 9, city: 'Faro' }, 0, '', 'running'),
    reason:
      'The file is newer than every line, so nothing in the journal follows it; Promptise applies older entries on top.',
  },
  'checkpoint-file-corrupt': { ours: WHOLE, reason: THE_LINE },
  'checkpoint-file-empty-object': { ours: WHOLE, reason: THE_LINE },
  'checkpoint-file-list': { ours: WHOLE, reason: THE_LINE },
  'checkpoint-file-missing': { ours: WHOLE, reason: THE_LINE },
  'checkpoint-file-null': { ours: WHOLE, reason: THE_LINE },
  'checkpoint-file-older': {
    ours: four({ parcels: 9, city: 'Braga' }, 1, 'context_update', 'running'),
    reason: 'The file equals an earlier checkpoint line, so the last line is the newer state.',
  },
  'line-not-an-object': {
    ours: WITHOUT_ONE,
    reason: ONE_LINE,
  },
  'line-not-utf8': {
    ours: WITHOUT_ONE,
    reason: ONE_LINE,
  },
  'line-with-bad-time': {
    ours: WITHOUT_ONE,
    reason: ONE_LINE,
  },
};

/**
 * Where ours differs on purpose in journals that are made at random: what is in them, and why. Ours then gives what
 * Promptise gives for the same journal without it.
 */
export const INTENDED_KINDS = {
  'checkpoint-file-lost': THE_LINE,
  'checkpoint-file-older': INTENDED['checkpoint-file-older']!.reason,
  'checkpoint-file-ahead': INTENDED['checkpoint-file-ahead']!.reason,
  'odd-line': ONE_LINE,
  'nothing-readable':
    'Where there are lines and none can be read, ours refuses, since an empty state would be a guess; Promptise gives one, or gives up.',
  'odd-data': 'Data that are no object are none; Promptise gives up where it looks into them.',
  'odd-key':
    'A key that is no text is kept as its text, the same for every reader; Promptise keeps some, and gives up on others.',
  'odd-state': 'A state that is no text is none; Promptise takes it over as it is, or gives up.',
  'odd-type': 'An entry type that is no text is none; Promptise takes it over as it is.',
  'no-line-feed':
    'A line counts once its line feed is on disk; Promptise reads one that is whole without it.',
  digits:
    'Every number keeps its digits; Python makes a double of what is no integer, and infinity of 1e400.',
  'deleted-key':
    'A key that was deleted since the last checkpoint is gone; Promptise knows no deletion and keeps it.',
} as const;
export type DifferenceKind = keyof typeof INTENDED_KINDS;

/** The value as Python holds it: integers of any length, and a double for every other number. */
export function asPython(value: Json): Json {
  if (value instanceof RawNumber) {
    if (!value.isJson || /^-?\d+$/.test(value.source)) return value;
    const number = Number(value.source);
    return Number.isFinite(number) ? number : new RawNumber(String(number));
  }
  if (Array.isArray(value)) return value.map((item: Json) => asPython(item));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asPython(item)]));
  }
  return value;
}
