// The one process that a console has open: its detail and its new entries, in batches.

import type { ConsoleEvent } from '../contract/console-host.ts';
import { changeStream } from './change-stream.ts';
import type { JournalSource } from './journal-source.ts';

const PERIOD_MS = 100;
const MAX_ROWS = 100;

export interface WatchedProcess {
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

export function watchedProcess(tell: (event: ConsoleEvent) => void): WatchedProcess {
  let target: Target | null = null;
  let telling: Promise<void> = Promise.resolve();
  const stream = changeStream(PERIOD_MS, () => {
    telling = telling.then(() => tellNow());
  });

  async function tellNow(): Promise<void> {
    const watched = target;
    if (watched === null) return;
    const { source, process } = watched;
    try {
      const page = await source.timeline(process, MAX_ROWS, null);
      const rows = page.rows.filter((row) => row.seq > watched.seq);
      const gap = watched.seq > 0 && rows.length === page.rows.length && page.before !== null;
      const detail = source.detail(process);
      watched.seq = page.rows[0]?.seq ?? watched.seq;
      if (target !== watched) return;
      tell({ name: 'process.changed', payload: { journalId: source.id, process, detail, rows, gap } });
    } catch {
      // Closed or gone meanwhile: the fleet says so, and reading the process answers with the reason.
    }
  }

  return {
    start: async (source, process) => {
      const page = await source.timeline(process, 1, null);
      target = { source, process, seq: page.rows[0]?.seq ?? 0 };
      stream.touch();
    },
    stop: () => {
      target = null;
    },
    touch: (process) => {
      if (target !== null && (process === null || process === target.process)) stream.touch();
    },
    setPeriod: (periodMs) => stream.setPeriod(periodMs),
  };
}
