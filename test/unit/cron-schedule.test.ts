// Schedules: what is refused and how it is told [A13], and what happens when clocks change.

import { describe, expect, test } from 'vitest';
import { AppError } from '../../core/model/errors.ts';
import { MISSED_POLICIES } from '../../core/model/trigger-config.ts';
import { dueTicks, MAX_CAUGHT_UP, MAX_COUNTED } from '../../core/triggers/cron-due.ts';
import { cronSchedule, type Schedule } from '../../core/triggers/cron-schedule.ts';

function schedule(cronExpression: string, cronTimezone = 'UTC'): Schedule {
  return cronSchedule({ cronExpression, cronTimezone });
}

/** The first times after a moment, without what is the same in all of them. */
function times(expression: string, zone: string, after: string, count: number): readonly string[] {
  const { next } = schedule(expression, zone);
  const found: string[] = [];
  for (let at = next(Date.parse(after)); at !== null && found.length < count; at = next(at)) {
    found.push(new Date(at).toISOString().replace(':00.000Z', 'Z'));
  }
  return found;
}

function refusal(expression: string, zone = 'UTC'): AppError {
  try {
    schedule(expression, zone);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`${expression} (${zone}) was taken`);
}

describe('a schedule that makes no sense is refused, and the field is named [A13]', () => {
  test.each([
    ['60 * * * *', 'minute'],
    ['5-2/2 * * * *', 'minute'],
    ['70-2 * * * *', 'minute'],
    ['*/0 * * * *', 'minute'],
    ['1,,2 * * * *', 'minute'],
    ['+1 * * * *', 'minute'],
    ['* 24 * * *', 'hour'],
    ['* * 0 * *', 'day of month'],
    ['* * 32 * *', 'day of month'],
    ['* * * 13 *', 'month'],
    ['* * * janu *', 'month'],
    ['* * * * 8', 'day of week'],
    ['* * * * monday', 'day of week'],
    ['* * * * * 60', 'second'],
    ['0 0 30 2 *', 'day of month'],
    ['0 0 31 4,6,9,11 *', 'day of month'],
    ['* * * *', 'expression'],
    ['* * * * * * *', 'expression'],
    ['@daily', 'expression'],
    ['  ', 'expression'],
  ])('"%s": %s', (expression, field) => {
    const { code, message, detail } = refusal(expression);
    expect(code).toBe('trigger.bad-cron');
    expect(detail).toMatchObject({ field, cronExpression: expression });
    expect(message).toMatch(/^The schedule ".*" \(UTC\) can't be used: .*\.$/);
    expect(message).toMatch(
      field === 'expression' ? /five, or six with the seconds last/ : RegExp(`${field} "`),
    );
  });

  test.each(['Mars/Base', '', 'Europe', '+02:00', 'Local', '../etc'])(
    'a time zone that is none: "%s"',
    (zone) => {
      const { code, message, detail } = refusal('* * * * *', zone);
      expect(code).toBe('trigger.bad-cron');
      expect(detail).toMatchObject({ field: 'time zone' });
      expect(message).toContain(`no time zone "${zone}"`);
    },
  );

  test('a date that comes only in leap years is none of them', () => {
    expect(times('0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T00:00Z',
      '2032-02-29T00:00Z',
    ]);
  });
});

describe('what Promptise writes is read as it means it', () => {
  const after = '2026-01-01T00:00:00Z';

  test('a sixth field is the second', () => {
    expect(times('30 9 * * * 15,45', 'UTC', after, 3)).toEqual([
      '2026-01-01T09:30:15.000Z',
      '2026-01-01T09:30:45.000Z',
      '2026-01-02T09:30:15.000Z',
    ]);
  });

  test('a number with a step begins there', () => {
    expect(times('5/25 3 * * *', 'UTC', after, 3)).toEqual([
      '2026-01-01T03:05Z',
      '2026-01-01T03:30Z',
      '2026-01-01T03:55Z',
    ]);
  });

  test('a range may go over the end', () => {
    expect(times('0 22-1 * * *', 'UTC', after, 4)).toEqual([
      '2026-01-01T01:00Z',
      '2026-01-01T22:00Z',
      '2026-01-01T23:00Z',
      '2026-01-02T00:00Z',
    ]);
    expect(times('0 0 * nov-jan Sat-mon', 'UTC', after, 3)).toEqual([
      '2026-01-03T00:00Z',
      '2026-01-04T00:00Z',
      '2026-01-05T00:00Z',
    ]);
  });

  test('the last Friday of a month', () => {
    expect(times('0 0 * * L5', 'UTC', after, 2)).toEqual(['2026-01-30T00:00Z', '2026-02-27T00:00Z']);
  });

  test('a day of month and a day of week: either of them', () => {
    expect(times('0 0 13 * fri', 'UTC', after, 3)).toEqual([
      '2026-01-02T00:00Z',
      '2026-01-09T00:00Z',
      '2026-01-13T00:00Z',
    ]);
  });

  test('a moment on a scheduled time is followed by the next one, whatever its milliseconds', () => {
    const { next } = schedule('* * * * *');
    const minute = Date.UTC(2026, 0, 1, 0, 1);
    expect(next(minute - 1)).toBe(minute);
    expect(next(minute)).toBe(minute + 60_000);
    expect(next(minute + 999)).toBe(minute + 60_000);
    expect(next(Number.NaN)).toBeNull();
    expect(next(Number.POSITIVE_INFINITY)).toBeNull();
  });
});

describe('when clocks change, a fixed time comes once a day and an interval keeps its distance', () => {
  test.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00Z', '2026-03-30T00:30Z']],
    ['Europe/Berlin', '0,30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00Z', '2026-03-30T00:00Z']],
    ['Europe/Berlin', '*/30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-30T00:00Z', '2026-03-30T00:30Z']],
    ['America/New_York', '30 2 * * *', '2026-03-07T12:00:00Z', ['2026-03-08T07:00Z', '2026-03-09T06:30Z']],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T00:00:00Z', ['2026-10-03T15:30Z', '2026-10-04T15:15Z']],
    ['America/St_Johns', '30 2 * * *', '2026-03-07T12:00:00Z', ['2026-03-08T05:30Z', '2026-03-09T05:00Z']],
    ['Africa/Cairo', '0 0 * * *', '2026-04-23T12:00:00Z', ['2026-04-23T22:00Z', '2026-04-24T21:00Z']],
  ])(
    '%s "%s": a time that is skipped comes right after, an interval leaves it out',
    (zone, expression, after, expected) => {
      expect(times(expression, zone, after, 2)).toEqual(expected);
    },
  );

  test.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    [
      'Europe/Berlin',
      '*/30 2 * * *',
      '2026-10-24T12:00:00Z',
      [
        '2026-10-25T00:00Z',
        '2026-10-25T00:30Z',
        '2026-10-25T01:00Z',
        '2026-10-25T01:30Z',
        '2026-10-26T01:00Z',
      ],
    ],
    ['America/New_York', '30 1 * * *', '2026-10-31T12:00:00Z', ['2026-11-01T05:30Z', '2026-11-02T06:30Z']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T00:00:00Z', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
    ['America/St_Johns', '30 1 * * *', '2026-10-31T12:00:00Z', ['2026-11-01T04:00Z', '2026-11-02T05:00Z']],
  ])(
    '%s "%s": a time that is shown twice comes the first time, an interval both times',
    (zone, expression, after, expected) => {
      expect(times(expression, zone, after, expected.length)).toEqual(expected);
    },
  );

  test('also for who asks in the middle of the hour that is shown twice', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10:00Z', 1)).toEqual(['2026-10-26T01:30Z']);
    expect(times('*/30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10:00Z', 1)).toEqual(['2026-10-25T01:30Z']);
  });
});

