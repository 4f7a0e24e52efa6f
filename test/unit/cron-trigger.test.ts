// A schedule is followed by the wall clock, through sleep, drift, clocks that are set and runtimes that refuse. [S22] [S42]

import { describe, expect, test } from 'vitest';
import { AppError } from '../../core/model/errors.ts';
import type { MissedPolicy } from '../../core/model/trigger-config.ts';
import type { DueTicks } from '../../core/triggers/cron-due.ts';
import { startCronTrigger, type RunningCron } from '../../core/triggers/cron-trigger.ts';
import { SteppedClock } from '../support/stepped-clock.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 31, 10, 15);

interface Followed {
  readonly clock: SteppedClock;
  readonly trigger: RunningCron;
  readonly due: DueTicks[];
  /** What becomes of the next ones. */
  answer: (() => void | Promise<void>) | null;
}

function follow(cronExpression: string, missed: MissedPolicy = 'once', lastMs = START): Followed {
  const clock = new SteppedClock(START);
  const due: DueTicks[] = [];
  const followed: { answer: Followed['answer'] } = { answer: null };
  const trigger = startCronTrigger(
    { type: 'cron', cronExpression, cronTimezone: 'UTC', missed, filter: null },
    {
      clock,
      lastMs,
      onDue: (ticks) => {
        due.push(ticks);
        return followed.answer?.();
      },
    },
  );
  return Object.assign(followed, { clock, trigger, due });
}

/** The scheduled times that fired, each with what it stands for. */
function fired(due: readonly DueTicks[]): readonly string[] {
  return due.flatMap(({ fire }) =>
    fire.map(({ scheduledMs, missed }) => `${new Date(scheduledMs).toISOString().slice(11, 19)} +${missed}`),
  );
}

