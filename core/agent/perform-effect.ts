// `ctx.effect`: from the record, or announced, permitted, performed and recorded.

import {
  effectIdOf,
  isEffectClass,
  isInDoubt,
  isRepeatable,
  KEY_EXPIRED,
  planEffect,
  type EffectClass,
  type EffectEnd,
  type RecordedEffect,
} from '../model/effects.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { recordable, type Json } from '../model/json.ts';
import { jsonBytes, MAX_ERROR_TEXT, MAX_RESULT_BYTES, refuseTooLarge } from '../model/limits.ts';
import { argsHash } from './args-hash.ts';
import { askWhatBecame, type Asked, type IsOver } from './ask-what-became.ts';
import type { AgentContext, EffectCall, EffectOptions } from './define-agent.ts';
import { DidNotHappen, EffectFailed, NotAgain } from './effect-errors.ts';
import { checkedCall, UseReport } from './model-use.ts';
import { pause } from './pause.ts';
import { never, type RunScope } from './run-scope.ts';

const DEFAULT_ATTEMPTS = 3;
const DEFAULT_BACKOFF_MS = 200;
const DEFAULT_MAX_BACKOFF_MS = 60_000;
const DEFAULT_KEY_TTL_MS = 12 * 60 * 60 * 1000;
/** For so long whoever can't tell yet is asked again. */
const DEFAULT_RECONCILE_FOR_MS = 15 * 60 * 1000;
const MAX_NAME = 200;
const MAX_KEY = 1_000;
const MAX_ATTEMPTS = 1_000;
/** A year: beyond it a duration is a slip of the unit. */
const MAX_DURATION_MS = 366 * 24 * 60 * 60 * 1000;

type Asking = Omit<EffectCall<Json>, 'used'>;
type Perform = (call: EffectCall<Json>) => Promise<Json>;

interface Effect extends Asked {
  readonly occurrence: number;
  readonly effectId: string;
  readonly effectClass: EffectClass;
  /** Its arguments as they are told: without secrets, so that a rotation makes no other effect of it. */
  readonly told: Json;
  readonly hash: string;
  readonly keyTtlMs: number | null;
  readonly timeoutMs: number | null;
  readonly attempts: number;
  readonly call: ReturnType<typeof checkedCall>;
  readonly perform: Perform;
}

export interface EffectPerformer {
  readonly effect: AgentContext['effect'];
  /** Resolves when the run is over because an effect is in doubt that only an operator may decide. */
  readonly held: Promise<string>;
}

export function effectKey(effectId: string): string {
  return `effect ${effectId}`;
}

