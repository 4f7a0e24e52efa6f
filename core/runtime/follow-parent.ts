// What a process has to do because of the one that began it. Decided from how both stand, never from what happened last, so
// that nothing is missed when a host is gone between the two.

import type { HoldKind } from '../model/holds.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';

export type FollowStep = 'suspend' | 'resume' | 'stop' | 'start';

const FOLLOWER = 'parent:';

/** Who holds, stops and starts what follows a process. */
export function followerOf(parent: string): string {
  return `${FOLLOWER}${parent}`;
}

export function isFollower(actor: string): boolean {
  return actor.startsWith(FOLLOWER);
}

type Stands = Pick<ProcessSnapshot, 'lifecycle' | 'holds' | 'lifecycleActor'>;

/** What holds a process and concerns all that it began; a doubt, its own budget, or that it has nothing to do does not. */
const SHARED: ReadonlySet<HoldKind> = new Set(['operator', 'health', 'mission', 'gap']);

/** Null where it stands as it should. What somebody did to it alone stays so. */
export function followStep(parentName: string, parent: Stands, child: Stands): FollowStep | null {
  const isOurs = (actor: string): boolean => actor === followerOf(parentName);
  const isActive = ['running', 'awaiting', 'suspended', 'starting'].includes(child.lifecycle);
  if (parent.lifecycle === 'stopped' || parent.lifecycle === 'stopping') {
    return isActive || child.lifecycle === 'failed' ? 'stop' : null;
  }
  const held = child.holds.find(({ kind }) => kind === 'operator');
  if (parent.lifecycle === 'failed' || parent.holds.some(({ kind }) => SHARED.has(kind))) {
    return ['running', 'awaiting', 'suspended'].includes(child.lifecycle) && held === undefined
      ? 'suspend'
      : null;
  }
  if (!['running', 'awaiting', 'suspended'].includes(parent.lifecycle)) return null;
  if (child.lifecycle === 'suspended') return held !== undefined && isOurs(held.actor) ? 'resume' : null;
  return child.lifecycle === 'stopped' && isOurs(child.lifecycleActor) ? 'start' : null;
}
