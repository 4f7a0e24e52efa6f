// Follows a schedule by the wall clock. Timers drift, machines sleep and clocks are set, so no timer is trusted for longer
// than a minute, and what is due is worked out from the last scheduled time handled alone [S22].

import { codeOf, messageOf } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import type { CronTriggerConfig } from '../model/trigger-config.ts';
import { dueTicks, ON_TIME_MS, type DueTicks } from './cron-due.ts';
import { cronSchedule } from './cron-schedule.ts';

/** How long a timer is trusted, and how long after a failure it is tried again. */
const RECHECK_MS = 60_000;

export interface CronTriggerOptions {
  readonly clock: Clock;
  /** The last scheduled time handled; before there was one, the moment from which on the schedule holds. */
  readonly lastMs: number;
  /**
   * Hears of scheduled times once they are due, before the next ones. Where it throws or rejects they count as not
   * handled, and are due again with those that came meanwhile: at most a minute later, or at {@link RunningCron.check}.
   */
  readonly onDue: (due: DueTicks) => void | Promise<void>;
}

export interface RunningCron extends Disposable {
  /** The first scheduled time that is not handled yet: ISO 8601, null when there is none. It is past while it waits. */
  readonly next: string | null;
  /** Why nothing comes of it at the moment. */
  readonly problem: { readonly code: string; readonly message: string; readonly at: string } | null;
  /** Looks at the clock now: after the machine woke up, or what refused the last time may take it now. */
  check(): void;
}

/** @throws `trigger.bad-cron` */
export function startCronTrigger(config: CronTriggerConfig, options: CronTriggerOptions): RunningCron {
  const { clock, onDue } = options;
  const schedule = cronSchedule(config);
  let { lastMs } = options;
  let nextMs = schedule.next(lastMs);
  let failure: RunningCron['problem'] = null;
  let isBusy = false;
  let isOver = false;
  let cancel = (): void => {};

  function sleep(delayMs: number): void {
    cancel();
    if (!isOver && nextMs !== null) cancel = clock.after(Math.min(Math.max(delayMs, 0), RECHECK_MS), check);
  }

  function check(): void {
    const nowMs = clock.now();
    if (isOver || isBusy || nextMs === null) return;
    if (nowMs < nextMs) {
      sleep(nextMs - nowMs);
      return;
    }
    const due = dueTicks({ schedule, policy: config.missed, lastMs, nowMs });
    isBusy = true;
    try {
      const taken = onDue(due);
      if (taken === undefined) handled(due);
      else taken.then(() => handled(due), failed);
    } catch (error) {
      failed(error);
    }
  }

  function handled(due: DueTicks): void {
    isBusy = false;
    failure = null;
    lastMs = due.lastMs;
    nextMs = schedule.next(lastMs);
    if (nextMs !== null) sleep(nextMs - clock.now());
  }

  function failed(error: unknown): void {
    isBusy = false;
    failure = { code: codeOf(error), message: messageOf(error), at: new Date(clock.now()).toISOString() };
    sleep(RECHECK_MS);
  }

  /** It was ahead once, and nothing is done twice. */
  function clockIsBehind(): RunningCron['problem'] {
    const nowMs = clock.now();
    if (nowMs >= lastMs - ON_TIME_MS) return null;
    return {
      code: 'trigger.clock-behind',
      message: `The clock was set back: it is ${spanOf(lastMs - nowMs)} behind the last time that this schedule came due, and nothing comes due until it gets there. Set it right, or resume the trigger to begin anew from now.`,
      at: new Date(nowMs).toISOString(),
    };
  }

  if (nextMs !== null) sleep(nextMs - clock.now());
  return {
    get next() {
      return nextMs === null ? null : new Date(nextMs).toISOString();
    },
    get problem() {
      return failure ?? clockIsBehind();
    },
    check,
    [Symbol.dispose]: () => {
      isOver = true;
      cancel();
    },
  };
}

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

/** About how long, in the largest unit that it has two of. */
function spanOf(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= 2 * each) ?? ['seconds', 1_000];
  return `${Math.round(ms / size)} ${unit}`;
}
