import type { RewindPlanView } from '../../../core/contract/rewind-views.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { Written } from '../../ui/said.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { Table } from '../../ui/table.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { StayingEffects, StayingFacts } from './staying-facts.tsx';

/** What a rewind would do: first what it can not take back, then what it would. */
export function RewindPlan({ plan }: { readonly plan: RewindPlanView }) {
  return (
    <div className="hf-plan">
      <StayingEffects plan={plan} />
      <Undone plan={plan} />
      <Context plan={plan} />
      <StayingFacts plan={plan} />
    </div>
  );
}

const HOW: Readonly<Record<RewindPlanView['undone'][number]['how'], string>> = {
  done: 'had ended',
  failed: 'had failed',
  'given up': 'was given up',
  'under way': 'is under way',
};

function Undone({ plan: { undone, undoneCount, isHandledAgain } }: { readonly plan: RewindPlanView }) {
  return (
    <section aria-label="Invocations">
      <h3>Invocations</h3>
      {undoneCount === 0 ? (
        <p className="hf-muted">None was under way at that entry, and none has begun since.</p>
      ) : (
        <Table heads={['Event', 'Now', 'Afterwards']}>
          {undone.map((one) => {
            const again = isHandledAgain || one.how === 'under way';
            return (
              <tr key={one.eventId}>
                <th scope="row">
                  <CutText text={one.eventId} room={28} />
                  <span className="hf-second">{visibleLine(one.triggerId)}</span>
                </th>
                <td>
                  {HOW[one.how]}
                  {one.isCutShort && <span className="hf-second">had begun before that entry</span>}
                </td>
                <td>
                  {again ? <strong>handled again</strong> : <span className="hf-muted">left as it is</span>}
                  {again && one.effects > 0 && (
                    <span className="hf-second">
                      {counted(one.effects, 'effect')} on record {one.effects === 1 ? 'is' : 'are'} given back
                      to it
                    </span>
                  )}
                </td>
              </tr>
            );
          })}
        </Table>
      )}
      <ShownOf shown={undone.length} of={undoneCount} what="invocations" />
    </section>
  );
}

function Context({ plan: { context, contextChanges, conversation } }: { readonly plan: RewindPlanView }) {
  const said = conversation.now === conversation.was;
  return (
    <section aria-label="State">
      <h3>State</h3>
      {contextChanges === 0 ? (
        <p className="hf-muted">It is now as it was at that entry.</p>
      ) : (
        <Table className="hf-plan-changes" heads={['Key', 'Now', 'Afterwards']}>
          {context.map(({ key, now, was }) => (
            <tr key={key}>
              <th scope="row">{visibleLine(key)}</th>
              <td>
                <Value said={now} />
              </td>
              <td>
                <Value said={was} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <ShownOf shown={context.length} of={contextChanges} what="changed keys" />
      <p>
        Conversation:{' '}
        {said ? (
          <span className="hf-muted">{counted(conversation.now, 'message')}, as at that entry.</span>
        ) : (
          <>
            {counted(conversation.now, 'message')} now → {countText(conversation.was)} afterwards.
          </>
        )}
      </p>
    </section>
  );
}

function Value({ said }: { readonly said: RewindPlanView['context'][number]['now'] }) {
  return said === null ? <span className="hf-muted">not there</span> : <Written text={said.valueText} />;
}
