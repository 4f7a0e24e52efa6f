import { useState } from 'react';
import type { Failure } from '../../../core/contract/define.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useConsole, usePending } from '../../app/console-context.ts';
import type { Commands } from '../../stores/commands.ts';
import { targetOf } from '../../stores/target.ts';

export interface Attempt {
  /** Why the host did not take the last answer. */
  readonly failure: Failure | null;
  /** What is to be waited for before there can be another one, or null. */
  readonly missing: string | null;
  /** Resolves with why it was not taken, or null: then the question is closed. */
  readonly attempt: Commands['attempt'];
  /** What was refused is being changed. */
  readonly forget: () => void;
}

/** Answers the open question where it stands: what the host refuses is said in it, and what was typed stays. */
export function useAttempt(row: ProcessRow): Attempt {
  const { actions } = useConsole();
  const [failure, setFailure] = useState<Failure | null>(null);
  const pending = usePending(targetOf(row));
  return {
    failure,
    missing: pending === undefined ? null : `${pending.what}: waiting for the host.`,
    attempt: async (...answer) => {
      setFailure(null);
      const refused = await actions.attempt(...answer);
      setFailure(refused);
      return refused;
    },
    forget: () => setFailure(null),
  };
}
