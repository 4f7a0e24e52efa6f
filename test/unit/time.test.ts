// J3: what a journal's time looks like when we write it, and what we take for a time when others do.

import { describe, expect, test } from 'vitest';
import { InMemoryJournal, openFileJournal } from '../../core/journal/index.ts';
import { dayOf, parseTimestamp, timestampOf } from '../../core/model/time.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { update } from '../support/journal-bytes.ts';

const NOON = Date.UTC(2026, 0, 5, 12);

test('is written in UTC with three digits and an offset, never a Z, which Python 3.10 refuses', () => {
  expect(timestampOf(NOON)).toBe('2026-01-05T12:00:00.000+00:00');
  expect(parseTimestamp(timestampOf(NOON + 7))).toBe(NOON + 7);
});

test.each([
  ['2026-01-05T12:00:00+00:00', NOON],
  ['2026-01-05T12:00:00Z', NOON],
  ['2026-01-05 12:00:00+00:00', NOON],
  ['2026-01-05T12:00:00', NOON],
  ['2026-01-05T12:00', NOON],
  ['2026-01-05T12:00:00.123456+00:00', NOON + 123],
  ['2026-01-05T12:00:00,5+00:00', NOON + 500],
  ['2026-01-05T12:00:00.123456789+00:00', NOON + 123],
  ['2026-01-05T14:30:00+02:30', NOON],
  ['2026-01-05T14:30:00+0230', NOON],
])('%s is read', (text, epochMs) => {
  expect(parseTimestamp(text)).toBe(epochMs);
  expect(dayOf(text)).toBe('2026-01-05');
});

test.each([
  '',
  'yesterday',
  '2026-01-05',
  '12:00:00',
  '1767603600',
  'Mon Jan 05 2026 12:00:00',
  '2026-13-05T12:00:00+00:00',
  '2026-01-05T25:00:00+00:00',
  '2026-01-05T12:00:00.+00:00',
  '2026-01-05T12:00:00+00:00 ',
  ' 2026-01-05T12:00:00+00:00',
  '2026-01-05T12:00:00+00:00\n',
  '٢٠٢٦-01-05T12:00:00Z',
])('%j is no time', (text) => {
  expect(parseTimestamp(text)).toBeNull();
  expect(dayOf(text)).toBe('');
});

describe('a time that a caller gives with an entry', () => {
  const REFUSED = ['yesterday', '', '2026-01-05T12:00:00Z', '2026-01-05T12:00:00.5+00:00', '2026-01-05'];
  const TAKEN = [
    '2026-01-05T12:00:00+00:00',
    '2026-01-05T12:00:00.125+00:00',
    '2026-01-05T12:00:00.125000+00:00',
  ];

  test.each(['file', 'memory'])(
    '[P1] is refused by a %s journal where no reader would take the line back',
    async (kind) => {
      const journal = kind === 'file' ? openFileJournal(tempDirectory()) : new InMemoryJournal();
      for (const timestamp of REFUSED) {
        await expect(journal.append({ ...update('a', 1), timestamp }), timestamp).rejects.toMatchObject({
          code: 'journal.bad-time',
        });
      }
      for (const timestamp of TAKEN) await journal.append({ ...update('a', 1), timestamp });
      const read = await journal.read('one', { entryType: 'context_update' });
      expect(read.map((entry) => entry.timestamp)).toEqual(TAKEN);
      await journal.close();
    },
  );

  test.each(['file', 'memory'])(
    'a %s journal says so too when it is asked since what is no time',
    async (kind) => {
      const journal = kind === 'file' ? openFileJournal(tempDirectory()) : new InMemoryJournal();
      await journal.append(update('a', 1));
      await expect(journal.read('one', { since: 'yesterday' })).rejects.toMatchObject({
        code: 'journal.bad-time',
      });
      await journal.close();
    },
  );
});
