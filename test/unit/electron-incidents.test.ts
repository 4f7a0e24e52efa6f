import { describe, expect, test } from 'vitest';
import type { FleetView } from '../../core/contract/fleet-views.ts';
import { incidentsAfter, type Incidents } from '../../electron/main/incidents.ts';
import { fleetOf, processRow } from './electron-rows.ts';

const MINUTE = 60_000;
const up = fleetOf(processRow({ name: 'clerk' }));
const down = (why = 'it broke'): FleetView => fleetOf(processRow({ name: 'clerk', state: 'failed', why }));

/** Titles told, step by step, of a story of [minute, fleet]. */
function told(...story: readonly (readonly [number, FleetView])[]): readonly string[][] {
  let incidents: Incidents = null;
  return story.map(([minute, fleet]) => {
    const after = incidentsAfter(incidents, fleet, minute * MINUTE);
    incidents = after.incidents;
    return after.notifications.map((each) => each.title);
  });
}

describe('one incident is one notification', () => {
  test('a failure is told once, and leads to its process', () => {
    expect(told([0, up], [1, down()], [2, down()], [30, down()])).toEqual([[], ['clerk failed'], [], []]);
    const { notifications } = incidentsAfter(new Map(), down('no key'), 0);
    expect(notifications).toEqual([
      { title: 'clerk failed', body: 'no key', target: { journalId: 'j1', process: 'clerk' } },
    ]);
  });

  test('numbers and ids in a cause do not make it another one', () => {
    const first = down('retry 3/5 of 0f8fad5b-d9cb-469f-a165-70867728950e');
    const later = down('retry 5/5 of 7c9e6679-7425-40de-944b-e07fc1f90ae7');
    expect(told([0, up], [1, first], [20, later])).toEqual([[], ['clerk failed'], []]);
  });

  test('three failures within ten minutes are one incident, whatever their causes', () => {
    expect(told([0, up], [1, down('a')], [2, up], [3, down('b')], [4, up], [9, down('c')])).toEqual([
      [],
      ['clerk failed'],
      [],
      [],
      [],
      [],
    ]);
  });

  test('a failure after ten quiet minutes is a new incident', () => {
    expect(told([0, up], [1, down()], [2, up], [12, up], [13, down()])).toEqual([
      [],
      ['clerk failed'],
      [],
      [],
      ['clerk failed'],
    ]);
  });

  test('another cause while still failed, long after, is told', () => {
    expect(told([0, up], [1, down('disk')], [20, down('key')])).toEqual([
      [],
      ['clerk failed'],
      ['clerk failed'],
    ]);
  });
});

test('what had failed before the first look is not told', () => {
  expect(told([0, down()], [1, down()])).toEqual([[], []]);
});

test('a journal that is only looked at tells nothing', () => {
  const foreign = fleetOf(processRow({ name: 'clerk', state: 'failed', live: false }));
  expect(told([0, up], [1, foreign])).toEqual([[], []]);
});

test('two hundred failures at once are one notification', () => {
  const rows = (state: string) =>
    Array.from({ length: 200 }, (_, n) => processRow({ name: `p${String(n)}`, state }));
  expect(told([0, fleetOf(...rows('running'))], [1, fleetOf(...rows('failed'))])).toEqual([
    [],
    ['200 processes failed'],
  ]);
});

describe('a failure with a restart ahead has ten seconds to heal', () => {
  const SECOND = 1 / 60;
  const soon = down('it broke; restarts at');

  test('healed within them it is silent', () => {
    expect(told([0, up], [1, soon], [1 + SECOND, up], [2, up])).toEqual([[], [], [], []]);
  });

  test('still failed after them it is told, once, without anything having changed', () => {
    const first = incidentsAfter(new Map(), soon, 5_000);
    expect(first).toMatchObject({ notifications: [], dueMs: 15_000 });
    expect(incidentsAfter(first.incidents, soon, 14_999)).toMatchObject({ notifications: [], dueMs: 15_000 });
    const later = incidentsAfter(first.incidents, soon, 15_000);
    expect(later.notifications.map(({ title }) => title)).toEqual(['clerk failed']);
    expect(later.dueMs).toBeNull();
    expect(incidentsAfter(later.incidents, soon, 16_000)).toMatchObject({ notifications: [], dueMs: null });
  });

  test('the moment that no restart is ahead any more it is told', () => {
    expect(told([0, up], [1, soon], [1 + SECOND, down('given up after 3 restarts')])).toEqual([
      [],
      [],
      ['clerk failed'],
    ]);
  });

  test('the third within ten minutes is told though each healed, and then there is silence', () => {
    expect(
      told([0, up], [1, soon], [2, up], [3, soon], [4, up], [9, soon], [9.1, up], [10, soon], [11, soon]),
    ).toEqual([[], [], [], [], [], ['clerk failed'], [], [], []]);
  });

  test('three over a longer time are not', () => {
    expect(told([0, up], [1, soon], [2, up], [8, soon], [9, up], [15, soon], [15.1, up])).toEqual([
      [],
      [],
      [],
      [],
      [],
      [],
      [],
    ]);
  });

  test('the same failure without its restart is the same one', () => {
    expect(told([0, up], [1, soon], [2, soon], [30, down('it broke')])).toEqual([
      [],
      [],
      ['clerk failed'],
      [],
    ]);
  });
});
