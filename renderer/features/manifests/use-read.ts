import { useEffect, useState } from 'react';
import type { Result } from '../../../core/contract/define.ts';

export interface Read<T> {
  /** Null before the first answer. */
  readonly found: Result<T> | null;
  /** Asks once more; what was found stays until the answer comes. */
  readonly again: () => void;
}

/** Asks the host, and asks again whenever `version` is another. `ask` stays the same as long as the question does. */
export function useRead<T>(ask: () => Promise<Result<T>>, version: string): Read<T> {
  const [turn, setTurn] = useState(0);
  const [read, setRead] = useState<{ readonly of: string; readonly result: Result<T> } | null>(null);
  const of = `${version} ${turn}`;
  useEffect(() => {
    let wanted = true;
    void ask().then((result) => {
      if (wanted) setRead({ of, result });
    });
    return () => {
      wanted = false;
    };
  }, [ask, of]);
  return { found: read?.result ?? null, again: () => setTurn((before) => before + 1) };
}
