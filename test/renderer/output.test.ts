import { assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import type { OutputPage } from '../../core/contract/worker-views.ts';
import {
  MOST_LINES,
  trimmed,
  withNewest,
  withOlderLines,
  type Output,
} from '../../renderer/stores/output.ts';
import { createOutputReader } from '../../renderer/stores/output-reader.ts';
import { lineOf, NOW } from './fixtures.ts';
import { memoryHost, ok, refused, testConsole } from './memory-client.ts';

const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => lineOf(from + at));
const page = (from: number, to: number): OutputPage => ({
  lines: lines(from, to),
  before: from === 0 ? null : `c${from}`,
});
const texts = (output: Output | null): string[] => output?.lines.map(({ text }) => text) ?? [];

test('new lines join at the end, each once', () => {
  const output = withNewest(withNewest(null, page(0, 3)), page(1, 5));
  expect(texts(output)).toEqual(lines(0, 5).map(({ text }) => text));
  expect(withNewest(output, page(2, 5))).toBe(output);
});

test('the same line printed twice is shown twice', () => {
  const twice = { lines: [lineOf(1), lineOf(1)], before: null };
  const thrice = { lines: [lineOf(1), lineOf(1), lineOf(1)], before: null };
  expect(withNewest(withNewest(null, twice), thrice).lines).toHaveLength(3);
});

test('a page with nothing in common begins afresh, and no line is taken for one that is gone', () => {
  const old = withNewest(null, page(0, 3));
  const output = withNewest(old, page(90, 92));
  expect(texts(output)).toEqual(['line 90', 'line 91']);
  expect(output.before).toBe('c90');
  expect(output.first).toBeGreaterThanOrEqual(old.first + old.lines.length);
});

test('older lines come before, and every line keeps its number', () => {
  const output = withOlderLines(withNewest(null, page(4, 6)), page(2, 4));
  expect(texts(output)).toEqual(['line 2', 'line 3', 'line 4', 'line 5']);
  expect(output.first + 2).toBe(0);
  expect(output.before).toBe('c2');
});

test('however many lines come between two readings, pages that meet leave none out', () => {
  const size = 20;
  assert(
    property(integer({ min: 1, max: 60 }), integer({ min: 0, max: size - 1 }), (end, more) => {
      const at = (to: number) => page(Math.max(0, to - size), to);
      const output = withNewest(withNewest(null, at(end)), at(end + more));
      expect(texts(output)).toEqual(lines(Math.max(0, end - size), end + more).map(({ text }) => text));
    }),
  );
});

test('a reader at the end lets old lines go', () => {
  const newest = page(MOST_LINES - 50, MOST_LINES + 1);
  const output = trimmed(withNewest(null, page(0, MOST_LINES + 1)), newest);
  expect(output.lines).toHaveLength(51);
  expect(output.first).toBe(MOST_LINES - 50);
});

const made = (isHidden = () => false) => {
  const host = memoryHost();
  const { testClock } = testConsole(host, NOW);
  const reader = createOutputReader(host.client, testClock, { journalId: 'j', process: 'p' }, isHidden);
  return { host, testClock, reader };
};

test('it is read again while it is looked at, and not any more after that', async () => {
  const { host, testClock, reader } = made();
  host.answer('output.read', () => ok(page(0, 2)));
  const stop = reader.start();
  await expect.poll(() => texts(reader.store.getState().output)).toHaveLength(2);
  host.answer('output.read', () => ok(page(0, 3)));
  testClock.advance(2_000);
  await expect.poll(() => texts(reader.store.getState().output)).toHaveLength(3);
  stop();
  testClock.advance(60_000);
  expect(host.askedFor('output.read')).toHaveLength(2);
});

test('a hidden window asks for nothing', async () => {
  const { host, reader } = made(() => true);
  reader.start()();
  await Promise.resolve();
  expect(host.askedFor('output.read')).toEqual([]);
});

test('a reading that failed says so, and leaves what was read', async () => {
  const { host, testClock, reader } = made();
  host.answer('output.read', () => ok(page(3, 5)));
  const stop = reader.start();
  await expect.poll(() => texts(reader.store.getState().output)).toHaveLength(2);
  host.answer('output.read', () => refused({ code: 'output.unreadable', message: 'No.' }));
  testClock.advance(2_000);
  await expect.poll(() => reader.store.getState().failure?.code).toBe('output.unreadable');
  expect(texts(reader.store.getState().output)).toHaveLength(2);
  host.answer('output.read', ({ before }) => ok(before === null ? page(3, 5) : page(1, 3)));
  reader.again();
  await expect.poll(() => reader.store.getState().failure).toBeNull();
  await reader.readOlder();
  expect(host.askedFor('output.read').at(-1)).toMatchObject({ before: 'c3' });
  expect(texts(reader.store.getState().output)).toHaveLength(4);
  stop();
});
