// The rules that the model plays by: the product's own pure functions, and, as plain switches, what its runtime decides
// where it acts. Each switch names the code that it mirrors; a mutant changes one of them.

import { snapshotToState } from '../../../core/model/checkpoint.ts';
import { afterFailure } from '../../../core/model/delivery.ts';
import { isRepeatable, needsOperator, planEffect, type EffectClass } from '../../../core/model/effects.ts';
import { applyEntry, FOLD_VERSION, type FoldedEntry } from '../../../core/model/fold.ts';
import { heardFrom } from '../../../core/model/fold-invocation.ts';
import { stopsEffects } from '../../../core/model/holds.ts';
import { inboxDelivery } from '../../../core/model/inbox.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import { transition } from '../../../core/model/lifecycle.ts';
import type { RewindScan } from '../../../core/model/rewind.ts';
import type { ProcessSnapshot } from '../../../core/model/snapshot.ts';
import { expiredKeys, nextRetry, nextWork, restingAs } from '../../../core/model/standing.ts';
import { dueWaits } from '../../../core/model/waits.ts';

/** What became of a call to the world, as far as whoever made it can tell. */
export type Seen = 'done' | 'did_not_happen' | 'in_doubt';

export interface Rules {
  // --- pure functions of the product
  readonly applyEntry: (state: ProcessSnapshot, entry: FoldedEntry) => ProcessSnapshot;
  readonly checkpointOf: (snapshot: ProcessSnapshot) => JsonObject;
  readonly planEffect: typeof planEffect;
  readonly needsOperator: typeof needsOperator;
  readonly isRepeatable: (effectClass: EffectClass) => boolean;
  readonly expiredKeys: typeof expiredKeys;
  readonly nextWork: typeof nextWork;
  readonly restingAs: typeof restingAs;
  readonly nextRetry: typeof nextRetry;
  readonly afterFailure: typeof afterFailure;
  readonly dueWaits: typeof dueWaits;
  readonly transition: typeof transition;
  readonly heardFrom: typeof heardFrom;
  readonly inboxDelivery: typeof inboxDelivery;
  readonly stopsEffects: typeof stopsEffects;

  // --- core/runtime/effect-gate.ts
  /** Permitted when the journal has acknowledged the announcement, which of every class but `retry` is synced [S29]. */
  readonly isPermittedOnlyOnRecord: boolean;
  readonly isAnnouncementSynced: (effectClass: EffectClass) => boolean;
  /** What is taken back when the worker is gone: what was announced and never permitted, and nothing else. */
  readonly takesBack: 'unpermitted' | 'everything';
  /** A repetition is looked at once more right before it is permitted: its key may be too old by now [S31]. */
  readonly isKeyCheckedAtGate: boolean;
  readonly recordsOutcomes: boolean;

  // --- core/agent/perform-effect.ts
  readonly keyOf: (effectId: string, attempt: number) => string;
  /** A call that timed out or lost its answer is in doubt; only code that says so knows that nothing happened [S28]. */
  readonly seenAs: (truth: 'answered' | 'nothing happened' | 'no answer') => Seen;
  /** An attempt that did not happen says nothing of one before it that is in doubt. */
  readonly doubtOutlivesRepetition: boolean;
  /** Code is never told of a doubt as if it were a failure. */
  readonly holdsInDoubt: boolean;
  /** Whoever it was done with is asked before it is done again, and not before its own time is over [S30]. */
  readonly asksFirst: boolean;
  readonly asksOnlyAfterTimeout: boolean;
  readonly timeoutCountsFrom: 'call' | 'announcement';
  /** core/agent/deliveries.ts [S26]. */
  readonly deliversInOrder: boolean;

  // --- core/runtime/invocation-runner.ts, invocation-end.ts, agent-process.ts
  readonly refusesUnended: boolean;
  /** What is held stays held: nothing begins, in a process that was recovered too [S34]. */
  readonly staysHeld: boolean;
  /** Nothing holds it, and a crash came before the step that follows from that: it goes on when its host is back. */
  readonly resumesWhatNothingHolds: boolean;
  /** The same between a doubt's decision and the lifting of its hold. */
  readonly liftsStaleDoubt: boolean;
  readonly retriesCount: (attempt: number) => number;

