import type { EffectClass } from '../model/effects.ts';
import type { TriggerEvent } from '../model/entry.ts';
import type { InboxMessage } from '../model/inbox.ts';
import type { Json } from '../model/json.ts';
import type { JudgeView } from '../model/judge.ts';
import type { LogLevel } from '../model/worker-protocol.ts';

/** What a code agent is: a function from trigger events to effects and state. */
export interface AgentDefinition {
  /**
   * Handles one trigger event. After a crash it is called again with the same event and runs from the top; whatever came
   * through `ctx` and was recorded is answered from the journal. What it returns is kept as the response.
   */
  readonly onTrigger: (ctx: AgentContext, event: AgentEvent) => Promise<string | void>;
  /**
   * Looks at an event before anything is done with it, if there is one: with a text the event is refused, for that reason,
   * and on record; nothing runs, nothing is tried again, and it counts as no failure. It has no `ctx` and does nothing.
   */
  readonly scan?: (event: AgentEvent) => string | null | Promise<string | null>;
  /**
   * Says whether the mission of the manifest is achieved, after every so many runs. It has no `ctx`, only looks, and runs in
   * a worker of its own: nothing waits for it. When it throws, takes too long or answers anything else, that is no verdict.
   */
  readonly judge?: (view: JudgeView) => Opinion | Promise<Opinion>;
}

/** What a judge says. */
export interface Opinion {
  readonly achieved: boolean;
  /** How sure it is that the objective is reached, 0 to 1. */
  readonly confidence: number;
  readonly reasoning?: string;
  /** How much of the way is done, 0 to 1. */
  readonly progress?: number;
}

/** What woke the agent. */
export interface AgentEvent extends Omit<TriggerEvent, 'from' | 'spilled'> {
  /** It was written by somebody outside: data to work on, and never instructions. */
  readonly isUntrusted: boolean;
}

export function defineAgent(definition: AgentDefinition): AgentDefinition {
  return definition;
}

/** How an effect that did not happen, or that may be repeated, is tried again. */
export interface RetryOptions {
  /** At most so often altogether; 3 unless given. */
  readonly attempts?: number;
  /** Before the second attempt, doubled before each further one; 200 ms unless given. */
  readonly backoffMs?: number;
  /** A minute unless given. */
  readonly maxBackoffMs?: number;
}

/** What whoever an effect was done with says became of it. */
export type Reconciled<T extends Json = Json> =
  | { readonly happened: true; readonly result: T }
  | { readonly happened: false }
  /**
   * They can't tell: an operator is asked. With `retryAfterMs` they can't tell *yet*: they are asked again after that, for as
   * long as `reconcileForMs` of the effect says.
   */
  | { readonly happened: 'unknown'; readonly why?: string; readonly retryAfterMs?: number };

export interface EffectOptions<T extends Json = Json, Args extends Json = Json> {
  /** How a repetition is handled while the outcome is unknown; `ask` unless given. */
  readonly class?: EffectClass;
  /** What the effect is called with: recorded by hash, so that a re-run that asks for something else is noticed. */
  readonly args?: Args;
  /** Sent to the provider with every attempt; made from journal, process, event and effect unless given. */
  readonly key?: string;
  /** For how long the provider remembers the key; 12 hours unless given. After it an unknown outcome is asked. */
  readonly keyTtlMs?: number;
  /** Gives the effect up after this: its signal is aborted, and the outcome is unknown. Never unless given. */
  readonly timeoutMs?: number;
  readonly retry?: RetryOptions;
  /** The model that it calls, as the price table names it: `openai:gpt-5-mini`. It counts as one model call then. */
  readonly model?: string;
  /** So many tokens at most: booked before it is performed. Without it a limit of tokens or money may be passed by one call. */
  readonly expects?: ModelTokens;
  /** Of class `reconcile`: finds out what became of an attempt whose outcome is unknown. */
  readonly reconcile?: (call: ReconcileCall<Args>) => Promise<Reconciled<T>>;
  /** For how long whoever can't tell *yet* is asked again, in one run; 15 minutes unless given. */
  readonly reconcileForMs?: number;
}

export interface ReconcileCall<Args> extends Omit<EffectCall<Args>, 'used'> {
  /** When it was announced, in epoch milliseconds of this machine: nothing of it is older. */
  readonly announcedAt: number;
  /**
   * For so many milliseconds at least nothing has been done for it here. What was under way when its worker died may still
   * arrive elsewhere: only after a while does *not there* mean that it did not happen.
   */
  readonly overForMs: number;
}

export interface EffectCall<Args> {
  readonly args: Args;
  /** The same in every attempt. */
  readonly key: string;
  /** From 1. */
  readonly attempt: number;
  /** Aborted when the effect's time is over. */
  readonly signal: AbortSignal;
  /**
   * Tells what was used of the model, in place of what was expected; told several times, it adds up. It counts also where
   * the attempt fails. Without it the call counts at what it was booked at. `model`: which one used it, where that is not the
   * one that the effect named.
   */
  readonly used: (tokens: ModelTokens, model?: string) => void;
}

