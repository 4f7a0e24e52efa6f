import { Button } from '@blueprintjs/core';
import { Error as ErrorIcon, Pause, WarningSign } from '@blueprintjs/icons';
import type { EffectView, ProcessDetail } from '../../../core/contract/views.ts';
import { useActionsOff, useConsole } from '../../app/console-context.ts';
import { targetOf } from '../../stores/target.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { FailureCode } from '../../ui/failure-text.tsx';
import { counted } from '../../ui/numbers.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';

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

/** What waits for a person: doubts first, then what holds the process, then its last error. */
export function Attention({ detail }: { readonly detail: ProcessDetail }) {
  const doubts = detail.open.flatMap(({ effects }) => effects.filter((effect) => effect.needsOperator));
  const failed = detail.row.state === 'failed' && detail.lastError !== null;
  if (doubts.length === 0 && detail.holds.length === 0 && !failed) return null;
  return (
    <div className="hf-attention">
      {doubts.length > 0 && <Doubts detail={detail} doubts={doubts} />}
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

interface DoubtsProps {
  readonly detail: ProcessDetail;
  readonly doubts: readonly EffectView[];
}

function Doubts({ detail, doubts }: DoubtsProps) {
  return (
    <section className="hf-callout hf-callout-attention" aria-label="Effects in doubt">
      <WarningSign className="hf-callout-icon" />
      <div className="hf-doubts">
        <div>
          <strong>{counted(doubts.length, 'effect')} in doubt.</strong>{' '}
          {doubts.every(({ error }) => error === '')
            ? 'Started, and nobody recorded how it ended.'
            : 'Started, and nothing that was recorded tells whether it happened.'}{' '}
          Look at the system it touched, then say what you found.
        </div>
        <ul className="hf-plain">
          {doubts.map((effect) => (
            <Doubt key={effect.effectId} detail={detail} effect={effect} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Doubt({ detail: { row }, effect }: { readonly detail: ProcessDetail; readonly effect: EffectView }) {
  const { actions } = useConsole();
  const off = useActionsOff(targetOf(row)) || !row.live;
  const name = visibleLine(effect.name);
  const button = (label: string, kind: 'happened' | 'did_not_happen' | 'skip') => (
    <Button
      size="small"
      disabled={off}
      aria-label={`${label}: ${name}`}
      onClick={() => actions.chooseResolution(row, effect, kind)}
    >
      {label}
    </Button>
  );
  return (
    <li className="hf-doubt">
      <div className="hf-doubt-what">
        <div>
          <code className="hf-mono hf-doubt-name">{name}</code>
          <span className="hf-muted">
            announced <Ago at={effect.announcedAt} long suffix=" ago" /> ·{' '}
            {counted(effect.attempts, 'attempt')} · class {visibleLine(effect.effectClass)}
          </span>
        </div>
        <code className="hf-mono hf-block hf-args">{visibleBlock(effect.argsPreview)}</code>
        {effect.error !== '' && <div className="hf-block">It said: {visibleBlock(effect.error)}</div>}
        <div className="hf-muted">
          key <CutText text={effect.key} room={64} />
        </div>
      </div>
      <div className="hf-buttons">
        {button('It happened…', 'happened')}
        {button('It did not…', 'did_not_happen')}
        {button('Skip…', 'skip')}
      </div>
    </li>
  );
}
