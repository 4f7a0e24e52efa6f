import { Button } from '@blueprintjs/core';
import type { EscalationView } from '../../../core/contract/escalation-view.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { Card } from '../../ui/card.tsx';
import { counted } from '../../ui/numbers.ts';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { receiversText } from '../actions/test-escalation-dialog.tsx';

/** Of those that are over; the timeline has them all. */
const MOST_OVER = 3;

/**
 * Who is told when something is wrong, what they were to be told of, and whether they were. Nothing where nobody is and
 * nothing was: the facts say so.
 */
export function Escalations({ detail }: { readonly detail: ProcessDetail }) {
  const { row, escalations, receivers } = detail;
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const open = escalations.filter(({ overAt }) => overAt === null);
  const over = escalations.filter(({ overAt }) => overAt !== null).slice(0, MOST_OVER);
  if ((receivers === null || receivers.length === 0) && escalations.length === 0) return null;
  return (
    <Card title="Who is told">
      <p className="hf-muted">
        {receivers === null
          ? 'Unknown: that is said by its manifest, and only its journal was opened.'
          : receivers.length === 0
            ? 'Nobody outside: its manifest names none.'
            : `${receiversText(receivers)}.`}
      </p>
      {open.length + over.length > 0 && (
        <ul className="hf-plain hf-under-way hf-causes">
          {[...open, ...over].map((cause) => (
            <Cause key={cause.id} cause={cause} />
          ))}
        </ul>
      )}
      {row.live && receivers !== null && receivers.length > 0 && (
        <Button
          size="small"
          className="hf-gauge-button"
          disabled={off}
          onClick={() => actions.ask({ kind: 'test-escalation', row, receivers })}
        >
          Send a test…
        </Button>
      )}
    </Card>
  );
}

function Cause({ cause }: { readonly cause: EscalationView }) {
  const { summary, at, overAt, overWhy, repeats, deliveries } = cause;
  return (
    <li>
      <div className={overAt === null ? 'hf-attention-text' : ''}>{visibleLine(summary)}</div>
      <div className="hf-muted">
        {overAt === null ? (
          <>
            open for <Ago at={at} long />
          </>
        ) : (
          <>
            over for <Ago at={overAt} long />: {visibleLine(overWhy)}
          </>
        )}
        {repeats > 0 && `, and came up ${counted(repeats, 'more time')}`}
      </div>
      {deliveries.length > 0 && (
        <ul className="hf-plain">
          {deliveries.map((delivery) => (
            <li key={delivery.target}>
              <Delivery delivery={delivery} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Delivery({ delivery }: { readonly delivery: EscalationView['deliveries'][number] }) {
  const { to, status, attempts, dueAt, answer, reason } = delivery;
  const whom = <code className="hf-mono">{visibleLine(to)}</code>;
  const after = attempts === 0 ? '' : ` after ${counted(attempts, 'attempt')}`;
  switch (status) {
    case 'sent':
      return (
        <span>
          {whom} was told{after}
          {answer !== null && `, and answered ${answer}`}
        </span>
      );
    case 'dropped':
      return <span className="hf-muted">{whom} was not told: it was over before that was due</span>;
    case 'failed':
      return (
        <span className="hf-alarm-text">
          {whom} was not told{after}: {visibleLine(reason)}
        </span>
      );
    case 'pending':
      return (
        <span>
          {whom} is to be told {dueAt === null ? 'now' : <Until at={dueAt} />}
          {after}
          {reason !== '' && `: ${visibleLine(reason)}`}
        </span>
      );
  }
}