export function effectPerformer(scope: RunScope): EffectPerformer {
  const { event, record, keyPrefix } = scope.invoke;
  const { attemptSeq } = record;
  const records = new Map(record.effects.map((effect) => [effect.effectId, effect]));
  /** Of this attempt and not asked for; what earlier ones did need not be asked for again. */
  const unasked = new Map([...records].filter(([, { seq }]) => seq > attemptSeq));
  const occurrences = new Map<string, number>();
  let hold!: (effectId: string) => void;
  let isHeld = false;
  const held = new Promise<string>((resolve) => {
    hold = (effectId) => {
      isHeld = true;
      resolve(effectId);
    };
  });

  scope.addLeftover(() => {
    for (const { seq, name, occurrence } of unasked.values()) return { seq, text: `${name}#${occurrence}` };
    return undefined;
  });

  const begin = (named: string, options: EffectOptions, perform: Perform): Effect => {
    const name = scope.secrets.json(named);
    scope.refuseUnlessOpen(`ctx.effect(${JSON.stringify(name)})`);
    const { effectClass, keyTtlMs, timeoutMs, attempts, backoff, reconcile, reconcileForMs } = checked(
      name,
      options,
    );
    const call = checkedCall(name, options);
    const occurrence = occurrences.get(name) ?? 0;
    occurrences.set(name, occurrence + 1);
    const effectId = effectIdOf(event.eventId, name, occurrence);
    const args = recordable(options.args ?? null, `the arguments of ${name}`);
    const told = scope.secrets.json(args);
    refuseTooLarge('effect', `What ${name} is called with`, told);
    unasked.delete(effectId);
    scope.asked();
    return {
      name,
      occurrence,
      effectId,
      effectClass,
      args,
      told,
      hash: argsHash(told),
      key: records.get(effectId)?.key ?? scope.secrets.json(options.key) ?? `${keyPrefix}/${effectId}`,
      keyTtlMs,
      timeoutMs,
      attempts,
      call,
      backoff,
      perform,
      reconcile,
      reconcileForMs,
      announcedAt: announcedAtOf(records.get(effectId)),
    };
  };

  /** Its turn in what was recorded of this attempt; what an earlier one recorded comes at once. */
  const turnOf = ({ effectId, endSeq }: RecordedEffect): Promise<void> =>
    (endSeq ?? 0) > attemptSeq
      ? scope.deliveries.turn(effectKey(effectId))
      : scope.deliveries.soon(endSeq ?? 0);

  const run = async (effect: Effect): Promise<Json> => {
    const recorded = records.get(effect.effectId);
    const plan = planEffect(recorded, effect.hash, attemptSeq);
    switch (plan.act) {
      case 'return':
        await turnOf(recorded!);
        return recordable(plan.result);
      case 'reject':
        await turnOf(recorded!);
        throw new EffectFailed(effect.name, plan.error);
      case 'diverged':
        throw scope.diverge(plan.expected, plan.found);
      case 'unlike':
        if (!scope.isReal) await scope.begin(`${effect.name}#${effect.occurrence}`);
        scope.send({
          type: 'effect-unlike',
          effectId: effect.effectId,
          argsHash: effect.hash,
          args: effect.told,
        });
        if (plan.isHarmless) {
          // Another deed has a key of its own, also in its record.
          const key = `${effect.key}/${effect.hash}`;
          return scope.acting(attempt({ ...effect, key }, recorded!.attempts + 1, 1, false));
        }
        hold(effect.effectId);
        throw new Held(effect.name, 'before the rewind it was done with other arguments');
      case 'perform':
        if (recorded === undefined || !scope.isReal) await scope.begin(`${effect.name}#${effect.occurrence}`);
        return scope.acting(attempt(effect, plan.attempt, 1, recorded !== undefined && isInDoubt(recorded)));
      case 'reconcile':
        if (!scope.isReal) await scope.begin(`${effect.name}#${effect.occurrence}`);
        // Its call began before its worker was gone, and that was before this run; when it was announced says nothing.
        return scope.acting(
          reconciled(effect, plan.attempt, 1, { calledAt: performance.now(), overAt: performance.now() }),
        );
    }
  };

  /**
   * `number` counts all attempts that the journal knows of, `tries` those of this run; `wasInDoubt`: one before it, which
   * this one repeats.
   */
  const attempt = async (
    effect: Effect,
    number: number,
    tries: number,
    wasInDoubt: boolean,
  ): Promise<Json> => {
    const { name, effectId, effectClass } = effect;
    await permitted(effect, number);
    const calledAt = performance.now();
    const use = new UseReport(name, effect.call.model !== undefined);
    const end = scope.secrets.json(
      doubtKept(await performed(scope, effect, number, use), effectClass, wasInDoubt),
    );
    const overAt = performance.now();
    const isLast = tries >= effect.attempts;
    if (end.kind === 'done') return ended(effect, end, { use });
    if (end.kind === 'did_not_happen') {
      const mayRepeat = end.retryable && !isLast;
      await ended(effect, { kind: end.kind, error: end.error }, { use });
      if (!mayRepeat) throw new EffectFailed(name, end.error);
    } else if (isRepeatable(effectClass)) {
      const { isFinal = isLast, ...doubt } = end;
      await ended(effect, isFinal || isLast ? { ...doubt, givenUp: true } : doubt, { use });
      if (isFinal || isLast) throw new EffectFailed(name, end.error);
    } else {
      await ended(effect, end, { use });
      if (effectClass === 'reconcile') return reconciled(effect, number + 1, tries + 1, { calledAt, overAt });
      hold(effectId);
      throw new Held(name, end.error);
    }
    await pause(effect.backoff(tries));
    return attempt(effect, number + 1, tries + 1, end.kind === 'in_doubt');
  };

  /** Rejects where it is refused, and ends the run where only an operator may decide. */
  const permitted = async (effect: Effect, number: number): Promise<void> => {
    try {
      await scope.permit(effect.effectId, announcement(effect, number));
    } catch (error) {
      if (codeOf(error) !== KEY_EXPIRED) throw error;
      hold(effect.effectId);
      throw new Held(effect.name, messageOf(error));
    }
  };

  /** Nothing of the run is to go on, so nobody is asked any more either: the next run does. */
  const isOver: IsOver = {
    soon: Promise.race([held, scope.diverged]),
    refuse: (name) => {
      if (scope.divergence !== null) throw scope.divergence;
      if (isHeld) throw new Held(name, 'another effect waits for an operator');
    },
  };

  /** Asks what became of the last attempt, once its own time is over too [S30]. */
  const reconciled = async (
    effect: Effect,
    number: number,
    tries: number,
    { calledAt, overAt }: CallTimes,
  ): Promise<Json> => {
    const { name, timeoutMs } = effect;
    await pause(calledAt + (timeoutMs ?? 0) - performance.now(), { soon: isOver.soon });
    isOver.refuse(name);
    const found = await askWhatBecame(scope, effect, { attempt: number - 1, overAt, isOver });
    switch (found.happened) {
      case true: {
        const end = scope.secrets.json(resultEnd(found.result));
        if (end.kind === 'done') return ended(effect, end, RECONCILED);
        return doubted(effect, end.error);
      }
      case false:
        if (tries <= effect.attempts) return attempt(effect, number, tries, false);
        await ended(effect, { kind: 'did_not_happen', error: 'it was tried often enough' }, RECONCILED);
        throw new EffectFailed(name, 'it did not happen, and was tried often enough');
      case 'unknown':
        return doubted(effect, `nobody can say what became of it: ${found.why ?? 'no reason given'}`);
    }
  };

  /** Neither its own code nor whoever it was done with knows enough. */
  const doubted = async (effect: Effect, why: string): Promise<never> => {
    const error = scope.secrets.text(why);
    await ended(effect, { kind: 'in_doubt', error, reconciled: true }, RECONCILED);
    hold(effect.effectId);
    throw new Held(effect.name, error);
  };

  /** Resolves with the result when the end is in the journal and its turn has come. */
  const ended = async (
    { effectId }: Effect,
    end: EffectEnd,
    { isReconciled = false, use }: HowEnded,
  ): Promise<Json> => {
    // A large result is kept beside the journal first, which takes the host a while.
    const isAwaited = !scope.isAlone || (end.kind === 'done' && isLarge(end.result));
    const delivered = isAwaited ? scope.outcome(effectId) : null;
    const told = end.kind === 'done' ? end : { ...end, error: end.error.slice(0, MAX_ERROR_TEXT) };
    const used = use?.told ?? null;
    scope.send({
      type: 'effect-ended',
      effectId,
      end: told,
      reconciled: isReconciled,
      isAwaited,
      ...(used === null ? {} : { used }),
    });
    await delivered;
    return end.kind === 'done' ? recordable(end.result) : null;
  };

  const effect = (name: string, options: EffectOptions, perform: Perform): Promise<Json> => {
    const work = scope.track((async () => run(begin(name, options, perform)))());
    const result = work.catch(async (error: unknown) => {
      // Code must not go on from a doubt; the invocation is handled again from the top once it is decided.
      if (error instanceof Held) await never();
      throw error;
    });
    // What went wrong is on record; code that never awaits an effect is not to end its worker by that.
    result.catch(() => {});
    return result;
  };
  return { effect: effect as unknown as AgentContext['effect'], held };
}

