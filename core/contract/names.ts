// The names alone, for where schemas would be dead weight: the preload, and the renderer's first paint.

import type { EventName } from './events.ts';
import type { RequestName } from './requests.ts';

/** What was spent, in one answer. */
export const MAX_COST_ROWS = 5_000;

/** The base name of a manifest in its workspace. */
export const MANIFEST_FILE = /^[^./\\\p{Cc}][^/\\\p{Cc}]{0,240}\.agent$/u;

const requests = {
  'app.info': true,
  'fleet.read': true,
  'journals.open': true,
  'journals.choose': true,
  'journals.close': true,
  'processes.read': true,
  'processes.watch': true,
  'timeline.read': true,
  'processes.start': true,
  'processes.suspend': true,
  'processes.resume': true,
  'processes.stop': true,
  'processes.trigger': true,
  'processes.kill-worker': true,
  'processes.force-recover': true,
  'processes.restart': true,
  'processes.preview': true,
  'effects.resolve': true,
  'promises.settle': true,
  'waiting.read': true,
  'waiting.show': true,
  'approvals.decide': true,
  'processes.signal': true,
  'processes.query': true,
  'inbox.write': true,
  'deadletters.redeliver': true,
  'deadletters.drop': true,
  'triggers.add': true,
  'triggers.remove': true,
  'triggers.pause': true,
  'triggers.resume': true,
  'triggers.fire': true,
  'budget.extend': true,
  'escalation.test': true,
  'mission.change': true,
  'health.clear': true,
  'settings.change': true,
  'settings.plan': true,
  'self.undo': true,
  'workspace.hold-triggers': true,
  'workspace.release-triggers': true,
  'workspace.changes': true,
  'workspace.reload': true,
  'manifests.read': true,
  'manifests.plan': true,
  'manifests.write': true,
  'manifests.remove': true,
  'manifests.schema': true,
  'metrics.read': true,
  'secrets.rotate': true,
  'secrets.revoke': true,
  'rewind.plan': true,
  'rewind.apply': true,
  'fork.plan': true,
  'fork.apply': true,
  'memory.search': true,
  'memory.read': true,
  'memory.write': true,
  'memory.forget': true,
  'memory.repair': true,
  'costs.read': true,
  'output.read': true,
  'tools.read': true,
} satisfies Record<RequestName, true>;

const events = {
  'fleet.changed': true,
  'process.changed': true,
  'console.show': true,
  'console.notice': true,
} satisfies Record<EventName, true>;

export const REQUEST_NAMES = Object.keys(requests) as readonly RequestName[];
export const EVENT_NAMES = Object.keys(events) as readonly EventName[];

/** Where the preload puts the bridge, and the channels behind it. */
export const BRIDGE = 'holdfast';
export const requestChannel = (name: RequestName): string => `holdfast:request:${name}`;
export const eventChannel = (name: EventName): string => `holdfast:event:${name}`;
