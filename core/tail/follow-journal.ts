// Follows one process's journal from a place on, over sealed segments too: whole lines only, in order, each once [J4].

import type { FileJournal } from '../journal/file-journal.ts';
import type { BadLine, StoredEntry } from '../model/entry.ts';
import { codeOf } from '../model/errors.ts';
import type { Cursor } from '../model/ports.ts';
import { watchDirectory } from './watch-directory.ts';

export interface Following extends Disposable {
  /** Rejects when the journal can't be read any more; never resolves. */
  readonly failed: Promise<never>;
}

export interface Follower {
  readonly onItems: (items: readonly (StoredEntry | BadLine)[]) => void;
  /** The journal was cut or replaced: what comes next is from its beginning. */
  readonly onReplaced: () => void;
}

/** Calls with what stands behind `from`, or with everything, at once and as it comes. Disposing stops it. */
export function followJournal(
  journal: FileJournal,
  process: string,
  from: Cursor | null,
  { onItems, onReplaced }: Follower,
): Following {
  let place = from;
  const stop = new AbortController();
  let isAsked = false;
  let isReading = false;
  let fail: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Who does not wait for it is not to end by it.
  failed.catch(() => {});

  const read = async (): Promise<void> => {
    for await (const { items, next } of journal.readFrom(process, place)) {
      if (stop.signal.aborted) return;
      place = next;
      onItems(items);
    }
  };
  const readAnew = (error: unknown): void => {
    if (codeOf(error) !== 'journal.changed') throw error;
    place = null;
    onReplaced();
    isAsked = true;
  };
  const look = async (): Promise<void> => {
    isAsked = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isAsked && !stop.signal.aborted) {
        isAsked = false;
        await read().catch(readAnew);
      }
    } catch (error) {
      fail(error);
    } finally {
      isReading = false;
    }
  };
  // Watching begins first, or what is written between the two would be noticed by neither.
  const watching = watchDirectory(journal.directory, () => void look());
  void look();
  return {
    failed,
    [Symbol.dispose]: () => {
      stop.abort();
      watching[Symbol.dispose]();
    },
  };
}
