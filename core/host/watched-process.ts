// The one process that a console has open: its detail and its new entries, in batches.

import type { ConsoleEvent } from '../contract/console-host.ts';
import type { TimelinePage } from '../contract/timeline-views.ts';
import { changeStream } from './change-stream.ts';
import type { JournalSource } from './journal-source.ts';

const PERIOD_MS = 100;
const MAX_ROWS = 100;
/** Usually enough for what is new; lines behind what is new are read for nothing. */
const FIRST_ROWS = 16;

export interface WatchedProcess extends Disposable {
  /** Resolves when it is watched, or when another start or a stop has come in between, which then counts. */
  start(source: JournalSource, process: string): Promise<void>;
  stop(): void;
  /** Something changed, in this process or, with null, anywhere. */
  touch(process: string | null): void;
  setPeriod(periodMs: number): void;
}

interface Target {
  readonly source: JournalSource;
  readonly process: string;
  seq: number;
}

export function watchedProcess(
  tell: (event: ConsoleEvent) => void,
  onFailure: (error: unknown) => void,
): WatchedProcess {
  let target: Target | null = null;
  let generation = 0;
  const stream = changeStream(PERIOD_MS, tellNow, onFailure);

  async function tellNow(): Promise<void> {
    const watched = target;
    if (watched === null) return;
    const { source, process } = watched;
    let page: TimelinePage;
    let detail;
    try {
      page = await newest(watched);
      detail = source.detail(process);
    } catch {
      // Closed or gone meanwhile: the fleet says so, and reading the process answers with the reason.
      return;
    }
    const rows = page.rows.filter((row) => row.seq > watched.seq);
    const oldest = page.rows.at(-1)?.seq ?? 0;
    const gap = watched.seq > 0 && oldest > watched.seq + 1 && page.before !== null;
    watched.seq = page.rows[0]?.seq ?? watched.seq;
    if (target !== watched) return;
    tell({ name: 'process.changed', payload: { journalId: source.id, process, detail, rows, gap } });
  }

  async function newest({ source, process, seq }: Target): Promise<TimelinePage> {
    const page = await source.timeline(process, FIRST_ROWS, null);
    const isShort = page.rows.length === FIRST_ROWS && page.rows.at(-1)!.seq > seq + 1;
    return isShort ? source.timeline(process, MAX_ROWS, null) : page;
  }

  const stop = (): void => {
    generation += 1;
    target = null;
  };

  return {
    start: async (source, process) => {
      stop();
      const started = generation;
      const page = await source.timeline(process, 1, null);
      if (generation !== started) return;
      target = { source, process, seq: page.rows[0]?.seq ?? 0 };
      stream.touch();
    },
    stop,
    touch: (process) => {
      if (target !== null && (process === null || process === target.process)) stream.touch();
    },
    setPeriod: (periodMs) => stream.setPeriod(periodMs),
    [Symbol.dispose]: () => {
      stop();
      stream[Symbol.dispose]();
    },
  };
}
