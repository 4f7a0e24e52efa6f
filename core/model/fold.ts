// The one fold [P3]: recovery, the live process, the console and the tests all build state here and nowhere else.
// It sees entries only: no clock, no file, no configuration of today [S21]. Order is seq, never time [S22].

import { checkpointToSnapshot } from './checkpoint.ts';
import { isKnownType, type EntryType, type StoredEntry } from './entry.ts';
import {
  askedAgain,
  extensionsClockChanged,
  limitExceeded,
  limitExtended,
  limitNear,
  periodStarted,
  spendingAged,
} from './fold-budget.ts';
import {
  causeOver,
  causeRaised,
  escalationFailed,
  escalationSent,
  eventOfCauseSent,
} from './fold-escalation.ts';
import { capApplied } from './fold-caps.ts';
import {
  effectEnded,
  effectExpired,
  effectStarted,
  effectUnlike,
  effectValueLost,
  effectWithdrawn,
  finishedEnd,
  resolvedEnd,
} from './fold-effects.ts';
import {
  clockRead,
  contextWritten,
  conversationAppended,
  conversationCompacted,
  deadLettered,
  deadLetterRedelivered,
  eventAccepted,
  invocationFailed,
  invocationStarted,
  invocationSucceeded,
  progressed,
  versionChosen,
  withoutDeadLetter,
} from './fold-invocation.ts';
import {
  missionCarriedOut,
  missionChanged,
  missionClockChanged,
  missionEnded,
  missionEvaluated,
  missionJudging,
  missionStarted,
} from './fold-mission.ts';
import { messageDelivered, messageSent, inboxAnswered, inboxWritten } from './fold-messages.ts';
import { selfChanged } from './fold-self.ts';
import { settingsChanged, settingsConfigured } from './fold-settings.ts';
import {
  clockChanged,
  invocationWaits,
  promiseSettled,
  signalReceived,
  timerFired,
  waitBegan,
} from './fold-waits.ts';
import {
  secretRead,
  secretRevoked,
  secretRotated,
  secretsClockChanged,
  secretsResolved,
} from './fold-secrets.ts';
import {
  callFiltered,
  eventRefused,
  scheduleMissed,
  triggerAdded,
  triggerCalled,
  triggerPaused,
  triggerRemoved,
  triggerResumed,
  triggersBegan,
  triggersConfigured,
} from './fold-triggers.ts';
import { toolsListed } from './fold-tools.ts';
import { anomalyFound, anomalyOver, cooldownShifted, startedAnew } from './fold-health.ts';
import { isHoldKind } from './holds.ts';
import { numberAt, objectAt, textAt, type JsonObject } from './json.ts';
import { emptySnapshot, type ProcessSnapshot } from './snapshot.ts';

/** The rules below have a number; a checkpoint says which built it, so that a change of rules can be gated [S21]. */
export const FOLD_VERSION = 2;

export type FoldedEntry = Pick<StoredEntry, 'seq' | 'timestamp' | 'entry_type' | 'data'>;

/** Builds the state after `entries`, starting from `from`, which it takes over. */
export function foldEntries(
  entries: Iterable<FoldedEntry>,
  from: ProcessSnapshot = emptySnapshot(),
): ProcessSnapshot {
  let state = from;
  for (const entry of entries) state = applyEntry(state, entry);
  return state;
}

/**
 * The state after one more entry. `state` is taken over and usually changed in place; use what is returned. An
 * entry whose data make no sense changes nothing but the position.
 */
export function applyEntry(state: ProcessSnapshot, entry: FoldedEntry): ProcessSnapshot {
  const next = isKnownType(entry.entry_type) ? applyKnown(state, entry.entry_type, entry) : state;
  selfChanged(next, entry);
  next.seq = entry.seq;
  next.lastEntryType = entry.entry_type;
  next.lastEntryAt = entry.timestamp;
  return next;
}

