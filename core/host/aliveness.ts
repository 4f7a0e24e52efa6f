// What a heartbeat of this host says.

import { hostIdentity } from '../journal/host-identity.ts';
import type { JsonObject } from '../model/json.ts';
import { timestampOf } from '../model/time.ts';
import type { LiveWorkspace } from './live-workspace.ts';
import type { HeartbeatConfig } from './outgoing-heartbeat.ts';

/** Nothing in it is secret: which host, when, and how its processes stand. */
export function aliveness(live: LiveWorkspace, { everyMs }: HeartbeatConfig): JsonObject {
  const states: Record<string, number> = {};
  for (const { snapshot } of live.runtime.processes.values()) {
    states[snapshot.lifecycle] = (states[snapshot.lifecycle] ?? 0) + 1;
  }
  return {
    type: 'heartbeat',
    host_id: hostIdentity().hostId,
    journal_id: live.id,
    at: timestampOf(Date.now()),
    every_seconds: everyMs / 1_000,
    processes: states,
  };
}
