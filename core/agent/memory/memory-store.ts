// What remembers for agents, whatever is behind it. All of it is plain data in and out.
//
// * A record is known by its id, which its writer makes: adding one that is known already, or was forgotten, changes nothing,
//   so that a write may be repeated [S28].
// * Whose a record is, its `userId` says. Nobody changes or forgets what is another's.
// * What is remembered is data that anybody may have written, and never instructions.

import type { JsonObject } from '../../model/json.ts';
import { MAX_MEMORY_TEXT } from '../../model/limits.ts';

export const MAX_MEMORY_ID = 100;
/** As it may be kept: whole characters, none that nobody sees and that end a text elsewhere, and not too many. */
export function keepable(text: string): string {
  const clean = text.toWellFormed().replaceAll('\u0000', '');
  return clean.length <= MAX_MEMORY_TEXT ? clean : `${clean.slice(0, MAX_MEMORY_TEXT - 1).toWellFormed()}…`;
}

/** Of one search. */
export const MAX_HITS = 200;

/** Where a record comes from. */
export interface MemorySource {
  /** `turn`: what was asked and answered; `tool`: the agent's own wish; `operator`: somebody wrote it. */
  readonly by: 'turn' | 'tool' | 'operator';
  readonly process: string;
  /** The invocation, by its event; null where it was none. */
  readonly eventId: string | null;
  /** The key of the effect that wrote it, or who it was. */
  readonly key: string;
}

export interface MemoryRecord {
  readonly id: string;
  readonly text: string;
  readonly collection: string;
  readonly userId: string;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** Null: never changed. */
  readonly updatedAt: string | null;
  readonly source: MemorySource;
  readonly metadata: JsonObject;
  /** Recalled before all others, whatever the turn is about; the agent itself can't forget it. */
  readonly isPinned: boolean;
}

export type NewMemory = Omit<MemoryRecord, 'collection' | 'updatedAt'> & {
  /** Of the text, where an embedding model is configured. */
  readonly vector?: MemoryVector | null;
  /** Of one that was there before. */
  readonly updatedAt?: string | null;
};

/** What a model makes of a text. Those of two models have nothing to do with each other. */
export interface MemoryVector {
  readonly model: string;
  readonly values: Float32Array;
}

export interface MemoryQuery {
  /** Whose records are looked through. */
  readonly userIds: readonly string[];
  readonly text: string;
  readonly vector?: MemoryVector | null;
  /** At most {@link MAX_HITS}. */
  readonly max: number;
  /** 0 to 1. */
  readonly minScore: number;
  /** After which it gives up; Infinity unless given. */
  readonly withinMs?: number;
}

export interface MemoryHit {
  readonly record: MemoryRecord;
  /** 0 to 1: how much of what was searched for it has. */
  readonly score: number;
}

export interface MemoryChange {
  readonly text?: string;
  readonly isPinned?: boolean;
  readonly updatedAt: string;
}

export interface MemoryList {
  readonly userIds: readonly string[];
  readonly max: number;
  /** How many of the newest are left out. */
  readonly skip?: number;
  /** Those that are pinned, and no others. */
  readonly onlyPinned?: boolean;
}

/** `known`: it was there already; `forgotten`: it was there, and somebody took it away. Neither changes anything. */
export type Added = 'added' | 'known' | 'forgotten';

/** `before`: it was forgotten already, so that it may be asked for again [S28]; `none`: there never was one of that user. */
export type Deleted = 'deleted' | 'before' | 'none';

/** @throws AppError `memory.*` from each of its methods */
export interface MemoryStore {
  /** Durable when it resolves. */
  add(record: NewMemory): Promise<Added>;
  /** Best first. */
  search(query: MemoryQuery): Promise<readonly MemoryHit[]>;
  get(id: string, userIds: readonly string[]): Promise<MemoryRecord | null>;
  /** The record as it is then; null where that user has none of this id. */
  update(id: string, userId: string, change: MemoryChange): Promise<MemoryRecord | null>;
  delete(id: string, userId: string): Promise<Deleted>;
  /** Forgets everything of this user; resolves with how many records that were. */
  clear(userId: string): Promise<number>;
  /** Newest first. */
  list(query: MemoryList): Promise<readonly MemoryRecord[]>;
  count(userIds: readonly string[]): Promise<number>;
  close(): Promise<void>;
}
