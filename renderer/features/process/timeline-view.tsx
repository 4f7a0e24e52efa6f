import { Button } from '@blueprintjs/core';
import { ArrowUp } from '@blueprintjs/icons';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useConsole, useProcess } from '../../app/console-context.ts';
import type { ProcessState } from '../../stores/process.ts';
import { counted, countText } from '../../ui/numbers.ts';
import { EmptyView, FailedView, Skeleton } from '../../ui/state-of-view.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { placeRows } from './timeline-groups.ts';
import { TimelineEntry } from './timeline-entry.tsx';

/** The journal of one process, newest first. */
export function TimelineView() {
  const { process } = useConsole();
  const state = useProcess((whole) => whole);
  switch (state.timelinePhase) {
    case 'loading':
      return <Skeleton lines={10} label="Reading the journal" />;
    case 'failed':
      return state.timelineFailure === null ? null : (
        <FailedView
          title="The journal could not be read"
          failure={state.timelineFailure}
          onRetry={() => process.again()}
        />
      );
    case 'ready':
      return state.timeline.rows.length === 0 && state.timeline.arrivals.length === 0 ? (
        <EmptyView title="No entries yet">
          <p>The first appears here when the process is started or takes a trigger.</p>
        </EmptyView>
      ) : (
        <Rows state={state} />
      );
  }
}

function Rows({ state }: { readonly state: ProcessState }) {
  const { process } = useConsole();
  const { timeline, loadingOlder, timelineFailure, detail } = state;
  const list = useRef<HTMLOListElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const placed = useMemo(() => placeRows(timeline.rows), [timeline.rows]);
  const toggle = useCallback((id: string) => {
    setOpened((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const { actions } = useConsole();
  const mayGoBack = detail?.row.live === true;
  const goFrom = useCallback(
    (kind: 'rewind' | 'fork', seq: number) => {
      const now = process.store.getState().detail;
      if (now === null) return;
      actions.ask({ kind, row: now.row, seq, contextKeys: now.context.map(({ key }) => key) });
    },
    [actions, process],
  );
  useFollowing(list, opened.size === 0);

  const waiting = timeline.arrivals.length;
  const shown = timeline.rows.length;
  const entries = detail?.row.entries ?? shown;
  const release = (): void => {
    process.release();
    list.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <div className="hf-timeline">
      {(waiting > 0 || timeline.missed) && (
        <div className="hf-arrivals">
          <button type="button" className="hf-pill" onClick={release}>
            <ArrowUp size={12} /> {timeline.missed ? 'new entries' : `${countText(waiting)} new`}
          </button>
        </div>
      )}
      <ol ref={list} className="hf-rows" aria-label="Entries, newest first">
        {placed.map(({ row, rail, day }) => (
          <TimelineEntry
            key={row.id}
            row={row}
            rail={rail}
            day={day}
            opened={opened.has(row.id)}
            toggle={toggle}
            goFrom={mayGoBack ? goFrom : null}
          />
        ))}
      </ol>
      <footer className="hf-rows-end">
        <span className="hf-muted">
          {timeline.before === null
            ? `That is the beginning: all ${counted(shown, 'line')} shown.`
            : `Showing ${countText(shown)} of ${countText(Math.max(entries, shown))} entries.`}
        </span>
        {timeline.before !== null && (
          <Button size="small" loading={loadingOlder} onClick={() => void process.readOlder()}>
            Load older
          </Button>
        )}
        {timelineFailure !== null && (
          <span className="hf-alarm-text" role="alert">
            {visibleLine(timelineFailure.message)}
          </span>
        )}
      </footer>
    </div>
  );
}

/** Follows while the top of the list is in sight and nothing is being read that would be pushed away. */
function useFollowing(list: React.RefObject<HTMLElement | null>, nothingOpened: boolean): void {
  const { process } = useConsole();
  useEffect(() => {
    // Which of the two scrolls depends on the room there is.
    const rooms = [list.current?.closest('main'), list.current?.closest('.hf-process-main')];
    const judge = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const inSight = rooms.every((room) => top >= (room?.getBoundingClientRect().top ?? 0));
      process.follow(nothingOpened && inSight);
    };
    judge();
    for (const room of rooms) room?.addEventListener('scroll', judge, { passive: true });
    return () => {
      for (const room of rooms) room?.removeEventListener('scroll', judge);
    };
  }, [list, nothingOpened, process]);
}
