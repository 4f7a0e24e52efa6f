import type { ReactNode } from 'react';
import type { ProcessDetail } from '../../../core/contract/views.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { countText } from '../../ui/numbers.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';

/** The numbers of a process. What is not known is called that. */
export function Facts({ detail }: { readonly detail: ProcessDetail }) {
  const { row, writer, journalLevel } = detail;
  const facts: readonly (readonly [string, ReactNode])[] = [
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
    [
      'Worker',
      row.worker === null ? (
        'none'
      ) : (
        <>
          pid <span className="hf-mono">{row.worker.pid}</span>, number {row.worker.generation}
        </>
      ),
    ],
    [
      'Writer',
      writer === null ? (
        'unknown'
      ) : (
        <>
          pid <span className="hf-mono">{writer.pid}</span>, epoch {writer.epoch}
        </>
      ),
    ],
    ['Host', writer === null ? 'unknown' : <CutText text={writer.hostId} room={22} />],
    ['Journal level', visibleLine(journalLevel) || 'unknown'],
  ];
  return (
    <section className="hf-card hf-card-facts" aria-label="Facts">
      <header>
        <h2>Facts</h2>
      </header>
      <dl className="hf-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
