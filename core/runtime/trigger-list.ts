// The triggers that a process has: those of its manifest, but for what was taken away, and those that were added.

import { asAppError, type AppError } from '../model/errors.ts';
import { parseFilter, type Filter } from '../model/filter-expression.ts';
import { textAt } from '../model/json.ts';
import type { TriggerConfig } from '../model/trigger-config.ts';
import type { TriggersState } from '../model/trigger-record.ts';
import { triggerFromManifest } from '../manifest/trigger-schema.ts';
import { cronSchedule } from '../triggers/cron-schedule.ts';
import { nameMatcher } from '../triggers/file-watch-names.ts';
import { checkWebhook } from '../triggers/webhook-route.ts';
import { withIds } from './trigger-id.ts';

const MAX_TYPE = 100;

export interface KnownTrigger {
  readonly id: string;
  readonly trigger: TriggerConfig;
  readonly filter: Filter | null;
  /** Whether somebody added it, beside the manifest. */
  readonly isAdded: boolean;
}

/** One that makes no sense (any more): another version of this program took it, or another environment had its secret. */
export interface UnusableTrigger {
  readonly id: string;
  readonly type: string;
  readonly isAdded: boolean;
  readonly error: AppError;
}

export interface TriggerList {
  readonly usable: readonly KnownTrigger[];
  /** The others go on without them. */
  readonly unusable: readonly UnusableTrigger[];
}

interface Said {
  readonly id: string;
  readonly type: string;
  readonly isAdded: boolean;
  /** @throws `trigger.*`, `manifest.*` */
  readonly trigger: () => TriggerConfig;
}

export function triggerList(
  configured: readonly TriggerConfig[],
  { added, removed }: Readonly<Pick<TriggersState, 'added' | 'removed'>>,
): TriggerList {
  const own = withIds(configured.map((trigger) => ({ trigger }))).map(({ id, trigger }): Said => ({
    id,
    type: trigger.type,
    isAdded: false,
    trigger: () => trigger,
  }));
  const more = added.map(({ id, config }): Said => ({
    id,
    type: textAt(config, 'type').slice(0, MAX_TYPE),
    isAdded: true,
    trigger: () => triggerFromManifest(config),
  }));
  const ids = new Set(more.map(({ id }) => id));
  const usable: KnownTrigger[] = [];
  const unusable: UnusableTrigger[] = [];
  for (const said of [...own.filter(({ id }) => !removed.includes(id) && !ids.has(id)), ...more]) {
    const { id, type, isAdded } = said;
    try {
      const trigger = said.trigger();
      usable.push({ id, trigger, isAdded, filter: checkTrigger(trigger) });
    } catch (error) {
      unusable.push({ id, type, isAdded, error: asAppError(error) });
    }
  }
  return { usable, unusable };
}

/**
 * Its filter.
 * @throws `trigger.*` for one that could never wake anything
 */
export function checkTrigger(trigger: TriggerConfig): Filter | null {
  if (trigger.type === 'cron') cronSchedule(trigger);
  if (trigger.type === 'webhook') checkWebhook(trigger);
  if (trigger.type === 'file_watch') nameMatcher(trigger.patterns);
  return trigger.type === 'manual' || trigger.filter === null ? null : parseFilter(trigger.filter);
}

/** @throws `trigger.*` for the first that could never wake anything */
export function checkTriggers(triggers: readonly TriggerConfig[]): void {
  for (const trigger of triggers) checkTrigger(trigger);
}

/** For a person. */
export function describeTrigger(trigger: TriggerConfig): string {
  switch (trigger.type) {
    case 'cron':
      return `${trigger.cronExpression} (${trigger.cronTimezone})`;
    case 'manual':
      return 'when an operator asks';
    case 'event':
      return `event ${trigger.eventType}${trigger.eventSource === null ? '' : ` of ${trigger.eventSource}`}`;
    case 'message':
      return `messages to ${trigger.topic}`;
    case 'webhook':
      return `POST ${trigger.host}:${trigger.port}${trigger.path}`;
    case 'file_watch':
      return `${trigger.events.join(', ')}: ${trigger.patterns.join(' ')} in ${trigger.path}`;
  }
}
