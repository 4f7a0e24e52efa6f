import type { EffectClass } from '../model/effects.ts';
import type { TriggerEvent } from '../model/entry.ts';
import type { Json } from '../model/json.ts';
import type { LogLevel } from '../model/worker-protocol.ts';

/** What a code agent is: a function from trigger events to effects and state. */
export interface AgentDefinition {
  /**
   * Handles one trigger event. After a crash it is called again with the same event and runs from the top; effects and
   * writes that were recorded are answered from the journal. What it returns is kept as the response.
   */
  readonly onTrigger: (ctx: AgentContext, event: TriggerEvent) => Promise<string | void>;
}

export function defineAgent(definition: AgentDefinition): AgentDefinition {
  return definition;
}

export interface EffectOptions {
  /** How a repetition is handled while the outcome is unknown; `ask` unless given. */
  readonly class?: EffectClass;
  /** What the effect is called with: recorded by hash, so that a re-run that asks for something else is noticed. */
  readonly args?: Json;
  /** Sent to the provider with every attempt; made from journal, process, event and effect unless given. */
  readonly key?: string;
}

export interface EffectCall<Args> {
  readonly args: Args;
  /** The same in every attempt. */
  readonly key: string;
  /** From 1. */
  readonly attempt: number;
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

export interface AgentContext {
  readonly process: string;
  readonly state: AgentState;
  /**
   * Does something to the outside world, once. The announcement is in the journal before `perform` is called, the
   * outcome before the result is returned, and a recorded outcome is returned without performing again.
   * @throws EffectFailed when it did not happen, or when nobody can tell
   */
  effect<T extends Json, Args extends Json = Json>(
    name: string,
    options: EffectOptions & { readonly args?: Args },
    perform: (call: EffectCall<Args>) => Promise<T>,
  ): Promise<T>;
  log(text: string, level?: LogLevel): void;
}
