import { expect, test } from 'vitest';
import {
  EMPTY_TIMELINE,
  fromNewest,
  MOST_ARRIVALS,
  released,
  withArrivals,
  withOlder,
  type Timeline,
} from '../../renderer/stores/timeline.ts';
import { placeRows } from '../../renderer/features/process/timeline-groups.ts';
import { entryOf } from './fixtures.ts';

const seqs = (rows: Timeline['rows']): number[] => rows.map((row) => row.seq);
const rows = (...numbers: number[]) => numbers.map((seq) => entryOf(seq));
const read: Timeline = fromNewest({ rows: rows(5, 4, 3), before: 'cursor' }, []);

test('what arrived while the newest page was read is put before it, once', () => {
  const timeline = fromNewest({ rows: rows(5, 4, 3), before: null }, rows(7, 6, 5));
  expect(seqs(timeline.rows)).toEqual([7, 6, 5, 4, 3]);
});

test('older pages join at the end, without what is there already', () => {
  const timeline = withOlder(read, { rows: rows(3, 2, 1), before: null });
  expect(seqs(timeline.rows)).toEqual([5, 4, 3, 2, 1]);
  expect(timeline.before).toBeNull();
});

test('new rows go straight in while the reader follows, and wait otherwise', () => {
  expect(seqs(withArrivals(read, rows(7, 6), false, true).rows)).toEqual([7, 6, 5, 4, 3]);
  const waiting = withArrivals(withArrivals(read, rows(6), false, false), rows(8, 7), false, false);
  expect(seqs(waiting.rows)).toEqual([5, 4, 3]);
  expect(seqs(waiting.arrivals)).toEqual([8, 7, 6]);
  expect(seqs(released(waiting).rows)).toEqual([8, 7, 6, 5, 4, 3]);
});

test('while rows wait, later ones wait behind them even if the reader has come back to the top', () => {
  const waiting = withArrivals(read, rows(6), false, false);
  const later = withArrivals(waiting, rows(7), false, true);
  expect(seqs(later.arrivals)).toEqual([7, 6]);
  expect(seqs(later.rows)).toEqual([5, 4, 3]);
});

test('the same rows twice are shown once', () => {
  expect(seqs(withArrivals(read, rows(5, 4), false, true).rows)).toEqual([5, 4, 3]);
  expect(withArrivals(read, rows(5), false, false).arrivals).toEqual([]);
});

test('a gap, or more than may wait, asks for the newest page instead of piling up', () => {
  expect(withArrivals(read, rows(9), true, false)).toMatchObject({ missed: true, arrivals: [] });
  const flood = Array.from({ length: MOST_ARRIVALS + 1 }, (_, at) => entryOf(2_000 - at));
  expect(withArrivals(read, flood, false, false)).toMatchObject({ missed: true, arrivals: [] });
  expect(EMPTY_TIMELINE.missed).toBe(false);
});

test('neighbours of one trigger event hang on one rail; others stand alone', () => {
  const placed = placeRows([
    entryOf(6, { eventId: 'b' }),
    entryOf(5, { eventId: 'a' }),
    entryOf(4, { eventId: 'a' }),
    entryOf(3, { eventId: 'a' }),
    entryOf(2, { eventId: null }),
    entryOf(1, { eventId: null }),
  ]);
  expect(placed.map(({ rail }) => rail)).toEqual(['alone', 'first', 'middle', 'last', 'none', 'none']);
});

test('a row names its day where that changes, and a row without a time keeps the day above', () => {
  const placed = placeRows([
    entryOf(3, { at: '2026-11-29T12:00:00.000+00:00' }),
    entryOf(2, { at: 'not a time' }),
    entryOf(1, { at: '2026-11-27T12:00:00.000+00:00' }),
  ]);
  expect(placed.map(({ day }) => day)).toEqual(['2026-11-29', null, '2026-11-27']);
});
