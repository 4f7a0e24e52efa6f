// What processes want somebody told of, on the desktop.

import { expect, test } from 'vitest';
import type { FleetView } from '../../core/contract/fleet-views.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { causesAfter, type KnownCauses } from '../../electron/main/causes.ts';
import { fleetOf, processRow } from './electron-rows.ts';

const MINUTE = 60_000;
type Cause = ProcessRow['causes'][number];

const cause = (key: string, summary = `${key} is wrong`): Cause => ({
  key,
  kind: 'budget',
  summary,
  at: '2026-01-01T00:00:00.000+00:00',
});
const clerk = (...keys: readonly string[]): FleetView =>
  fleetOf(processRow({ name: 'clerk', causes: keys.map((key) => cause(key)) }));

function told(...story: readonly (readonly [number, FleetView])[]): readonly string[][] {
  let causes: KnownCauses = null;
  return story.map(([minute, fleet]) => {
    const after = causesAfter(causes, fleet, minute * MINUTE);
    causes = after.causes;
    return after.notifications.map(({ body }) => body);
  });
}

test('a cause is told once for as long as it is open, and leads to its process', () => {
  expect(told([0, clerk()], [1, clerk('a')], [2, clerk('a')], [45, clerk('a', 'b')])).toEqual([
    [],
    ['a is wrong'],
    [],
    ['b is wrong'],
  ]);
  const { notifications } = causesAfter(new Map(), clerk('a'), 0);
  expect(notifications).toEqual([
    { title: 'clerk needs somebody', body: 'a is wrong', target: { journalId: 'j1', process: 'clerk' } },
  ]);
});

test('what was open before the first look is not told', () => {
  expect(told([0, clerk('a')], [1, clerk('a', 'b')])).toEqual([[], ['b is wrong']]);
});

test('over and there again within ten minutes it is the same, and after them another', () => {
  expect(told([0, clerk()], [1, clerk('a')], [2, clerk()], [9, clerk('a')])).toEqual([
    [],
    ['a is wrong'],
    [],
    [],
  ]);
  expect(told([0, clerk()], [1, clerk('a')], [2, clerk()], [12, clerk('a')])).toEqual([
    [],
    ['a is wrong'],
    [],
    ['a is wrong'],
  ]);
});

test('a failure is told as such, and what nobody runs here is not told', () => {
  const elsewhere = fleetOf(processRow({ name: 'clerk', live: false, causes: [cause('a')] }));
  expect(told([0, clerk()], [1, clerk('process/failed')], [2, elsewhere])).toEqual([[], [], []]);
});

test('many at once share one notification', () => {
  const names = ['a', 'b', 'c', 'd'];
  const fleet = fleetOf(...names.map((name) => processRow({ name, causes: [cause('x', 'y'.repeat(500))] })));
  const { notifications } = causesAfter(new Map(), fleet, 0);
  expect(notifications).toEqual([
    { title: '4 things need somebody', body: 'a, b, c and 1 more.', target: null },
  ]);
  const one = causesAfter(new Map(), fleetOf(fleet.processes[0]!), 0).notifications;
  expect(one[0]!.body).toHaveLength(160);
});
