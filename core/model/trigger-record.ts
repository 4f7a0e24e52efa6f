import type { JsonObject } from './json.ts';

/** Somebody's *not now*. */
export interface Pause {
  readonly reason: string;
  readonly actor: string;
  readonly at: string;
}

/** So many calls whose source may tell of them twice are remembered at least. */
export const REMEMBERED = 1_000;

/** A call whose source may tell of it twice, and when it was taken, in epoch milliseconds. */
export interface TakenKey {
  readonly key: string;
  readonly atMs: number;
}

/** What the journal says about one trigger of a process. */
export interface TriggerRecord {
  accepted: number;
  /** Calls that its filter left out. */
  filtered: number;
  /** Scheduled times that nothing ran for. */
  missed: number;
  lastEventAt: string | null;
  /** The last scheduled time that is done with, in epoch milliseconds: none up to it is looked at again [S22]. */
  lastScheduledMs: number | null;
  /** Before this, in epoch milliseconds, nothing was due; null where the process's own start says so. */
  sinceMs: number | null;
  paused: Pause | null;
  /** The last calls whose source may tell of them twice. */
  keys: TakenKey[];
}

export interface TriggersState {
  /** By id; those without a record are as new. */
  known: Record<string, TriggerRecord>;
  allPaused: Pause | null;
  /** Beside those of the manifest, in a manifest's words. */
  added: { readonly id: string; readonly config: JsonObject }[];
  /** Of the manifest's, those that were taken away. */
  removed: string[];
  /** When the process last began after somebody had ended it, in epoch milliseconds. */
  sinceMs: number | null;
  /** How the switch of the whole workspace stood when this process heard of it last; left out where it never did. */
  switch?: WorkspaceSwitch;
}

/** One switch for the triggers of all processes. Of two of its positions the one with the higher number is the later. */
export interface WorkspaceSwitch {
  readonly number: number;
  /** Null: released. */
  readonly pause: Pause | null;
}

export function emptyTrigger(): TriggerRecord {
  return {
    accepted: 0,
    filtered: 0,
    missed: 0,
    lastEventAt: null,
    lastScheduledMs: null,
    sinceMs: null,
    paused: null,
    keys: [],
  };
}

export function emptyTriggers(): TriggersState {
  return { known: {}, allPaused: null, added: [], removed: [], sinceMs: null };
}

/** Why all triggers of a process are off together: by itself, or with those of all others. */
export function pauseOfAll({ allPaused, switch: all }: Readonly<TriggersState>): Pause | null {
  return allPaused ?? all?.pause ?? null;
}

/** From when on a schedule is looked at, in epoch milliseconds; null for from now on. */
export function scheduledFrom(
  record: Readonly<TriggerRecord>,
  { sinceMs }: Readonly<TriggersState>,
): number | null {
  // A trigger's own word is the later one, whatever the clock showed when it was said.
  const moments = [record.lastScheduledMs, record.sinceMs ?? sinceMs].filter((moment) => moment !== null);
  return moments.length === 0 ? null : Math.max(...moments);
}

/**
 * Whether a trigger that was looked up a while ago wakes nothing by now: it was paused, or taken away. `isAdded`: it was one
 * beside the manifest.
 */
export function isOff(
  triggers: Readonly<TriggersState>,
  { id, isAdded }: { readonly id: string; readonly isAdded: boolean },
): boolean {
  const { known, added, removed } = triggers;
  const isPaused = pauseOfAll(triggers) !== null || (Object.hasOwn(known, id) && known[id]!.paused !== null);
  return isPaused || (isAdded ? !added.some((one) => one.id === id) : removed.includes(id));
}

/** Whether a call that can't be older than `sinceMs` may have been taken and forgotten again. */
export function mayHaveForgotten({ keys }: Readonly<Pick<TriggerRecord, 'keys'>>, sinceMs: number): boolean {
  return keys.length >= REMEMBERED && keys[0]!.atMs >= sinceMs;
}

/** Whether a call with this key was taken, as far back as they are remembered. */
export function hasTaken({ keys }: Readonly<Pick<TriggerRecord, 'keys'>>, key: string): boolean {
  return keys.some((taken) => taken.key === key);
}
