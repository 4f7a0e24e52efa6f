// Everything that happens to a process goes through here: the entry is folded into the live state at once, in call order,
// and lined up for the journal; what may only happen once it is durable waits for the promise [P1, S29]. The live state
// is the same fold over the same entries that recovery makes [P3].

import type { EntryType } from '../model/entry.ts';
import { snapshotToState } from '../model/checkpoint.ts';
import { asAppError } from '../model/errors.ts';
import { applyEntry, FOLD_VERSION, type FoldedEntry } from '../model/fold.ts';
import { cloneJson, recordable, type Json, type JsonObject } from '../model/json.ts';
import { isRecorded, type JournalLevel } from '../model/levels.ts';
import type { AppendOptions, Clock, Ids, JournalProvider, SpillReference } from '../model/ports.ts';
import { NOTHING_SECRET, type Scrub } from '../model/scrubber.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { timestampOf } from '../model/time.ts';
import { ClockWatch } from './clock-watch.ts';

/** Up to this size a checkpoint is written after every cycle; above, once the bytes since reach four times it [S20]. */
const SMALL_CHECKPOINT_BYTES = 4 * 1024;
const SPACING = 4;
/** Inside a long invocation, at the least [S20]. */
const LONG_BYTES = 256 * 1024;
const UNHURRIED: AppendOptions = { unhurried: true };

export type Kept =
  | { readonly value: Json; readonly bytes: number }
  | { readonly spilled: Promise<SpillReference> };

/** Rejects for whoever waits; an entry that nobody waits for ends nothing. */
function refused({ error }: { readonly error: unknown }): Promise<never> {
  const refusal = Promise.reject(asAppError(error));
  refusal.catch(() => {});
  return refusal;
}

