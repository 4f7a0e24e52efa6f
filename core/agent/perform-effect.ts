// `ctx.effect`: from the record, or announced, permitted, performed and recorded.

import { setTimeout as delay } from 'node:timers/promises';
import {
  effectIdOf,
  isEffectClass,
  isRepeatable,
  planEffect,
  type EffectClass,
  type EffectEnd,
} from '../model/effects.ts';
import { AppError, messageOf } from '../model/errors.ts';
import { recordable, type Json } from '../model/json.ts';
import { argsHash } from './args-hash.ts';
import type { AgentContext, EffectCall } from './define-agent.ts';
import { DidNotHappen, EffectFailed } from './effect-errors.ts';
import type { RunScope } from './run-scope.ts';

/** An effect of a class that is repeated by itself is tried so often before the invocation hears of it. */
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 200;
/** How long something new waits for recorded effects that nobody asks for, before that is a divergence. */
const LEFTOVER_PATIENCE_MS = 3_000;
const MAX_NAME = 200;
const MAX_KEY = 1_000;
/** What the host may be asked to keep at once. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024;

interface Effect {
  readonly name: string;
  readonly occurrence: number;
  readonly effectId: string;
  readonly effectClass: EffectClass;
  readonly args: Json;
  readonly hash: string;
  readonly key: string | undefined;
}

export interface EffectPerformer {
  readonly effect: AgentContext['effect'];
  /** Resolves when the run is over because an effect is in doubt that only an operator may decide. */
  readonly held: Promise<string>;
  /** The first recorded effect that nobody asked for. */
  leftover(): string | undefined;
}

export function effectPerformer(scope: RunScope): EffectPerformer {
  const { event, effects, keyPrefix } = scope.invoke;
  const occurrences = new Map<string, number>();
  const asked = new Set<string>();
  let hold: (effectId: string) => void;
  const held = new Promise<string>((resolve) => {
    hold = resolve;
  });
  const parked = new Set<() => void>();

  const leftover = (): string | undefined => {
    const left = effects.find((effect) => !asked.has(effect.effectId));
    return left === undefined ? undefined : `${left.name}#${left.occurrence}`;
  };

  const begin = (name: string, options: Parameters<AgentContext['effect']>[1]): Effect => {
    scope.refuseUnlessOpen(`ctx.effect(${JSON.stringify(name)})`);
    const effectClass = checked(name, options);
    const occurrence = occurrences.get(name) ?? 0;
    occurrences.set(name, occurrence + 1);
    const effectId = effectIdOf(event.eventId, name, occurrence);
    const args = recordable(options.args ?? null, `the arguments of ${name}`);
    asked.add(effectId);
    for (const wake of parked) wake();
    return { name, occurrence, effectId, effectClass, args, hash: argsHash(args), key: options.key };
  };

  /** Branches that run side by side may take a while to ask for theirs; one that never does is a divergence. */
  const recordedFirst = async (found: string): Promise<void> => {
    while (leftover() !== undefined) {
      const first = await Promise.race([
        new Promise<'asked'>((resolve) => void parked.add(() => resolve('asked'))),
        delay(LEFTOVER_PATIENCE_MS, 'late' as const),
      ]);
      const left = leftover();
      if (first === 'late' && left !== undefined) throw scope.diverge(left, found);
    }
  };

  const run = async (effect: Effect, perform: (call: EffectCall<Json>) => Promise<Json>): Promise<Json> => {
    const { name, occurrence, effectId, effectClass, args, hash } = effect;
    const recorded = effects.find((candidate) => candidate.effectId === effectId);
    const plan = planEffect(recorded, hash);
    switch (plan.act) {
      case 'return':
        return recordable(plan.result);
      case 'reject':
        throw new EffectFailed(name, plan.error);
      case 'diverged':
        throw scope.diverge(plan.expected, plan.found);
      case 'perform':
        break;
    }
    if (recorded === undefined) await recordedFirst(`${name}#${occurrence}`);
    const key = recorded?.key ?? effect.key ?? `${keyPrefix}/${effectId}`;
    for (let attempt = plan.attempt; ; attempt += 1) {
      await scope.ask(`permitted ${effectId}`, {
        type: 'effect-announced',
        effectId,
        name,
        occurrence,
        effectClass,
        argsHash: hash,
        args,
        key,
        attempt,
      });
      const end = await scope.perform(name, () =>
        ending(() => perform({ args: recordable(args), key, attempt })),
      );
      await scope.ask(`recorded ${effectId}`, { type: 'effect-ended', effectId, end });
      if (end.kind === 'done') return recordable(end.result);
      if (end.kind === 'did_not_happen') throw new EffectFailed(name, end.error);
      if (!isRepeatable(effectClass)) {
        hold(effectId);
        throw new Held(name, end.error);
      }
      if (attempt - plan.attempt + 1 >= MAX_ATTEMPTS) throw new EffectFailed(name, end.error);
      await delay(RETRY_DELAY_MS * attempt);
    }
  };

  const effect = (
    name: string,
    options: Parameters<AgentContext['effect']>[1],
    perform: (call: EffectCall<Json>) => Promise<Json>,
  ): Promise<Json> => {
    const work = scope.track((async () => run(begin(name, options), perform))());
    const result = work.catch(async (error: unknown) => {
      // Code must not go on from a doubt; the invocation is handled again from the top once it is decided.
      if (error instanceof Held) await new Promise<never>(() => {});
      throw error;
    });
    // What went wrong is on record; code that never awaits an effect is not to end its worker by that.
    result.catch(() => {});
    return result;
  };
  return { effect: effect as AgentContext['effect'], held, leftover };
}

/** The run is over: only an operator may say what became of the effect. */
class Held extends EffectFailed {}

function checked(
  name: string,
  { class: effectClass = 'ask', key }: Parameters<AgentContext['effect']>[1],
): EffectClass {
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
  return effectClass;
}

/** Only code that says so knows that nothing happened; anything else leaves the question open [S28]. */
async function ending(perform: () => Promise<Json>): Promise<EffectEnd> {
  let result: unknown;
  try {
    result = await perform();
  } catch (error) {
    return { kind: error instanceof DidNotHappen ? 'did_not_happen' : 'in_doubt', error: messageOf(error) };
  }
  try {
    const kept = recordable(result ?? null, 'its result');
    const bytes = Buffer.byteLength(JSON.stringify(kept));
    if (bytes <= MAX_RESULT_BYTES) return { kind: 'done', result: kept };
    return {
      kind: 'in_doubt',
      error: `it happened, but its result of ${bytes} bytes is more than can be kept`,
    };
  } catch (error) {
    return { kind: 'in_doubt', error: `it happened, but ${messageOf(error)}` };
  }
}
