import type { TriggerEvent } from '../model/entry.ts';
import type { ProcessDefinition, TriggerConfig } from '../model/process-config.ts';
import { startCron, type RunningTrigger } from '../triggers/cron.ts';

/** An operator's *trigger now*. */
export const MANUAL_TRIGGER = 'manual';

export interface TriggerView {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  /** ISO 8601; null when it is closed, or wakes only when told to. */
  readonly next: string | null;
}

/** A trigger's call, before it is an event. */
export type Tick = Pick<TriggerEvent, 'triggerId' | 'triggerType' | 'payload'>;

/** The triggers of one process, opened and closed together. */
export class TriggerSet {
  readonly #definition: ProcessDefinition;
  readonly #onEvent: (event: Tick) => void;
  readonly #running = new Map<string, RunningTrigger>();
  #isOpen = false;

  constructor(definition: ProcessDefinition, onEvent: (event: Tick) => void) {
    this.#definition = definition;
    this.#onEvent = onEvent;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** @throws `trigger.*`, with all of them closed */
  open(): void {
    this.close();
    this.#isOpen = true;
    for (const [at, trigger] of this.#definition.config.triggers.entries()) {
      if (trigger.type !== 'cron') continue;
      const triggerId = idOf(trigger.type, at);
      try {
        const running = startCron(trigger, ({ scheduledTime }) => {
          this.#onEvent({
            triggerId,
            triggerType: 'cron',
            payload: {
              scheduled_time: scheduledTime,
              cron_expression: trigger.cronExpression,
              timezone: trigger.cronTimezone,
            },
          });
        });
        this.#running.set(triggerId, running);
      } catch (error) {
        this.close();
        throw error;
      }
    }
  }

  /** Those that hear what other processes say. */
  listening(): readonly { readonly id: string; readonly trigger: TriggerConfig }[] {
    return this.#definition.config.triggers.flatMap((trigger, at) =>
      trigger.type === 'event' || trigger.type === 'message' ? [{ id: idOf(trigger.type, at), trigger }] : [],
    );
  }

  close(): void {
    this.#isOpen = false;
    for (const trigger of this.#running.values()) trigger[Symbol.dispose]();
    this.#running.clear();
  }

  /** The one that comes due first; null when none does. */
  get next(): { readonly id: string; readonly at: string } | null {
    let first: { readonly id: string; readonly at: string } | null = null;
    for (const [id, { next: at }] of this.#running) {
      if (at !== null && (first === null || at < first.at)) first = { id, at };
    }
    return first;
  }

  views(): readonly TriggerView[] {
    return this.#definition.config.triggers.map((trigger, at) => {
      const id = idOf(trigger.type, at);
      const description = describe(trigger);
      return { id, type: trigger.type, description, next: this.#running.get(id)?.next ?? null };
    });
  }
}

function describe(trigger: TriggerConfig): string {
  switch (trigger.type) {
    case 'cron':
      return `${trigger.cronExpression} (${trigger.cronTimezone})`;
    case 'manual':
      return 'when an operator asks';
    case 'event':
      return `event ${trigger.eventType}${trigger.eventSource === null ? '' : ` of ${trigger.eventSource}`}`;
    case 'message':
      return `messages to ${trigger.topic}`;
  }
}

function idOf(type: string, at: number): string {
  return type === MANUAL_TRIGGER ? MANUAL_TRIGGER : `${type}-${at}`;
}
