// Rules with one thing wrong each, and the promise that this breaks. One that nobody notices would mean that the model, or
// its programs, are too weak to speak for the rules that it replaces.

import type { RecordedEffect } from '../../../core/model/effects.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import type { OpenInvocation, ProcessSnapshot } from '../../../core/model/snapshot.ts';
import type { FoldedEntry } from '../../../core/model/fold.ts';
import type { Promised } from './journal.ts';
import { RULES, type Rules } from './rules.ts';
import * as programs from './scenarios.ts';
import type { Scenario } from './state.ts';

export interface Mutant {
  readonly name: string;
  readonly breaks: Promised;
  readonly scenario: Scenario;
  readonly rules: Rules;
}

const mutant = (name: string, breaks: Promised, scenario: Scenario, wrong: Partial<Rules>): Mutant => ({
  name,
  breaks,
  scenario,
  rules: { ...RULES, ...wrong },
});

type Changed = (state: ProcessSnapshot, entry: FoldedEntry, before: ProcessSnapshot) => void;

/** The fold, and then a change to what it made of lines of this type. */
const fold = (type: string, change: Changed): Partial<Rules> => ({
  applyEntry: (state, entry) => {
    const before = { ...state, open: [...state.open], deadLetters: [...state.deadLetters] };
    const next = RULES.applyEntry(state, entry);
    if (entry.entry_type === type) change(next, entry, before);
    return next;
  },
});

/** A checkpoint that leaves something out. */
const checkpoint = (
  left: (mark: { [key: string]: unknown }, state: { [key: string]: unknown }) => void,
): Partial<Rules> => ({
  checkpointOf: (snapshot) => {
    const state = structuredClone(RULES.checkpointOf(snapshot)) as { [key: string]: unknown };
    left(state['holdfast'] as { [key: string]: unknown }, state);
    return state as unknown as JsonObject;
  },
});

/** A rewind that leaves something of what is handled again out. */
const rewinding = (left: (open: OpenInvocation) => Partial<OpenInvocation>): Partial<Rules> => ({
  rewound: (scan) => {
    const moved = RULES.rewound(scan);
    return { ...moved, open: moved.open.map((open) => ({ ...open, ...left(open) })) };
  },
});

/** Effects seen as something else, wherever it is decided what to do with them. */
const seeing = (as: (effect: RecordedEffect) => RecordedEffect): Partial<Rules> => {
  const disguised = (snapshot: Readonly<Pick<ProcessSnapshot, 'open' | 'queue'>>) => ({
    queue: snapshot.queue,
    open: snapshot.open.map((open) => ({ ...open, effects: open.effects.map(as) })),
  });
  return {
    needsOperator: (effect) => RULES.needsOperator(as(effect)),
    nextWork: (snapshot, facts) => {
      const { resume, begin } = RULES.nextWork(disguised(snapshot), facts);
      const ids = resume.map(({ event }) => event.eventId);
      return { begin, resume: snapshot.open.filter(({ event }) => ids.includes(event.eventId)) };
    },
    restingAs: (snapshot, now) => RULES.restingAs(disguised(snapshot), now),
  };
};

const plan = (change: Rules['planEffect']): Partial<Rules> => ({ planEffect: change });

const changeOpen =
  (
    change: (open: {
      -readonly [K in keyof ProcessSnapshot['open'][number]]: ProcessSnapshot['open'][number][K];
    }) => void,
  ): Changed =>
  (state) => {
    state.open = state.open.map((open) => {
      const copy = { ...open };
      change(copy);
      return copy;
    });
  };

const { ask, asks, faltering, reconcile, retry, parallel, promised, justPromised, timed } = programs;
const { failing, dead, sending, racing, two, rewound, rewoundWait } = programs;

