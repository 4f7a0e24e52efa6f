import type { Action, ProcessRow } from '../../../core/contract/process-row.ts';
import { useFleet } from '../../app/console-context.ts';
import { lookOf } from '../../ui/state-look.ts';

export interface Offered {
  readonly still: boolean;
  /** The word for the state that it has now, where that differs from the one in the question. */
  readonly now: string | null;
  /** Why it can't be done any more, or null. */
  readonly missing: string | null;
}

/** The question stays as it was asked; what changed meanwhile is said, and not forced. */
export function useStillOffered(asked: ProcessRow, action: Action): Offered {
  const row = useFleet((state) => state.processes[asked.key]);
  if (row === undefined) return { still: true, now: null, missing: null };
  const still = row.actions.includes(action);
  return {
    still,
    now: row.state === asked.state ? null : lookOf(row.state).word,
    missing: still ? null : 'Not offered any more.',
  };
}

interface ChangedProps {
  readonly offered: Offered;
  readonly name: string;
}

export function Changed({ offered: { still, now }, name }: ChangedProps) {
  if (still && now === null) return null;
  return (
    <p className="hf-alarm-text" role="status">
      {now === null ? `${name} changed meanwhile.` : `Meanwhile ${name} became ${now}.`}
      {!still && ' This can’t be done to it any more.'}
    </p>
  );
}
