import { Inbox } from '@blueprintjs/icons';
import { useEffect } from 'react';
import { useConsole, useFleet, usePart } from '../../app/console-context.ts';
import { FLEET, hashOf } from '../../stores/place.ts';
import { ShownOf } from '../../ui/shown-of.tsx';
import { EmptyView, FailedView, Skeleton } from '../../ui/state-of-view.tsx';
import { visibleBlock } from '../../ui/visible-text.ts';
import { WaitingList } from './waiting-list.tsx';
import { WaitingPanel } from './waiting-panel.tsx';

/** Approvals, questions, doubts and budget requests of all processes: what only a person can decide. */
export function WaitingView() {
  const { waiting } = useConsole();
  const { phase, failure, items, count, selected } = usePart(
    (console) => console.waiting,
    (state) => state,
  );
  const processes = useFleet((state) => state.processes);
  useEffect(() => waiting.start(), [waiting]);
  const item = items.find(({ key }) => key === selected);
  const row = Object.values(processes).find(
    ({ journalId, name }) => journalId === item?.journalId && name === item.process,
  );
  return (
    <section className="hf-view hf-view-waiting" aria-label="Waiting for me">
      <div className="hf-toolbar">
        <h1>Waiting for me</h1>
      </div>
      {phase === 'loading' ? (
        <Skeleton lines={6} label="Reading what waits" />
      ) : phase === 'failed' && failure !== null ? (
        <FailedView title="What waits could not be read" failure={failure} onRetry={() => waiting.again()} />
      ) : item === undefined ? (
        <EmptyView
          title="Nothing waits for you"
          icon={<Inbox size={28} />}
          action={<a href={hashOf(FLEET)}>To the fleet</a>}
        >
          <p>
            Here you find what agents may not do without you: calls of tools that need an approval, questions,
            effects in doubt, and budgets that are used up.
          </p>
        </EmptyView>
      ) : (
        <>
          {failure !== null && (
            <p className="hf-alarm-text hf-block" role="status">
              This may be old: {visibleBlock(failure.message)}
            </p>
          )}
          <div className="hf-waiting">
            <div>
              <WaitingList items={items} selected={selected} />
              <ShownOf shown={items.length} of={count} what="things, the oldest" />
            </div>
            <WaitingPanel key={item.key} item={item} row={row} />
          </div>
        </>
      )}
    </section>
  );
}
