// One life of a writer: a journal opened on a disk, used as a host uses it, and closed or left to die.

import type { FileJournal } from '../../core/journal/index.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { applyEntry, FOLD_VERSION } from '../../core/model/fold.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { AppendOptions } from '../../core/model/ports.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import { openJournal, openUnlocked, type OpenOptions } from './open-journal.ts';

export interface SessionOptions extends OpenOptions {
  readonly directory: string;
  readonly ledger: Ledger;
  /** Hears of each acknowledgement as it comes. */
  readonly onAcknowledged: (entry: LedgerEntry) => void;
  /** Hears of everything that the journal threw. */
  readonly onRefused?: (error: unknown) => void;
  /** Without the kernel's lock. */
  readonly isUnlocked?: boolean;
}

export class Session {
  readonly #onAcknowledged: SessionOptions['onAcknowledged'];
  readonly #onRefused: NonNullable<SessionOptions['onRefused']>;
  #ledger: Ledger;
  readonly journal: FileJournal;
  /** The state of each claimed process, from its journal and from what was acknowledged since. */
  readonly #snapshots = new Map<string, ProcessSnapshot>();

  constructor(options: SessionOptions) {
    const { directory, ledger, onAcknowledged, onRefused = () => {}, isUnlocked = false, ...rest } = options;
    this.#onAcknowledged = onAcknowledged;
    this.#onRefused = onRefused;
    this.#ledger = ledger;
    try {
      this.journal = isUnlocked ? openUnlocked(directory, rest) : openJournal(directory, rest);
    } catch (error) {
      onRefused(error);
      throw error;
    }
  }

  /** From now on it is written down there. */
  goOnWith(ledger: Ledger): void {
    this.#ledger = ledger;
  }

  /** Takes the process over, as a host does when it starts or after a refusal. */
  async claim(process: string): Promise<void> {
    this.#snapshots.delete(process);
    try {
      await this.journal.claim(process);
      const { snapshot } = await new ReplayEngine(this.journal).recover(process);
      this.#snapshots.set(process, snapshot);
    } catch (error) {
      this.#onRefused(error);
      throw error;
    }
  }

  /** Appends, and writes down what the journal answered. */
  append(
    process: string,
    entry_type: string,
    data: JsonObject,
    { synced = false }: AppendOptions = {},
  ): Promise<StoredEntry> {
    const entered = this.#ledger.enter(process, entry_type, data, synced);
    const { entryId, timestamp } = entered;
    return this.#answered(
      entered,
      this.journal.append(
        { process_id: process, entry_type, data, entry_id: entryId, timestamp },
        { synced },
      ),
    );
  }

  /** A full checkpoint of all that was acknowledged; the process must be claimed, and nothing of it under way. */
  checkpoint(process: string): Promise<StoredEntry> {
    const snapshot = this.#snapshots.get(process) ?? emptySnapshot();
    const state = structuredClone(snapshotToState(snapshot, FOLD_VERSION));
    const entered = this.#ledger.enter(process, 'checkpoint', { state });
    const { entryId, timestamp } = entered;
    return this.#answered(entered, this.journal.checkpoint(process, state, { entry_id: entryId, timestamp }));
  }

  /** Writes a large value beside the journal, and gives what an entry names it by. */
  async spill(process: string, bytes: Uint8Array): Promise<JsonObject> {
    try {
      return { spilled: { ...(await this.journal.spill(process, bytes)) } };
    } catch (error) {
      this.#onRefused(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.journal.close();
  }

  async #answered(entered: LedgerEntry, answer: Promise<StoredEntry>): Promise<StoredEntry> {
    try {
      const stored = await answer;
      entered.answer = 'acknowledged';
      entered.seq = stored.seq;
      this.#onAcknowledged(entered);
      const snapshot = this.#snapshots.get(entered.process);
      if (snapshot !== undefined) this.#snapshots.set(entered.process, applyEntry(snapshot, stored));
      return stored;
    } catch (error) {
      entered.answer = 'refused';
      this.#onRefused(error);
      throw error;
    }
  }
}