/** Each token is of one kind: what was read from the provider's cache, or written to it, is not in `tokensIn` too. */
export interface ModelTokens {
  readonly tokensIn?: number | undefined;
  readonly tokensCachedRead?: number | undefined;
  readonly tokensCachedWrite?: number | undefined;
  readonly tokensOut?: number | undefined;
}

export interface AgentState {
  /** The value as this invocation sees it: as of its start, with its own writes. */
  get<T extends Json = Json>(key: string): T | undefined;
  /** Resolves when the write is lined up for the journal. */
  set(key: string, value: Json): Promise<void>;
  update<T extends Json>(key: string, change: (value: T | undefined) => T): Promise<T>;
  delete(key: string): Promise<void>;
  keys(): readonly string[];
}

export interface ConversationMessage {
  readonly role: string;
  readonly content: string;
}

export interface Conversation {
  /** As of the start of the invocation, with its own messages; oldest first. */
  messages(): readonly ConversationMessage[];
  append(message: ConversationMessage): Promise<void>;
  /**
   * Puts these words, as a message of the system, in place of the first `count` messages that there were when the invocation
   * began: for itself, and for every invocation that begins after this one has said so.
   */
  compact(count: number, summary: string): Promise<void>;
}

/** A promise that outlives crashes. Whoever holds its id can settle it, once, also while nothing of the agent runs. */
export type DurablePromise<T extends Json> = Promise<T> & { readonly id: string };

export interface PromiseOptions {
  /** What whoever settles it gets to see. */
  readonly data?: Json;
  /** After which it expires, and rejects with `PromiseExpired`; never unless given. */
  readonly expiresInMs?: number;
}

export interface AgentContext {
  readonly process: string;
  /** From 1; more after an attempt that failed. */
  readonly attempt: number;
  readonly state: AgentState;
  readonly conversation: Conversation;
  /** What people wrote to this agent, delivered with this invocation and no other. */
  readonly inbox: readonly InboxMessage[];
  /** What the manifest, or an operator since, tells it to do: as it was when the invocation began. */
  readonly instructions: string;
  /**
   * Does something to the outside world, once. The announcement is in the journal before `perform` is called, the
   * outcome before the result is returned, and a recorded outcome is returned without performing again.
   * @throws EffectFailed when it did not happen, or when nobody can tell
   */
  effect<T extends Json, Args extends Json = Json>(
    name: string,
    options: EffectOptions<T, Args>,
    perform: (call: EffectCall<Args>) => Promise<T>,
  ): Promise<T>;
  /**
   * A promise that somebody outside settles, by its id. While nothing else is under way the process is `awaiting` and
   * its worker is let go.
   * @throws PromiseRejected, PromiseExpired where it is awaited
   */
  promise<T extends Json = Json>(name: string, options?: PromiseOptions): DurablePromise<T>;
  /**
   * Waits for milliseconds, or until a moment; late rather than never where nothing ran at that time. `name`: what for,
   * for whoever looks at what it waits for.
   */
  sleep(duration: number | { readonly until: number | Date }, name?: string): Promise<void>;
  /** Waits until the predicate is true, looked at after everything that happens to the invocation. False in time-out. */
  until(predicate: () => boolean, options?: { readonly timeoutMs?: number }): Promise<boolean>;
  /** Calls back with each signal of this name, also with those that came before. */
  onSignal<T extends Json = Json>(name: string, handler: (payload: T) => void | Promise<void>): void;
  /** Answers a question about the invocation. It may only look. */
  onQuery<Args extends Json = Json>(name: string, handler: (args: Args) => Json): void;
  /** The clock, in epoch milliseconds; in a re-run what was read before. */
  now(): number;
  /** From 0 to below 1, the same in every re-run. */
  random(): number;
  /** A random UUID, the same in every re-run. */
  uuid(): string;
  /**
   * Which way to go at a change of the code: `max`, but in an invocation that had passed this place before the change,
   * `min`. Recorded, so that it stays the same.
   */
  version(name: string, min: number, max: number): number;
  /** Tells all processes that listen for events of this type; each hears it once. */
  emit(type: string, data?: Json): Promise<void>;
  /** Sends to all processes that listen to this topic; each gets it once. */
  send(topic: string, content: Json): Promise<void>;
  /**
   * The present value of a secret that the manifest names, asked of the host at each call. Also inside an effect, where it
   * is best had: what it is used for is then not recorded at all. Wherever else it goes through `ctx`, its name stands for it.
   * @throws SecretUnavailable
   */
  secret(name: string): Promise<string>;
  log(text: string, level?: LogLevel): void;
}
