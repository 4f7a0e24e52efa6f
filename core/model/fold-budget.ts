// What the journal tells of use and limits: booked when an effect is announced, spent or given back when its end is known,
// counted on from one day of the budget to the next.

import { emptyBudget, type BudgetExtension, type BudgetState, type Overrun } from './budget-state.ts';
import { isLimitName, LIMITS } from './budget.ts';
import { isCapName } from './cap-names.ts';
import { spentOfCaps } from './fold-caps.ts';
import type { EffectEnd, RecordedEffect } from './effects.ts';
import { isObject, numberAt, textAt, type JsonObject } from './json.ts';
import { amountsOf, isNone, minus, MOST, plus, withoutUsage, type Amounts } from './meters.ts';
import { openOf, type OpenInvocation, type ProcessSnapshot } from './snapshot.ts';
import { withClockSet, withSpent } from './spending.ts';
import { dayOf, isMoment, timestampOf } from './time.ts';

// --- what is under way

/** What an announcement is booked at, behind attempts before it that may have happened too. */
export function booked(
  state: ProcessSnapshot,
  open: OpenInvocation,
  { data, before }: { readonly data: JsonObject; readonly before: RecordedEffect | undefined },
): Pick<RecordedEffect, 'booked' | 'maybe'> {
  const now = amountsOf(data['booked']);
  const maybe = before === undefined ? {} : minus(reservedOf(before), freedBy(before));
  release(state, open, freedBy(before));
  reserve(state, open, now);
  inCurrency(state, data);
  return {
    ...(isNone(now) ? {} : { booked: now }),
    ...(isNone(maybe) ? {} : { maybe }),
  };
}

/** What it calls, where it calls a model, which prices that was booked by, and the most that it can use. */
export function callOf(data: JsonObject): Pick<RecordedEffect, 'model' | 'prices' | 'most'> {
  const model = textAt(data, 'model');
  if (model === '') return {};
  const call = { model, prices: textAt(data, 'prices') };
  const most = amountsOf(data['most']);
  return isNone(most) ? call : { ...call, most };
}

/** Which currency money is in. */
export function inCurrency({ budget }: ProcessSnapshot, data: JsonObject): void {
  const currency = textAt(data, 'currency');
  if (currency !== '') budget.currency = currency;
}

/**
 * What announcing an effect again gives back. Of the class reconcile, everything: that is done only after whoever it was
 * done with has said that nothing came of it.
 */
export function freedBy(before: RecordedEffect | undefined): Amounts {
  return before?.effectClass === 'reconcile' ? reservedOf(before) : {};
}

/** It was never permitted: nothing of this attempt can have been used. */
export function unbooked(
  state: ProcessSnapshot,
  open: OpenInvocation,
  { booked: now = {}, maybe = {} }: RecordedEffect,
): Pick<RecordedEffect, 'booked' | 'maybe'> {
  release(state, open, now);
  madeRoom(state, open, now);
  return isNone(maybe) ? {} : { maybe };
}

/** Its end is known: it counts as used, or not at all. */
export function settled(
  state: ProcessSnapshot,
  open: OpenInvocation,
  {
    effect,
    end,
    data,
    at,
  }: {
    readonly effect: RecordedEffect;
    readonly end: EffectEnd;
    readonly data: JsonObject;
    readonly at: string;
  },
): void {
  const reserved = reservedOf(effect);
  release(state, open, reserved);
  const used = usedOf(effect, end, data);
  spend(state, open, used, at);
  inCurrency(state, data);
  madeRoom(state, open, minus(reserved, used));
}

/** Of what did not happen, what its code used of a model all the same. */
function usedOf(effect: RecordedEffect, end: EffectEnd, data: JsonObject): Amounts {
  const told = Object.hasOwn(data, 'used') ? amountsOf(data['used']) : null;
  if (end.kind !== 'done') return told ?? {};
  return told === null ? reservedOf(effect) : plus(effect.maybe ?? {}, told);
}

/**
 * In doubt, and what its code used of a model is known: that counts as used, whatever is found out about the rest, which
 * stays reserved [S33].
 */
export function usedInDoubt(
  state: ProcessSnapshot,
  open: OpenInvocation,
  { effect, data, at }: { readonly effect: RecordedEffect; readonly data: JsonObject; readonly at: string },
): RecordedEffect {
  if (!Object.hasOwn(data, 'used')) return effect;
  const { booked: before = {}, most: _, ...rest } = effect;
  const used = amountsOf(data['used']);
  const now = withoutUsage(before);
  release(state, open, before);
  reserve(state, open, now);
  spend(state, open, used, at);
  inCurrency(state, data);
  madeRoom(state, open, minus(minus(before, now), used));
  return isNone(now) ? rest : { ...rest, booked: now };
}

