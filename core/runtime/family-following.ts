// What processes do because of the ones that began them: they are held, stopped and started with these, are told what they are
// to do, and their failures are told to these.

import { codeOf } from '../model/errors.ts';
import { heardFrom } from '../model/fold-invocation.ts';
import { pauseOfAll } from '../model/trigger-record.ts';
import type { AgentProcess } from './agent-process.ts';
import { followerOf, followStep } from './follow-parent.ts';

/** What processes of a family are told by the host comes by this trigger, which nobody else has. */
const FAMILY_TRIGGER = 'spawned';
const GREETING = 'spawned';
const MAX_REASON = 1_000;

export class FamilyFollowing {
  /** Null for one that follows nobody (any more). */
  readonly #parentOf: (child: AgentProcess) => AgentProcess | null;
  /** Those that are being held, resumed, stopped or started right now. */
  readonly #moving = new Set<string>();
  /** Those that are told right now, or were, what they are to do. */
  readonly #greeted = new Set<string>();
  /** Of which failure of each its parent knows. */
  readonly #told = new Map<string, string>();

  constructor(parentOf: (child: AgentProcess) => AgentProcess | null) {
    this.#parentOf = parentOf;
  }

  /** It is gone. */
  forget(name: string): void {
    this.#told.delete(name);
    this.#greeted.delete(name);
  }

  /** What follows from how it and its parent stand is done, also where a crash came between. */
  lookAt(child: AgentProcess): void {
    const parent = this.#parentOf(child);
    if (parent === null || child.live.trouble !== null) return;
    this.#greet(parent, child);
    this.#tellFailure(parent, child);
    const step = followStep(parent.name, parent.snapshot, child.snapshot);
    if (step === null || this.#moving.has(child.name)) return;
    if (parent.live.trouble !== null) return;
    const actor = { name: followerOf(parent.name), reason: `${parent.name} ${WORDS[step]}` };
    this.#moving.add(child.name);
    const isDone = child.follow(step, actor).then(
      () => true,
      // It stands on its page why; it is looked at again with the next change.
      () => false,
    );
    void isDone.then((isFollowed) => {
      this.#moving.delete(child.name);
      if (isFollowed) this.lookAt(child);
    });
  }

  /** What it was begun for, once: it has heard of nothing yet. */
  #greet(parent: AgentProcess, child: AgentProcess): void {
    const { name, snapshot } = child;
    const task = parent.snapshot.self.spawned.find((spawned) => spawned.name === name)?.task ?? '';
    // Where nothing may wake it, it is told once something may.
    if (
      task === '' ||
      pauseOfAll(snapshot.triggers) !== null ||
      this.#greeted.has(name) ||
      heardFrom(snapshot, hostOf(parent.name), GREETING) > 0
    )
      return;
    const { invocationCount, queue, open, deadLetters } = snapshot;
    if (invocationCount + queue.length + open.length + deadLetters.length > 0) return;
    this.#greeted.add(name);
    const payload = {
      event_type: 'process.spawned',
      event_id: `${name}/0`,
      source: parent.name,
      data: { task },
    };
    const tick = { triggerId: FAMILY_TRIGGER, triggerType: 'event', payload };
    child.hear(tick, { process: hostOf(parent.name), number: 1, numbering: GREETING }).catch(() => {
      // It does not listen yet, and is told with its next change.
      this.#greeted.delete(name);
    });
  }

  /** Once for each failure, and only by one that hears. */
  #tellFailure(parent: AgentProcess, child: AgentProcess): void {
    const { lifecycle, lifecycleSince, lifecycleReason, restart } = child.snapshot;
    const since = lifecycleSince ?? '';
    if (pauseOfAll(parent.snapshot.triggers) !== null) return;
    if (lifecycle !== 'failed' || restart === 'pending' || this.#told.get(child.name) === since) return;
    this.#told.set(child.name, since);
    const payload = {
      event_type: 'process.failed',
      event_id: `${child.name}/${since}`,
      source: child.name,
      data: { process: child.name, reason: lifecycleReason.slice(0, MAX_REASON) },
    };
    const tick = { triggerId: FAMILY_TRIGGER, triggerType: 'event', payload };
    const from = { process: hostOf(child.name), number: 1, numbering: `failed ${since}` };
    parent.hear(tick, from).catch((error: unknown) => {
      // One that is stopped hears nothing, and is told with its next change.
      if (codeOf(error) !== 'host.closing') this.#told.delete(child.name);
    });
  }
}

/** Who tells of a process, in its name: apart from what it says itself, whose numberings these are not [S38]. */
function hostOf(process: string): string {
  return `${process}/host`;
}

const WORDS = {
  suspend: 'is held',
  resume: 'goes on',
  stop: 'was stopped',
  start: 'was started again',
} as const;
