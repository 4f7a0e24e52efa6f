import type { JsonObject, Json } from '../model/json.ts';

/** Something that may wake a process, as its source tells of it. */
export interface TriggerCall {
  readonly payload: Json;
  /** How it came: never a credential. */
  readonly metadata: JsonObject;
  /** Where the source may tell of the same thing twice: the same text both times, at most 200 characters. */
  readonly key?: string;
  /** Where its key counts once: it was not used before, in epoch milliseconds. */
  readonly sinceMs?: number;
}

/** `known`: its key was taken before. `filtered`: recorded, and nothing runs. */
export type TriggerAnswer =
  | { readonly kind: 'accepted'; readonly eventId: string }
  | { readonly kind: 'filtered'; readonly why: string }
  | { readonly kind: 'known' };

/**
 * Resolves when what became of the call is durable.
 * @throws AppError `process.not-active`, `process.held`, `process.queue-full`, `trigger.closed`, or what is wrong with the
 * journal: nothing was accepted, and the source may try again; `trigger.signature-too-old`: it has to be signed anew
 */
export type TriggerSink = (call: TriggerCall) => Promise<TriggerAnswer>;
