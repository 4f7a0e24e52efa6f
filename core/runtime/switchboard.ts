// Who hears what processes say to each other: the event bus, where all who listen for a type hear it, and the message
// broker, where all who listen to a topic do. It delivers from the sender's journal [S38], in the sender's order.

import { codeOf, messageOf } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { matchesTopic, type SentMessage } from '../model/messages.ts';
import type { Sender } from '../model/entry.ts';
import type { TriggerConfig } from '../model/trigger-config.ts';
import type { Tick } from './trigger-set.ts';

/** Whoever may hear. */
export interface Listener {
  readonly name: string;
  /** With the ids that its triggers go by. */
  readonly listens: () => readonly { readonly id: string; readonly trigger: TriggerConfig }[];
  readonly hear: (tick: Tick, from: Sender) => Promise<void>;
}

export interface Delivery {
  readonly to: readonly string[];
  readonly refused: readonly Refusal[];
  /** Those that can't take it now, and may later. */
  readonly later: readonly Refusal[];
}

export interface Refusal {
  readonly process: string;
  readonly why: string;
}

/** It takes no events, and nothing but a person changes that. */
const REFUSES = 'process.not-active';

export class Switchboard {
  readonly #listeners: () => Iterable<Listener>;

  constructor(listeners: () => Iterable<Listener>) {
    this.#listeners = listeners;
  }

  /**
   * Resolves when all who listen have it durably, refuse it, or have to be asked again; those that have it won't take it
   * twice.
   */
  async deliver(sender: string, message: SentMessage): Promise<Delivery> {
    const { number, numbering } = message;
    const from = { process: sender, number, ...(numbering === undefined ? {} : { numbering }) };
    const to: string[] = [];
    const refused: Refusal[] = [];
    const later: Refusal[] = [];
    for (const listener of this.#listeners()) {
      const tick = tickFor(listener, sender, message);
      if (tick === null) continue;
      try {
        await listener.hear(tick, from);
        to.push(listener.name);
      } catch (error) {
        const refusal = { process: listener.name, why: messageOf(error).slice(0, 500) };
        (codeOf(error) === REFUSES ? refused : later).push(refusal);
      }
    }
    return { to, refused, later };
  }
}

/** The first of its triggers that takes the message: each process hears it once. */
function tickFor(listener: Listener, sender: string, message: SentMessage): Tick | null {
  for (const { id, trigger } of listener.listens()) {
    const payload = payloadFor(trigger, sender, message);
    if (payload !== null) return { triggerId: id, triggerType: trigger.type, payload };
  }
  return null;
}

/** No two messages of a process have the same, whatever became of its journal between them. */
function idOf(sender: string, { numbering, number }: SentMessage): string {
  return numbering === undefined ? `${sender}/${number}` : `${sender}/${numbering}/${number}`;
}

/** Promptise's keys. */
function payloadFor(trigger: TriggerConfig, sender: string, message: SentMessage): Json | null {
  const { kind, topic, data } = message;
  if (trigger.type === 'event' && kind === 'event') {
    const { eventType, eventSource } = trigger;
    if (!matchesTopic(eventType, topic) || (eventSource !== null && eventSource !== sender)) return null;
    return { event_type: topic, event_id: idOf(sender, message), source: sender, data };
  }
  if (trigger.type === 'message' && kind === 'message') {
    if (!matchesTopic(trigger.topic, topic)) return null;
    return { topic, message_id: idOf(sender, message), sender, content: data };
  }
  return null;
}
