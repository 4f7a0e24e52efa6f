// One invocation inside the worker: the agent's code from the top, answered from the record as far as it goes, and from
// then on live. Nothing here writes a journal; every step waits for the host's word that it may go on.
//
// A re-run that asks for something else than was recorded stops [replay.diverged] and never improvises.

import { effectIdOf, planEffect, type EffectEnd } from '../model/effects.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { sameJson, type Json } from '../model/json.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import { argsHash } from './args-hash.ts';
import type { AgentContext, AgentDefinition, AgentState, EffectCall, EffectOptions } from './define-agent.ts';
import { DidNotHappen, EffectFailed } from './effect-errors.ts';

/** An effect of a class that is repeated by itself is tried so often before the invocation hears of it. */
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 200;

type Invoke = Extract<ToWorker, { type: 'invoke' }>;

export interface RunningInvocation {
  /** Hands over what the host said about this invocation. */
  readonly heard: (message: Exclude<ToWorker, { type: 'invoke' } | { type: 'ping' }>) => void;
}

export function runInvocation(
  agent: AgentDefinition,
  invoke: Invoke,
  send: (message: FromWorker) => void,
): RunningInvocation {
  const { eventId } = invoke.event;
  const permits = new Waiters();
  const records = new Waiters();
  const run: InvocationRun = {
    invoke,
    send,
    permits,
    records,
    occurrences: new Map(),
    asked: new Set(),
    diverged: null,
  };
  agent
    .onTrigger(contextOf(run), invoke.event)
    .then((response) => {
      refuseLeftovers(run);
      send({ type: 'invocation-done', eventId, response: response ?? '' });
    })
    .catch((error: unknown) => {
      // Code that swallows the error of a divergence does not get away with it.
      const cause = run.diverged ?? error;
      send({ type: 'invocation-failed', eventId, code: codeOf(cause), message: messageOf(cause) });
    });
  return {
    heard: (message) => {
      if (message.type === 'effect-permitted') permits.release(message.effectId);
      else if (message.type === 'effect-recorded') records.release(message.effectId);
      else records.release(`write ${message.ordinal}`);
    },
  };
}

interface InvocationRun {
  readonly invoke: Invoke;
  readonly send: (message: FromWorker) => void;
  readonly permits: Waiters;
  readonly records: Waiters;
  readonly occurrences: Map<string, number>;
  readonly asked: Set<string>;
  diverged: AppError | null;
}

/** Promises by name, released from outside. */
class Waiters {
  readonly #waiting = new Map<string, () => void>();

  wait(name: string): Promise<void> {
    return new Promise((resolve) => void this.#waiting.set(name, resolve));
  }

  release(name: string): void {
    this.#waiting.get(name)?.();
    this.#waiting.delete(name);
  }
}

function contextOf(run: InvocationRun): AgentContext {
  return {
    process: run.invoke.process,
    state: stateOf(run),
    effect: (name, options, perform) => performEffect(run, name, options, perform),
    log: (text, level = 'info') => run.send({ type: 'log', eventId: run.invoke.event.eventId, level, text }),
  };
}

function diverge(run: InvocationRun, expected: string, found: string): AppError {
  run.diverged ??= new AppError(
    'replay.diverged',
    `The code no longer does what was recorded: expected ${expected}, found ${found}. Run the code that began this invocation, or let an operator end it.`,
    { expected, found },
  );
  return run.diverged;
}

async function performEffect<T extends Json, Args extends Json>(
  run: InvocationRun,
  name: string,
  options: EffectOptions & { readonly args?: Args },
  perform: (call: EffectCall<Args>) => Promise<T>,
): Promise<T> {
  const { event, keyPrefix, effects } = run.invoke;
  const occurrence = run.occurrences.get(name) ?? 0;
  run.occurrences.set(name, occurrence + 1);
  const effectId = effectIdOf(event.eventId, name, occurrence);
  run.asked.add(effectId);
  const args = (options.args ?? null) as Args;
  const hash = argsHash(args);
  const recorded = effects.find((effect) => effect.effectId === effectId);
  const plan = planEffect(recorded, hash);
  switch (plan.act) {
    case 'return':
      return plan.result as T;
    case 'reject':
      throw new EffectFailed(name, plan.error);
    case 'diverged':
      throw diverge(run, plan.expected, plan.found);
    case 'perform':
      if (recorded === undefined) await refuseImprovising(run, `${name}#${occurrence}`);
      break;
  }
  const effectClass = options.class ?? 'ask';
  const key = recorded?.key ?? options.key ?? `${keyPrefix}/${effectId}`;
  for (let attempt = plan.attempt; ; attempt += 1) {
    const permitted = run.permits.wait(effectId);
    run.send({
      type: 'effect-announced',
      eventId: event.eventId,
      effectId,
      name,
      occurrence,
      effectClass,
      argsHash: hash,
      args,
      key,
      attempt,
    });
    await permitted;
    const end = await ending(() => perform({ args, key, attempt }));
    const isRecorded = run.records.wait(effectId);
    run.send({ type: 'effect-ended', eventId: event.eventId, effectId, end });
    await isRecorded;
    if (end.kind === 'done') return end.result as T;
    if (end.kind === 'did_not_happen') throw new EffectFailed(name, end.error);
    if (effectClass === 'ask' || effectClass === 'reconcile') {
      run.send({ type: 'invocation-held', eventId: event.eventId, effectId });
      await new Promise<never>(() => {}); // The invocation is handled again from the top once it is decided.
    }
    if (attempt - plan.attempt + 1 >= MAX_ATTEMPTS) throw new EffectFailed(name, end.error);
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS * attempt));
  }
}

