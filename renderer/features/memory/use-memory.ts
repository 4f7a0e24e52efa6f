import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure } from '../../../core/contract/define.ts';
import type { MemoryPage } from '../../../core/contract/memory-views.ts';
import { useConsole } from '../../app/console-context.ts';
import type { Target } from '../../stores/target.ts';

const PAGE = 50;

export interface ShownMemory {
  /** Null until it could be read. */
  readonly page: MemoryPage | null;
  /** What the page was searched for; empty where it is the newest. */
  readonly text: string;
  /** Of the last reading; what was read before stays. */
  readonly failure: Failure | null;
  readonly isReading: boolean;
  readonly search: (text: string) => void;
  readonly again: () => void;
  readonly more: () => void;
}

/**
 * What an agent remembers, read anew whenever somebody answered a question about it here, and whenever `moved` says that the
 * agent itself may have changed something.
 */
export function useMemory({ journalId, process }: Target, moved: number): ShownMemory {
  const { client, actions } = useConsole();
  const [page, setPage] = useState<MemoryPage | null>(null);
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isReading, setReading] = useState(true);
  /** Numbers the readings: an answer to an earlier one is dropped. */
  const reading = useRef(0);
  const shown = useRef({ text: '', count: PAGE });

  const read = useCallback(
    async (asked: string, count: number): Promise<void> => {
      const mine = (reading.current += 1);
      shown.current = { text: asked, count };
      setReading(true);
      const max = Math.min(200, count);
      const result = await client.request('memory.search', { journalId, process, text: asked, max, skip: 0 });
      if (mine !== reading.current) return;
      setReading(false);
      setFailure(result.ok ? null : result.error);
      if (!result.ok) return;
      setPage(result.value);
      setText(asked);
    },
    [client, journalId, process],
  );
  const again = useCallback(() => void read(shown.current.text, shown.current.count), [read]);

  useEffect(again, [again, moved]);
  useEffect(
    () =>
      actions.store.subscribe((now, then) => {
        // An answer that was taken has closed its question.
        if (then.question?.kind === 'memory' && now.question === null) again();
      }),
    [actions, again],
  );
  useEffect(() => () => void (reading.current += 1), []);
  return {
    page,
    text,
    failure,
    isReading,
    search: (asked) => void read(asked.trim(), PAGE),
    again,
    more: () => void read(shown.current.text, shown.current.count + PAGE),
  };
}
