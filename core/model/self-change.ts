// What an agent in open mode changed about itself, as its journal tells it: each change is one entry, with the key of the
// effect that asked for it, so that asking again changes nothing [P2]; and each is undone by another entry.

import type { Json, JsonObject } from './json.ts';

export const SELF_KINDS = ['instructions', 'trigger', 'server', 'process'] as const;
export type SelfKind = (typeof SELF_KINDS)[number];

/** `removed`: by the agent, or with a trigger or a process by anybody. `replaced`: there is a later word on the same. */
export const CHANGE_ENDS = ['undone', 'removed', 'replaced'] as const;

export interface ChangeEnd {
  readonly how: (typeof CHANGE_ENDS)[number];
  readonly at: string;
  readonly actor: string;
  readonly reason: string;
  /** Of the effect that ended it; empty where somebody else did. */
  readonly key: string;
}

export interface SelfChange {
  /** Its entry, which is what it goes by. */
  readonly seq: number;
  /** Of the effect that asked for it. */
  readonly key: string;
  readonly kind: SelfKind;
  /** The trigger, the server or the process; empty for instructions. */
  readonly what: string;
  /** The invocation that asked for it. */
  readonly eventId: string;
  readonly at: string;
  readonly reason: string;
  /** The instructions before, as long as that is of use; null where there were none. */
  readonly before?: Json;
  readonly end: ChangeEnd | null;
}

/** A process that it began, as it asked for it; the rest of it is its parent's. */
export interface SpawnedProcess {
  readonly name: string;
  readonly instructions: string;
  /** In a manifest's words. */
  readonly triggers: readonly JsonObject[];
  /** The names of those that it was granted. */
  readonly secrets: readonly string[];
  /** What it is to do at once; empty for nothing. */
  readonly task: string;
}

/** Never changed in place. */
export interface SelfState {
  /** Oldest first. */
  readonly changes: readonly SelfChange[];
  /** Tool servers beside the manifest's, as plans have them. */
  readonly servers: Readonly<Record<string, JsonObject>>;
  readonly spawned: readonly SpawnedProcess[];
  /** How often what it is made of was changed by itself: its instructions or its servers. */
  readonly rebuilds: number;
}

/** Of a process that another one began. */
export interface Parent {
  readonly process: string;
  /** 1 for a process that one with a manifest began. */
  readonly depth: number;
  /** Somebody is done with it: it is not begun again. */
  readonly isDiscarded: boolean;
}

/** So deep may processes begin processes. */
export const MAX_DEPTH = 3;
/** So many changes are kept; with so many in force there are no more. */
export const MAX_CHANGES = 100;
/** Of its instructions, those that can be gone back to one by one. */
export const MAX_STEPS_BACK = 5;

export function emptySelf(): SelfState {
  return { changes: [], servers: {}, spawned: [], rebuilds: 0 };
}

/** In force, oldest first. */
export function standing({ changes }: SelfState, kind?: SelfKind): readonly SelfChange[] {
  return changes.filter((change) => change.end === null && (kind === undefined || change.kind === kind));
}

/** What the effect with this key has done already. */
export function doneWith({ changes }: SelfState, key: string): readonly SelfChange[] {
  return key === '' ? [] : changes.filter((change) => change.key === key || change.end?.key === key);
}

/** Undoing a change of the instructions takes those back that were made on top of it. */
export function undoneWith(self: SelfState, change: SelfChange): readonly SelfChange[] {
  if (change.kind !== 'instructions') return [change];
  return standing(self, 'instructions').filter(({ seq }) => seq >= change.seq);
}

/** For a person: *the trigger cron-1a2b*. */
export function describeChange({ kind, what }: Pick<SelfChange, 'kind' | 'what'>): string {
  switch (kind) {
    case 'instructions':
      return 'its instructions';
    case 'trigger':
      return `the trigger ${what}`;
    case 'server':
      return `the server ${what}`;
    case 'process':
      return `the process ${what}`;
  }
}
