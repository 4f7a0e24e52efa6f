// What the real Promptise recovers from each of the journals under test/journals/promptise, and where ours differs on
// purpose. A difference that is not listed fails, and so does one that is listed and is none (any more).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseLossless } from '../../core/journal/lossless.ts';
import { isObject, type Json, type JsonObject } from '../../core/model/json.ts';
import { PROMPTISE_JOURNALS, promptiseCases } from './fixtures.ts';

/** The four values that both give. */
export const FOUR = ['context_state', 'lifecycle_state', 'last_entry_type', 'entries_replayed'] as const;
export type Four = Readonly<Record<(typeof FOUR)[number], Json>>;

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

const THE_LINE = 'The last checkpoint line holds the whole state, so a broken file loses nothing.';
const ONE_LINE =
  'One odd line makes the whole journal unreadable for Promptise; ours reports it and reads the rest.';

const suspended = (context_state: JsonObject, entries_replayed = 2): Four => ({
  context_state,
  lifecycle_state: 'suspended',
  last_entry_type: 'state_transition',
  entries_replayed,
});

export const INTENDED: Readonly<Record<string, Difference>> = {
  'checkpoint-file-ahead': {
    ours: {
      context_state: { parcels: 9, city: 'Faro' },
      lifecycle_state: 'running',
      last_entry_type: '',
      entries_replayed: 0,
    },
    reason:
      'The file is newer than every line, so nothing in the journal follows it; Promptise applies older entries on top.',
  },
  'checkpoint-file-corrupt': { ours: suspended({ parcels: 2, city: 'Porto' }), reason: THE_LINE },
  'checkpoint-file-empty-object': { ours: suspended({ parcels: 2, city: 'Porto' }), reason: THE_LINE },
  'checkpoint-file-list': { ours: suspended({ parcels: 2, city: 'Porto' }), reason: THE_LINE },
  'checkpoint-file-missing': { ours: suspended({ parcels: 2, city: 'Porto' }), reason: THE_LINE },
  'checkpoint-file-null': { ours: suspended({ parcels: 2, city: 'Porto' }), reason: THE_LINE },
  'checkpoint-file-older': {
    ours: {
      context_state: { parcels: 9, city: 'Braga' },
      lifecycle_state: 'running',
      last_entry_type: 'context_update',
      entries_replayed: 1,
    },
    reason: 'The file equals an earlier checkpoint line, so the last line is the newer state.',
  },
  'line-not-an-object': {
    ours: {
      context_state: { parcels: 3, city: 'Porto' },
      lifecycle_state: 'suspended',
      last_entry_type: 'context_update',
      entries_replayed: 3,
    },
    reason: ONE_LINE,
  },
  'line-not-utf8': {
    ours: {
      context_state: { parcels: 3, city: 'Porto' },
      lifecycle_state: 'suspended',
      last_entry_type: 'context_update',
      entries_replayed: 3,
    },
    reason: ONE_LINE,
  },
  'line-with-bad-time': {
    ours: {
      context_state: { parcels: 3, city: 'Porto' },
      lifecycle_state: 'suspended',
      last_entry_type: 'context_update',
      entries_replayed: 3,
    },
    reason: ONE_LINE,
  },
};
