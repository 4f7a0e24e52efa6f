// Where a collection lies, and whose records are read by whom.

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { MemoryPlan } from '../../model/agent-plan.ts';

/** In a workspace, unless a manifest names another. */
const DIRECTORY = '.holdfast-memory';
/** What is there goes with the host that runs the workspace. */
const PASSING = 'until-the-host-ends';
const PLAIN = /^[a-z0-9][a-z0-9_-]{0,79}$/;
const READABLE = /[^A-Za-z0-9_-]+/g;

export interface MemoryPlace {
  readonly collection: string;
  /** Absolute. */
  readonly path: string;
  /** False: it is thrown away with its host, and need not survive a power cut. */
  readonly isKept: boolean;
}

export function memoryPlace(workspace: string, { provider, collection, directory }: MemoryPlan): MemoryPlace {
  const isKept = provider === 'sqlite';
  const folder = isKept ? resolve(workspace, directory ?? DIRECTORY) : passingMemory(workspace);
  return { collection, path: join(folder, `${fileNameOf(collection)}.sqlite`), isKept };
}

/** What is remembered `in_memory`: emptied before a workspace is run, and after. */
export function passingMemory(workspace: string): string {
  return join(workspace, DIRECTORY, PASSING);
}

/** Two names never share a file, also where a disk takes capitals for small letters. */
function fileNameOf(collection: string): string {
  if (PLAIN.test(collection)) return collection;
  const readable = collection.replaceAll(READABLE, '_').slice(0, 40);
  return `${readable}.${createHash('sha256').update(collection).digest('hex').slice(0, 12)}`;
}

const OF_FORK = / \(fork [^()]*\)$/;

/** A fork remembers under a name of its own [S40]. */
export function userOfFork(userId: string, fork: string): string {
  return `${userId} (fork ${fork.replaceAll(/[()]/g, '_')})`;
}

/** The user's own, and for a fork those that it comes from: it reads theirs and changes none of it. */
export function readableBy(userId: string): readonly string[] {
  const all = [userId];
  for (let at = userId; OF_FORK.test(at);) {
    at = at.replace(OF_FORK, '');
    all.push(at);
  }
  return all;
}
