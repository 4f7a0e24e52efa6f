// A new process from the beginning of another one [S40]. It has what the other knew at that entry, and its unfinished
// invocations with what they had recorded, under the keys that the other gave them; whatever could act by itself is left
// behind, and listed.

import { withoutBooking } from './fold-budget.ts';
import { define, type Json } from './json.ts';
import { emptySnapshot, type Lineage, type OpenInvocation, type ProcessSnapshot } from './snapshot.ts';
import { emptyTriggers } from './trigger-record.ts';

/** What stayed with the other one, by its ids. */
export interface LeftBehind {
  readonly queue: readonly string[];
  readonly inbox: readonly string[];
  readonly promises: readonly string[];
  readonly timers: readonly string[];
}

export interface Forked {
  readonly snapshot: ProcessSnapshot;
  readonly left: LeftBehind;
}

/**
 * @param at the state of the other process right after the entry
 * @param keyPrefix what the other one's effect keys begin with
 * @param name of the new process
 * @param set keys of the context that begin with another value
 */
export function forked(
  at: Readonly<ProcessSnapshot>,
  lineage: Lineage,
  keyPrefix: string,
  name: string,
  set: Readonly<Record<string, Json>>,
): Forked {
  const context: Record<string, Json> = { ...at.context };
  for (const [key, value] of Object.entries(set)) define(context, key, value);
  const waits = at.open.flatMap((open) => open.waits.filter(({ end }) => end === null));
  const idsOf = (kind: 'promise' | 'timer'): readonly string[] =>
    waits.flatMap((wait) => (wait.kind === kind ? [wait.waitId] : []));
  return {
    snapshot: {
      ...emptySnapshot(),
      context,
      conversation: at.conversation,
      conversationCount: at.conversationCount,
      conversationMax: at.conversationMax,
      compaction: at.compaction,
      invocationCount: at.invocationCount,
      recentRuns: at.recentRuns,
      // What was found there is the other one's.
      health: { ...at.health, found: {}, anew: {} },
      // An invocation keeps those that it began with [S25].
      tools: at.tools,
      open: at.open.map((open) => inherited(open, keyPrefix, name, { seq: at.seq, set })),
      foreign: at.foreign,
      lifecycle: 'suspended',
      lineage,
      triggers: { ...emptyTriggers(), added: at.triggers.added, removed: at.triggers.removed },
    },
    left: {
      queue: at.queue.map(({ eventId }) => eventId),
      inbox: at.inbox.map(({ messageId }) => messageId),
      promises: idsOf('promise'),
      timers: idsOf('timer'),
    },
  };
}

/**
 * Handled again from the top, as an attempt of its own: what it begins with may be another state. Its entries are those of
 * another journal, so whatever is recorded lies before the first entry of this one, in its order.
 */
function inherited(
  open: OpenInvocation,
  keyPrefix: string,
  by: string,
  { seq: last, set }: { readonly seq: number; readonly set: Readonly<Record<string, Json>> },
): OpenInvocation {
  const isSet = (key: string): boolean => Object.hasOwn(set, key);
  const before = Object.fromEntries(Object.entries(open.before).filter(([key]) => !isSet(key)));
  const earlier = <T extends { readonly seq: number }>(of: readonly T[]): T[] =>
    of.map((one) => ({ ...one, seq: one.seq - last - 1 }));
  const ended = <T extends { readonly seq: number; readonly endSeq: number | null }>(of: readonly T[]): T[] =>
    earlier(of).map((one) => ({ ...one, endSeq: one.endSeq === null ? null : one.endSeq - last - 1 }));
  const { spent: _spent, reserved: _reserved, warned: _warned, ...taken } = open;
  return {
    ...taken,
    attempt: open.attempt + 1,
    attemptSeq: 0,
    before,
    inherited: { keyPrefix: open.inherited?.keyPrefix ?? keyPrefix, by },
    // What it used counts for the other one.
    effects: ended(open.effects).map((effect) => ({ ...withoutBooking(effect), isUndone: true as const })),
    waits: ended(open.waits.filter(({ end }) => end !== null)),
    // What it wrote there is not in this state, so it is written again.
    writes: earlier(open.writes.filter(({ key }) => !isSet(key))),
    sayings: earlier(open.sayings),
    ...(open.compactions === undefined ? {} : { compactions: earlier(open.compactions) }),
    sends: earlier(open.sends).map((sent) => ({ ...sent, isUndone: true as const })),
    signals: earlier(open.signals),
    retryAt: null,
    isWaiting: false,
  };
}
