// Telling goes on: nothing thrown in it ends the host, it never overlaps itself, and it takes no more time than it may.

import { onTestFinished, test, expect } from 'vitest';
import { changeStream, type ChangeStream } from '../../core/host/change-stream.ts';
import { waitFor } from '../support/wait-for.ts';

function streamOf(
  emit: () => void | Promise<void>,
  failures: unknown[] = [],
): ChangeStream & { readonly failures: unknown[] } {
  const stream = changeStream(1, emit, (error) => failures.push(error));
  onTestFinished(() => stream[Symbol.dispose]());
  return Object.assign(stream, { failures });
}

test('what is thrown while telling is handed over, and the next change is told', async () => {
  let told = 0;
  const stream = streamOf(() => {
    told += 1;
    if (told === 1) throw new Error('ELOOP');
  });
  stream.touch();
  await waitFor(() => stream.failures.length === 1);
  stream.touch();
  await waitFor(() => told === 2);
  expect(stream.failures).toEqual([new Error('ELOOP')]);
});

test('a rejected telling is handed over like a thrown one', async () => {
  const stream = streamOf(() => Promise.reject(new Error('ESTALE')));
  stream.touch();
  await waitFor(() => stream.failures.length === 1);
});

test('a change during a telling waits for its end and is told once', async () => {
  const ends: (() => void)[] = [];
  const stream = streamOf(() => new Promise<void>((resolve) => void ends.push(resolve)));
  stream.touch();
  await waitFor(() => ends.length === 1);
  for (let n = 0; n < 3; n += 1) stream.touch();
  ends[0]!();
  await waitFor(() => ends.length === 2);
  ends[1]!();
  stream.touch();
  await waitFor(() => ends.length === 3);
});

test('a telling that takes long is followed by a rest of four times as long', async () => {
  const times: { readonly from: number; readonly to: number }[] = [];
  const stream = streamOf(() => {
    const from = performance.now();
    while (performance.now() < from + 20);
    times.push({ from, to: performance.now() });
    stream.touch();
  });
  stream.touch();
  await waitFor(() => times.length >= 3);
  const rests = times.slice(1).map(({ from }, at) => {
    const before = times[at]!;
    return { rest: from - before.to, took: before.to - before.from };
  });
  // Timers count in whole milliseconds.
  for (const { rest, took } of rests) expect(rest).toBeGreaterThan(Math.min(2_000, 4 * took) - 2);
});

test('after its end nothing is told any more', async () => {
  let told = 0;
  const stream = streamOf(() => void (told += 1));
  stream.touch();
  stream[Symbol.dispose]();
  stream.touch();
  const other = streamOf(() => {});
  let isLater = false;
  changeStream(
    5,
    () => void (isLater = true),
    () => {},
  ).touch();
  other.touch();
  await waitFor(() => isLater);
  expect(told).toBe(0);
});
