import { Button } from '@blueprintjs/core';
import type { ProcessDetail } from '../../../core/contract/views.ts';
import { useActionsOff, useConsole, useFleet } from '../../app/console-context.ts';
import { ACTION_TABLE, buttonText } from '../../stores/action-table.ts';
import { FLEET, hashOf } from '../../stores/place.ts';
import { targetOf } from '../../stores/target.ts';
import { Bounded } from '../../ui/bounded.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { ActionIcon } from '../actions/action-icons.tsx';
import { useShownState } from '../actions/use-shown-state.ts';

/** What it is, how it is, why, and what may be done about it. */
export function ProcessHeader({ detail }: { readonly detail: ProcessDetail }) {
  const { row, reason, actor } = detail;
  const journal = useFleet((state) => state.journals.find(({ id }) => id === row.journalId));
  const look = useShownState(row);
  const why = visibleLine(row.why);
  const because = saidByState(row) && visibleLine(reason) === why ? '' : visibleLine(reason);
  return (
    <header className="hf-process-header">
      <div className="hf-process-title">
        <nav aria-label="Where this is" className="hf-crumbs">
          <a href={hashOf(FLEET)}>Fleet</a>
          <span aria-hidden="true">›</span>
          <span>{journal === undefined ? visibleLine(row.journalId) : visibleLine(journal.title)}</span>
          {!row.live && <span className="hf-access hf-access-read-only">read-only</span>}
        </nav>
        <PageHeading>{visibleLine(row.name)}</PageHeading>
        <div className="hf-process-state">
          <span className={`hf-state hf-hue-${look.hue}`}>
            <StateMark look={look} size={16} />
            <strong>{look.text}</strong>
          </span>
          {row.stateSince !== null && row.live && (
            <span className="hf-muted">
              for <Ago at={row.stateSince} long />
            </span>
          )}
          {(because !== '' || actor !== '') && (
            <Bounded as="span" label="Reason" className="hf-muted hf-because">
              {[because, actor === '' ? '' : `by ${visibleLine(actor)}`].filter(Boolean).join(' · ')}
            </Bounded>
          )}
        </div>
        {why !== '' && why !== visibleLine(reason) && !saidByState(row) && (
          <Bounded label="Why" className={`hf-why hf-tone-${row.tone}`}>
            {why}
          </Bounded>
        )}
      </div>
      <HeaderActions detail={detail} />
    </header>
  );
}

/** An awaiting process says what for with its state. */
function saidByState(row: ProcessDetail['row']): boolean {
  return row.live && row.state === 'awaiting';
}

function HeaderActions({ detail: { row } }: { readonly detail: ProcessDetail }) {
  const { actions } = useConsole();
  const off = useActionsOff(targetOf(row));
  if (row.actions.length === 0) {
    return (
      <p className="hf-muted hf-no-actions">
        {row.live ? 'Nothing can be done to it now.' : 'Looking only.'}
      </p>
    );
  }
  return (
    <div className="hf-buttons hf-process-actions" role="group" aria-label="Actions">
      {row.actions.map((action) => {
        const { danger } = ACTION_TABLE[action];
        return (
          <Button
            key={action}
            icon={<ActionIcon action={action} />}
            disabled={off}
            {...(danger ? { intent: 'danger' as const, variant: 'outlined' as const } : {})}
            onClick={() => actions.choose(row, action)}
          >
            {buttonText(action)}
          </Button>
        );
      })}
    </div>
  );
}
