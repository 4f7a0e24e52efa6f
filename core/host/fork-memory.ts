// A fork is an experiment [S40]: it reads what its original remembers, and what it remembers itself goes under a name of its
// own, unless whoever forks names another.

import type { Document } from 'yaml';
import { userOfFork } from '../agent/memory/memory-place.ts';
import { setIn, whereWritten } from '../manifest/manifest-text.ts';
import type { MemoryPlan } from '../model/agent-plan.ts';

const SAYS_WHOSE = /(^|\.)memory[._]user_id$/;

/**
 * Puts that into a fork's manifest, whether the original's says whose its memory is or not.
 * @param plan of the fork as its manifest stands; null for one that remembers nothing
 * @param changes settings by their place, as whoever forks gave them
 */
export function withOwnMemory(
  document: Document,
  plan: MemoryPlan | null,
  name: string,
  changes: readonly string[],
): boolean {
  if (plan === null || changes.some((place) => SAYS_WHOSE.test(place))) return false;
  setIn(document, whereWritten(document, ['memory', 'user_id']), userOfFork(plan.userId, name));
  return true;
}