/** By whom it is known how it ended: by its own code, which told what it used, or by whoever it was done with. */
interface HowEnded {
  readonly isReconciled?: boolean;
  readonly use?: UseReport;
}
const RECONCILED: HowEnded = { isReconciled: true };

/** Of an attempt: when its call began at the latest, and when it was over here; both by a clock that nobody sets. */
interface CallTimes {
  readonly calledAt: number;
  readonly overAt: number;
}

/** The run is over: only an operator may say what became of the effect. */
class Held extends EffectFailed {}

function announcement(effect: Effect, attempt: number) {
  const { effectId, name, occurrence, effectClass, hash, told, key, keyTtlMs, timeoutMs, call } = effect;
  return {
    type: 'effect-announced' as const,
    effectId,
    name,
    occurrence,
    effectClass,
    argsHash: hash,
    args: told,
    key,
    keyTtlMs: effectClass === 'idempotent' ? keyTtlMs : null,
    timeoutMs,
    attempt,
    ...call,
  };
}

function checked(
  name: string,
  options: EffectOptions,
): Pick<
  Effect,
  'effectClass' | 'keyTtlMs' | 'timeoutMs' | 'attempts' | 'backoff' | 'reconcile' | 'reconcileForMs'
> {
  const { class: effectClass = 'ask', key, reconcile, retry = {} } = options;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME) {
    throw new AppError('effect.bad-name', `An effect's name is a text of 1 to ${MAX_NAME} characters.`);
  }
  if (!isEffectClass(effectClass)) {
    throw new AppError(
      'effect.unknown-class',
      `The effect ${name} has the class ${JSON.stringify(effectClass)}. Classes are retry, idempotent, reconcile and ask.`,
    );
  }
  if (key !== undefined && (typeof key !== 'string' || key.length > MAX_KEY)) {
    throw new AppError(
      'effect.bad-key',
      `The key of the effect ${name} must be a text of at most ${MAX_KEY} characters.`,
    );
  }
  if ((effectClass === 'reconcile') !== (typeof reconcile === 'function')) {
    throw new AppError(
      'effect.no-reconcile',
      effectClass === 'reconcile'
        ? `The effect ${name} has the class reconcile and no function reconcile that asks what became of it. Give one, or use the class ask.`
        : `The effect ${name} has a function reconcile and the class ${effectClass}, which never calls it. Use the class reconcile.`,
    );
  }
  const { attempts = DEFAULT_ATTEMPTS, backoffMs = DEFAULT_BACKOFF_MS } = retry;
  const { maxBackoffMs = DEFAULT_MAX_BACKOFF_MS } = retry;
  const { keyTtlMs = DEFAULT_KEY_TTL_MS, timeoutMs = null } = options;
  const { reconcileForMs = DEFAULT_RECONCILE_FOR_MS } = options;
  checkNumber(name, 'retry.attempts', attempts, 1, MAX_ATTEMPTS);
  checkNumber(name, 'retry.backoffMs', backoffMs, 0, MAX_DURATION_MS);
  checkNumber(name, 'retry.maxBackoffMs', maxBackoffMs, 0, MAX_DURATION_MS);
  checkNumber(name, 'keyTtlMs', keyTtlMs, 1, MAX_DURATION_MS);
  checkNumber(name, 'reconcileForMs', reconcileForMs, 0, MAX_DURATION_MS);
  if (timeoutMs !== null) checkNumber(name, 'timeoutMs', timeoutMs, 1, MAX_DURATION_MS);
  return {
    effectClass,
    keyTtlMs,
    timeoutMs,
    attempts,
    backoff: (tries) => Math.min(maxBackoffMs, backoffMs * 2 ** (tries - 1)),
    reconcile: reconcile ?? (async () => ({ happened: 'unknown' })),
    reconcileForMs,
  };
}

