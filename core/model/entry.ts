import type { Json, JsonObject } from './json.ts';
import type { SpillReference } from './ports.ts';

/**
 * What a journal line says. The names are those on disk, where Python reads them too [J1]; everything that lives
 * only in memory is in camel case.
 */
export interface JournalEntry {
  readonly entry_id: string;
  readonly process_id: string;
  readonly timestamp: string;
  readonly entry_type: string;
  readonly data: JsonObject;
}

/** What a caller hands in to be appended; the journal fills in the rest. */
export interface NewEntry {
  readonly process_id: string;
  readonly entry_type: string;
  readonly data: JsonObject;
  readonly entry_id?: string;
  readonly timestamp?: string;
}

/**
 * How far a line vouches for itself. `unverified`: written without our keys [J2]. `broken`: the checksum, the chain
 * or the sequence does not fit.
 */
export type Verification = 'verified' | 'unverified' | 'broken';

/** What does not fit about a broken line: its bytes, the line before it, or its number. */
export type Fault = 'checksum' | 'link' | 'sequence';

export interface StoredEntry extends JournalEntry {
  /** From 1: the number that a line of ours gives itself, of any other the physical line's [J2]. */
  readonly seq: number;
  readonly verification: Verification;
  /** Only of a broken line. */
  readonly fault?: Fault;
  /** Where the line begins in its file, and its length with the line feed, in bytes. */
  readonly offset: number;
  readonly sizeBytes: number;
}

/** A line that could not be read as an entry; its bytes stay where they are. */
export interface BadLine {
  readonly seq: number;
  readonly offset: number;
  readonly sizeBytes: number;
  readonly reason: string;
}

export function isBad(item: StoredEntry | BadLine): item is BadLine {
  return 'reason' in item;
}

/** The entry types that the fold knows. Any other type is kept, shown, and changes nothing. */
export const ENTRY_TYPES = [
  'checkpoint',
  'agent_planned',
  'cap_applied',
  'budget_exceeded',
  'budget_extended',
  'budget_period_started',
  'budget_warning',
  'clock_changed',
  'clock_read',
  'configured',
  'context_update',
  'conversation_appended',
  'conversation_compacted',
  'dead_letter',
  'dead_letter_dropped',
  'dead_letter_redelivered',
  'discarded',
  'effect_expired',
  'effect_finished',
  'effect_resolved',
  'effect_started',
  'effect_unlike',
  'effect_value_lost',
  'error',
  'escalation_failed',
  'escalation_over',
  'escalation_raised',
  'escalation_sent',
  'event_refused',
  'foreign_lines',
  'forked',
  'heartbeat_changed',
  'health_anomaly',
  'health_cleared',
  'health_recovered',
  'hold_lifted',
  'hold_placed',
  'inbox_answered',
  'inbox_message',
  'invocation_result',
  'invocation_start',
  'invocation_waiting',
  'journal_adopted',
  'journal_full',
  'journal_repaired',
  'log',
  'message_delivered',
  'message_sent',
  'mission_changed',
  'mission_completed',
  'mission_evaluated',
  'mission_failed',
  'mission_judging',
  'mission_started',
  'operator_action',
  'operator_outcome',
  'process_discarded',
  'process_spawned',
  'promise_created',
  'promise_settled',
  'recovered',
  'restart',
  'restart_exhausted',
  'rewind',
  'secret_read',
  'secret_resolved',
  'secret_revoked',
  'secret_rotated',
  'segments_dropped',
  'server_connected',
  'server_disconnected',
  'settings_changed',
  'signal_received',
  'spawned',
  'state_transition',
  'timer_fired',
  'timer_started',
  'tools_listed',
  'trigger_added',
  'trigger_event',
  'trigger_filtered',
  'trigger_missed',
  'trigger_paused',
  'trigger_removed',
  'trigger_resumed',
  'version_chosen',
  'worker_exited',
  'worker_started',
  'writer_opened',
] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

const KNOWN: ReadonlySet<string> = new Set(ENTRY_TYPES);

export function isKnownType(type: string): type is EntryType {
  return KNOWN.has(type);
}

/** What woke the process: accepted when its entry is durable, handled by exactly one invocation. */
export interface TriggerEvent {
  readonly eventId: string;
  readonly triggerId: string;
  readonly triggerType: string;
  readonly payload: Json;
  readonly acceptedAt: string;
  /** Of an event that another process sent: whose, and its how-manieth [S38]. */
  readonly from?: Sender;
  /** How it came; absent where there is nothing to say. */
  readonly metadata?: JsonObject;
  /** Scheduled times that passed while it waited, and that it stands for [S42]. */
  readonly missed?: number;
  /** Where a large payload lies; `payload` is null then [S16]. */
  readonly spilled?: SpillReference;
}

export interface Sender {
  readonly process: string;
  readonly number: number;
  /** Which of the sender's numberings that is; absent for the one of a journal from before they had names. */
  readonly numbering?: string;
}

/** Whether its payload was written by somebody outside: by a schedule's and an operator's it was not. */
export function isUntrusted({ triggerType }: Pick<TriggerEvent, 'triggerType'>): boolean {
  return triggerType !== 'cron' && triggerType !== 'manual';
}