describe('millions of missed times cost no more than some thousand steps', () => {
  const lastMs = Date.UTC(2025, 0, 1);
  const nowMs = Date.UTC(2026, 0, 1) + 400;

  function asked(expression: string, zone: string): { readonly schedule: Schedule; calls: number } {
    const { next } = schedule(expression, zone);
    const counter = {
      calls: 0,
      schedule: {
        next: (afterMs: number) => {
          counter.calls += 1;
          return next(afterMs);
        },
      },
    };
    return counter;
  }

  test.each(MISSED_POLICIES)('%s: every second of a year', (policy) => {
    const counter = asked('* * * * * *', 'Europe/Berlin');
    const due = dueTicks({ schedule: counter.schedule, policy, lastMs, nowMs });
    expect(due.isAtLeast).toBe(true);
    expect(due.lastMs).toBe(nowMs - 400);
    expect(due.fire.at(-1)!.scheduledMs).toBe(nowMs - 400);
    const stoodFor = due.skipped + due.fire.reduce((sum, { missed }) => sum + missed + 1, 0);
    expect(stoodFor).toBe(MAX_COUNTED + 1);
    expect(counter.calls).toBeLessThan(5_000);
  });

  test('the newest thousand are found where they lie far apart in bursts', () => {
    const counter = asked('0-9 12 1 * * *', 'Asia/Kolkata');
    const due = dueTicks({ schedule: counter.schedule, policy: 'all', lastMs, nowMs });
    expect(due.fire).toHaveLength(MAX_CAUGHT_UP);
    expect(due.fire[0]!.missed).toBe(MAX_COUNTED + 1 - MAX_CAUGHT_UP);
    const spans = due.fire
      .map(({ scheduledMs }, at) => scheduledMs - (due.fire[at - 1]?.scheduledMs ?? 0))
      .slice(1);
    // Ten minutes on the first of two months: every second, but for the one step between them.
    expect(spans.filter((span) => span !== 1_000)).toHaveLength(1);
    expect(counter.calls).toBeLessThan(20_000);
  });
});