function checkNumber(name: string, option: string, value: unknown, least: number, most: number): void {
  if (typeof value === 'number' && value >= least && value <= most) return;
  throw new AppError(
    'effect.bad-option',
    `${option} of the effect ${name} is ${String(value)}, and must be a number from ${least} to ${most}.`,
  );
}

type Performed =
  | Extract<EffectEnd, { kind: 'done' }>
  | (Extract<EffectEnd, { kind: 'in_doubt' }> & { readonly isFinal?: boolean })
  | FailedCleanly;
interface FailedCleanly {
  readonly kind: 'did_not_happen';
  readonly error: string;
  readonly retryable: boolean;
}

/** Only code that says so knows that nothing happened; anything else leaves the question open [S28]. */
async function performed(
  scope: RunScope,
  effect: Effect,
  attempt: number,
  { add }: UseReport,
): Promise<Performed> {
  const { name, perform, timeoutMs } = effect;
  const abort = new AbortController();
  const call = { ...callOf(effect, attempt, abort.signal), used: add };
  const work = scope.within(`the effect ${name}`, async () => perform(call));
  const inTime = new AbortController();
  const late =
    timeoutMs === null
      ? new Promise<never>(() => {})
      : pause(timeoutMs, { signal: inTime.signal }).then(() => 'late' as const);
  try {
    const first = await Promise.race([work.then((result) => ({ result })), late]);
    if (first !== 'late') return resultEnd(first.result);
    abort.abort(new Error(`${name} took longer than ${timeoutMs} ms`));
    work.catch(() => {}); // Too late to count.
    return { kind: 'in_doubt', error: `it was not done within ${timeoutMs} ms` };
  } catch (error) {
    if (error instanceof DidNotHappen) {
      return { kind: 'did_not_happen', error: messageOf(error), retryable: error.retryable };
    }
    return {
      kind: 'in_doubt',
      error: messageOf(error),
      ...(error instanceof NotAgain ? { isFinal: true } : {}),
    };
  } finally {
    inTime.abort();
  }
}

