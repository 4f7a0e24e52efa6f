import type { ProcessRow } from '../../core/contract/process-row.ts';

type Known = NonNullable<ProcessRow['worker']> & { readonly isAnswering?: boolean };

/** A worker in a few words. */
export function workerText({ pid, generation, isAnswering }: Known): string {
  const answers = isAnswering === undefined ? '' : isAnswering ? ', answers' : ', does not answer';
  return `pid ${pid}, number ${generation}${answers}`;
}

/** The same of a process that may have none. Of a journal that is only looked at nobody knows, and it says so [P5]. */
export function workerOf({ worker, live }: Pick<ProcessRow, 'worker' | 'live'>): string {
  if (worker !== null) return workerText(worker);
  return live ? 'none' : 'unknown';
}
