import { Button } from '@blueprintjs/core';
import type { SelfChangeView } from '../../../core/contract/self-view.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { hashOf, processPlace } from '../../stores/place.ts';
import { Card } from '../../ui/card.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';

/** What its agent changed about itself, when and why, and the way back; nothing where it changed nothing. */
export function SelfCard({ detail: { row, self } }: { readonly detail: ProcessDetail }) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const { changes, inForce, spawned, spawnedCount } = self;
  const hidden = inForce - changes.filter(({ end }) => end === null).length;
  if (changes.length === 0) return null;
  return (
    <Card title="Changed by itself">
      <ul className="hf-plain hf-settings-list">
        {changes.map((change) => (
          <Changed key={change.seq} row={row} change={change} changes={changes} off={off} />
        ))}
      </ul>
      {hidden > 0 && <p className="hf-muted">{hidden} older changes are in force too.</p>}
      {spawned.length > 0 && (
        <p className="hf-self-began">
          It began{' '}
          {spawned.map((process, at) => (
            <span key={process}>
              {at === 0 ? '' : ', '}
              <a href={hashOf(processPlace({ journalId: row.journalId, process }))}>{visibleLine(process)}</a>
            </span>
          ))}
          {spawnedCount > spawned.length && ` and ${spawnedCount - spawned.length} more`}.
        </p>
      )}
      {row.live && inForce > 1 && (
        <Button
          size="small"
          className="hf-gauge-button"
          disabled={off}
          onClick={() => actions.ask({ kind: 'undo-self', row, change: null, changes })}
        >
          Undo all that it changed…
        </Button>
      )}
    </Card>
  );
}

interface ChangedProps {
  readonly row: ProcessRow;
  readonly change: SelfChangeView;
  readonly changes: readonly SelfChangeView[];
  readonly off: boolean;
}

function Changed({ row, change, changes, off }: ChangedProps) {
  const { actions } = useConsole();
  const { seq, text, reason, at, end } = change;
  const name = visibleLine(text);
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <span className="hf-muted">
          {' '}
          ·{' '}
          {end === null
            ? 'in force'
            : `${visibleLine(end.how)} by ${visibleLine(end.actor.replace(/^operator:/, ''))}`}
        </span>
      </div>
      <div className="hf-second">
        entry {seq}, <Ago at={at} long suffix=" ago" />
        {reason === '' ? '' : `: ${visibleLine(reason)}`}
      </div>
      {row.live && end === null && (
        <Button
          size="small"
          className="hf-gauge-button"
          disabled={off}
          aria-label={`Undo: ${name}, entry ${seq}`}
          onClick={() => actions.ask({ kind: 'undo-self', row, change, changes })}
        >
          Undo…
        </Button>
      )}
    </li>
  );
}