describe('a schedule is followed', () => {
  test('each time when it comes, and the next one is known', () => {
    const { clock, trigger, due } = follow('0 * * * *');
    expect(trigger.next).toBe('2026-01-31T11:00:00.000Z');
    clock.pass(45 * MINUTE_MS - 1);
    expect(due).toEqual([]);
    clock.pass(1);
    expect(fired(due)).toEqual(['11:00:00 +0']);
    expect(trigger.next).toBe('2026-01-31T12:00:00.000Z');
    clock.pass(2 * HOUR_MS);
    expect(fired(due)).toEqual(['11:00:00 +0', '12:00:00 +0', '13:00:00 +0']);
  });

  test('each second, by timers that are asked for anew', () => {
    const { clock, due } = follow('* * * * * *');
    clock.pass(10_000);
    expect(fired(due)).toHaveLength(10);
    expect(clock.pending).toBe(1);
  });

  test('a bad schedule is refused before anything starts [A13]', () => {
    expect(() => follow('0 0 30 2 *')).toThrow(
      expect.objectContaining({ code: 'trigger.bad-cron' }) as AppError,
    );
  });

  test('nothing is left of it once it is disposed of', () => {
    const { clock, trigger, due } = follow('* * * * *');
    trigger[Symbol.dispose]();
    trigger[Symbol.dispose]();
    expect(clock.pending).toBe(0);
    clock.pass(HOUR_MS);
    trigger.check();
    expect(due).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe('what nobody was there for is handled by its policy', () => {
  test.each([
    ['skip', [], 3],
    ['once', ['10:00:00 +2'], 0],
    ['all', ['08:00:00 +0', '09:00:00 +0', '10:00:00 +0'], 0],
  ] as const)('%s: the host was away', (policy, expected, skipped) => {
    const { clock, due } = follow('0 * * * *', policy, START - 3 * HOUR_MS);
    expect(due).toEqual([]);
    clock.pass(0);
    expect(fired(due)).toEqual(expected);
    expect(due.map((ticks) => ticks.skipped)).toEqual([skipped]);
    clock.pass(HOUR_MS);
    expect(fired(due).slice(expected.length)).toEqual(['11:00:00 +0']);
  });

  test('a machine that slept is noticed within a minute, or when it is told', () => {
    const slept = follow('0 * * * *', 'skip');
    slept.clock.set(3 * HOUR_MS);
    slept.clock.pass(MINUTE_MS);
    expect(slept.due.map(({ skipped }) => skipped)).toEqual([3]);
    const told = follow('0 * * * *', 'once');
    told.clock.set(3 * HOUR_MS);
    told.trigger.check();
    expect(fired(told.due)).toEqual(['13:00:00 +2']);
  });

  test('a timer that comes too early asks again', () => {
    const { clock, due } = follow('0 * * * *');
    clock.set(-500);
    clock.pass(45 * MINUTE_MS);
    expect(due).toEqual([]);
    clock.pass(500);
    expect(fired(due)).toEqual(['11:00:00 +0']);
  });
});

describe('no scheduled time is handled twice [S22]', () => {
  test('a clock that is set back fires nothing until it has passed what was handled, and says so', () => {
    const { clock, trigger, due } = follow('0 * * * *');
    clock.pass(2 * HOUR_MS);
    expect(fired(due)).toEqual(['11:00:00 +0', '12:00:00 +0']);
    expect(trigger.problem).toBeNull();
    clock.set(-90 * MINUTE_MS);
    expect(trigger.problem).toMatchObject({
      code: 'trigger.clock-behind',
      message: expect.stringMatching(/it is 75 minutes behind .* or resume the trigger/) as string,
      at: '2026-01-31T10:45:00.000Z',
    });
    expect(trigger.next).toBe('2026-01-31T13:00:00.000Z');
    clock.pass(2 * HOUR_MS);
    expect(due).toHaveLength(2);
    expect(trigger.problem).toBeNull();
    clock.pass(15 * MINUTE_MS);
    expect(fired(due)).toEqual(['11:00:00 +0', '12:00:00 +0', '13:00:00 +0']);
  });

  test('a clock that is set forward and back again', () => {
    const { clock, due } = follow('0 * * * *', 'all');
    clock.set(5 * HOUR_MS);
    clock.pass(MINUTE_MS);
    clock.set(-5 * HOUR_MS);
    clock.pass(6 * HOUR_MS);
    expect(new Set(fired(due)).size).toBe(6);
    expect(fired(due)).toHaveLength(6);
  });

  test('while one is being taken nothing else is handed over', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const followed = follow('* * * * *', 'once');
    followed.answer = () => promise;
    followed.clock.pass(5 * MINUTE_MS);
    followed.trigger.check();
    expect(fired(followed.due)).toEqual(['10:16:00 +0']);
    resolve();
    await promise;
    followed.clock.pass(0);
    expect(fired(followed.due)).toEqual(['10:16:00 +0', '10:20:00 +3']);
  });
});

describe('what the runtime refuses is due again, with what came meanwhile [S42]', () => {
  const full = new AppError('process.queue-full', 'The queue is full.');

  test.each([
    [
      'thrown',
      () => {
        throw full;
      },
    ],
    ['rejected', () => Promise.reject(full)],
  ] as const)('a refusal that is %s is told, and tried again by itself', async (_, answer) => {
    const followed = follow('*/10 * * * *', 'once');
    followed.answer = answer;
    followed.clock.pass(5 * MINUTE_MS);
    await Promise.resolve();
    expect(followed.trigger.problem).toEqual({
      code: 'process.queue-full',
      message: 'The queue is full.',
      at: '2026-01-31T10:20:00.000Z',
    });
    expect(followed.trigger.next).toBe('2026-01-31T10:20:00.000Z');
    followed.answer = null;
    followed.clock.pass(MINUTE_MS);
    expect(fired(followed.due)).toEqual(['10:20:00 +0', '10:20:00 +0']);
    expect(followed.trigger.problem).toBeNull();
    expect(followed.trigger.next).toBe('2026-01-31T10:30:00.000Z');
  });

  test('a process that was held for an hour gets one event with the count of what was missed', () => {
    const followed = follow('*/10 * * * *', 'once');
    followed.answer = () => {
      throw new AppError('process.held', 'The process is held.');
    };
    followed.clock.pass(HOUR_MS);
    followed.due.length = 0;
    followed.answer = null;
    followed.trigger.check();
    expect(fired(followed.due)).toEqual(['11:10:00 +5']);
  });
});
