import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { counted } from '../../ui/numbers.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { Triggers } from '../trigger/triggers.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { OpenInvocations } from './open-invocations.tsx';

/** What wakes the process, what is under way, what waits for its turn, and what was given up. */
export function QueueTab({ detail }: { readonly detail: ProcessDetail }) {
  return (
    <div className="hf-sections">
      <Triggers detail={detail} />
      <Queue detail={detail} />
      <OpenInvocations detail={detail} />
      <DeadLetters detail={detail} />
    </div>
  );
}

function Queue({ detail: { queue, row, unsent } }: { readonly detail: ProcessDetail }) {
  return (
    <section aria-label="Queue">
      <SectionHead title="Queue" shown={queue.length} of={row.queued} />
      {queue.length === 0 ? (
        <p className="hf-muted">Nothing waits.</p>
      ) : (
        <Table heads={['Event', 'Trigger', 'Stands for', 'Waiting for']}>
          {queue.map((event) => (
            <tr key={event.eventId}>
              <th scope="row">
                <CutText text={event.eventId} room={32} />
              </th>
              <td>{visibleLine(event.triggerId)}</td>
              <td>
                {event.missed === 0 ? (
                  <span className="hf-muted">itself</span>
                ) : (
                  <>itself and {counted(event.missed, 'missed time')}</>
                )}
              </td>
              <td>
                <Ago at={event.acceptedAt} long />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <ShownOf shown={queue.length} of={row.queued} what="events" />
      {unsent > 0 && (
        <p className="hf-muted hf-note">
          {counted(unsent, 'message')} to others {unsent === 1 ? 'is' : 'are'} on the way, and not known to
          have arrived.
        </p>
      )}
    </section>
  );
}
