import { useEffect, useState } from 'react';
import type { Result } from '../../../core/contract/define.ts';
import { useConsole } from '../../app/console-context.ts';

/** While somebody types, nothing is asked. */
const REST_MS = 400;

type Ask<T> = () => Promise<Result<T>>;

export interface Planned<T> {
  /** The last answer, also while there may be another by now; null before the first. */
  readonly result: Result<T> | null;
  /** Whether that is not the answer to what is asked now. */
  readonly isOld: boolean;
  /** Asks once more for the same. */
  readonly again: () => void;
}

interface Answer<T> {
  readonly round: number;
  readonly ask: Ask<T>;
  readonly result: Result<T>;
}

/**
 * What the host says would be done. It is asked at once, and then whenever the question has rested for a moment.
 * @param ask the same for as long as the question is; null for nothing
 */
export function usePlan<T>(ask: Ask<T> | null): Planned<T> {
  const { clock } = useConsole();
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<Answer<T> | null>(null);
  const isOld = ask !== null && (answer?.ask !== ask || answer.round !== round);
  const isChanged = answer !== null && answer.ask !== ask;
  useEffect(() => {
    if (ask === null || !isOld) return undefined;
    let wanted = true;
    const look = (): void => {
      void ask().then((result) => {
        if (wanted) setAnswer({ round, ask, result });
      });
    };
    const cancel = isChanged ? clock.after(REST_MS, look) : undefined;
    if (!isChanged) look();
    return () => {
      wanted = false;
      cancel?.();
    };
  }, [clock, ask, round, isOld, isChanged]);
  return { result: answer?.result ?? null, isOld, again: () => setRound((now) => now + 1) };
}
