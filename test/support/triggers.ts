// Triggers as tests need them, most of their keys as a manifest leaves them.

import { InMemoryJournal } from '../../core/journal/memory-journal.ts';
import { DEFAULT_PROCESS_CONFIG, type ProcessDefinition } from '../../core/model/process-config.ts';
import type { Clock } from '../../core/model/ports.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import type {
  CronTriggerConfig,
  FileWatchTriggerConfig,
  MissedPolicy,
  TriggerConfig,
} from '../../core/model/trigger-config.ts';
import { Recorder } from '../../core/runtime/recorder.ts';
import { TriggerSet } from '../../core/runtime/trigger-set.ts';
import { WebhookServers } from '../../core/triggers/webhook-servers.ts';

export function cron(
  cronExpression: string,
  missed: MissedPolicy = 'skip',
  filter: string | null = null,
): CronTriggerConfig {
  return { type: 'cron', cronExpression, cronTimezone: 'UTC', missed, filter };
}

export function fileWatch(
  path: string,
  changed: Partial<FileWatchTriggerConfig> = {},
): FileWatchTriggerConfig {
  return {
    type: 'file_watch',
    path,
    patterns: ['*'],
    events: ['created', 'modified'],
    debounceMs: 50,
    polling: null,
    filter: null,
    ...changed,
  };
}

/** The triggers of a process that nothing else is there of. */
export function triggerSet(triggers: readonly TriggerConfig[], clock: Clock): TriggerSet {
  const definition: ProcessDefinition = {
    name: 'agent',
    description: '',
    entrypoint: 'agent.ts',
    config: { ...DEFAULT_PROCESS_CONFIG, triggers },
    configHash: '',
    codeHash: '',
  };
  const recorder = new Recorder(emptySnapshot(), {
    journal: new InMemoryJournal(),
    process: definition.name,
    level: 'full',
    checkpointEvery: 'auto',
    clock,
    ids: { next: () => crypto.randomUUID() },
    onFailure: () => {},
  });
  return new TriggerSet({
    definition,
    recorder: () => recorder,
    clock,
    servers: new WebhookServers(),
    needsPolling: () => null,
    sink: () => () => Promise.resolve({ kind: 'known' }),
    onDue: () => Promise.resolve(),
    health: () => ({ reason: null, queueSize: 0 }),
    onChange: () => {},
  });
}
