// Odd lines and odd ends of a journal that Promptise wrote, and the right answer to each.

import { four } from '../promptise-answers.ts';
import { RawNumber, type Json } from '../../../core/model/json.ts';
import { pythonJson } from '../../interop/python-json.ts';
import { bad, tail, unverified, type DamagedCase } from './case.ts';
import {
  all,
  line,
  LINES,
  NEXT,
  NOTE,
  PROCESS,
  put,
  REST,
  putIn,
  theirs,
  UNICODE,
  UP_TO_5,
  WHOLE,
} from './foreign-life.ts';

const ATTRIBUTE = { error: 'AttributeError' };
const withTime = (timestamp: Json): string =>
  pythonJson({
    entry_id: 'odd',
    process_id: PROCESS,
    timestamp,
    entry_type: 'context_update',
    data: { key: 'odd' },
  });

export const FOREIGN_ODD_LINES: Readonly<Record<string, DamagedCase>> = {
  'promptise-line-null': putIn(
    'A line that is JSON and no object: null.',
    bad('not-object', 'null'),
    ATTRIBUTE,
  ),
  'promptise-line-number': putIn(
    'A line that is JSON and no object: a number.',
    bad('not-object', '-1.5'),
    ATTRIBUTE,
  ),
  'promptise-line-nan': putIn('A line that is nothing but NaN.', bad('not-object', 'NaN'), ATTRIBUTE),
  'promptise-line-text': putIn(
    'A line that is JSON and no object: a text.',
    bad('not-object', '"text"'),
    ATTRIBUTE,
  ),
  'promptise-line-list': putIn(
    'A line that is JSON and no object: a list.',
    bad('not-object', '[1, 2]'),
    ATTRIBUTE,
  ),
  'promptise-line-not-json': putIn('A line that is no JSON.', bad('not-json', '{"entry_id": ')),
  'promptise-line-without-time': putIn(
    'A line without a timestamp.',
    bad('no-timestamp', '{"entry_type": "log", "data": {}}'),
  ),
  'promptise-line-with-a-number-for-a-time': putIn(
    'A line whose timestamp is a number.',
    bad('no-timestamp', withTime(1767603600)),
    {
      error: 'TypeError',
    },
  ),
  'promptise-line-with-bad-time': putIn(
    'A line whose timestamp is no time.',
    bad('bad-time', withTime('yesterday')),
    {
      error: 'ValueError',
    },
  ),
  'promptise-line-with-a-day-that-is-none': putIn(
    'A line whose timestamp looks like a time, on a day that does not exist.',
    bad('bad-time', withTime('2026-02-30T09:00:00+00:00')),
    { error: 'ValueError' },
  ),
  'promptise-line-not-utf8': putIn(
    'A line with bytes that are no UTF-8.',
    bad('not-utf8', Buffer.from(NEXT.replace('parcels', '\xff\xfe'), 'latin1')),
    UNICODE,
  ),
  'promptise-line-cut-inside-a-character': putIn(
    'A line that was cut inside a character, and the next one right behind it.',
    bad('not-utf8', Buffer.concat([Buffer.from('{"entry_id": "é').subarray(0, -1), Buffer.from(NEXT)])),
    UNICODE,
  ),
  'promptise-line-too-deep': putIn(
    'A line that is nested too deep for any reader.',
    bad('too-deep', '['.repeat(1_001) + ']'.repeat(1_001)),
    { error: 'RecursionError or AttributeError' },
  ),
  'promptise-data-not-an-object': theirs('An entry whose data are no object: it has none.', {
    pieces: [...UP_TO_5, unverified(line('odd', 'context_update', ['parcels', 9])), ...REST],
    strict: four({ parcels: 2, city: 'Jerez' }, 4),
    promptise: ATTRIBUTE,
  }),
  'promptise-number-of-5000-digits': theirs('A number that Python refuses to read.', {
    pieces: [...UP_TO_5, unverified(put('odd', 'digits', new RawNumber('7'.repeat(5_000)))), ...REST],
    strict: four({ parcels: 2, city: 'Jerez', digits: new RawNumber('7'.repeat(5_000)) }, 4),
    promptise: { error: 'ValueError' },
  }),
};

const half = NEXT.slice(0, NEXT.length >> 1);
export const FOREIGN_ENDS: Readonly<Record<string, DamagedCase>> = {
  'promptise-whole': theirs('Nothing is wrong.', { pieces: all(LINES), strict: WHOLE }),
  'promptise-empty': theirs(
    'A crash came before the first byte.',
    { pieces: [], strict: four({}, 0, '', 'created'), notes: [] },
    null,
  ),
  'promptise-half-line': theirs('The last line was cut short.', {
    pieces: [...all(LINES), tail(half)],
    strict: WHOLE,
    notes: [NOTE, 'torn-tail'],
  }),
  'promptise-half-line-inside-a-character': theirs('The last line was cut inside a character.', {
    pieces: [...all(LINES), tail(Buffer.from('{"entry_id": "é').subarray(0, -1))],
    strict: WHOLE,
    notes: [NOTE, 'torn-tail'],
    promptise: UNICODE,
  }),
  'promptise-line-without-its-line-feed': theirs('The last line is whole but for its line feed.', {
    pieces: [...all(LINES), tail(NEXT)],
    strict: WHOLE,
    notes: [NOTE, 'torn-tail'],
    promptise: four({ parcels: 3, city: 'Jerez' }, 4, 'context_update'),
  }),
  'promptise-half-line-then-more': theirs(
    'A half line, and the next entry right behind it: both are lost, and no more.',
    {
      pieces: [...all(LINES), bad('not-json', `${half}${NEXT}`), unverified(put('entry-9', 'parcels', 4))],
      strict: four({ parcels: 4, city: 'Jerez' }, 4, 'context_update'),
    },
  ),
  'promptise-nul-at-start': theirs('A run of NUL bytes at the very beginning.', {
    pieces: [bad('nul', `${'\0'.repeat(512)}${LINES[0]}`), ...all(LINES.slice(1))],
    strict: WHOLE,
  }),
  'promptise-nul-in-the-middle': theirs('A run of NUL bytes takes one line with it, and no more.', {
    pieces: [...UP_TO_5, bad('nul', `${'\0'.repeat(700)}${LINES[5]}`), unverified(LINES[6])],
    strict: four({ parcels: 2 }, 2),
  }),
  'promptise-nul-at-end': theirs('The machine lost power: the end is NUL bytes.', {
    pieces: [...all(LINES), tail(Buffer.alloc(512))],
    strict: WHOLE,
    notes: [NOTE, 'torn-tail'],
  }),
  'promptise-only-garbage': theirs(
    'Not one line can be read: an empty state would be a guess.',
    {
      pieces: [bad('not-json', '{"half'), bad('nul', '\0\0\0'), bad('not-json', 'nonsense')],
      strict: { error: 'journal.damaged' },
      lenient: four({}, 0, '', 'created'),
      notes: [],
    },
    null,
  ),
};
