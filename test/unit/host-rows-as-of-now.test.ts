// A row is made again only when something in it may be different, and then at once.

import { describe, expect, test } from 'vitest';
import type { FleetView } from '../../core/contract/fleet-views.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { fleetChanges } from '../../core/host/fleet-changes.ts';
import { asRecorded, processRow } from '../../core/host/read-model.ts';
import { rowCache } from '../../core/host/row-cache.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { SteppedClock } from '../support/stepped-clock.ts';
import { triggerSet } from '../support/triggers.ts';

const rowOf = (name: string, invocations = 0): ProcessRow =>
  processRow(asRecorded('j', name, { ...emptySnapshot(), invocationCount: invocations }));

describe('rows', () => {
  test('the same facts give the same row; one other fact gives a new one', () => {
    const cache = rowCache();
    let made = 0;
    const ask = (facts: readonly unknown[]): ProcessRow =>
      cache.row('a', facts, () => rowOf('a', (made += 1)));
    const first = ask([1, 'x', null]);
    expect(ask([1, 'x', null])).toBe(first);
    expect(ask([1, 'x', undefined])).not.toBe(first);
    expect(made).toBe(2);
  });

  test('a row that was dropped, or whose process was gone, is made anew', () => {
    const cache = rowCache();
    let made = 0;
    const ask = (): ProcessRow => cache.row('a', [], () => rowOf('a', (made += 1)));
    ask();
    cache.drop('a');
    expect(ask().invocations).toBe(2);
    cache.keepOnly(new Set(['b']));
    expect(ask().invocations).toBe(3);
    cache.keepOnly(new Set(['a']));
    expect(ask().invocations).toBe(3);
  });

  test('what is told are the rows that differ, the very same and the equal ones not', () => {
    const fleet = (processes: ProcessRow[]): FleetView => ({ sequence: 0, at: '', journals: [], processes });
    const [a, b, c] = [rowOf('a'), rowOf('b'), rowOf('c')];
    const before = fleetChanges(new Map(), fleet([a, b, c]));
    expect(before.upserts).toEqual([a, b, c]);
    const after = fleetChanges(before.rows, fleet([a, rowOf('b'), rowOf('c', 1)]));
    expect(after.upserts).toEqual([rowOf('c', 1)]);
    expect(fleetChanges(after.rows, fleet([a])).removed).toEqual([b.key, c.key]);
  });
});

test('the next time of a process is the first of all its schedules, and none while they are closed', () => {
  const hourly = {
    type: 'cron',
    cronExpression: '0 * * * *',
    cronTimezone: 'UTC',
    missed: 'skip',
    filter: null,
  } as const;
  const daily = { ...hourly, cronExpression: '0 4 * * *' };
  const set = triggerSet(
    [daily, hourly, { type: 'manual' }],
    new SteppedClock(Date.UTC(2026, 0, 31, 10, 15)),
  );
  expect(set.next).toBeNull();
  set.open();
  expect(set.next).toEqual({ id: set.views()[1]!.id, at: '2026-01-31T11:00:00.000Z' });
  expect(set.views().map((trigger) => trigger.next)).toEqual([
    '2026-02-01T04:00:00.000Z',
    '2026-01-31T11:00:00.000Z',
    null,
  ]);
  set.close();
  expect(set.next).toBeNull();
});