  // --- core/runtime/event-intake.ts, wait-keeper.ts, operator-desk.ts
  /** Sources, settlers and operators are told when it is durable, whatever the durability setting [S29]. */
  readonly isSourceToldWhenKept: boolean;
  readonly isEventSynced: boolean;
  readonly isSettlerToldWhenKept: boolean;
  readonly isSettlementSynced: boolean;
  /** Whoever settles second may hear of an end that the host itself wrote. */
  readonly isExpirySynced: boolean;
  readonly isLateSettlerToldWhenKept: boolean;
  readonly settlesOnce: boolean;
  readonly isInboxToldWhenKept: boolean;
  readonly isOperatorToldWhenKept: boolean;
  /** An operator decides only what nobody is performing [S30]. */
  readonly refusesWhatRuns: boolean;
  /** Timers go on while the process is held, or catch up. */
  readonly keepsWatch: (lifecycle: string) => boolean;

  // --- core/runtime/worker-words.ts, outbox.ts, switchboard.ts
  readonly isMessageSynced: boolean;
  /** Nobody hears of what its sender might not remember. */
  readonly isHeardOnlyWhenKept: boolean;
  readonly isHeardOnce: boolean;
  readonly isArrivedOnlyWhenKept: boolean;
  readonly nextNumber: (snapshot: ProcessSnapshot, isRecovered: boolean) => number;

  // --- core/runtime/rewind-desk.ts
  /** Where the process is moved to [S39]. */
  readonly rewound: (scan: RewindScan) => ProcessSnapshot;
  /** Whoever takes over behind the entry of a rewind finishes it. */
  readonly finishesRewinds: boolean;

  // --- core/runtime/take-over.ts, core/journal/lock.ts, append-file.ts
  readonly reaps: boolean;
  readonly locksOutOthers: boolean;
  readonly checksLockBeforeWriting: boolean;
}

export const RULES: Rules = {
  applyEntry,
  checkpointOf: (snapshot) => snapshotToState(snapshot, FOLD_VERSION),
  planEffect,
  needsOperator,
  isRepeatable,
  expiredKeys,
  nextWork,
  restingAs,
  nextRetry,
  afterFailure,
  dueWaits,
  transition,
  heardFrom,
  inboxDelivery,
  stopsEffects,

  isPermittedOnlyOnRecord: true,
  isAnnouncementSynced: (effectClass) => effectClass !== 'retry',
  takesBack: 'unpermitted',
  isKeyCheckedAtGate: true,
  recordsOutcomes: true,

  keyOf: (effectId) => effectId,
  seenAs: (truth) =>
    truth === 'answered' ? 'done' : truth === 'nothing happened' ? 'did_not_happen' : 'in_doubt',
  doubtOutlivesRepetition: true,
  holdsInDoubt: true,
  asksFirst: true,
  asksOnlyAfterTimeout: true,
  timeoutCountsFrom: 'call',
  deliversInOrder: true,

  refusesUnended: true,
  staysHeld: true,
  resumesWhatNothingHolds: true,
  liftsStaleDoubt: true,
  retriesCount: (attempt) => attempt + 1,

  isSourceToldWhenKept: true,
  isEventSynced: true,
  isSettlerToldWhenKept: true,
  isSettlementSynced: true,
  isExpirySynced: true,
  isLateSettlerToldWhenKept: true,
  settlesOnce: true,
  isInboxToldWhenKept: true,
  isOperatorToldWhenKept: true,
  refusesWhatRuns: true,
  keepsWatch: () => true,

  isMessageSynced: true,
  isHeardOnlyWhenKept: true,
  isHeardOnce: true,
  isArrivedOnlyWhenKept: true,
  nextNumber: ({ sent }) => sent + 1,

  rewound: (scan) => scan.rewound(true),
  finishesRewinds: true,

  reaps: true,
  locksOutOthers: true,
  checksLockBeforeWriting: true,
};
