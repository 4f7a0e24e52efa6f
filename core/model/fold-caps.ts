// What the journal tells of caps: which apply to this process, on which day of theirs, and what it has used of that.

import { CAP_NAMES, isCapName, type CapName } from './cap-names.ts';
import { CAP_LIMITS, type CapLimits, type CapRecord } from './caps.ts';
import { objectAt, textAt, type JsonObject } from './json.ts';
import { isNone, plus, type Amounts } from './meters.ts';
import type { ProcessSnapshot } from './snapshot.ts';
import { isMoment } from './time.ts';

/** Another day of the cap begins, or it has other limits; without limits there is none any more. */
export function capApplied(state: ProcessSnapshot, data: JsonObject): void {
  const cap = textAt(data, 'cap');
  if (!isCapName(cap)) return;
  const limits = objectAt(data, 'limits');
  if (limits === null) {
    const { [cap]: _, ...others } = state.caps;
    state.caps = others;
    return;
  }
  const until = textAt(data, 'until');
  if (!isMoment(Date.parse(until))) return;
  const before = state.caps[cap];
  const id = textAt(data, 'id');
  // The same day with other limits goes on [S22].
  const spent = before?.id === id ? before.spent : {};
  const record: CapRecord = { limits: limitsIn(limits), id, until, spent };
  state.caps = { ...state.caps, [cap]: record };
}

function limitsIn(data: JsonObject): CapLimits {
  const limits: Record<string, number> = {};
  for (const limit of CAP_LIMITS) {
    const value = data[limit];
    if (typeof value === 'number' && value >= 0) limits[limit] = value;
  }
  return limits;
}

/** It counts for the day of each cap that is open. */
export function spentOfCaps(state: ProcessSnapshot, amounts: Amounts): void {
  if (isNone(amounts)) return;
  for (const cap of CAP_NAMES) {
    const record = state.caps[cap];
    if (record === undefined) continue;
    state.caps = { ...state.caps, [cap]: { ...record, spent: plus(record.spent, amounts) } };
  }
}

/** Of a checkpoint that somebody else wrote. */
export function knownCaps(caps: ProcessSnapshot['caps']): ProcessSnapshot['caps'] {
  const known: Partial<Record<CapName, CapRecord>> = {};
  for (const cap of CAP_NAMES) if (caps[cap] !== undefined) known[cap] = caps[cap];
  return known;
}