export const MUTANTS: readonly Mutant[] = [
  // --- P1: who is told what, and when
  mutant('a source is told before its event is durable', 'P1', ask, { isSourceToldWhenKept: false }),
  mutant('an event is not synced where the durability is weak', 'P1', retry, { isEventSynced: false }),
  mutant('a settler is told before the settlement is durable', 'P1', promised, {
    isSettlerToldWhenKept: false,
  }),
  mutant('a settlement is not synced where the durability is weak', 'P1', justPromised, {
    isSettlementSynced: false,
  }),
  mutant('an expiry is not synced before a settler hears of it', 'P1', justPromised, {
    isExpirySynced: false,
  }),
  mutant('a late settler is told at once', 'P1', promised, { isLateSettlerToldWhenKept: false }),
  mutant('the second settlement counts', 'P1', promised, { settlesOnce: false }),
  mutant('a writer is told before what it wrote is durable', 'P1', two, { isInboxToldWhenKept: false }),
  mutant('an operator is told before a redelivery is durable', 'P1', dead, { isOperatorToldWhenKept: false }),

  // --- P2: the world
  mutant('permitted before the announcement is on record', 'P2', ask, { isPermittedOnlyOnRecord: false }),
  mutant('announced without sync', 'P2', retry, { isAnnouncementSynced: () => false }),
  mutant('what was permitted is taken back with the rest', 'P2', ask, { takesBack: 'everything' }),
  mutant(
    'an ask without an outcome is no doubt',
    'P2',
    ask,
    seeing((effect) => (effect.end === null ? { ...effect, effectClass: 'retry' } : effect)),
  ),
  mutant(
    'an ask in doubt is no doubt',
    'P2',
    ask,
    seeing((effect) => ({ ...effect, effectClass: 'retry' })),
  ),
  mutant('an ask is tried again without asking', 'P2', ask, { isRepeatable: () => true }),
  mutant('no answer counts as did not happen', 'P2', failing, {
    seenAs: (truth) => (truth === 'answered' ? 'done' : 'did_not_happen'),
  }),
  mutant(
    'what is done is done again in the next attempt',
    'P2',
    failing,
    plan((recorded, hash, since) =>
      recorded?.end?.kind === 'done' && recorded.seq < since
        ? { act: 'perform', attempt: recorded.attempts + 1 }
        : RULES.planEffect(recorded, hash, since),
    ),
  ),
  mutant(
    'what is done is done again in every re-run',
    'P2',
    asks,
    plan((recorded, hash, since) =>
      recorded?.end?.kind === 'done'
        ? { act: 'perform', attempt: recorded.attempts + 1 }
        : RULES.planEffect(recorded, hash, since),
    ),
  ),
  mutant(
    'what did not happen is passed over',
    'P2',
    ask,
    plan((recorded, hash, since) =>
      recorded?.end?.kind === 'did_not_happen'
        ? { act: 'reject', error: recorded.end.error }
        : RULES.planEffect(recorded, hash, since),
    ),
  ),
  mutant(
    'the fold forgets that it is to be done again',
    'P2',
    ask,
    fold(
      'effect_resolved',
      changeOpen((open) => {
        open.effects = open.effects.map((one) =>
          one.end?.kind === 'did_not_happen' ? { ...one, end: { kind: 'did_not_happen', error: '' } } : one,
        );
      }),
    ),
  ),
  mutant('done again before asking whoever it was done with', 'P2', reconcile, { asksFirst: false }),
  mutant('whoever it was done with is asked too early', 'P2', reconcile, { asksOnlyAfterTimeout: false }),
  mutant('the time of a call is counted from its announcement', 'P2', reconcile, {
    timeoutCountsFrom: 'announcement',
  }),
  mutant('keys never expire', 'P2', faltering, { expiredKeys: () => [] }),
  mutant('keys expire only between runs', 'P2', faltering, { isKeyCheckedAtGate: false }),
  mutant(
    'a key is as old as its last attempt',
    'P2',
    faltering,
    fold('effect_started', (state, { data, timestamp }) =>
      changeOpen((open) => {
        open.effects = open.effects.map((one) =>
          one.effectId === data['effect_id'] ? { ...one, announcedAt: timestamp } : one,
        );
      })(state, { seq: 0, timestamp, entry_type: '', data }, state),
    ),
  ),
  mutant('each attempt has its own key', 'P2', faltering, { keyOf: (id, attempt) => `${id}@${attempt}` }),
  mutant('a repetition that did not happen ends the doubt before it', 'P2', faltering, {
    doubtOutlivesRepetition: false,
  }),
  mutant('the worker of a dead host is left alone', 'P2', ask, { reaps: false }),
  mutant('an operator decides what is being done', 'P2', ask, { refusesWhatRuns: false }),
  mutant('code goes on from a doubt', 'P2', ask, { holdsInDoubt: false, refusesUnended: false }),
  mutant('an outcome is told and not recorded', 'P2', ask, { recordsOutcomes: false, refusesUnended: false }),
  mutant(
    'a redelivery begins from nothing',
    'P2',
    dead,
    fold(
      'dead_letter_redelivered',
      changeOpen((open) => {
        open.effects = [];
      }),
    ),
  ),
  mutant('a message is heard before it is on record', 'P2', racing, { isHeardOnlyWhenKept: false }),
  mutant('a message is not synced where the durability is weak', 'P2', racing, { isMessageSynced: false }),
  mutant('a receiver does not ask what it has heard', 'P2', sending, { isHeardOnce: false }),
  mutant(
    'a receiver forgets the number that it heard',
    'P2',
    sending,
    fold('trigger_event', (state) => {
      state.heard = {};
    }),
  ),
  mutant('delivered is noted before the receiver has it', 'P2', sending, { isArrivedOnlyWhenKept: false }),
  mutant('a recovered sender counts from one', 'P4', programs.talking, {
    nextNumber: ({ sent }, isRecovered) => (isRecovered ? 1 : sent + 1),
  }),

  // --- P3: the same journal, the same state
  mutant(
    'a checkpoint without the queue',
    'P3',
    two,
    checkpoint((mark) => delete mark['queue']),
  ),
  mutant(
    'a checkpoint without outcomes',
    'P3',
    failing,
    checkpoint((mark) => {
      mark['open'] = (mark['open'] as readonly object[]).map((open) => ({ ...open, effects: [] }));
    }),
  ),
  mutant(
    'a checkpoint without timers',
    'P3',
    timed,
    checkpoint((mark) => {
      mark['open'] = (mark['open'] as readonly object[]).map((open) => ({ ...open, waits: [] }));
    }),
  ),
  mutant(
    'a checkpoint without the holds',
    'P3',
    ask,
    checkpoint((mark) => delete mark['holds']),
  ),
  mutant(
    'a checkpoint without the dead letters',
    'P3',
    dead,
    checkpoint((mark) => delete mark['deadLetters']),
  ),
  mutant(
    'a checkpoint without the outbox',
    'P3',
    sending,
    checkpoint((mark) => delete mark['outbox']),
  ),
  mutant(
    'a checkpoint without what was heard',
    'P3',
    sending,
    checkpoint((mark) => delete mark['heard']),
  ),
  mutant(
    'a checkpoint without the counters',
    'P3',
    two,
    checkpoint((_, state) => delete state['invocation_count']),
  ),
  mutant(
    'a checkpoint that is not full',
    'P3',
    ask,
    checkpoint((mark) => delete mark['fold_version']),
  ),
  mutant('a re-run is told outcomes in the order of their announcements', 'P3', parallel, {
    deliversInOrder: false,
  }),

  // --- P4: as it was
  mutant(
    'a timer is lost when the process is suspended',
    'P4',
    timed,
    fold('state_transition', (state, { data }, before) => {
      if (data['to_state'] === 'suspended')
        changeOpen((open) => {
          open.waits = [];
        })(state, { seq: 0, timestamp: '', entry_type: '', data }, before);
    }),
  ),
  mutant('a timer fires before its time', 'P4', timed, {
    dueWaits: (waits) => RULES.dueWaits(waits, Infinity),
  }),
  mutant('nobody looks for what is due once the process waits', 'P4', timed, {
    keepsWatch: (lifecycle) => lifecycle !== 'awaiting',
  }),
  mutant(
    'the time of the next attempt is not kept',
    'P4',
    failing,
    fold(
      'error',
      changeOpen((open) => {
        open.retryAt = null;
      }),
    ),
  ),
  mutant('an attempt is not counted', 'P4', failing, { retriesCount: (attempt) => attempt }),
  mutant('one attempt more than the policy says', 'P4', failing, {
    afterFailure: (policy, how) => RULES.afterFailure({ ...policy, maxRetries: policy.maxRetries + 1 }, how),
  }),
  mutant(
    'a dead letter is dropped',
    'P4',
    dead,
    fold('error', (state) => {
      state.deadLetters = [];
    }),
  ),
  mutant(
    'an inbox message is delivered twice',
    'P4',
    two,
    fold('invocation_start', (state, _, before) => {
      state.inbox = before.inbox;
    }),
  ),
  mutant(
    'the queue is a stack',
    'P4',
    two,
    fold('trigger_event', (state) => {
      state.queue = [state.queue.at(-1)!, ...state.queue.slice(0, -1)];
    }),
  ),
  mutant(
    'a rewind forgets what effects gave',
    'P2',
    rewound,
    rewinding(() => ({ effects: [] })),
  ),
  mutant(
    'a rewind forgets what was sent',
    'P2',
    rewound,
    rewinding(() => ({ sends: [] })),
  ),
  mutant(
    'a rewind forgets promises that it should wait for',
    'P4',
    rewoundWait,
    rewinding(() => ({ waits: [] })),
  ),
  mutant(
    'what a rewind takes up again is the same attempt',
    'P4',
    rewound,
    rewinding(({ attempt }) => ({ attempt: attempt - 1 })),
  ),
  mutant('a rewind that a crash cut short is left so', 'P3', rewound, { finishesRewinds: false }),
  mutant('an operator does not hold effects', 'P4', ask, { stopsEffects: () => false }),
  mutant('a host that starts resumes what is held', 'P4', two, { staysHeld: false }),
  mutant('what nothing holds stays suspended', 'P4', ask, { resumesWhatNothingHolds: false }),
  mutant('the hold of a doubt outlives it', 'P4', ask, { liftsStaleDoubt: false }),
  mutant('awaiting is never left', 'P4', promised, {
    transition: (state, event) => RULES.transition(state, event === 'wake' ? 'start' : event),
  }),

  // --- one writer
  mutant('the lock is not looked at before writing', 'one writer', asks, { checksLockBeforeWriting: false }),
  mutant('two hosts get the lock', 'one writer', asks, { locksOutOthers: false }),
];
