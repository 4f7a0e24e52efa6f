import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchIncidents } from '../../electron/main/incident-watch.ts';
import { fleetOf, processRow } from './electron-rows.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const up = fleetOf(processRow({ name: 'clerk' }));
const soon = fleetOf(processRow({ name: 'clerk', state: 'failed', why: 'x; restarts at 14:02:11' }));

test('a failure that is held back is told in time though no change comes', () => {
  const told: string[] = [];
  const look = watchIncidents(
    () => soon,
    ({ title }) => told.push(title),
  );
  look(up);
  look(soon);
  vi.advanceTimersByTime(9_990);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(told).toEqual(['clerk failed']);
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(1);
});

test('one that has healed by then is not told, and nothing is left to wait for', () => {
  const told: string[] = [];
  const look = watchIncidents(
    () => up,
    ({ title }) => told.push(title),
  );
  look(up);
  look(soon);
  look(up);
  expect(vi.getTimerCount()).toBe(0);
  expect(told).toEqual([]);
});
