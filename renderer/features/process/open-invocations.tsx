import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { InvocationView } from '../../../core/contract/work-views.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { Table } from '../../ui/table.tsx';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { openWaits, standingLook } from '../../ui/work-look.ts';
import { WorkMark } from '../../ui/work-mark.tsx';
import { InvocationButtons } from './invocation-buttons.tsx';

/** The invocations that have begun and not ended, and what each of them stands at. */
export function OpenInvocations({ detail }: { readonly detail: ProcessDetail }) {
  const { open, counts } = detail;
  return (
    <section aria-label="Invocations">
      <SectionHead title="Invocations under way" shown={open.length} of={counts.open}>
        <InvocationButtons detail={detail} />
      </SectionHead>
      {open.length === 0 ? (
        <p className="hf-muted">None. The next begins with the next event of the queue.</p>
      ) : (
        <Table className="hf-invocations" heads={['Invocation', 'Standing', 'Waits for', 'Event', 'Begun']}>
          {open.map((invocation) => (
            <tr key={invocation.eventId}>
              <th scope="row">
                {countText(invocation.invocation)}
                <span className="hf-second">attempt {countText(invocation.attempt)}</span>
              </th>
              <td>
                <WorkMark look={standingLook(invocation.standing)} />
              </td>
              <td>
                <WaitsFor invocation={invocation} />
              </td>
              <td>
                {visibleLine(invocation.triggerId)}
                <span className="hf-second">
                  <CutText text={invocation.eventId} room={24} />
                </span>
              </td>
              <td>
                <Ago at={invocation.startedAt} long suffix=" ago" />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <ShownOf shown={open.length} of={counts.open} what="invocations" />
    </section>
  );
}

/** For whom or what, and until when. */
export function WaitsFor({ invocation }: { readonly invocation: InvocationView }) {
  switch (invocation.standing) {
    case 'backing-off':
      return invocation.retryAt === null ? (
        <>its next attempt</>
      ) : (
        <>
          attempt {countText(invocation.attempt + 1)} begins <Until at={invocation.retryAt} />
        </>
      );
    case 'in-doubt':
      return <>you, for {counted(doubtsIn(invocation), 'effect')} in doubt</>;
    case 'waiting':
      return <Waits invocation={invocation} />;
    case 'ready':
      return <span className="hf-muted">its turn</span>;
    case 'running':
      return <span className="hf-muted">nothing</span>;
  }
}

function doubtsIn({ effects }: InvocationView): number {
  return effects.filter(({ needsOperator }) => needsOperator).length;
}

/** As many as are seen at a glance. */
const FEW = 5;

function Waits({ invocation }: { readonly invocation: InvocationView }) {
  const waits = [...openWaits(invocation, 'promise'), ...openWaits(invocation, 'timer')];
  const more = invocation.openWaitCount - FEW;
  if (waits.length === 0) return <>a signal</>;
  return (
    <ul className="hf-plain">
      {waits.slice(0, FEW).map((wait) => (
        <li key={wait.waitId}>
          {wait.kind === 'timer' && wait.name === '' ? (
            'timer'
          ) : (
            <>
              {wait.kind} <code className="hf-mono">{visibleLine(wait.name)}</code>
            </>
          )}
          {wait.dueAt !== null && (
            <span className="hf-muted">
              {' '}
              · {wait.kind === 'timer' ? 'due' : 'expires'} <Until at={wait.dueAt} />
            </span>
          )}
        </li>
      ))}
      {more > 0 && <li className="hf-muted">and {countText(more)} more</li>}
    </ul>
  );
}
