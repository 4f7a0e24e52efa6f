// When a schedule comes due. Written as Promptise writes it: minute, hour, day of month, month, day of week, and where
// there is a sixth field the second, last.
//
// When clocks change, by the same rule in every zone:
// 1. A fixed time (seconds, minutes and hours without `*` and `/`: `30 2 * * *`, `0 9-17 * * 1-5`) comes once on each of
//    its days. What is skipped when clocks go forward comes at the first moment after, and what would come twice when they
//    go back comes the first time alone. Several that are skipped together come as one.
// 2. Everything else is an interval (`*/15 * * * *`) and follows the clock on the wall: what is skipped does not come, and
//    what is shown twice comes twice, so that the distance stays as it is.

import { Cron } from 'croner';
import { AppError } from '../model/errors.ts';
import type { CronTriggerConfig } from '../model/trigger-config.ts';
import { DAY, FIELDS, MONTH, readField, type Field } from './cron-fields.ts';
import { quickly } from './cron-zone.ts';

export type ScheduleConfig = Pick<CronTriggerConfig, 'cronExpression' | 'cronTimezone'>;

export interface Schedule {
  /** The first scheduled time after a moment, both in milliseconds since the epoch; null when there is none. */
  readonly next: (afterMs: number) => number | null;
}

/** What tells fixed times from intervals. */
const FIXED_TIME_RULE = 'no-wildcard';

/** The year 9000, and as far before 1970: beyond, neither the library nor dates know what to say. */
const MAX_MS = 2.2e14;

/** Any moment will do: whether a date can come does not depend on today. */
const SOME_TIME = Date.UTC(2000, 0, 1);

/** @throws `trigger.bad-cron`, whose `detail.field` names what is wrong with the schedule */
export function cronSchedule(config: ScheduleConfig): Schedule {
  const zone = zoneOf(config);
  const pattern = cronerPattern(config);
  const cronIn = (place: { readonly timezone: string } | { readonly utcOffset: number }): Cron =>
    new Cron(pattern, { ...place, paused: true, fixedTimeRule: FIXED_TIME_RULE });
  const cron = cronIn(zone === 'UTC' ? { utcOffset: 0 } : { timezone: zone });
  const nextRun = (afterMs: number): number | null => cron.nextRun(new Date(afterMs))?.getTime() ?? null;
  const quick = zone === 'UTC' ? nextRun : quickly(nextRun, zone, (utcOffset) => cronIn({ utcOffset }));
  const next = (afterMs: number): number | null => (Math.abs(afterMs) < MAX_MS ? quick(afterMs) : null);
  if (nextRun(SOME_TIME) === null) throw neverDue(config);
  return { next };
}

/**
 * As the library reads it: the seconds first.
 * @throws `trigger.bad-cron`
 */
export function cronerPattern(config: ScheduleConfig): string {
  const written = config.cronExpression.trim().split(/\s+/);
  if (written.length !== 5 && written.length !== 6) {
    const count =
      written[0] === '' ? 'no field' : written.length === 1 ? 'one field' : `${written.length} fields`;
    throw badCron(config, 'expression', `it has ${count}; it takes five, or six with the seconds last`);
  }
  const fields = written.map((text, at) => checked(config, FIELDS[at]!, text));
  const [minute, hour, day, month, weekday, second = '0'] = fields;
  return [second, minute, hour, day, month, weekday].join(' ');
}

function checked(config: ScheduleConfig, field: Field, text: string): string {
  const read = readField(field, text);
  if (read !== null) return read;
  throw badCron(
    config,
    field.name,
    `the ${field.name} "${text}" makes no sense. It takes ${field.takes}; as lists (1,5), ranges (1-5) and steps (*/5)`,
  );
}

function zoneOf(config: ScheduleConfig): string {
  const { cronTimezone: zone } = config;
  try {
    if (!/^[+-]|^$/.test(zone)) {
      return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw badCron(
    config,
    'time zone',
    `there is no time zone "${zone}". Use an IANA name such as Europe/Berlin, or UTC`,
  );
}

function neverDue(config: ScheduleConfig): AppError {
  const [, , day, month, weekday] = config.cronExpression.trim().split(/\s+/);
  return badCron(
    config,
    DAY.name,
    `it never comes due: there is no ${DAY.name} "${day}" in the ${MONTH.name} "${month}"` +
      (weekday === '*' ? '' : ` with the day of week "${weekday}"`),
  );
}

function badCron({ cronExpression, cronTimezone }: ScheduleConfig, field: string, why: string): AppError {
  return new AppError(
    'trigger.bad-cron',
    `The schedule "${cronExpression}" (${cronTimezone}) can't be used: ${why}.`,
    { cronExpression, cronTimezone, field, why },
  );
}
