// Going on from an earlier entry [S39]. What an invocation left behind in the process (context, conversation, health, mission) moves
// back; what happened in the world, and what was decided, is a fact and stays. Invocations that were under way at the
// target or began after it are handled again, as the same invocations, one attempt later [S24]: whatever they did is in
// their record, and is given back to them instead of being done again.

import { checkpointToSnapshot, snapshotToState } from './checkpoint.ts';
import { isUnsettled, needsOperator } from './effects.ts';
import type { TriggerEvent } from './entry.ts';
import { AppError } from './errors.ts';
import { leftBehind, runEnded, settledForGood } from './fold-budget.ts';
import { missionTakenBack } from './fold-mission.ts';
import { applyEntry, FOLD_VERSION, type FoldedEntry } from './fold.ts';
import type { Hold } from './holds.ts';
import { cloneJson, sameJson, textAt, type Json, type JsonObject } from './json.ts';
import { RewindFacts, type ListedFacts } from './rewind-facts.ts';
import type { OpenInvocation, ProcessSnapshot } from './snapshot.ts';

/** All of them are in one entry, and in every checkpoint until they have ended again. */
const MAX_AGAIN = 1_000;
const MAX_AGAIN_BYTES = 16 * 1024 * 1024;

export type UndoneHow = 'done' | 'failed' | 'given up' | 'under way';

export interface UndoneInvocation {
  readonly eventId: string;
  readonly triggerId: string;
  readonly how: UndoneHow;
  /** Whether it had begun before the target. */
  readonly isCutShort: boolean;
  /** Effects whose record it gets back. */
  readonly effects: number;
}

export interface ContextChange {
  readonly key: string;
  /** Null where there is no such key. */
  readonly now: { readonly value: Json } | null;
  readonly was: { readonly value: Json } | null;
}

/** What a rewind would do, without doing it. */
export interface RewindPlan extends ListedFacts {
  readonly process: string;
  readonly target: { readonly seq: number; readonly timestamp: string; readonly entryType: string };
  /** The last entry that it takes into account. */
  readonly basedOn: number;
  readonly context: readonly ContextChange[];
  readonly conversation: { readonly now: number; readonly was: number };
  /** In the order in which they began. */
  readonly undone: readonly UndoneInvocation[];
  /** Whether the undone ones that had ended are handled again. */
  readonly isHandledAgain: boolean;
}

interface Undone {
  readonly open: OpenInvocation;
  readonly how: UndoneHow;
}

/** Who asked for a rewind, as its entry says. */
type Rewinder = Pick<Hold, 'reason' | 'actor' | 'since'>;

/** Follows a journal from a target on. Pure: entries go in, in order. */
export class RewindScan {
  readonly #then: ProcessSnapshot;
  /** Events that were not over at the target: what an earlier rewind took up again beside them stays over. */
  readonly #unfinished: Set<string>;
  /** In the order in which they began. */
  readonly #begun: Set<string>;
  readonly #ended = new Map<string, Undone>();
  readonly #facts: RewindFacts;
  #rewinder: Rewinder | null = null;
  #now: ProcessSnapshot;

  /** `at` is the state right after the target; it is taken over. */
  constructor(at: ProcessSnapshot) {
    this.#then = copyOf(at);
    this.#now = at;
    this.#facts = new RewindFacts(at);
    this.#begun = new Set(idsOf(at.open));
    this.#unfinished = new Set([...this.#begun, ...at.queue.map(idOf), ...idsOf(at.deadLetters)]);
  }

