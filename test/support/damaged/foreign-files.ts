// Journals that Promptise wrote in an odd form, or with a checkpoint file that is not what it should be, and the right answer.

import { RawNumber, type Json, type JsonObject } from '../../../core/model/json.ts';
import { pythonJson } from '../../interop/python-json.ts';
import { asPython, four } from '../promptise-answers.ts';
import { bad, blank, unverified, type DamagedCase, type DamagedProcess } from './case.ts';
import { all, line, LINES, NOTE, put, REST, STATE, theirs, UNICODE, UP_TO_5, WHOLE } from './foreign-life.ts';

export const FOREIGN_FORMS: Readonly<Record<string, DamagedCase>> = {
  'promptise-crlf': theirs('Written on Windows.', { pieces: all(LINES, '\r\n'), strict: WHOLE }),
  'promptise-bom': theirs('An editor put a byte order mark in front.', {
    pieces: [bad('not-json', `\ufeff${LINES[0]}`), ...all(LINES.slice(1))],
    strict: WHOLE,
  }),
  'promptise-blank-lines': theirs('Blank lines at the beginning, in between and at the end.', {
    pieces: [blank(), ...UP_TO_5, blank(' \t '), blank('\r'), ...REST, blank()],
    strict: WHOLE,
  }),
  'promptise-numbers': theirs(
    'Numbers that no double holds, and those for which JSON has no word.',
    numbers(),
    null,
  ),
  'promptise-duplicate-ids': theirs('Ids that come twice, and ids that are empty.', {
    pieces: [
      ...UP_TO_5,
      unverified(put('entry-5', 'parcels', 7)),
      unverified(put('', 'secret', null)),
      unverified(put('', 'secret', 1)),
      ...REST,
    ],
    strict: four({ parcels: 7, secret: 1, city: 'Jerez' }, 6),
    notes: [NOTE, 'duplicate-id'],
  }),
  'promptise-lines-swapped': theirs('Two lines changed places: nobody can tell.', {
    pieces: all([...LINES.slice(0, 4), LINES[5], LINES[4], LINES[6]]),
    strict: WHOLE,
  }),
  'promptise-line-deleted': theirs('A line is gone: nobody can tell.', {
    pieces: all([...LINES.slice(0, 5), LINES[6]]),
    strict: four({ parcels: 2 }, 2),
  }),
  'promptise-colliding-names': {
    about: 'Two processes share one file, and whoever reads one reads both.',
    format: 'promptise',
    processes: { 'a/b': colliding(), a_b: colliding() },
    fileOf: () => 'a_b.jsonl',
    otherFiles: {},
  },
};

const notes = [NOTE, 'checkpoint-file'];
const fileState = (parcels: number): string =>
  pythonJson({ ...STATE, context_state: { parcels, from_the_file: true } });
const earlier = line('entry-0', 'checkpoint', {
  state: { context_state: { early: true }, lifecycle_state: 'running' },
});

export const FOREIGN_CHECKPOINT_FILES: Readonly<Record<string, DamagedCase>> = {
  'promptise-checkpoint-file-broken': theirs(
    'The checkpoint file was cut short: the last checkpoint line has it all.',
    { pieces: all(LINES), strict: WHOLE, notes, promptise: four({ parcels: 2, city: 'Jerez' }, 7) },
    pythonJson(STATE).slice(0, 40),
  ),
  'promptise-checkpoint-file-not-utf8': theirs(
    'The checkpoint file is no UTF-8.',
    { pieces: all(LINES), strict: WHOLE, notes, promptise: UNICODE },
    Buffer.from([0x7b, 0xff, 0x7d]),
  ),
  'promptise-checkpoint-file-nul': theirs(
    'The checkpoint file is NUL bytes.',
    { pieces: all(LINES), strict: WHOLE, notes, promptise: four({ parcels: 2, city: 'Jerez' }, 7) },
    Buffer.alloc(200),
  ),
  'promptise-checkpoint-file-ahead': theirs(
    'The checkpoint file is newer than every line: it was written last, and its line never was.',
    {
      pieces: all(LINES),
      strict: four({ parcels: 9, from_the_file: true }, 0, '', 'running'),
      notes,
      promptise: four({ parcels: 2, from_the_file: true, city: 'Jerez' }, 3),
    },
    fileState(9),
  ),
  'promptise-checkpoint-file-older': theirs(
    'The checkpoint file is that of an earlier line.',
    {
      pieces: all([earlier, ...LINES]),
      strict: WHOLE,
      notes,
      promptise: four({ early: true, parcels: 2, city: 'Jerez' }, 3),
    },
    pythonJson({ context_state: { early: true }, lifecycle_state: 'running' }),
  ),
};

function numbers(): DamagedProcess {
  const values: Readonly<Record<string, Json>> = {
    past_2_53: new RawNumber('9007199254740993'),
    nineteen_digits: new RawNumber('3544790567247868102'),
    past_a_double: new RawNumber('1e400'),
    seventeen_digits: new RawNumber('0.12345678901234567'),
    not_a_number: new RawNumber('NaN'),
    infinity: new RawNumber('Infinity'),
    minus_infinity: new RawNumber('-Infinity'),
    inside: [{ budget: new RawNumber('NaN') }, 'NaN', '"Infinity"'],
  };
  return {
    pieces: Object.entries(values).map(([key, value], at) => unverified(put(`entry-${at + 1}`, key, value))),
    strict: four(values, 8, 'context_update', 'created'),
    promptise: four(asPython(values) as JsonObject, 8, 'context_update', 'created'),
  };
}

function colliding(): DamagedProcess {
  return {
    pieces: [
      unverified(line('entry-1', 'context_update', { key: 'whose', value: 'a/b' }, 'a/b')),
      unverified(line('entry-2', 'context_update', { key: 'whose', value: 'a_b' }, 'a_b')),
    ],
    strict: four({ whose: 'a_b' }, 2, 'context_update', 'created'),
    notes: [NOTE],
  };
}