/** That a repetition did not happen says nothing of the attempt before it: its key is as old as that one [S31]. */
function doubtKept(end: Performed, effectClass: EffectClass, wasInDoubt: boolean): Performed {
  if (end.kind !== 'did_not_happen' || !wasInDoubt || !isRepeatable(effectClass)) return end;
  const error = `${end.error}; what became of the attempt before it is not known`;
  return { kind: 'in_doubt', error, isFinal: !end.retryable };
}

function callOf({ args, key }: Effect, attempt: number, signal: AbortSignal): Asking {
  return { args: recordable(args), key, attempt, signal };
}

function announcedAtOf(recorded: RecordedEffect | undefined): number {
  const at = recorded === undefined ? Number.NaN : Date.parse(recorded.announcedAt);
  return Number.isFinite(at) ? at : Date.now();
}

/** The host keeps what is smaller inside of the entry, at once. */
const SMALL_RESULT_CHARACTERS = 1_024;

function isLarge(result: Json): boolean {
  return JSON.stringify(result).length > SMALL_RESULT_CHARACTERS;
}

function resultEnd(result: unknown): Exclude<EffectEnd, { kind: 'did_not_happen' }> {
  try {
    const kept = recordable(result ?? null, 'its result');
    const bytes = jsonBytes(kept);
    if (bytes <= MAX_RESULT_BYTES) return { kind: 'done', result: kept };
    return {
      kind: 'in_doubt',
      error: `it happened, but its result of ${bytes} bytes is more than can be kept`,
    };
  } catch (error) {
    return { kind: 'in_doubt', error: `it happened, but ${messageOf(error)}` };
  }
}
