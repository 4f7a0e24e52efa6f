// One moment of the whole: disks, the host and its worker, the world, who was told what, and what may still go wrong.

import type { EffectClass } from '../../../core/model/effects.ts';
import type { DeliveryPolicy } from '../../../core/model/delivery.ts';
import type { OpenInvocation } from '../../../core/model/snapshot.ts';
import type { Durability } from '../../../core/model/ports.ts';
import { Place } from './journal.ts';
import type { Delivered, Program } from './programs.ts';

/** Something that waits for a line to be as durable as it was asked to be. */
export type Want =
  | { readonly is: 'source'; readonly eventId: string }
  | { readonly is: 'settler'; readonly waitId: string; readonly status: string }
  | { readonly is: 'settled by time'; readonly waitId: string; readonly status: string }
  | { readonly is: 'reader'; readonly messageId: string }
  | { readonly is: 'operator'; readonly did: 'resolved' | 'redelivered' }
  | { readonly is: 'permit'; readonly effectId: string; readonly generation: number }
  | { readonly is: 'sender'; readonly number: number };

export interface Line {
  readonly place: Place;
  readonly isSynced: boolean;
  readonly wants: readonly Want[];
}

export interface Disk {
  /** What no crash takes away. */
  kept: Place;
  /** Written or about to be, and not synced. */
  tail: Line[];
}

/** With everything that was written, kept or not. */
export const headOf = ({ kept, tail }: Disk): Place => tail.at(-1)?.place ?? kept;

/** Where an effect, a wait or a message stands in a run of its code. */
export interface OpRun {
  readonly name: string;
  readonly kind: 'effect' | 'wait' | 'send';
  readonly id: string;
  readonly effectClass: EffectClass | null;
  is:
    | 'behind the record'
    | 'recorded'
    | 'recorded earlier'
    | 'announced'
    | 'permitted'
    | 'done'
    | 'did_not_happen'
    | 'in_doubt'
    | 'to repeat'
    | 'to ask about'
    | 'held'
    | 'waited for'
    | 'delivered';
  /** Of an effect: the attempt that is asked for, those of this run, and since when its call may have been under way. */
  attempt: number;
  tries: number;
  waitsFrom: number;
  /** An attempt before this one may have happened. */
  wasInDoubt: boolean;
  ok: boolean;
}

/** Permitted, and nobody but its worker knows what became of it. */
export function isUnreported({ kind, is }: OpRun): boolean {
  return (
    kind === 'effect' && (is === 'permitted' || is === 'done' || is === 'did_not_happen' || is === 'in_doubt')
  );
}

/** What was recorded, for a run that goes on from it; told apart by what it says. */
export class Record {
  readonly open: OpenInvocation;
  readonly id: number;

  constructor(open: OpenInvocation, id: number) {
    this.open = open;
    this.id = id;
  }

  toJSON(): number {
    return this.id;
  }
}

export interface Run {
  readonly eventId: string;
  readonly attempt: number;
  readonly record: Record;
  /** Recorded of this attempt and not delivered, in the order of the journal; and not asked for. */
  recorded: string[];
  unasked: string[];
  live: Delivered[];
  /** Ended before its code asked again. */
  early: Delivered[];
  delivered: Delivered[];
  ops: OpRun[];
  isParked: boolean;
  isParkedOnRecord: boolean;
  unsaid: Delivered[];
}

export interface Worker {
  readonly generation: number;
  runs: Run[];
}

export interface Host {
  readonly name: 'A' | 'B';
  readonly epoch: number;
  isWanted: boolean;
  isGateOpen: boolean;
  isSettlingDown: boolean;
  /** Announced and not permitted. */
  pending: { readonly effectId: string; readonly eventId: string; isOnRecord: boolean }[];
  worker: Worker | null;
  delivering: number | null;
}

/** A worker whose host is gone, and what it was permitted to do. */
export interface Orphan {
  readonly generation: number;
  mayDo: { readonly effectId: string; readonly effectClass: EffectClass; readonly key: string }[];
}

/** What the world knows of an effect since the last word that nothing had happened. */
export interface Touched {
  mayHaveHappened: boolean;
  happened: number;
  key: string;
  /** Of the first time that it may have happened. */
  since: number;
  /** On its way, and there by then at the latest. */
  underWayUntil: number | null;
  /** An operator said that it did not happen, and it has not been done since. */
  isToBeDone: boolean;
}

export interface Left {
  events: number;
  workerDeaths: number;
  hostDeaths: number;
  mishaps: number;
  suspensions: number;
  ticks: number;
  checkpoints: number;
  notes: number;
  settlements: number;
  takeOvers: number;
  rewinds: number;
}

export interface State {
  now: number;
  journal: Disk;
  receiver: Disk;
  host: Host | null;
  /** The lock's. */
  epoch: number;
  /** A host that had the lock and does not know that it has lost it: its epoch. */
  fenced: number | null;
  orphans: Orphan[];
  world: { [effectId: string]: Touched };
  told: {
    accepted: string[];
    settled: { [waitId: string]: string };
    notes: string[];
    resolved: number;
    redelivered: number;
  };
  accepted: number;
  left: Left;
}

export interface Scenario {
  readonly name: string;
  readonly program: Program;
  readonly durability: Durability;
  readonly delivery: DeliveryPolicy;
  readonly concurrency: number;
  /** How much further than the others it is followed: the small ones until nothing is left that could happen. */
  readonly deeper: number;
  readonly left: Left;
}

/** A copy to change; places and records are shared. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Place || value instanceof Record)
    return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy: { [key: string]: unknown } = {};
  for (const key of Object.keys(value)) copy[key] = copyOf((value as { [key: string]: unknown })[key]);
  return copy as T;
}