export interface RecorderOptions {
  readonly journal: JournalProvider;
  readonly process: string;
  readonly level: JournalLevel;
  readonly checkpointEvery: 'auto' | 'cycle';
  readonly clock: Clock;
  /** Of whoever goes on from one recorder to the next; one of its own unless given. */
  readonly clockWatch?: ClockWatch;
  readonly ids: Ids;
  /** Called after each entry that may have changed what is used. */
  readonly onEntry?: () => void;
  /** Takes secrets out of all that is recorded, before it is folded, so that the live state has none either [J10, P3]. */
  readonly scrub?: Scrub;
  /** Called once, with the first entry that the journal did not take: the live state is ahead of it from then on. */
  readonly onFailure: (error: unknown) => void;
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #clockWatch: ClockWatch;
  readonly #scrub: Scrub;
  #snapshot: ProcessSnapshot;
  #lastCheckpointBytes = 0;
  #bytesSince = 0;
  /** The first entry that the journal did not take; nothing is recorded behind it. */
  #failure: { readonly error: unknown } | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(snapshot: ProcessSnapshot, options: RecorderOptions) {
    this.#snapshot = snapshot;
    this.#options = options;
    this.#scrub = options.scrub ?? NOTHING_SECRET;
    this.#clockWatch = options.clockWatch ?? new ClockWatch(options.clock);
  }

  get snapshot(): Readonly<ProcessSnapshot> {
    return this.#snapshot;
  }

  get level(): JournalLevel {
    return this.#options.level;
  }

  /**
   * Resolves when the entry is durable. A failure of the journal also reaches `onFailure`, so a caller with nothing to
   * wait for may let it go.
   * @throws `json.not-recordable` at once, with nothing recorded, for data that the journal would refuse
   */
  record(type: EntryType, given: JsonObject, options: AppendOptions = {}): Promise<void> {
    const { level, clock, ids, process, journal } = this.#options;
    // Order is kept, or nothing is: what is missing would be missing for ever behind what came after it.
    if (this.#failure !== null) return refused(this.#failure);
    // At level none the state lives in memory only, and the journal's silence is what was asked for.
    if (level !== 'none' && !isRecorded(level, type)) return Promise.resolve();
    const data = this.#scrub.json(recordable(given, `the entry ${type}`)) as JsonObject;
    // Whatever time it speaks of was read on the clock as it is now.
    if (type !== 'clock_changed') this.lookAtClock();
    const timestamp = timestampOf(clock.now());
    const seq = this.#snapshot.seq + 1;
    this.#snapshot = applyEntry(this.#snapshot, {
      seq,
      timestamp,
      entry_type: type,
      data: cloneJson(data) as JsonObject,
    });
    this.#options.onEntry?.();
    if (level === 'none') return Promise.resolve();
    const entry = { entry_id: ids.next(), process_id: process, timestamp, entry_type: type, data };
    return this.#settle(journal.append(entry, options));
  }

  /** Without secrets, as it would be recorded: for what is cut or looked at before it is. */
  scrubbed<T>(value: T): T {
    return this.#scrub.json(value);
  }

  /** If the clock was set since the last entry, an entry says so [S22]; what waits for a while is due accordingly. */
  lookAtClock(): void {
    if (this.#failure !== null) return;
    const byMs = this.#clockWatch.look();
    if (byMs !== null) this.note('clock_changed', { by_ms: byMs });
  }

  /**
   * A value as its entry can hold it: itself, with its size as JSON, or, above `maxBytes`, where it lies from now on
   * [S16].
   * @throws `json.not-recordable`
   */
  keep(given: Json, maxBytes: number): Kept {
    const { level, process, journal } = this.#options;
    const value = this.#scrub.json(recordable(given, 'the result'));
    if (level === 'none') return { value, bytes: 0 };
    const text = JSON.stringify(value);
    if (text.length <= maxBytes) return { value, bytes: text.length };
    return { spilled: journal.spill(process, Buffer.from(text)) };
  }

  /** Gives up a value that lies beside the journal and that no entry names. Never rejects: what stays there harms nobody. */
  async giveUp(reference: SpillReference): Promise<void> {
    const { process, journal } = this.#options;
    await journal.unspill(process, reference).catch(() => {}); // it takes up its room, and that is all
  }

  /** The journal failed where no entry was written; nothing is recorded any more. */
  failed(error: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = { error };
    this.#options.onFailure(error);
  }

  /** Somebody else goes on with this journal: from now on nothing is recorded here, and nobody is told. */
  retire(error: unknown): void {
    this.#failure ??= { error };
  }

  /**
   * Records an entry that says that the state moves, and moves it; the checkpoint of where it is then follows at once, so
   * that no fold has to [S39]. Resolves when both are durable.
   */
  async move(type: EntryType, given: JsonObject, to: (entry: FoldedEntry) => ProcessSnapshot): Promise<void> {
    const data = this.#scrub.json(given);
    const said = this.record(type, data, { synced: true });
    const { seq, lastEntryAt } = this.#snapshot;
    const moved = this.moved(to({ seq, timestamp: lastEntryAt!, entry_type: type, data }));
    await Promise.all([said, moved]);
  }

  /** The same, for what is on record already. */
  moved(to: ProcessSnapshot): Promise<void> {
    if (this.#failure !== null) return refused(this.#failure);
    this.#snapshot = to;
    this.#options.onEntry?.();
    return this.checkpoint();
  }

  /** Like {@link record}, for an entry that nothing waits for. */
  note(type: EntryType, data: JsonObject): void {
    this.record(type, data, UNHURRIED).catch(() => {}); // onFailure has it
  }

  /** Resolves when everything so far is durable or refused. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /** The value behind a reference; null where it is lost. */
  async fetch(reference: SpillReference): Promise<Json | null> {
    const bytes = await this.#options.journal.spilled(this.#options.process, reference);
    // Larger than anything that an entry holds itself, so it is never the value null.
    return bytes === null ? null : (JSON.parse(Buffer.from(bytes).toString('utf8')) as Json);
  }

  /** Writes a checkpoint if one is due after a cycle [S20]. */
  cycleEnded(): void {
    const small = this.#lastCheckpointBytes <= SMALL_CHECKPOINT_BYTES;
    const due =
      small ||
      this.#options.checkpointEvery === 'cycle' ||
      this.#bytesSince >= SPACING * this.#lastCheckpointBytes;
    if (due) this.checkpoint().catch(() => {}); // onFailure has it
  }

  checkpoint(): Promise<void> {
    const { level, process, journal, clock, ids } = this.#options;
    if (level === 'none') return Promise.resolve();
    if (this.#failure !== null) return refused(this.#failure);
    // It may have come from entries that are older than what is known now.
    const state = this.#scrub.json(snapshotToState(this.#snapshot, FOLD_VERSION));
    const timestamp = timestampOf(clock.now());
    const seq = this.#snapshot.seq + 1;
    this.#snapshot = applyEntry(this.#snapshot, {
      seq,
      timestamp,
      entry_type: 'checkpoint',
      data: { state },
    });
    return this.#settle(
      journal.checkpoint(process, state, { entry_id: ids.next(), timestamp }).then((entry) => {
        this.#lastCheckpointBytes = entry.sizeBytes;
        this.#bytesSince = 0;
        return { sizeBytes: 0 };
      }),
    );
  }

  #settle(append: Promise<{ readonly sizeBytes: number }>): Promise<void> {
    const settled = append.then(
      ({ sizeBytes }) => {
        this.#bytesSince += sizeBytes;
        if (this.#bytesSince >= Math.max(LONG_BYTES, SPACING * this.#lastCheckpointBytes)) {
          this.#bytesSince = 0;
          this.checkpoint().catch(() => {}); // onFailure has it
        }
      },
      (error: unknown) => {
        this.failed(error);
        throw error;
      },
    );
    this.#last = settled.catch(() => {});
    return settled;
  }
}