/** Nobody will say any more what became of what it left open: it counts as used. */
export function leftBehind(state: ProcessSnapshot, open: OpenInvocation, timestamp: string): void {
  for (const [at, effect] of open.effects.entries()) {
    const reserved = reservedOf(effect);
    if (isNone(reserved)) continue;
    release(state, open, reserved);
    spend(state, open, reserved, timestamp);
    open.effects[at] = withoutBooking(effect);
  }
}

/** The same of an invocation whose process counts it so already. */
export function settledForGood(open: OpenInvocation): OpenInvocation {
  const { reserved, ...rest } = open;
  if (reserved === undefined) return open;
  return { ...rest, spent: plus(open.spent ?? {}, reserved), effects: open.effects.map(withoutBooking) };
}

export function withoutBooking({
  booked: _,
  maybe: _maybe,
  most: _most,
  ...effect
}: RecordedEffect): RecordedEffect {
  return effect;
}

export function reservedOf({ booked: now = {}, maybe = {} }: RecordedEffect): Amounts {
  return isNone(maybe) ? now : plus(maybe, now);
}

function reserve(state: ProcessSnapshot, open: OpenInvocation, amounts: Amounts): void {
  if (isNone(amounts)) return;
  state.budget.reserved = plus(state.budget.reserved, amounts);
  open.reserved = plus(open.reserved ?? {}, amounts);
}

function release(state: ProcessSnapshot, open: OpenInvocation, amounts: Amounts): void {
  if (isNone(amounts)) return;
  state.budget.reserved = minus(state.budget.reserved, amounts);
  const left = minus(open.reserved ?? {}, amounts);
  if (isNone(left)) delete open.reserved;
  else open.reserved = left;
}

/** What did not fit beside it may fit now. */
function madeRoom({ budget }: ProcessSnapshot, open: OpenInvocation, amounts: Amounts): void {
  const { exceeded } = budget;
  if (exceeded === null) return;
  const { scope, meter } = LIMITS[exceeded.limit];
  if (scope === 'run' && exceeded.eventId !== open.event.eventId) return;
  if (amounts[meter] !== undefined) budget.exceeded = null;
}

function spend(state: ProcessSnapshot, open: OpenInvocation, amounts: Amounts, at: string): void {
  if (isNone(amounts)) return;
  state.budget.spent = plus(state.budget.spent, amounts);
  spentOfCaps(state, amounts);
  open.spent = plus(open.spent ?? {}, amounts);
  state.budget.spending = withSpent(state.budget.spending, at, amounts);
}

/** What was spent a while ago is as long ago as before. */
export function spendingAged({ budget }: ProcessSnapshot, byMs: number): void {
  budget.spending = withClockSet(budget.spending, byMs);
}

/** On a clock that is set back, more of a limit that was granted for a while is granted for no longer [S22]. */
export function extensionsClockChanged({ budget }: ProcessSnapshot, by: number): void {
  const byMs = Math.min(0, by);
  if (byMs === 0 || budget.extensions.every(({ until }) => until === null)) return;
  budget.extensions = budget.extensions.map((extension) => {
    const ms = extension.until === null ? Number.NaN : Date.parse(extension.until) + byMs;
    return isMoment(ms) ? { ...extension, until: timestampOf(ms) } : extension;
  });
}

// --- days of the budget

/** A run counts for the day that is open. Where nobody opened one it is the UTC day, which never begins twice [S22]. */
export function runBegan(state: ProcessSnapshot, timestamp: string): void {
  const { period } = state.budget;
  if (period === null || period.until === null) {
    const day = dayOf(timestamp);
    if (period === null || day > period.id) anotherDay(state, { id: day, until: null });
  }
  state.budget.spent = plus(state.budget.spent, { runs: 1 });
  spentOfCaps(state, { runs: 1 });
}

/** One that ends no later than the present one is the present one, or over [S22]. */
export function periodStarted(state: ProcessSnapshot, data: JsonObject): void {
  const until = textAt(data, 'until');
  const present = state.budget.period?.until ?? null;
  if (!isMoment(Date.parse(until)) || (present !== null && Date.parse(until) <= Date.parse(present))) return;
  anotherDay(state, { id: textAt(data, 'id'), until });
}

