// Where the pure parts and the runtime meet the world. Each port has one contract test that every implementation
// passes.

import type { BadLine, NewEntry, StoredEntry } from './entry.ts';
import type { JsonObject } from './json.ts';
import type { OsProcess } from './snapshot.ts';
import type { FromWorker, ToWorker } from './worker-protocol.ts';

export interface ReadOptions {
  /** Inclusive; a journal timestamp. */
  readonly since?: string;
  readonly entryType?: string;
  /** The first n that match, oldest first, as in Promptise. */
  readonly limit?: number;
}

/** An opaque place in one process's journal. */
export type Cursor = string & { readonly __cursor: never };

export interface EntryPage {
  /** Oldest first. */
  readonly entries: readonly StoredEntry[];
  readonly badLines: readonly BadLine[];
  /** Where to go on towards the beginning; null at the beginning. */
  readonly before: Cursor | null;
}

export interface EntryPart {
  /** Oldest first. */
  readonly items: readonly (StoredEntry | BadLine)[];
  /** Where to go on towards the end. */
  readonly next: Cursor;
}

export interface CheckpointRecord {
  readonly state: JsonObject;
  /** The checkpoint line's number, or null when a foreign checkpoint file is ahead of the journal [S19]. */
  readonly seq: number | null;
}

/**
 * `always`: acknowledged after the disk has it. `interval`: acknowledged when written, synced every 50 ms. `os`: never
 * synced for that; survives the process, not the machine.
 */
export const DURABILITIES = ['always', 'interval', 'os'] as const;
export type Durability = (typeof DURABILITIES)[number];

/** How much of what is sealed is kept; null for all of it [S15]. */
export interface Retention {
  readonly maxAgeDays: number | null;
  /** Of sealed segments, packed as they are. */
  readonly maxBytes: number | null;
}

/** How one process's journal is kept. */
export interface KeepingOptions {
  readonly durability?: Durability;
  readonly retention?: Retention;
}

/** A value that lies outside of the entry that names it [S16]. */
export interface SpillReference {
  readonly id: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface AppendOptions {
  /** Durable before it is acknowledged, whatever the journal promises otherwise [S29]. */
  readonly synced?: boolean;
  /** Nothing waits for it: written at once, and made durable with what comes next, a moment later at the latest. */
  readonly unhurried?: boolean;
}

/**
 * An append-only journal of many processes. Reading never writes [J4]. All methods but `append`, `checkpoint`, `claim`,
 * `spill` and `unspill` work without the right to write.
 */
export interface JournalProvider {
  /** Resolves once the entry is as durable as the journal promises [P1]; entries of a process keep call order. */
  append(entry: NewEntry, options?: AppendOptions): Promise<StoredEntry>;
  /**
   * Takes the process's journal over for writing: repairs its tail [J6, S11], finds out whether it is as it was left
   * [S10, S13], and signs in [S7]. `append` implies it.
   * @throws `journal.damaged`, `journal.lost-tail`
   */
  claim(processId: string, keeping?: KeepingOptions): Promise<void>;
  read(processId: string, options?: ReadOptions): Promise<readonly StoredEntry[]>;
  /** The newest `limit` lines before `before`, or before the end. */
  readLast(processId: string, limit: number, before?: Cursor): Promise<EntryPage>;
  /** Everything from the last full checkpoint on, oldest first, in parts of bounded size; all of it where there is none. */
  readSinceCheckpoint(processId: string): AsyncIterable<EntryPart>;
  processes(): Promise<readonly string[]>;
  /** Writes the checkpoint line, and for other readers the checkpoint file [J8]. */
  checkpoint(
    processId: string,
    state: JsonObject,
    line?: Pick<NewEntry, 'entry_id' | 'timestamp'>,
  ): Promise<StoredEntry>;
  lastCheckpoint(processId: string): Promise<CheckpointRecord | null>;
  /** Keeps a large value beside the journal, durable before the entry that names it is written [S16]. */
  spill(processId: string, bytes: Uint8Array): Promise<SpillReference>;
  /** Takes a value away again that no entry names, and none ever will. */
  unspill(processId: string, reference: SpillReference): Promise<void>;
  /** The value, or null where it is lost. */
  spilled(processId: string, reference: SpillReference): Promise<Uint8Array | null>;
  /** Resolves when everything appended is durable; afterwards nothing can be appended. */
  close(): Promise<void>;
}

/** What an `AbortSignal` offers, as far as it is needed here. */
export interface CallOff {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
}

/** How much a worker may take; what is left out is the host's default. */
export interface WorkerLimits {
  /** Of the worker itself, without what it starts; null for no limit. */
  readonly memoryMb: number | null;
  /** Until the agent's module is loaded. */
  readonly startDeadlineMs: number;
  /** From the request to end until it is made to: by SIGTERM after half of it, by SIGKILL after all of it. */
  readonly stopDeadlineMs: number;
}

export interface WorkerSpec {
  readonly process: string;
  /** Empty for an agent without code of its own. */
  readonly entrypoint: string;
  readonly generation: number;
  readonly limits?: WorkerLimits;
}

export interface WorkerExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to either stream, at most 64 KiB. */
  readonly lastOutput: string;
  /** How it came to its end, for a person, as what follows its name: `ended when asked`. */
  readonly why: string;
  /** It was killed and is still there, as what hangs in the kernel is: nothing it began is settled until it is reaped [S30]. */
  readonly isUndead: boolean;
}

