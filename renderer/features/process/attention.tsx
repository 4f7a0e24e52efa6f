import { Error as ErrorIcon, Pause } from '@blueprintjs/icons';
import type { ProcessDetail } from '../../../core/contract/views.ts';
import { FailureCode } from '../../ui/failure-text.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { Doubts, doubtsOf } from './doubts.tsx';
import { promisesOf, WaitingForSomebody } from './waiting-for-somebody.tsx';

const HOLDS: Readonly<Record<string, string>> = {
  operator: 'Held by an operator',
  in_doubt: 'Held by a doubt',
  budget: 'Held by its budget',
  health: 'Held by its health',
  idle: 'Idle',
  quit: 'Held while its host was away',
  gap: 'Held by a gap in its journal',
  trust: 'Held until it is trusted',
};

/** What waits for a person: doubts first, then promises, then what holds the process, then its last error. */
export function Attention({ detail }: { readonly detail: ProcessDetail }) {
  const doubts = doubtsOf(detail);
  const promises = promisesOf(detail);
  const failed = detail.row.state === 'failed' && detail.lastError !== null;
  if (doubts.length === 0 && promises.length === 0 && detail.holds.length === 0 && !failed) return null;
  return (
    <div className="hf-attention">
      {doubts.length > 0 && <Doubts row={detail.row} doubts={doubts} />}
      {promises.length > 0 && <WaitingForSomebody detail={detail} promises={promises} />}
      {detail.holds.length > 0 && (
        <section className="hf-callout hf-callout-attention" aria-label="Holds">
          <Pause className="hf-callout-icon" />
          <ul className="hf-plain">
            {detail.holds.map((hold) => (
              <li key={hold.kind}>
                <strong>{HOLDS[hold.kind] ?? `Held: ${visibleLine(hold.kind)}`}</strong>
                {hold.reason !== '' && <> · {visibleLine(hold.reason)}</>}
                <span className="hf-muted">
                  {' '}
                  · by {visibleLine(hold.actor) || 'nobody named'} ·{' '}
                  <Ago at={hold.since} long suffix=" ago" />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {failed && detail.lastError !== null && (
        <section className="hf-callout hf-callout-alarm" aria-label="Last error">
          <ErrorIcon className="hf-callout-icon" />
          <div>
            <strong>Failed</strong> <Ago at={detail.lastError.at} long suffix=" ago" />
            <div className="hf-block">{visibleBlock(detail.lastError.message)}</div>
            <FailureCode code={detail.lastError.code} message={detail.lastError.message} />
          </div>
        </section>
      )}
    </div>
  );
}