function anotherDay(state: ProcessSnapshot, period: NonNullable<ProcessSnapshot['budget']['period']>): void {
  state.budget = { ...onAnotherDay(state.budget, Date.parse(period.id)), period };
}

/** What is under way, and what was granted to a run or for longer, goes on. */
export function onAnotherDay(budget: Readonly<BudgetState>, beginsAtMs: number): BudgetState {
  const { exceeded } = budget;
  return {
    ...budget,
    spent: {},
    warned: [],
    extensions: budget.extensions.filter(({ eventId, until }) =>
      until === null ? eventId !== null : Date.parse(until) > beginsAtMs,
    ),
    exceeded: exceeded !== null && LIMITS[exceeded.limit].scope === 'day' ? null : exceeded,
  };
}

// --- limits

export function limitNear(state: ProcessSnapshot, data: JsonObject): void {
  const limit = textAt(data, 'limit');
  if (!isLimitName(limit)) return;
  const open = openOf(state, data['event_id']);
  if (open === undefined) state.budget.warned = [...state.budget.warned, limit];
  else open.warned = [...(open.warned ?? []), limit];
}

export function limitExceeded(state: ProcessSnapshot, data: JsonObject): void {
  const limit = textAt(data, 'limit');
  if (!isLimitName(limit)) return;
  const at = (key: string): number => numberAt(data, key);
  const cap = textAt(data, 'cap');
  const overrun: Overrun = {
    limit,
    max: at('max'),
    spent: at('spent'),
    reserved: at('reserved'),
    asked: at('asked'),
    eventId: textAt(data, 'event_id') || null,
    ...(textAt(data, 'model') === '' ? {} : { model: textAt(data, 'model') }),
    ...(isCapName(cap) ? { cap } : {}),
    ...(textAt(data, 'of') === '' ? {} : { of: textAt(data, 'of') }),
  };
  state.budget.exceeded = overrun;
}

export function limitExtended(state: ProcessSnapshot, data: JsonObject): void {
  const limit = textAt(data, 'limit');
  const amount = numberAt(data, 'amount');
  const eventId = textAt(data, 'event_id') || null;
  if (!isLimitName(limit) || !(amount > 0)) return;
  if (LIMITS[limit].scope === 'run' && openOf(state, eventId) === undefined) return;
  const extension: BudgetExtension = {
    limit,
    amount: Math.min(MOST, amount),
    until: textAt(data, 'until') || null,
    eventId,
  };
  state.budget.extensions = [...state.budget.extensions, extension];
  const { exceeded } = state.budget;
  if (exceeded?.limit === limit && exceeded.cap === undefined) state.budget.exceeded = null;
}

/** Whoever takes it up, or sets it going again, asks again for what did not fit. */
export function askedAgain({ budget, holds }: ProcessSnapshot): void {
  if (!holds.some(({ kind }) => kind === 'budget')) budget.exceeded = null;
}

/**
 * Of a checkpoint that somebody else wrote: limits that this version does not know are not there, and what an earlier
 * version did not know of had not happened [P8].
 */
export function withKnownLimits(budget: BudgetState): BudgetState {
  const { warned, extensions, exceeded } = budget;
  return {
    ...emptyBudget(),
    ...budget,
    warned: warned.filter(isLimitName),
    extensions: extensions.filter(({ limit }) => isLimitName(limit)),
    exceeded:
      exceeded !== null && isLimitName(exceeded.limit) && isCapName(exceeded.cap ?? 'all') ? exceeded : null,
  };
}

/** An earlier version counted the runs of a day and nothing else. */
export function budgetOfRuns(runsToday: unknown): BudgetState {
  if (!isObject(runsToday)) return emptyBudget();
  const { day, runs } = runsToday;
  if (typeof day !== 'string' || typeof runs !== 'number') return emptyBudget();
  return { ...emptyBudget(), period: { id: day, until: null }, spent: amountsOf({ runs }) };
}

/** Of a run that is over nothing is granted any more. */
export function runEnded(state: ProcessSnapshot, eventId: string): void {
  const { budget } = state;
  if (budget.extensions.some((extension) => extension.eventId === eventId)) {
    budget.extensions = budget.extensions.filter((extension) => extension.eventId !== eventId);
  }
  if (budget.exceeded?.eventId === eventId) budget.exceeded = null;
}
