// The journal of a process, as it is written now: it begins anew with what was read of it whenever the process is recovered.

import type { ProcessDefinition } from '../model/process-config.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';
import { ClockWatch } from './clock-watch.ts';
import type { ProcessDependencies } from './process-dependencies.ts';
import { Recorder } from './recorder.ts';

export interface ProcessJournalOptions extends Pick<
  ProcessDependencies,
  'journal' | 'clock' | 'ids' | 'vault'
> {
  readonly definition: ProcessDefinition;
  readonly onEntry: () => void;
  /** It did not take an entry. */
  readonly onFailure: (error: unknown) => void;
}

export class ProcessJournal {
  readonly #options: ProcessJournalOptions;
  readonly #clockWatch: ClockWatch;
  #recorder: Recorder;

  constructor(options: ProcessJournalOptions) {
    this.#options = options;
    this.#clockWatch = new ClockWatch(options.clock);
    this.#recorder = this.#recorderOf(emptySnapshot());
  }

  get recorder(): Recorder {
    return this.#recorder;
  }

  /** What was lined up before belongs to what was read, and is settled by now. */
  goOnFrom(snapshot: ProcessSnapshot): void {
    this.#recorder = this.#recorderOf(snapshot);
  }

  #recorderOf(snapshot: ProcessSnapshot): Recorder {
    const { definition, journal, clock, ids, vault, onEntry, onFailure } = this.#options;
    const { journalLevel, checkpointEvery } = definition.config;
    const recorder: Recorder = new Recorder(snapshot, {
      journal,
      process: definition.name,
      level: journalLevel,
      checkpointEvery,
      clock,
      clockWatch: this.#clockWatch,
      ids,
      onEntry,
      scrub: vault,
      onFailure: (error) => {
        if (recorder === this.#recorder) onFailure(error);
      },
    });
    return recorder;
  }
}
