import type { ProcessDetail } from '../../../core/contract/views.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { FactList, type Fact } from '../../ui/fact-list.tsx';
import { countText } from '../../ui/numbers.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { workerOf } from '../../ui/worker-text.ts';

/** The numbers of a process. What is not known is called that. */
export function Facts({ detail }: { readonly detail: ProcessDetail }) {
  const { row, writer, journalLevel } = detail;
  const facts: readonly Fact[] = [
    ['Invocations', countText(row.invocations)],
    ['Queued', countText(row.queued)],
    ['Restarts', countText(row.restarts)],
    ['Entries', countText(row.entries)],
    [
      'Last entry',
      row.lastEntryAt === null ? (
        'never'
      ) : (
        <>
          {visibleLine(row.lastEntryType)}, <Ago at={row.lastEntryAt} suffix=" ago" />
        </>
      ),
    ],
    ['Worker', workerOf(row)],
    ['Writer', writer === null ? 'unknown' : `pid ${writer.pid}, epoch ${writer.epoch}`],
    ['Host', writer === null ? 'unknown' : <CutText text={writer.hostId} room={22} />],
    ['Journal level', visibleLine(journalLevel) || 'unknown'],
  ];
  return (
    <section className="hf-card hf-card-facts" aria-label="Facts">
      <header>
        <h2>Facts</h2>
      </header>
      <FactList facts={facts} />
    </section>
  );
}
