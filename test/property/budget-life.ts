// A life of runs and their effects under limits, step by step as it comes, as entries of a journal; beside it what is used is
// counted another way.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { parseLossless } from '../../core/journal/lossless.ts';
import { bookingOf, DEFAULT_BUDGET, LIMIT_NAMES, LIMITS, overrun } from '../../core/model/budget.ts';
import type { BudgetConfig, LimitName } from '../../core/model/budget.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { EFFECT_CLASSES, effectIdOf, type EffectEnd, type RecordedEffect } from '../../core/model/effects.ts';
import { AppError } from '../../core/model/errors.ts';
import { freedBy } from '../../core/model/fold-budget.ts';
import { applyEntry, FOLD_VERSION, foldEntries, type FoldedEntry } from '../../core/model/fold.ts';
import { forked } from '../../core/model/fork.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { plus, total, type Amounts } from '../../core/model/meters.ts';
import { bookingOfCall, usedOf, type CallBooking } from '../../core/model/model-calls.ts';
import { overshootOf } from '../../core/model/overshoot.ts';
import { RewindScan } from '../../core/model/rewind.ts';
import { openOf, type OpenInvocation, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { timestampOf } from '../../core/model/time.ts';
import { Count } from './budget-count.ts';

const DAY_MS = 24 * 3_600_000;
const NAMES = ['look', 'pay', 'delete', 'ask', 'ask'] as const;
/** What a call of it takes in, and gives, at most. */
const MOST = { maxInput: 300, maxOutput: 100 };
const MODEL = 'a:one';

const CONFIG: BudgetConfig = {
  ...DEFAULT_BUDGET,
  limits: {
    max_tool_calls_per_run: 6,
    max_cost_per_run: 7.3,
    max_irreversible_per_run: 2,
    max_tool_calls_per_day: 14,
    max_runs_per_day: 9,
    max_cost_per_day: 20.7,
    max_irreversible_per_day: 4,
    max_llm_turns_per_run: 4,
    max_tokens_per_run: 500,
    max_tokens_per_day: 1_100,
    max_output_tokens_per_day: 300,
    max_money_per_run: 0.0009,
    max_money_per_day: 0.002,
  },
  prices: {
    version: 'life',
    currency: 'USD',
    models: { [MODEL]: { input: 1.1, cachedRead: 0.07, cachedWrite: null, output: 3.3, ...MOST } },
  },
  effectCosts: {
    pay: { cost: 2.4, isIrreversible: false },
    delete: { cost: 0.1, isIrreversible: true },
  },
};

const STEPS = [
  'accept',
  'begin',
  'announce',
  'repeat',
  'end',
  'withdraw',
  'resolve',
  'expire',
  'lose the value',
  'ask unlike',
  'succeed',
  'fail',
  'retry',
  'give up',
  'redeliver',
  'drop',
  'grant',
  'another day',
  'checkpoint',
  'crash',
  'rewind',
  'fork',
] as const;
type StepName = (typeof STEPS)[number];

interface Step {
  readonly name: StepName;
  readonly pick: number;
}

const often = (weight: number, name: StepName) => ({ weight, arbitrary: fc.constant(name) });
export const step: fc.Arbitrary<Step> = fc.record({
  name: fc.oneof(
    often(8, 'accept'),
    often(10, 'begin'),
    often(30, 'announce'),
    often(10, 'repeat'),
    often(24, 'end'),
    often(4, 'withdraw'),
    often(6, 'resolve'),
    often(6, 'rewind'),
    ...STEPS.slice(7).map((name) => often(2, name)),
  ),
  pick: fc.nat(1_000_000),
});

export class Life {
  readonly #isGranted: boolean;
  count = new Count();
  entries: FoldedEntry[] = [];
  state: ProcessSnapshot = foldEntries([]);
  #now = Date.parse('2026-03-28T09:00:00Z');
  #ids = 0;
  /** How far each limit was shown to be passed at most, of the day and of each run. */
  #shown = new Map<string, number>();

  constructor(isGranted: boolean) {
    this.#isGranted = isGranted;
    this.#beginDay();
  }

  #write(entry_type: string, data: JsonObject): void {
    this.#now += 60_000;
    const entry = { seq: this.state.seq + 1, timestamp: timestampOf(this.#now), entry_type, data };
    this.entries.push(entry);
    this.state = applyEntry(this.state, copied(entry));
  }

  #beginDay(): void {
    this.#write('budget_period_started', {
      id: timestampOf(this.#now),
      until: timestampOf(this.#now + DAY_MS),
    });
    this.count.day += 1;
  }

  #fits(asked: Amounts, eventId: string | null, freed: Amounts = {}): boolean {
    const over = overrun(CONFIG, this.state, { asked, freed, eventId, nowMs: this.#now });
    if (over === null) return true;
    const { limit, max, spent, reserved, asked: more } = over;
    this.#write('budget_exceeded', {
      limit,
      max,
      spent,
      reserved,
      asked: more,
      ...(eventId === null ? {} : { event_id: eventId }),
    });
    return false;
  }

  take(taken: Step): void {
    this.#look();
    this.#take(taken);
  }

  /** Before anything more is done. */
  #look(): void {
    for (const limit of LIMIT_NAMES.filter((known) => CONFIG.limits[known] !== undefined)) {
      const { scope } = LIMITS[limit];
      const whose = scope === 'day' ? [null] : this.state.open.map(({ event }) => event.eventId);
      for (const eventId of whose) {
        const overshoot = overshootOf(CONFIG, this.state, { limit, eventId, nowMs: this.#now });
        const key = `${limit} ${eventId}`;
        this.#shown.set(key, Math.max(this.#shown.get(key) ?? 0, overshoot ?? Infinity));
      }
    }
  }

  #take({ name, pick }: Step): void {
    const one = <T>(list: readonly T[]): T | undefined => list[pick % Math.max(1, list.length)];
    const open = one(this.state.open);
    const eventId = open?.event.eventId ?? '';
    const doubts = (open?.effects ?? []).filter(({ end }) => end === null || end.kind === 'in_doubt');
    const doubt = one(doubts);
    const letter = one(this.state.deadLetters)?.event.eventId;
    const about = { event_id: eventId, effect_id: doubt?.effectId ?? '' };
    switch (name) {
      case 'accept':
        this.#ids += 1;
        this.#write('trigger_event', {
          event_id: `event-${this.#ids}`,
          trigger_id: 'manual',
          trigger_type: 'manual',
          payload: null,
        });
        return;
      case 'begin': {
        const queued = this.state.queue[0]?.eventId;
        if (queued === undefined || !this.#fits({ runs: 1 }, null)) return;
        this.count.bookings.push({
          eventId: queued,
          effectId: '',
          amounts: { runs: 1 },
          state: { spentOn: this.count.day },
        });
        this.#write('invocation_start', { event_id: queued, invocation: 1, attempt: 1 });
        return;
      }
      case 'announce':
        if (open !== undefined) this.#announce(open, one(NAMES)!, pick);
        return;
      case 'repeat': {
        const again = one(open?.effects.filter(({ end }) => end?.kind !== 'done') ?? []);
        if (open !== undefined && again !== undefined) this.#repeat(open, again);
        return;
      }
      case 'end': {
        if (doubt === undefined) return;
        const end = (['done', 'done', 'did_not_happen', 'in_doubt'] as const)[pick % 4]!;
        const used = toldOf(doubt, end, pick);
        if (used !== null) this.count.told(eventId, doubt.effectId, end, used);
        if (end === 'done') this.count.spend({ effectId: doubt.effectId });
        if (end === 'did_not_happen') this.count.giveBack(doubt.effectId);
        const givenUp = pick % 3 === 0 ? { given_up: true } : {};
        this.#write('effect_finished', {
          ...about,
          end,
          result: null,
          error: 'why',
          ...givenUp,
          ...(used === null ? {} : { used: { ...used } }),
        });
        return;
      }
      case 'withdraw': {
        const announced = one(doubts.filter(({ end }) => end === null));
        if (announced?.booked === undefined) return;
        this.count.withdraw(announced.effectId);
        const data = { ...about, effect_id: announced.effectId, error: 'gone', unpermitted: true };
        this.#write('effect_finished', { ...data, end: 'did_not_happen' });
        return;
      }
      case 'resolve': {
        if (doubt === undefined) return;
        const resolution = (['happened', 'did_not_happen', 'skip'] as const)[pick % 3]!;
        if (resolution === 'did_not_happen') this.count.giveBack(doubt.effectId);
        else this.count.spend({ effectId: doubt.effectId });
        this.#write('effect_resolved', { ...about, resolution, result: null, operator: 'test', reason: '' });
        return;
      }
      case 'expire':
        if (doubt !== undefined) this.#write('effect_expired', about);
        return;
      case 'lose the value':
      case 'ask unlike': {
        const done = one(open?.effects.filter(({ end }) => end?.kind === 'done') ?? []);
        if (done === undefined) return;
        const type = name === 'ask unlike' ? 'effect_unlike' : 'effect_value_lost';
        this.#write(type, { event_id: eventId, effect_id: done.effectId, args_hash: 'x', args_preview: '' });
        return;
      }
      case 'succeed':
      case 'fail':
        if (open === undefined) return;
        this.count.spend({ eventId });
        this.#write(
          name === 'succeed' ? 'invocation_result' : 'error',
          name === 'succeed'
            ? { event_id: eventId, response: '' }
            : {
                event_id: eventId,
                error_type: 'boom',
                error: 'it broke',
                final: true,
                ...(pick % 3 === 0 ? {} : { dead_letter: true, dead_letter_size: 4 }),
              },
        );
        return;
      case 'retry':
        if (open === undefined) return;
        this.#write('error', { event_id: eventId, error_type: 'boom', error: 'it broke', final: false });
        this.#write('invocation_start', { event_id: eventId, attempt: open.attempt + 1 });
        return;
      case 'give up':
        if (open === undefined) return;
        this.count.spend({ eventId });
        this.#write('dead_letter', { event_id: eventId, reason: 'lost' });
        return;
      case 'redeliver':
      case 'drop':
        if (letter === undefined) return;
        this.#write(name === 'drop' ? 'dead_letter_dropped' : 'dead_letter_redelivered', {
          event_id: letter,
        });
        return;
      case 'grant': {
        const limit = one(LIMIT_NAMES.filter((known) => CONFIG.limits[known] !== undefined))!;
        if (!this.#isGranted || (LIMITS[limit].scope === 'run' && open === undefined)) return;
        this.#write('budget_extended', {
          limit,
          amount: 1 + (pick % 3),
          ...(LIMITS[limit].scope === 'run' ? { event_id: eventId } : {}),
          ...(pick % 2 === 0 ? { until: timestampOf(this.#now + (pick % (2 * DAY_MS))) } : {}),
          actor: 'operator:test',
          reason: 'asked',
        });
        return;
      }
      case 'another day':
        this.#now = Math.max(this.#now, Date.parse(this.state.budget.period!.until!)) + (pick % DAY_MS);
        this.#beginDay();
        // A line that opens the same day again opens nothing.
        this.#write('budget_period_started', {
          id: timestampOf(this.#now),
          until: this.state.budget.period!.until!,
        });
        return;
      case 'checkpoint':
        this.#checkpoint(this.state);
        return;
      case 'crash':
        this.state = foldEntries(this.entries.map(copied));
        return;
      case 'rewind':
        // Also to right before the last one, whose runs are over again then.
        this.#rewind(Math.max(1, this.state.seq - (pick % 50)), pick % 3 !== 0);
        return;
      case 'fork':
        this.#fork(1 + (pick % this.state.seq));
        return;
    }
  }

  #announce({ event: { eventId }, effects }: OpenInvocation, name: string, pick: number): void {
    const { booked, asked, facts } = booking(name, pick);
    if (!this.#fits(asked, eventId)) return;
    const occurrence = effects.filter((effect) => effect.name === name).length;
    // Also where one was withdrawn, and in a fork, it is one that there never was.
    this.#ids += 1;
    const effectId = effectIdOf(eventId, name, this.#ids);
    this.count.book(eventId, effectId, booked);
    this.#write('effect_started', {
      event_id: eventId,
      effect_id: effectId,
      name,
      occurrence,
      class: EFFECT_CLASSES[pick % 4]!,
      args_hash: '',
      args_preview: '',
      key: effectId,
      attempt: 1,
      booked: { ...booked },
      ...facts,
    });
  }

  #repeat({ event: { eventId } }: OpenInvocation, effect: RecordedEffect): void {
    const { effectId, name, occurrence, effectClass, attempts, key, argsHash } = effect;
    const { booked, asked, facts } = booking(name, attempts);
    if (!this.#fits(asked, eventId, freedBy(effect))) return;
    if (effectClass === 'reconcile') this.count.giveBack(effectId);
    this.count.book(eventId, effectId, booked);
    this.#write('effect_started', {
      event_id: eventId,
      effect_id: effectId,
      name,
      occurrence,
      class: effectClass,
      args_hash: argsHash,
      args_preview: '',
      key,
      attempt: attempts + 1,
      booked: { ...booked },
      ...facts,
    });
  }

  #checkpoint(of: ProcessSnapshot): void {
    const state = parseLossless(JSON.stringify(snapshotToState(of, FOLD_VERSION))) as JsonObject;
    this.#write('checkpoint', { state });
  }

  #rewind(wanted: number, isHandledAgain: boolean): void {
    // An entry that moves the process is where it was moved to, which the one behind it says.
    const isMoving = /^(rewind|forked)$/.test(this.entries[wanted - 1]!.entry_type);
    const target = isMoving ? wanted + 1 : wanted;
    const scan = new RewindScan(foldEntries(this.entries.slice(0, target).map(copied)));
    for (const entry of this.entries.slice(target)) scan.feed(copied(entry));
    try {
      scan.plan('agent', { seq: target, timestamp: '', entryType: '' }, isHandledAgain);
    } catch (error) {
      if (error instanceof AppError) return;
      throw error;
    }
    const before = this.state.open.map(({ event }) => event.eventId);
    this.#write('rewind', { target_seq: target, handled_again: isHandledAgain });
    scan.feed(copied(this.entries.at(-1)!));
    this.#checkpoint(scan.rewound(isHandledAgain));
    const after = new Set(this.state.open.map(({ event }) => event.eventId));
    for (const eventId of before) if (!after.has(eventId)) this.count.spend({ eventId });
  }

  #fork(at: number): void {
    const then = foldEntries(this.entries.slice(0, at).map(copied));
    const { snapshot } = forked(then, { process: 'agent', journalId: 'j', seq: at }, 'j/agent', 'copy', {});
    this.entries = [];
    this.count = new Count();
    this.#shown = new Map();
    this.state = foldEntries([]);
    this.#write('forked', { process: 'agent', journal_id: 'j', seq: at });
    this.#checkpoint({ ...snapshot, seq: 1 });
    this.#beginDay();
  }

  /** What is not as it is counted, or more than it may be; null for nothing. */
  wrong(): string | null {
    const { budget, open } = this.state;
    const eventIds = [null, ...open.map(({ event }) => event.eventId)];
    for (const eventId of eventIds) {
      const { spent = {}, reserved = {} } = eventId === null ? budget : openOf(this.state, eventId)!;
      const found = { spent, reserved };
      const counted = { spent: this.count.spent(eventId), reserved: this.count.reserved(eventId) };
      if (!isDeepStrictEqual(found, counted)) {
        return `of ${eventId ?? 'the day'}: ${JSON.stringify(found)}, and counted were ${JSON.stringify(counted)}`;
      }
    }
    const those = [...budget.extensions, ...(budget.exceeded === null ? [] : [budget.exceeded])];
    const lost = those.find(({ eventId }) => !eventIds.includes(eventId));
    if (lost !== undefined) return `${JSON.stringify(lost)} is of a run that is over`;
    return this.#isGranted ? null : this.#tooMuch(eventIds);
  }

  #tooMuch(eventIds: readonly (string | null)[]): string | null {
    for (const [limit, max] of Object.entries(CONFIG.limits) as [LimitName, number][]) {
      const { scope, meter } = LIMITS[limit];
      for (const eventId of eventIds) {
        if ((eventId === null) !== (scope === 'day')) continue;
        const used = total(this.count.spent(eventId)[meter] ?? 0, this.count.reserved(eventId)[meter] ?? 0);
        const shown = this.#shown.get(`${limit} ${eventId}`) ?? 0;
        if (used > total(max, Math.min(shown, 1e9))) {
          return `${used} of ${limit} ${max} are used, and ${shown} more at most was shown before`;
        }
      }
    }
    return null;
  }

  /** From every checkpoint on, and from the beginning, it is the same. */
  isFoldedAlike(): boolean {
    return this.entries.every(
      ({ entry_type }, at) =>
        (at > 0 && entry_type !== 'checkpoint') ||
        isDeepStrictEqual(foldEntries(this.entries.slice(at).map(copied)), this.state),
    );
  }
}

/** As whoever keeps it books an effect of this name; a call of a model expects something or nothing. */
function booking(name: string, pick: number): CallBooking {
  const effect = bookingOf(CONFIG, name);
  if (name !== 'ask') return { booked: effect, asked: effect, facts: {} };
  const expects = pick % 3 === 0 ? null : { tokensIn: pick % 200, tokensOut: pick % 60 };
  const { booked, asked, facts } = bookingOfCall(CONFIG, { model: MODEL, expects });
  return { booked: plus(effect, booked), asked: plus(effect, asked), facts };
}

/** What the attempt under way tells that it used, up to all that its model lets it; null for nothing. */
function toldOf(effect: RecordedEffect, end: EffectEnd['kind'], pick: number): Amounts | null {
  if (effect.model === undefined || effect.end !== null || effect.booked === undefined) return null;
  if (pick % 5 === 0) return null;
  const tokens = {
    tokensIn: (pick * 7) % (MOST.maxInput + 1),
    tokensCachedRead: 0,
    tokensOut: (pick * 3) % (MOST.maxOutput + 1),
  };
  return usedOf(CONFIG, effect, end, { tokens, isUnclear: pick % 11 === 0 });
}

const copied = (entry: FoldedEntry): FoldedEntry => structuredClone(entry);
