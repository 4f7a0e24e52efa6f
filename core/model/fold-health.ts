// What the journal tells of how a process behaves: what the detectors look at, and what they found.

import { withDuration } from './effect-history.ts';
import {
  isAnomalyType,
  MAX_REPLIES,
  MAX_RUNS,
  type AnomalyType,
  type FoundAnomaly,
  type HealthState,
} from './health.ts';
import { numberAt, textAt, type JsonObject } from './json.ts';
import type { ProcessSnapshot } from './snapshot.ts';
import { isMoment } from './time.ts';

const MAX_DESCRIPTION = 1_000;

// --- what is looked at

/** A run is over; a reply is what it gave where that is a text. */
export function runSeen({ health }: ProcessSnapshot, data: JsonObject, isOk: boolean): void {
  health.runs = `${health.runs}${isOk ? 1 : 0}`.slice(-MAX_RUNS);
  const length = data['reply_chars'];
  if (typeof length !== 'number' || !(length >= 0)) return;
  health.replies = [...health.replies, length].slice(-MAX_REPLIES);
}

/** An effect is done, and somebody measured how long that took. */
export function durationSeen({ health }: ProcessSnapshot, name: string, data: JsonObject, seq: number): void {
  const ms = data['took_ms'];
  if (typeof ms !== 'number' || !(ms >= 0)) return;
  health.histories = withDuration(health.histories, { name, ms, seq });
}

// --- what was found

export function anomalyFound(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const type = textAt(data, 'anomaly_type');
  if (!isAnomalyType(type)) return;
  const coolsUntilMs = Date.parse(timestamp) + numberAt(data, 'cooldown_ms');
  const found: FoundAnomaly = {
    description: textAt(data, 'description').slice(0, MAX_DESCRIPTION),
    action: textAt(data, 'action', 'log'),
    at: timestamp,
    eventId: textAt(data, 'event_id') || null,
    effectId: textAt(data, 'effect_id') || null,
    overAt: null,
    coolsUntilMs: isMoment(coolsUntilMs) ? coolsUntilMs : null,
  };
  state.health.found = { ...state.health.found, [type]: found };
}

export function anomalyOver(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const type = textAt(data, 'anomaly_type');
  if (isAnomalyType(type)) over(state.health, type, timestamp, {});
}

/** An operator has seen it: what was looked at before counts no more. Without a type, of all. */
export function startedAnew(state: ProcessSnapshot, data: JsonObject, timestamp: string, seq: number): void {
  const { health } = state;
  const given = textAt(data, 'anomaly_type');
  for (const type of Object.keys(health.found) as AnomalyType[]) {
    if (given !== '' && given !== type) continue;
    over(health, type, timestamp, { coolsUntilMs: null });
    health.anew = { ...health.anew, [type]: seq };
    if (type === 'empty_response') health.replies = [];
    if (type === 'high_error_rate') health.runs = '';
  }
}

function over(
  health: HealthState,
  type: AnomalyType,
  timestamp: string,
  more: Partial<Pick<FoundAnomaly, 'coolsUntilMs'>>,
): void {
  const found = health.found[type];
  if (found === undefined) return;
  health.found = { ...health.found, [type]: { ...found, overAt: found.overAt ?? timestamp, ...more } };
}

/** The clock was set: what is to last for a while still does [S22]. */
export function cooldownShifted({ health }: ProcessSnapshot, data: JsonObject): void {
  const byMs = numberAt(data, 'by_ms');
  for (const [type, found] of Object.entries(health.found) as [AnomalyType, FoundAnomaly][]) {
    const coolsUntilMs = found.coolsUntilMs === null ? Number.NaN : found.coolsUntilMs + byMs;
    if (isMoment(coolsUntilMs)) health.found = { ...health.found, [type]: { ...found, coolsUntilMs } };
  }
}

/** Of a checkpoint that somebody else wrote: types that this version does not know are not there. */
export function withKnownAnomalies(health: HealthState): HealthState {
  const known = <T>(of: Readonly<Partial<Record<AnomalyType, T>>>): Partial<Record<AnomalyType, T>> =>
    Object.fromEntries(Object.entries(of).filter(([type]) => isAnomalyType(type)));
  return { ...health, found: known(health.found), anew: known(health.anew) };
}
