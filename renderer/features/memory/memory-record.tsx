import { Button } from '@blueprintjs/core';
import type { MemoryRecordView } from '../../../core/contract/memory-views.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { Bounded } from '../../ui/bounded.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';

const BY: Readonly<Record<MemoryRecordView['by'], string>> = {
  turn: 'from a turn',
  tool: 'stored by the agent',
  operator: 'written by an operator',
};
const MOST_ID = 12;

interface Props {
  readonly row: ProcessRow;
  readonly memory: NonNullable<ProcessDetail['memory']>;
  readonly record: MemoryRecordView;
  readonly onEvent: (eventId: string) => void;
}

/** One thing that is remembered, where it comes from, and what may be done about it. */
export function MemoryRecord({ row, memory, record, onEvent }: Props) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const { id, text, createdAt, updatedAt, by, process, eventId, isPinned, isOwn, userId, score } = record;
  const short = visibleLine(id.length > MOST_ID ? `${id.slice(0, MOST_ID)}…` : id);
  const ask = (order: 'edit' | 'forget'): void => actions.ask({ kind: 'memory', order, row, memory, record });
  const isHere = eventId !== null && process === row.name;
  return (
    <li className="hf-desk-item hf-memory-record">
      <div className="hf-desk-what">
        <div className="hf-memory-head">
          {score !== null && (
            <span className="hf-memory-score">
              <meter min={0} max={1} value={score} aria-label="Score" />
              <span className="hf-mono">{score.toFixed(2)}</span>
            </span>
          )}
          {isPinned && <span className="hf-flag hf-flag-attention">pinned</span>}
          <span className="hf-muted">
            <Ago at={createdAt} long suffix=" ago" /> · {BY[by]}
            {process !== row.name && process !== '' && <> of {visibleLine(process)}</>}
            {updatedAt !== null && (
              <>
                {' '}
                · changed <Ago at={updatedAt} suffix=" ago" />
              </>
            )}
            {!isOwn && <> · of {visibleLine(userId)}, only read</>}
          </span>
        </div>
        <Bounded label={`Record ${short}`} className="hf-block hf-memory-text">
          {visibleBlock(text)}
          {record.cut && <span className="hf-muted"> … and more; Edit shows all of it</span>}
        </Bounded>
      </div>
      <div className="hf-buttons" role="group" aria-label={`Record ${short}`}>
        {isHere && (
          <Button size="small" variant="minimal" onClick={() => onEvent(eventId)}>
            Its invocation
          </Button>
        )}
        <Button size="small" disabled={off || !isOwn} onClick={() => ask('edit')}>
          Edit…
        </Button>
        <Button size="small" disabled={off || !isOwn} onClick={() => ask('forget')}>
          Forget…
        </Button>
      </div>
    </li>
  );
}
