import { createHash } from 'node:crypto';
import type { TriggerConfig } from '../model/trigger-config.ts';

/** An operator's *trigger now*. */
export const MANUAL_TRIGGER = 'manual';

/**
 * Promptise's form, from what the trigger listens to: the same in every life of the process, wherever it stands in the
 * manifest, so that what is on record about it stays its own.
 */
export function triggerIdOf(trigger: TriggerConfig): string {
  switch (trigger.type) {
    case 'manual':
      return MANUAL_TRIGGER;
    case 'webhook':
      return `webhook-${trigger.port}${trigger.path}`;
    case 'file_watch':
      return `file_watch-${trigger.path}`;
    case 'cron':
      return `cron-${digest(`${trigger.cronExpression.trim().split(/\s+/).join(' ')} ${trigger.cronTimezone}`)}`;
    case 'event':
      return `event-${digest(`${trigger.eventType} ${trigger.eventSource ?? ''}`)}`;
    case 'message':
      return `message-${digest(trigger.topic)}`;
  }
}

/**
 * Of several that listen to the same, which filters may tell apart, the second in the order of their filters is called …-2;
 * or …-3, where what another listens to is called …-2.
 */
export function withIds<T extends { readonly trigger: TriggerConfig }>(
  triggers: readonly T[],
): readonly (T & { readonly id: string })[] {
  const alike = Map.groupBy(triggers, ({ trigger }) => triggerIdOf(trigger));
  const ids = new Map<T, string>();
  const taken = new Set(alike.keys());
  for (const id of [...alike.keys()].toSorted(compareText)) {
    const ones = alike.get(id)!.toSorted((a, b) => compareText(orderOf(a.trigger), orderOf(b.trigger)));
    let number = 1;
    for (const one of ones) {
      let own = id;
      while (one !== ones[0] && taken.has(own)) {
        number += 1;
        own = `${id}-${number}`;
      }
      taken.add(own);
      ids.set(one, own);
    }
  }
  return triggers.map((one) => ({ ...one, id: ids.get(one)! }));
}

const MAX_NAMED = 10;

/** For a person: a path may be long, and a process may have many triggers. */
export function someOf(ids: readonly string[]): string {
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  return ids.slice(0, MAX_NAMED).join(', ') + more;
}

/** Where it stands in the manifest doesn't count. */
function orderOf(trigger: TriggerConfig): string {
  return JSON.stringify(['filter' in trigger ? trigger.filter : null, trigger]);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
