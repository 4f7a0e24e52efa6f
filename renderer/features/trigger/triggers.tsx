import { Button } from '@blueprintjs/core';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { PausedLine, TriggerItem } from './trigger-item.tsx';

/** What wakes the process. Of a journal that is only looked at, nothing may be done, and what is not in it is unknown. */
export function Triggers({ detail }: { readonly detail: ProcessDetail }) {
  const { row, counts, triggers, triggersPaused } = detail;
  return (
    <section aria-label="Triggers">
      <SectionHead title="Triggers" shown={triggers.length} of={counts.triggers}>
        {row.live && <AllButtons detail={detail} />}
      </SectionHead>
      {triggersPaused !== null && (
        <PausedLine pause={triggersPaused}>All are off: only people wake it. Paused</PausedLine>
      )}
      {triggers.length > 0 ? (
        <ul className="hf-plain hf-letters">
          {triggers.map((trigger) => (
            <TriggerItem key={trigger.id} row={row} trigger={trigger} allPaused={triggersPaused} />
          ))}
        </ul>
      ) : row.live ? (
        <p className="hf-muted">None. It runs when an operator triggers it, or when one is added.</p>
      ) : (
        <p className="hf-muted">
          Unknown: which triggers it has is said by its manifest, and only its journal was opened.
        </p>
      )}
      <ShownOf shown={triggers.length} of={counts.triggers} what="triggers" />
    </section>
  );
}

function AllButtons({ detail: { row, triggers, triggersPaused } }: { readonly detail: ProcessDetail }) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const areAny = triggers.some(({ type }) => type !== 'manual');
  return (
    <div className="hf-buttons" role="group" aria-label="All triggers">
      {triggersPaused !== null ? (
        <Button size="small" disabled={off} onClick={() => actions.resumeTriggers(row, null)}>
          Resume all
        </Button>
      ) : (
        <Button
          size="small"
          disabled={off || !areAny}
          onClick={() => actions.ask({ kind: 'pause-triggers', row, trigger: null })}
        >
          Pause all…
        </Button>
      )}
      <Button size="small" disabled={off} onClick={() => actions.ask({ kind: 'add-trigger', row })}>
        Add a trigger…
      </Button>
    </div>
  );
}