function applyKnown(state: ProcessSnapshot, type: EntryType, entry: FoldedEntry): ProcessSnapshot {
  const { data, timestamp, seq } = entry;
  switch (type) {
    case 'checkpoint':
      return checkpointToSnapshot(data, state);
    case 'state_transition':
      transitioned(state, data, timestamp);
      return state;
    case 'context_update':
      contextWritten(state, data, seq);
      return state;
    case 'conversation_appended':
      conversationAppended(state, data, seq);
      return state;
    case 'conversation_compacted':
      conversationCompacted(state, data, seq);
      return state;
    case 'clock_read':
      clockRead(state, data);
      return state;
    case 'version_chosen':
      versionChosen(state, data);
      return state;
    case 'hold_placed':
      holdPlaced(state, data, timestamp);
      return state;
    case 'hold_lifted':
      state.holds = state.holds.filter((hold) => hold.kind !== data['hold']);
      askedAgain(state);
      return state;
    case 'trigger_event':
      eventAccepted(state, data, timestamp);
      triggerCalled(state, data, timestamp);
      return state;
    case 'event_refused':
      eventRefused(state, data, timestamp);
      return state;
    case 'trigger_filtered':
      callFiltered(state, data);
      return state;
    case 'trigger_missed':
      scheduleMissed(state, data);
      return state;
    case 'trigger_paused':
      triggerPaused(state, data, timestamp);
      return state;
    case 'trigger_resumed':
      triggerResumed(state, data, timestamp);
      return state;
    case 'trigger_added':
      triggerAdded(state, data, timestamp);
      return state;
    case 'trigger_removed':
      triggerRemoved(state, data);
      return state;
    case 'budget_period_started':
      periodStarted(state, data);
      return state;
    case 'budget_warning':
      limitNear(state, data);
      return state;
    case 'budget_exceeded':
      limitExceeded(state, data);
      return state;
    case 'budget_extended':
      limitExtended(state, data);
      return state;
    case 'escalation_raised':
      causeRaised(state, data, timestamp);
      return state;
    case 'escalation_sent':
      escalationSent(state, data, timestamp);
      return state;
    case 'escalation_failed':
      escalationFailed(state, data, timestamp);
      return state;
    case 'escalation_over':
      causeOver(state, data, timestamp);
      return state;
    case 'mission_started':
      missionStarted(state, data, timestamp);
      return state;
    case 'mission_judging':
      missionJudging(state, data, timestamp);
      return state;
    case 'mission_evaluated':
      missionEvaluated(state, data, timestamp);
      return state;
    case 'mission_completed':
      missionEnded(state, 'completed', { data, timestamp });
      return state;
    case 'mission_failed':
      missionEnded(state, 'failed', { data, timestamp });
      return state;
    case 'mission_changed':
      missionChanged(state, data, timestamp);
      return state;
    case 'health_anomaly':
      anomalyFound(state, data, timestamp);
      return state;
    case 'health_recovered':
      anomalyOver(state, data, timestamp);
      return state;
    case 'health_cleared':
      startedAnew(state, data, timestamp, seq);
      return state;
    case 'cap_applied':
      capApplied(state, data);
      return state;
    case 'settings_changed':
      settingsChanged(state, data, timestamp);
      return state;
    case 'secret_resolved':
      secretsResolved(state, data, timestamp);
      return state;
    case 'secret_read':
      secretRead(state, data, timestamp);
      return state;
    case 'secret_rotated':
      secretRotated(state, data, timestamp);
      return state;
    case 'secret_revoked':
      secretRevoked(state, data, timestamp);
      return state;
    case 'rewind':
      rewound(state, data, seq);
      return state;
    case 'forked':
      forked(state, data);
      return state;
    case 'dead_letter':
      deadLettered(state, data, timestamp);
      return state;
    case 'dead_letter_redelivered':
      deadLetterRedelivered(state, data, seq);
      return state;
    case 'dead_letter_dropped':
      withoutDeadLetter(state, data);
      return state;
    case 'invocation_start':
      invocationStarted(state, data, timestamp, seq);
      return state;
    case 'invocation_waiting':
      invocationWaits(state, data);
      return state;
    case 'invocation_result':
      invocationSucceeded(state, data, timestamp);
      return state;
    case 'error':
      invocationFailed(state, data, timestamp);
      return state;
    case 'effect_started':
      effectStarted(state, data, timestamp, seq);
      return state;
    case 'effect_finished':
      if (data['unpermitted'] === true) effectWithdrawn(state, data);
      else if (effectEnded(state, entry, finishedEnd(data))) progressed(state);
      return state;
    case 'effect_value_lost':
      effectValueLost(state, textAt(data, 'effect_id'));
      return state;
    case 'effect_unlike':
      effectUnlike(state, data);
      return state;
    case 'effect_expired':
      effectExpired(state, textAt(data, 'effect_id'));
      return state;
    case 'effect_resolved':
      if (effectEnded(state, entry, resolvedEnd(data))) progressed(state);
      return state;
    case 'promise_created':
      waitBegan(state, 'promise', data, { timestamp, seq });
      return state;
    case 'timer_started':
      waitBegan(state, 'timer', data, { timestamp, seq });
      return state;
    case 'promise_settled':
      promiseSettled(state, data, seq);
      return state;
    case 'timer_fired':
      timerFired(state, data, seq);
      return state;
    case 'signal_received':
      signalReceived(state, data, seq);
      return state;
    case 'inbox_message':
      inboxWritten(state, data, timestamp);
      return state;
    case 'inbox_answered':
      inboxAnswered(state, data, timestamp);
      return state;
    case 'message_sent':
      messageSent(state, data, timestamp, seq);
      eventOfCauseSent(state, data, timestamp);
      return state;
    case 'message_delivered':
      messageDelivered(state, data);
      return state;
    case 'worker_started':
      state.generation = numberAt(data, 'generation');
      state.workers.push({
        generation: state.generation,
        pid: numberAt(data, 'pid'),
        startTime: textAt(data, 'start_time'),
      });
      return state;
    case 'worker_exited':
      state.workers = state.workers.filter((worker) => worker.generation !== data['generation']);
      state.generation = Math.max(state.generation, numberAt(data, 'generation'));
      if (data['expected'] !== true) {
        state.workerDeaths += 1;
        state.lastWorkerDeath = textAt(data, 'reason');
      }
      return state;
    case 'restart':
      if (typeof data['attempt'] === 'number') state.restarts = data['attempt'];
      state.restart = 'pending';
      return state;
    case 'restart_exhausted':
      state.restart = 'exhausted';
      return state;
    case 'clock_changed':
      clockChanged(state, data);
      missionClockChanged(state, data);
      cooldownShifted(state, data);
      secretsClockChanged(state, data);
      spendingAged(state, numberAt(data, 'by_ms'));
      extensionsClockChanged(state, numberAt(data, 'by_ms'));
      return state;
    case 'discarded':
    case 'process_discarded':
    case 'process_spawned':
    case 'server_connected':
    case 'server_disconnected':
    case 'spawned':
    case 'operator_action':
    case 'operator_outcome':
    case 'foreign_lines':
    case 'heartbeat_changed':
    case 'journal_adopted':
    case 'journal_full':
    case 'segments_dropped':
    case 'log':
      return state;
    case 'journal_repaired':
      journalRepaired(state, data, timestamp);
      return state;
    case 'recovered':
      askedAgain(state);
      state.lifecycleReason = textAt(data, 'reason', state.lifecycleReason);
      return state;
    case 'agent_planned':
      state.plan = objectAt(data, 'plan');
      return state;
    case 'tools_listed':
      toolsListed(state, data, timestamp);
      return state;
    case 'configured':
      state.configHash = textAt(data, 'hash');
      triggersConfigured(state, data, timestamp);
      settingsConfigured(state, data);
      return state;
    case 'writer_opened':
      state.writer = {
        epoch: numberAt(data, 'epoch'),
        hostId: textAt(data, 'host_id'),
        pid: numberAt(data, 'pid'),
        startTime: textAt(data, 'start_time'),
        build: textAt(data, 'build'),
      };
      return state;
  }
}

