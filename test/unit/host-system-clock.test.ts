// A timer holds 2^31 milliseconds: a longer delay given to it comes due at once.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../core/host/system-clock.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a delay of a year comes due after a year, and not at once', () => {
  const called = vi.fn<() => void>();
  systemClock().after(YEAR_MS, called);
  vi.advanceTimersByTime(YEAR_MS - 1);
  expect(called).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(called).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(YEAR_MS);
  expect(called).toHaveBeenCalledOnce();
});

test('a delay of a year can be cancelled in its second half', () => {
  const called = vi.fn<() => void>();
  const cancel = systemClock().after(YEAR_MS, called);
  vi.advanceTimersByTime(200 * DAY_MS);
  cancel();
  vi.advanceTimersByTime(YEAR_MS);
  expect(called).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('a short delay is one timer', () => {
  const called = vi.fn<() => void>();
  systemClock().after(20, called);
  vi.advanceTimersByTime(20);
  expect(called).toHaveBeenCalledOnce();
});
