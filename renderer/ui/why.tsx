import type { ProcessRow } from '../../core/contract/process-row.ts';
import { DayClock } from './time-text.tsx';
import { visibleLine } from './visible-text.ts';

/** Why it is not moving, or what it does; its time is local. */
export function Why({ row: { why, whyAt } }: { readonly row: Pick<ProcessRow, 'why' | 'whyAt'> }) {
  return (
    <>
      {visibleLine(why)}
      {whyAt !== null && (
        <>
          {' '}
          <DayClock at={whyAt} />
        </>
      )}
    </>
  );
}