  feed(entry: FoldedEntry): void {
    const before = this.#now.open;
    const count = before.length;
    this.#facts.feed(entry);
    this.#now = applyEntry(this.#now, entry);
    const eventId = textAt(entry.data, 'event_id');
    if (entry.entry_type === 'trigger_event') this.#unfinished.add(eventId);
    if (entry.entry_type === 'rewind') this.#rewinder = rewinderOf(entry);
    // What somebody dropped is dropped, and what was handled anew instead is not handled a second time.
    if (entry.entry_type === 'dead_letter_dropped') this.#ended.delete(eventId);
    if (this.#now.open !== before || before.length !== count) this.#follow(before, entry);
  }

  #follow(before: readonly OpenInvocation[], entry: FoldedEntry): void {
    const isOpen = new Set(idsOf(this.#now.open));
    for (const open of before) {
      const { eventId } = open.event;
      if (isOpen.has(eventId)) continue;
      // What another rewind left behind counts as used since its checkpoint.
      this.#ended.set(eventId, { open: settledForGood(open), how: howEnded(entry, this.#now, eventId) });
    }
    for (const eventId of isOpen) {
      this.#begun.add(eventId);
      // Taken up again meanwhile, its record has gone on.
      this.#ended.delete(eventId);
    }
  }

  /**
   * @throws `rewind.too-far` where more would be handled again than one entry can hold, and `rewind.in-doubt` where an
   * invocation that was over at the target is under way again with an effect in doubt
   */
  plan(process: string, target: RewindPlan['target'], isHandledAgain: boolean): RewindPlan {
    const again = this.#again(isHandledAgain);
    refuseTooMuch(again.map(({ open }) => open));
    this.#refuseDoubts();
    const cut = new Set(idsOf(this.#then.open));
    const undone = isHandledAgain ? again : this.#again(true);
    return {
      process,
      target,
      basedOn: this.#now.seq,
      context: changes(this.#now.context, this.#then.context),
      conversation: { now: this.#now.conversationCount, was: this.#then.conversationCount },
      undone: undone.map(({ open, how }) => ({
        eventId: open.event.eventId,
        triggerId: open.event.triggerId,
        how,
        isCutShort: cut.has(open.event.eventId),
        effects: open.effects.length,
      })),
      ...this.#facts.listed(this.#now.open),
      isHandledAgain,
    };
  }

  /** The last entry that was fed. */
  get seq(): number {
    return this.#now.seq;
  }

  /** The state that the process goes on from. */
  rewound(isHandledAgain: boolean): ProcessSnapshot {
    const { context, conversation, conversationCount, compaction, recentRuns, consecutiveFailures } =
      this.#then;
    const { deadLetters, open, health } = this.#then;
    const givenUp = deadLetters.flatMap((letter) => letter.open ?? []);
    const then = new Map([...givenUp, ...open].map((one) => [one.event.eventId, one]));
    const again = this.#again(isHandledAgain);
    const takenUp = new Set(idsOf(again.map((undone) => undone.open)));
    for (const open of this.#now.open) {
      if (takenUp.has(open.event.eventId)) continue;
      leftBehind(this.#now, open, this.#now.lastEntryAt ?? '');
      runEnded(this.#now, open.event.eventId);
    }
    const mission = missionTakenBack(this.#now, this.#then.mission);
    return {
      ...this.#now,
      mission,
      context,
      conversation,
      conversationCount,
      compaction,
      recentRuns,
      consecutiveFailures,
      // What was found, and what somebody said of it, stays.
      health: { ...this.#now.health, runs: health.runs, replies: health.replies },
      open: again.map((undone) =>
        reopened(undone.open, then.get(undone.open.event.eventId), this.#then, this.#now.seq),
      ),
      deadLetters: this.#now.deadLetters.filter(
        ({ event: { eventId } }) => !takenUp.has(eventId) && this.#unfinished.has(eventId),
      ),
      holds: this.#holds(),
      rewinding: null,
    };
  }

  /** One that has failed may be started again by itself, and is held then. */
  #holds(): ProcessSnapshot['holds'] {
    const { holds, lifecycle } = this.#now;
    const isHeld = lifecycle !== 'failed' || holds.some(({ kind }) => kind === 'operator');
    return isHeld || this.#rewinder === null ? holds : [...holds, { kind: 'operator', ...this.#rewinder }];
  }

  /** In the order in which they began. */
  #again(isHandledAgain: boolean): readonly Undone[] {
    const open = new Map(this.#now.open.map((still) => [still.event.eventId, still]));
    return [...this.#begun].flatMap((eventId): Undone[] => {
      const still = open.get(eventId);
      if (!this.#unfinished.has(eventId)) return [];
      if (still !== undefined) return [{ open: still, how: 'under way' }];
      const ended = isHandledAgain ? this.#ended.get(eventId) : undefined;
      return ended === undefined ? [] : [ended];
    });
  }

  /** Going back to where they were over, nobody would ask about them any more. */
  #refuseDoubts(): void {
    for (const { event, effects } of this.#now.open) {
      const doubt = effects.find((effect) => isUnsettled(effect) || needsOperator(effect));
      if (doubt === undefined || this.#unfinished.has(event.eventId)) continue;
      throw new AppError(
        'rewind.in-doubt',
        `At that entry an event of ${event.triggerId} was over; it was taken up again since, and now its effect ${doubt.name} is in doubt. Decide that first, or choose an entry from before it began.`,
        { eventId: event.eventId, effectId: doubt.effectId },
      );
    }
  }
}

function copyOf(snapshot: ProcessSnapshot): ProcessSnapshot {
  const state = cloneJson(snapshotToState(snapshot, FOLD_VERSION)) as JsonObject;
  return { ...checkpointToSnapshot({ state }, snapshot), seq: snapshot.seq };
}

function idOf({ eventId }: TriggerEvent): string {
  return eventId;
}

function idsOf(those: readonly { readonly event: TriggerEvent }[]): readonly string[] {
  return those.map(({ event }) => event.eventId);
}

/**
 * The same invocation as it was at the target, with everything that it has recorded since: what it did to its process is
 * undone, and what it did to the world is not.
 */
function reopened(
  latest: OpenInvocation,
  then: OpenInvocation | undefined,
  { seq: target, conversationCount }: ProcessSnapshot,
  seq: number,
): OpenInvocation {
  const { isToBegin: _, compaction: __, compactions: ___, ...rest } = latest;
  return {
    ...rest,
    // Those that began since do so again, one after the other, each with what those before it left.
    ...(then === undefined || then.isToBegin === true ? { isToBegin: true } : {}),
    attempt: latest.attempt + 1,
    attemptSeq: seq,
    retryAt: null,
    isWaiting: false,
    effects: latest.effects.map((effect) =>
      effect.seq > target || (effect.endSeq ?? 0) > target ? { ...effect, isUndone: true } : effect,
    ),
    writes: then?.writes ?? [],
    sayings: then?.sayings ?? [],
    ...(then?.compaction === undefined ? {} : { compaction: then.compaction }),
    ...(then?.compactions === undefined ? {} : { compactions: then.compactions }),
    before: then?.before ?? {},
    conversationFrom: then?.conversationFrom ?? conversationCount,
    sends: latest.sends.map((sent) => (sent.seq > target ? { ...sent, isUndone: true } : sent)),
    // What has not ended and was begun since is begun anew by whoever asks for it.
    waits: latest.waits.filter(({ seq, end }) => end !== null || seq <= target),
  };
}

function rewinderOf({ data, timestamp }: FoldedEntry): Rewinder {
  return { actor: textAt(data, 'actor'), reason: textAt(data, 'reason'), since: timestamp };
}

const ENDS_WELL: ReadonlySet<string> = new Set(['invocation_result', 'event_refused', 'checkpoint']);

function howEnded({ entry_type }: FoldedEntry, now: ProcessSnapshot, eventId: string): UndoneHow {
  // By a checkpoint: an earlier rewind went to where it was over. An event that its code wants nothing of is no failure.
  if (ENDS_WELL.has(entry_type)) return 'done';
  return now.deadLetters.some(({ event }) => event.eventId === eventId) ? 'given up' : 'failed';
}

function changes(
  now: ProcessSnapshot['context'],
  then: ProcessSnapshot['context'],
): readonly ContextChange[] {
  const keys = [...new Set([...Object.keys(now), ...Object.keys(then)])].sort();
  return keys.flatMap((key): ContextChange[] => {
    const is = Object.hasOwn(now, key) ? { value: now[key]! } : null;
    const was = Object.hasOwn(then, key) ? { value: then[key]! } : null;
    const isSame = is === null || was === null ? is === was : sameJson(is.value, was.value);
    return isSame ? [] : [{ key, now: is, was }];
  });
}

function refuseTooMuch(open: readonly OpenInvocation[]): void {
  const bytes = open.length > MAX_AGAIN ? 0 : JSON.stringify(open).length;
  if (open.length <= MAX_AGAIN && bytes <= MAX_AGAIN_BYTES) return;
  const what =
    open.length > MAX_AGAIN ? `${open.length} invocations` : `records of ${Math.ceil(bytes / 2 ** 20)} MiB`;
  throw new AppError(
    'rewind.too-far',
    `Between that entry and now lie ${what}, which is more than can be handled again at once (${MAX_AGAIN} invocations, 16 MiB). Choose a later entry, or leave what was handled as it is.`,
    { invocations: open.length },
  );
}
