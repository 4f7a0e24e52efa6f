import type { RecordedEffect } from './effects.ts';
import type { TriggerEvent } from './entry.ts';
import type { Hold } from './holds.ts';
import { define, type Json, type JsonObject } from './json.ts';

/** The recent runs that health looks at. */
export const HEALTH_WINDOW = 10;

/** A context write of an invocation, in the order in which the invocation made them [S23]. */
export interface RecordedWrite {
  readonly ordinal: number;
  readonly key: string;
  readonly value: Json;
  readonly deleted: boolean;
}

/** Begun and not ended: after a crash it is handled again from the top, with what is recorded here. */
export interface OpenInvocation {
  readonly event: TriggerEvent;
  /** Promptise's number: successful invocations so far, plus one. */
  readonly invocation: number;
  readonly attempt: number;
  readonly startedAt: string;
  readonly codeHash: string;
  effects: RecordedEffect[];
  writes: RecordedWrite[];
  /**
   * What the keys written since the start held before: the view of a re-run is the context with these put back
   * [S23]. Null where the key did not exist.
   */
  before: Record<string, { readonly value: Json } | null>;
}

export interface RunRecord {
  readonly eventId: string;
  readonly ok: boolean;
  readonly at: string;
  readonly durationMs: number | null;
}

export interface WriterIdentity {
  readonly epoch: number;
  readonly hostId: string;
  readonly pid: number;
  readonly startTime: string;
  readonly build: string;
}

/** An operating system process, told apart from a later one with the same pid by its start time. */
export interface OsProcess {
  readonly pid: number;
  readonly startTime: string;
}

export interface WorkerIdentity extends OsProcess {
  readonly generation: number;
}

export interface LastError {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

/**
 * Everything that the journal says about a process: plain data, built by the fold alone [P3], and all of it in every
 * full checkpoint [S17]. The fold owns and changes it; everybody else reads.
 */
export interface ProcessSnapshot {
  /** The last entry folded, 0 before the first. */
  seq: number;
  context: Record<string, Json>;
  /** A lifecycle state, or whatever text a foreign journal holds. */
  lifecycle: string;
  lifecycleSince: string | null;
  lifecycleReason: string;
  lifecycleActor: string;
  holds: Hold[];
  /** Successful invocations. */
  invocationCount: number;
  conversation: JsonObject[];
  /** Accepted and not begun, in the order of acceptance. */
  queue: TriggerEvent[];
  open: OpenInvocation[];
  /** Newest last, at most {@link HEALTH_WINDOW}. */
  recentRuns: RunRecord[];
  consecutiveFailures: number;
  /** Invocations begun on the UTC day of the last one; null where none was ever seen, which is not the same as none. */
  runsToday: { readonly day: string; readonly runs: number } | null;
  /** Automatic restarts since the last success. */
  restarts: number;
  /** Whether one was announced and has not begun, or there are none left. */
  restart: 'none' | 'pending' | 'exhausted';
  /** Worker deaths in a row without progress between them. */
  workerDeaths: number;
  lastError: LastError | null;
  /** How the last worker that nobody ended came to its end; null once there was progress again. */
  lastWorkerDeath: string | null;
  writer: WriterIdentity | null;
  /** The workers journaled as started and not as gone. */
  workers: WorkerIdentity[];
  /** The last worker number given out. */
  generation: number;
  configHash: string | null;
  /** Sections of a foreign checkpoint that belong to its writer (budget, mission), kept as they are. */
  foreign: JsonObject;
  lastEntryType: string;
  lastEntryAt: string | null;
}

export function emptySnapshot(): ProcessSnapshot {
  return {
    seq: 0,
    context: {},
    lifecycle: 'created',
    lifecycleSince: null,
    lifecycleReason: '',
    lifecycleActor: '',
    holds: [],
    invocationCount: 0,
    conversation: [],
    queue: [],
    open: [],
    recentRuns: [],
    consecutiveFailures: 0,
    runsToday: null,
    restarts: 0,
    restart: 'none',
    workerDeaths: 0,
    lastError: null,
    lastWorkerDeath: null,
    writer: null,
    workers: [],
    generation: 0,
    configHash: null,
    foreign: {},
    lastEntryType: '',
    lastEntryAt: null,
  };
}

/** The context as an open invocation saw it when it began [S23]. */
export function viewAtStart(
  context: Readonly<Record<string, Json>>,
  open: OpenInvocation,
): Record<string, Json> {
  const view: Record<string, Json> = { ...context };
  for (const [key, before] of Object.entries(open.before)) {
    if (before === null) delete view[key];
    else define(view, key, before.value);
  }
  return view;
}