/** How a worker is doing, as of at most a second ago; null for what the system does not tell. */
export interface WorkerFacts {
  readonly pid: number;
  readonly generation: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly rssBytes: number | null;
  /** Of one processor since the last look, or since the start; above 100 where several are used. */
  readonly cpuPercent: number | null;
}

export interface WorkerHandle extends OsProcess {
  send(message: ToWorker): void;
  onMessage(listener: (message: FromWorker) => void): void;
  /** Resolves once the worker and everything it started are gone, or can't be made to go; never rejects. */
  readonly exited: Promise<WorkerExit>;
  /**
   * Asks the worker to end: it begins nothing more, lets the effects that it is performing end, says so and exits. It is
   * made to when it does not within `stopDeadlineMs`.
   */
  end(): void;
  /** Ends the worker and everything it started at once; `why` is what a person reads of it. */
  kill(why?: string): void;
  /** Looked up when it is asked for. */
  facts(): WorkerFacts;
}

export interface WorkerOutputLine {
  readonly stream: 'out' | 'err';
  /** Without its end; the beginning of a line that is too long. */
  readonly text: string;
  /** The run that was in the worker's hands, where it was the only one. */
  readonly run: number | null;
}

/** Hears what a worker writes. */
export interface WorkerOutput {
  /** False while more comes than can be kept: it is only counted then. */
  readonly hasRoom: () => boolean;
  readonly onLine: (line: WorkerOutputLine) => void;
  readonly onDropped: (stream: 'out' | 'err', lines: number) => void;
}

/** What a host knows of secrets, where it starts a worker. */
export interface Secrecy {
  /** Takes them out of a text. */
  readonly scrub: (text: string) => string;
  /** Whether a variable of the host's environment is kept from the worker. */
  readonly isWithheld: (name: string, value: string) => boolean;
}

/** Starts the operating system processes that agent code runs in. */
export interface WorkerHost {
  /**
   * Resolves when the worker has loaded the module; rejects with `worker.*` when it can't, or when it was called off.
   * Whatever it writes is drained, whether anybody hears it or not.
   */
  spawn(spec: WorkerSpec, callOff: CallOff, output?: WorkerOutput, secrecy?: Secrecy): Promise<WorkerHandle>;
  /**
   * Ends what is left of a worker of a host that is gone, if it still is that worker, with everything it started;
   * resolves when it is gone [S30].
   */
  reap(worker: OsProcess): Promise<void>;
}

/** The operating system's keychain, as far as a shell has one. */
export interface SecretStore {
  /** Null where there is no such entry. @throws `keychain.*` */
  read(entry: string): string | null;
  /** Kept when it returns. @throws `keychain.*` */
  write(entry: string, value: string): void;
}

export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
  /** Milliseconds from some fixed point; never goes back. For durations. */
  monotonic(): number;
  /** Calls back once after `delayMs`; the result cancels. */
  after(delayMs: number, callback: () => void): () => void;
}

export interface Ids {
  next(): string;
}
