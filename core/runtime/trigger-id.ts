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

/** Of several that listen to the same, which filters may tell apart, the second in the order of their filters is called …-2. */
export function withIds<T extends { readonly trigger: TriggerConfig }>(
  triggers: readonly T[],
): readonly (T & { readonly id: string })[] {
  const alike = Map.groupBy(triggers, ({ trigger }) => triggerIdOf(trigger));
  for (const ones of alike.values()) ones.sort((a, b) => compareText(orderOf(a.trigger), orderOf(b.trigger)));
  return triggers.map((one) => {
    const id = triggerIdOf(one.trigger);
    const at = alike.get(id)!.indexOf(one);
    return { ...one, id: at === 0 ? id : `${id}-${at + 1}` };
  });
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
