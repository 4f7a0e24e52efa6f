// The journals that a host has open: the one that it runs, and those that it only looks at. Each is there once.

import type { FleetView, JournalView } from '../contract/fleet-views.ts';
import { AppError } from '../model/errors.ts';
import type { JournalSource } from './journal-source.ts';
import type { LiveWorkspace } from './live-workspace.ts';
import { lookAtJournal } from './looked-at-journal.ts';
import { sameId } from './same-id.ts';

export interface OpenJournalsOptions {
  /** Which journals are open has changed, or something in one that is looked at. */
  readonly onChange: () => void;
  /** Something went wrong while looking; what was seen before still stands. */
  readonly onFailure: (error: unknown) => void;
}

export class OpenJournals {
  readonly #options: OpenJournalsOptions;
  readonly #sources = new Map<string, JournalSource>();
  #live: LiveWorkspace | null = null;
  #isClosing = false;

  constructor(options: OpenJournalsOptions) {
    this.#options = options;
  }

  /** The one that is run. */
  get live(): LiveWorkspace | null {
    return this.#live;
  }

  run(live: LiveWorkspace): void {
    this.#live = live;
    this.#sources.set(live.id, live);
  }

  /**
   * Opens a journal to look at it; one that is open is given as it is.
   * @throws `journal.same-id` beside another with its id, `host.closing`, what {@link lookAtJournal} throws
   */
  async look(path: string): Promise<JournalView> {
    const { onChange, onFailure } = this.#options;
    const source = await lookAtJournal(path, onChange, onFailure);
    if (this.#isClosing) {
      await source.close();
      throw closing();
    }
    const known = [...this.#sources.values()].find((other) => other.directory === source.directory);
    if (known !== undefined) {
      await source.close();
      return known.view();
    }
    const other = this.#sources.get(source.id);
    if (other !== undefined) {
      await source.close();
      throw sameId(source.directory, other.directory);
    }
    this.#sources.set(source.id, source);
    onChange();
    return source.view();
  }

  /** @throws `journal.is-live`, `journal.not-open` */
  async close(journalId: string): Promise<void> {
    const source = this.source(journalId);
    if (source === this.#live) {
      throw new AppError(
        'journal.is-live',
        `${source.directory} is run by this console and can't be closed while it is. Stop its processes, or quit.`,
        { journalId },
      );
    }
    this.#sources.delete(journalId);
    await source.close();
    this.#options.onChange();
  }

  /** @throws `journal.not-open` */
  source(journalId: string): JournalSource {
    const source = this.#sources.get(journalId);
    if (source !== undefined) return source;
    throw new AppError('journal.not-open', 'That journal is not open (any more). Open it again.', {
      journalId,
    });
  }

  /** @throws `journal.read-only`, `journal.not-open` */
  liveOf(journalId: string): LiveWorkspace {
    const source = this.source(journalId);
    if (this.#live !== null && source === this.#live) return this.#live;
    throw new AppError(
      'journal.read-only',
      `${source.directory} is only looked at from here, so nothing can be done to its processes. Use the console that runs it.`,
      { journalId },
    );
  }

  parts(): Pick<FleetView, 'journals' | 'processes'> {
    const sources = [...this.#sources.values()];
    return {
      journals: sources.map((source) => source.view()),
      processes: sources.flatMap((source) => source.rows()),
    };
  }

  /** From now on none is opened, also none that is being opened. */
  stopOpening(): void {
    this.#isClosing = true;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#sources.values()].map((source) => source.close()));
  }
}

export function closing(): AppError {
  return new AppError(
    'host.closing',
    'This console is being closed and does nothing any more. Start it again.',
  );
}