/** Promptise's has no number, and moves nothing. */
function rewound(state: ProcessSnapshot, data: JsonObject, seq: number): void {
  const target = data['target_seq'];
  if (typeof target === 'number') {
    state.rewinding = { seq, target, isHandledAgain: data['handled_again'] !== false };
  }
}

function forked(state: ProcessSnapshot, data: JsonObject): void {
  state.lineage = {
    process: textAt(data, 'process'),
    journalId: textAt(data, 'journal_id'),
    seq: numberAt(data, 'seq'),
  };
}

function transitioned(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const to = textAt(data, 'to_state');
  if (to === '') return;
  if (to === 'starting' && (state.lifecycle === 'created' || state.lifecycle === 'stopped')) {
    triggersBegan(state, timestamp);
  }
  state.lifecycle = to;
  if (to === 'stopping' || to === 'stopped' || to === 'starting') missionCarriedOut(state);
  state.lifecycleSince = timestamp;
  state.lifecycleReason = textAt(data, 'reason');
  state.lifecycleActor = textAt(data, 'actor');
  if (to === 'starting') {
    askedAgain(state);
    state.startedAt = timestamp;
    state.restart = 'none';
    progressed(state);
    state.consecutiveFailures = 0;
  }
}

function holdPlaced(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const kind = textAt(data, 'hold');
  if (!isHoldKind(kind)) return;
  if (kind === 'mission') missionCarriedOut(state);
  // What was sent may be missing, and its numbers may not be used for something else [S38].
  if (kind === 'gap') state.numbering = '';
  state.holds = [
    ...state.holds.filter((hold) => hold.kind !== kind),
    { kind, reason: textAt(data, 'reason'), actor: textAt(data, 'actor'), since: timestamp },
  ];
}

/** Entries are missing from where the state was built: nobody knows what they told of, so everything unfinished is asked [S14]. */
function journalRepaired(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  if (data['held'] !== true) return;
  const reason = textAt(data, 'reason', 'the journal was repaired, and entries are missing');
  holdPlaced(state, { hold: 'gap', reason, actor: 'holdfast' }, timestamp);
  for (const open of state.open) {
    open.effects = open.effects.map((effect) => ({ ...effect, effectClass: 'ask' }));
  }
}