/**
 * Something new may only be asked for when everything recorded has been. Recorded outcomes are delivered at once, so
 * branches that run side by side have asked for theirs one turn of the event loop later.
 */
async function refuseImprovising(run: InvocationRun, found: string): Promise<void> {
  if (leftover(run) === undefined) return;
  await new Promise((resolve) => void setImmediate(resolve));
  const left = leftover(run);
  if (left !== undefined) throw diverge(run, left, found);
}

/** The first recorded effect that this run has not asked for. */
function leftover({ invoke, asked }: InvocationRun): string | undefined {
  const left = invoke.effects.find((effect) => !asked.has(effect.effectId));
  return left === undefined ? undefined : `${left.name}#${left.occurrence}`;
}

/** Only code that says so knows that nothing happened; any other error leaves the question open [S28]. */
async function ending(perform: () => Promise<Json>): Promise<EffectEnd> {
  try {
    const result: Json | undefined = await perform();
    return { kind: 'done', result: result ?? null };
  } catch (error) {
    const kind = error instanceof DidNotHappen ? 'did_not_happen' : 'in_doubt';
    return { kind, error: messageOf(error) };
  }
}

/** Recorded effects that the re-run never asked for are as much a divergence as others that it did. */
function refuseLeftovers(run: InvocationRun): void {
  const left = leftover(run);
  if (left !== undefined) throw diverge(run, left, 'the end of the invocation');
}

function stateOf(run: InvocationRun): AgentState {
  const { state, writes, event } = run.invoke;
  const view = new Map(Object.entries(state));
  let ordinal = 0;
  const write = async (key: string, value: Json, deleted: boolean): Promise<void> => {
    const at = ordinal;
    ordinal += 1;
    if (deleted) view.delete(key);
    else view.set(key, value);
    const recorded = writes.find((candidate) => candidate.ordinal === at);
    if (recorded !== undefined) {
      if (recorded.key === key && sameJson(recorded.value, value)) return;
      throw diverge(
        run,
        `write ${at} of ${recorded.key} = ${short(recorded.value)}`,
        `${key} = ${short(value)}`,
      );
    }
    const isRecorded = run.records.wait(`write ${at}`);
    run.send({ type: 'state-written', eventId: event.eventId, ordinal: at, key, value, deleted });
    await isRecorded;
  };
  return {
    get: <T extends Json>(key: string) => view.get(key) as T | undefined,
    set: (key, value) => write(key, value, false),
    update: async <T extends Json>(key: string, change: (value: T | undefined) => T) => {
      const value = change(view.get(key) as T | undefined);
      await write(key, value, false);
      return value;
    },
    delete: (key) => write(key, null, true),
    keys: () => [...view.keys()],
  };
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
