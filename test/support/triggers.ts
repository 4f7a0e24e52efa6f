// Triggers as tests need them, most of their keys as a manifest leaves them.

import { InMemoryJournal } from '../../core/journal/memory-journal.ts';
import type { EntryType } from '../../core/model/entry.ts';
import { parseFilter } from '../../core/model/filter-expression.ts';
import { DEFAULT_PROCESS_CONFIG, type ProcessDefinition } from '../../core/model/process-config.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { LifecycleState } from '../../core/model/lifecycle.ts';
import type { Clock } from '../../core/model/ports.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import type {
  CronTriggerConfig,
  FileWatchTriggerConfig,
  MissedPolicy,
  TriggerConfig,
} from '../../core/model/trigger-config.ts';
import { eventIntake, type EventIntake } from '../../core/runtime/event-intake.ts';
import { Recorder } from '../../core/runtime/recorder.ts';
import { triggerIdOf } from '../../core/runtime/trigger-id.ts';
import type { KnownTrigger } from '../../core/runtime/trigger-list.ts';
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

const PROCESS = 'agent';

function recorderOn(clock: Clock): Recorder {
  return new Recorder(emptySnapshot(), {
    journal: new InMemoryJournal(),
    process: PROCESS,
    level: 'full',
    checkpointEvery: 'auto',
    clock,
    ids: { next: () => crypto.randomUUID() },
    onFailure: () => {},
  });
}

export function knownTrigger<T extends Exclude<TriggerConfig, { readonly type: 'manual' }>>(
  trigger: T,
  isAdded = false,
): KnownTrigger & { readonly trigger: T } {
  const filter = trigger.filter === null ? null : parseFilter(trigger.filter);
  return { id: triggerIdOf(trigger), trigger, filter, isAdded };
}

export interface Intake {
  readonly intake: EventIntake;
  readonly recorder: Recorder;
  state: LifecycleState;
  /** What comes of something that begins while this is being done, and waits until it is on record. */
  during<T>(type: EntryType, data: JsonObject, begin: () => Promise<T>): Promise<T>;
}

/** Where the events of a process come in that nothing else is there of. */
export function intakeOn(clock: Clock, triggers: readonly KnownTrigger[] = []): Intake {
  const recorder = recorderOn(clock);
  let doing: Promise<void> = Promise.resolve();
  const self: Pick<Intake, 'state'> = { state: 'running' };
  const intake = eventIntake({
    process: PROCESS,
    ids: { next: () => crypto.randomUUID() },
    recorder: () => recorder,
    state: () => self.state,
    ready: () => doing,
    filterOf: (id) => triggers.find((one) => one.id === id)?.filter ?? null,
    onAccepted: () => {},
  });
  const during: Intake['during'] = async (type, data, begin) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    doing = promise;
    const begun = begin();
    await recorder.record(type, data);
    resolve();
    return begun;
  };
  return Object.assign(self, { intake, recorder, during });
}

/** The triggers of a process that nothing else is there of. */
export function triggerSet(triggers: readonly TriggerConfig[], clock: Clock): TriggerSet {
  const definition: ProcessDefinition = {
    name: PROCESS,
    description: '',
    entrypoint: 'agent.ts',
    directory: '',
    config: { ...DEFAULT_PROCESS_CONFIG, triggers },
    configHash: '',
    codeHash: '',
  };
  const recorder = recorderOn(clock);
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
