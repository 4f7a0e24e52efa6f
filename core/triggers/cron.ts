import { Cron } from 'croner';
import { AppError, messageOf } from '../model/errors.ts';
import type { CronTriggerConfig } from '../model/process-config.ts';

export interface CronTick {
  readonly scheduledTime: string;
}

export interface RunningTrigger extends Disposable {
  /** ISO 8601, null when there is none. */
  readonly next: string | null;
}

/**
 * Ticks at the scheduled times until disposed.
 * @throws `trigger.bad-cron` for an expression or a time zone that makes no sense
 */
export function startCron(config: CronTriggerConfig, onTick: (tick: CronTick) => void): RunningTrigger {
  const cron = parseCron(config, (job) => {
    onTick({ scheduledTime: (job.currentRun() ?? new Date()).toISOString() });
  });
  // Working it out takes long, and until it has come the next time is the next time.
  let known: { readonly askedAt: number; readonly dueAt: number; readonly text: string | null } | null = null;
  return {
    get next() {
      const now = Date.now();
      if (known === null || now >= known.dueAt || now < known.askedAt) {
        const next = cron.nextRun();
        const dueAt = next?.getTime() ?? Number.POSITIVE_INFINITY;
        known = { askedAt: now, dueAt, text: next?.toISOString() ?? null };
      }
      return known.text;
    },
    [Symbol.dispose]: () => cron.stop(),
  };
}

/** @throws `trigger.bad-cron` */
export function checkCron(config: CronTriggerConfig): void {
  const cron = parseCron(config);
  try {
    if (cron.nextRun() === null) throw badCron(config, 'it never comes due');
  } finally {
    cron.stop();
  }
}

function parseCron(config: CronTriggerConfig, run?: (job: Cron) => void): Cron {
  try {
    const options = { timezone: config.cronTimezone, paused: run === undefined };
    return run === undefined
      ? new Cron(secondsFirst(config.cronExpression), options)
      : new Cron(secondsFirst(config.cronExpression), options, run);
  } catch (error) {
    throw badCron(config, messageOf(error));
  }
}

/** Promptise writes the seconds last, the library reads them first. */
export function secondsFirst(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  return fields.length === 6 ? [fields[5], ...fields.slice(0, 5)].join(' ') : fields.join(' ');
}

function badCron({ cronExpression, cronTimezone }: CronTriggerConfig, why: string): AppError {
  return new AppError(
    'trigger.bad-cron',
    `The schedule "${cronExpression}" (${cronTimezone}) can't be used: ${why}. Write five fields, or six with the seconds last.`,
    { cronExpression, cronTimezone },
  );
}
