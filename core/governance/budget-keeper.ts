// The budget of one process, kept: a day of it begins once, nothing is done that does not fit, and its nearness is told [S21,
// S22]. The journal has it all, so a restart gives nothing back [P4].

import type { Overrun } from '../model/budget-state.ts';
import {
  bookingOf,
  describeOverrun,
  fitsNow,
  isLimitName,
  LIMIT_NAMES,
  LIMITS,
  MAX_AMOUNT,
  MAX_EXTENSION_MS,
  near,
  overrun,
  type Asked,
  type BudgetConfig,
  type LimitName,
} from '../model/budget.ts';
import type { EffectEnd, RecordedEffect } from '../model/effects.ts';
import { AppError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { plus, type Amounts } from '../model/meters.ts';
import {
  bookingOfCall,
  pricedBy,
  pricesOf,
  usedOf,
  type CallBooking,
  type ModelCall,
  type ReportedUse,
} from '../model/model-calls.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { timestampOf } from '../model/time.ts';
import type { CapMember } from './cap-book.ts';
import { ALONE, type FamilyMember } from './family-budget.ts';
import type { Recorder } from '../runtime/recorder.ts';
import { cronSchedule, type Schedule } from '../triggers/cron-schedule.ts';

export interface BudgetKeeperOptions {
  readonly process: string;
  /** What is in force now. */
  readonly config: () => BudgetConfig;
  /** Limits on all processes together, as far as there are any. */
  readonly caps: CapMember;
  /** Limits on a process and all that it began together; without it, there is nobody else. */
  readonly family?: FamilyMember;
  readonly recorder: () => Recorder;
  readonly clock: Clock;
  /** Something did not fit, and was not done. */
  readonly onExceeded: (overrun: Overrun) => void;
  /** What was reserved was not used, so there may be room for what did not fit. */
  readonly onReleased: () => void;
}

function daysOf({ resetHour, resetZone }: BudgetConfig): Schedule {
  return cronSchedule({ cronExpression: `0 ${resetHour} * * *`, cronTimezone: resetZone });
}

/** More of a limit, for a while or until its day or run is over. */
export interface ExtensionOrder {
  readonly limit: string;
  readonly amount: number;
  /** Null: until the day of the budget is over, or the run. */
  readonly forMs: number | null;
}

export class BudgetKeeper {
  readonly #options: BudgetKeeperOptions;
  #days: { readonly of: BudgetConfig; readonly schedule: Schedule } | null = null;

  constructor(options: BudgetKeeperOptions) {
    this.#options = options;
  }

  /** What is in force now. */
  get config(): BudgetConfig {
    return this.#options.config();
  }

  /** When a day of the budget ends; another hour counts from the end of the present day. */
  get #schedule(): Schedule {
    const { config } = this;
    if (this.#days?.of !== config) this.#days = { of: config, schedule: daysOf(config) };
    return this.#days.schedule;
  }

  get #family(): FamilyMember {
    return this.#options.family ?? ALONE;
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#options.recorder().snapshot;
  }

  /** Begins another day of the budget where the last one is over. On a clock that was set back the last one goes on. */
  turn(): void {
    const { clock, recorder } = this.#options;
    const until = this.#snapshot.budget.period?.until ?? null;
    const now = clock.now();
    if (until !== null && now < Date.parse(until)) return;
    // What it uses counts for whoever began it, on the same day.
    const shared = Date.parse(this.#family.dayUntil() ?? '');
    const next = shared > now ? shared : this.#schedule.next(now);
    if (next === null) return;
    recorder().note('budget_period_started', { id: timestampOf(now), until: timestampOf(next) });
  }

  /**
   * What an effect of this name counts for, with the call of a model that it is, where it is one; `isTool`: unless it is
   * what a loop does by itself.
   */
  bookingOf(name: string, call: ModelCall | null = null, isTool = true): CallBooking {
    const { config } = this;
    const effect = isTool ? bookingOf(config, name) : {};
    if (call === null) return { booked: effect, asked: effect, facts: {} };
    const { booked, asked, facts } = bookingOfCall(config, call);
    return { booked: plus(effect, booked), asked: plus(effect, asked), facts };
  }

  /** What an effect counts for by what its code told that it used of its model, as its entry has it. */
  usedOf(effect: RecordedEffect, end: EffectEnd['kind'], use: ReportedUse): JsonObject {
    const { config } = this;
    return { used: { ...usedOf(config, effect, end, use) }, ...pricedBy(pricesOf(config)) };
  }

  /** Whether what did not fit does now, or nothing was too much. */
  get hasRoom(): boolean {
    const { caps, clock } = this.#options;
    const { exceeded } = this.#snapshot.budget;
    if (exceeded === null) return true;
    const asked = { [LIMITS[exceeded.limit].meter]: exceeded.asked };
    if (exceeded.cap !== undefined) return caps.hasRoom(exceeded.cap, asked);
    return (
      fitsNow(this.config, this.#snapshot, clock.now()) &&
      this.#family.over({ asked, eventId: exceeded.eventId }) === null
    );
  }

  /** Whether so much more fits; where not, whoever keeps the process is told, once for each time that it does not. */
  fits(more: Asked): boolean {
    const { caps, clock, recorder, onExceeded } = this.#options;
    const { eventId } = more;
    // What is granted for a while is so on the clock as it is now.
    if (this.#snapshot.budget.extensions.length > 0) recorder().lookAtClock();
    this.turn();
    const over =
      overrun(this.config, this.#snapshot, { ...more, nowMs: clock.now() }) ??
      this.#family.over(more) ??
      caps.over(more);
    if (over === null) return true;
    if (this.#snapshot.budget.exceeded === null) {
      const { limit, max, spent, reserved, asked, model, cap, of } = over;
      recorder().note('budget_exceeded', {
        limit,
        max,
        spent,
        reserved,
        asked,
        ...(model === undefined ? {} : { model }),
        ...(eventId === null ? {} : { event_id: eventId }),
        ...(cap === undefined ? {} : { cap }),
        ...(of === undefined ? {} : { of }),
      });
      onExceeded(over);
    }
    return false;
  }

  /** Why so much more does not fit into the day; null where it does. Nothing is held for it. */
  tooMuchForDay(asked: Amounts, model: string | null = null): string | null {
    const { config } = this;
    const { clock, caps } = this.#options;
    this.turn();
    const ofDay = LIMIT_NAMES.filter((limit) => LIMITS[limit].scope === 'day');
    const limits = Object.fromEntries(ofDay.map((limit) => [limit, config.limits[limit]]));
    const what = { asked, eventId: null, nowMs: clock.now() };
    const asking = model === null ? what : { ...what, model };
    const over =
      overrun({ ...config, limits }, this.#snapshot, asking) ??
      this.#family.over(asking) ??
      caps.over(asking);
    return over === null ? null : describeOverrun(over);
  }

  /** Something that was booked did not happen, or was less. */
  released(): void {
    this.#options.onReleased();
    this.#family.released();
    this.#options.caps.released();
  }

  /** So much more is counted for this run: limits that are near now are told. */
  counted(eventId: string, more: Amounts): void {
    const { clock, recorder } = this.#options;
    for (const { limit, max, spent, reserved } of near(this.config, this.#snapshot, {
      more,
      eventId,
      nowMs: clock.now(),
    })) {
      const used = { limit, max, spent, reserved };
      recorder().note(
        'budget_warning',
        LIMITS[limit].scope === 'run' ? { ...used, event_id: eventId } : used,
      );
    }
  }

  /**
   * Resolves when it is durable.
   * @throws `budget.*`
   */
  async extend(
    order: ExtensionOrder,
    actor: { readonly name: string; readonly reason: string },
  ): Promise<void> {
    const { clock, recorder } = this.#options;
    const limit = this.#limitOf(order);
    this.#checkAmount(order);
    const eventId = LIMITS[limit].scope === 'run' ? this.#runOf(limit) : null;
    this.turn();
    const until = order.forMs === null ? null : timestampOf(clock.now() + order.forMs);
    await recorder().record(
      'budget_extended',
      {
        limit,
        amount: order.amount,
        ...(until === null ? {} : { until }),
        ...(eventId === null ? {} : { event_id: eventId }),
        actor: actor.name,
        reason: actor.reason,
      },
      { synced: true },
    );
  }

  #limitOf({ limit }: ExtensionOrder): LimitName {
    const { config } = this;
    const { process } = this.#options;
    if (isLimitName(limit) && config.limits[limit] !== undefined) return limit;
    const those = Object.keys(config.limits).join(', ');
    const cap = this.#snapshot.budget.exceeded?.cap;
    const waits =
      cap === undefined ? '' : ` It waits for the cap of ${cap}: raise that in its holdfast.yaml.`;
    throw new AppError(
      'budget.no-limit',
      `${process} has no limit ${limit} that could be extended. ${those === '' ? 'Its manifest sets none.' : `Its manifest sets ${those}.`}${waits}`,
      { process, limit },
    );
  }

  #checkAmount({ amount, forMs }: ExtensionOrder): void {
    if (!(amount > 0 && amount <= MAX_AMOUNT)) {
      throw new AppError(
        'budget.bad-amount',
        `A limit is extended by a number above 0 and up to ${MAX_AMOUNT}, not by ${amount}.`,
        { amount },
      );
    }
    if (forMs !== null && !(forMs > 0 && forMs <= MAX_EXTENSION_MS)) {
      throw new AppError(
        'budget.bad-duration',
        `A limit is extended for more than nothing and at most a year, not for ${forMs} ms.`,
        { forMs },
      );
    }
  }

  /** The run that did not fit, or the only one under way. */
  #runOf(limit: LimitName): string {
    const { budget, open } = this.#snapshot;
    const { process } = this.#options;
    if (budget.exceeded?.limit === limit && budget.exceeded.eventId !== null) return budget.exceeded.eventId;
    const [only, ...others] = open;
    if (only !== undefined && others.length === 0) return only.event.eventId;
    throw new AppError(
      'budget.no-run',
      `${limit} is a limit of a run, and ${only === undefined ? `${process} has none under way` : `of the ${open.length} runs of ${process} under way none has reached it`}. Extend it when one does, or set another limit in the manifest.`,
      { process, limit },
    );
  }
}
