import type { TriggerEvent } from '../model/entry.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
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
      const description =
        trigger.type === 'cron'
          ? `${trigger.cronExpression} (${trigger.cronTimezone})`
          : 'when an operator asks';
      return { id, type: trigger.type, description, next: this.#running.get(id)?.next ?? null };
    });
  }
}

function idOf(type: string, at: number): string {
  return type === MANUAL_TRIGGER ? MANUAL_TRIGGER : `${type}-${at}`;
}
