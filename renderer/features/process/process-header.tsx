import { Button } from '@blueprintjs/core';
import { GitBranch, History, More } from '@blueprintjs/icons';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { Action } from '../../../core/contract/process-row.ts';
import { useActionsOff, useConsole, useFleet } from '../../app/console-context.ts';
import { ACTION_TABLE, buttonText } from '../../stores/action-table.ts';
import { FLEET, hashOf, processPlace } from '../../stores/place.ts';
import { targetOf } from '../../stores/target.ts';
import { Bounded } from '../../ui/bounded.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { countText } from '../../ui/numbers.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { Why } from '../../ui/why.tsx';
import { ActionIcon } from '../actions/action-icons.tsx';
import { useShownState } from '../actions/use-shown-state.ts';

const GUARDRAILS: ReadonlySet<string> = new Set(['budget', 'health', 'mission']);

/** What it is, how it is, why, and what may be done about it. */
export function ProcessHeader({ detail }: { readonly detail: ProcessDetail }) {
  const { row, reason, actor } = detail;
  const journal = useFleet((state) => state.journals.find(({ id }) => id === row.journalId));
  const look = useShownState(row);
  const why = visibleLine(row.why);
  // A journal has the time in the text.
  const because = saidByState(row) && visibleLine(reason).startsWith(why) ? '' : visibleLine(reason);
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
        {why !== '' && why !== visibleLine(reason) && !saidByState(row) && !saidBelow(detail) && (
          <Bounded label="Why" className={`hf-why hf-tone-${row.tone}`}>
            <Why row={row} />
          </Bounded>
        )}
        {detail.self.parent !== null && <ParentLine row={row} parent={detail.self.parent} />}
        {detail.lineage !== null && <LineageLine lineage={detail.lineage} />}
      </div>
      <HeaderActions detail={detail} />
    </header>
  );
}

/** An awaiting process says what for with its state. */
function saidByState(row: ProcessDetail['row']): boolean {
  return row.live && row.state === 'awaiting';
}

/** What a guardrail holds says why, and until when, at the head of what needs a person. */
function saidBelow({ row, holds }: ProcessDetail): boolean {
  return holds.some(({ kind }) => GUARDRAILS.has(kind) && row.why.startsWith(`${kind}: `));
}

/** Where a fork comes from; it leads there while that is in the fleet. */
function LineageLine({ lineage }: { readonly lineage: NonNullable<ProcessDetail['lineage']> }) {
  const { process, journalId, seq } = lineage;
  const isKnown = useFleet((state) =>
    Object.values(state.processes).some((row) => row.journalId === journalId && row.name === process),
  );
  const name = visibleLine(process);
  return (
    <p className="hf-muted hf-lineage">
      <GitBranch size={12} /> Forked from entry {countText(seq)} of{' '}
      {isKnown ? <a href={hashOf(processPlace({ journalId, process }))}>{name}</a> : <strong>{name}</strong>}
    </p>
  );
}

/** Which process began it; what becomes of that becomes of it. */
function ParentLine({
  row: { journalId },
  parent: { process },
}: {
  readonly row: ProcessDetail['row'];
  readonly parent: NonNullable<ProcessDetail['self']['parent']>;
}) {
  return (
    <p className="hf-muted hf-lineage">
      <GitBranch size={12} /> Begun by{' '}
      <a href={hashOf(processPlace({ journalId, process }))}>{visibleLine(process)}</a>, whose budget it
      shares
    </p>
  );
}

/** What comes and goes with a worker stands last, so that under a pointer nothing becomes another button. */
function inPlace(actions: readonly Action[]): readonly Action[] {
  return actions.toSorted((one, other) => Number(one === 'kill-worker') - Number(other === 'kill-worker'));
}

function HeaderActions({ detail }: { readonly detail: ProcessDetail }) {
  const { row } = detail;
  const { actions } = useConsole();
  const off = useActionsOff(targetOf(row));
  if (!row.live) return <p className="hf-muted hf-no-actions">Looking only.</p>;
  const contextKeys = detail.context.map(({ key }) => key);
  return (
    <div className="hf-buttons hf-process-actions">
      {row.actions.length === 0 ? (
        <p className="hf-muted hf-no-actions">Nothing can be done to it now.</p>
      ) : (
        <div className="hf-buttons" role="group" aria-label="Actions">
          {inPlace(row.actions).map((action) => {
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
      )}
      <MenuButton
        label="More actions"
        menuLabel={`More actions: ${visibleLine(row.name)}`}
        title="More actions"
        icon={<More />}
        large
        disabled={off}
        choices={[
          {
            key: 'rewind',
            text: 'Rewind to an entry…',
            icon: <History />,
            choose: () => actions.ask({ kind: 'rewind', row, seq: null, contextKeys }),
          },
          {
            key: 'fork',
            text: 'Fork from an entry…',
            icon: <GitBranch />,
            choose: () => actions.ask({ kind: 'fork', row, seq: row.entries, contextKeys }),
          },
        ]}
      />
    </div>
  );
}
