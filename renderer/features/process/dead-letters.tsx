import { Button } from '@blueprintjs/core';
import type { DeadLetterView, ProcessDetail, ProcessRow } from '../../../core/contract/views.ts';
import { useActionsOff, useConsole } from '../../app/console-context.ts';
import { targetOf } from '../../stores/target.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';

/** Events that were given up, newest first, and what may still become of them. */
export function DeadLetters({
  detail: { row, deadLetters, deadLettersLost },
}: {
  readonly detail: ProcessDetail;
}) {
  return (
    <section aria-label="Dead letters">
      <h2>Dead letters</h2>
      {deadLetters.length === 0 ? (
        <p className="hf-muted">
          None. An event that is retried, and whose last attempt fails too, comes here.
        </p>
      ) : (
        <ul className="hf-plain hf-letters">
          {deadLetters.toReversed().map((letter) => (
            <DeadLetter key={letter.eventId} row={row} letter={letter} />
          ))}
        </ul>
      )}
      {deadLettersLost > 0 && (
        <p className="hf-muted hf-note">
          {counted(deadLettersLost, 'older one')} gave way to newer ones; the timeline still tells of{' '}
          {deadLettersLost === 1 ? 'it' : 'them'}.
        </p>
      )}
    </section>
  );
}

interface Props {
  readonly row: ProcessRow;
  readonly letter: DeadLetterView;
}

function DeadLetter({ row, letter }: Props) {
  const { actions } = useConsole();
  const off = useActionsOff(targetOf(row)) || !row.live;
  const { doneEffects: done, eventId } = letter;
  const id = visibleLine(eventId);
  return (
    <li className="hf-desk-item">
      <div className="hf-desk-what">
        <div>
          <strong>{visibleLine(letter.reason) || 'Given up'}</strong>{' '}
          <span className="hf-muted">
            <Ago at={letter.at} long suffix=" ago" /> · {counted(letter.attempts, 'attempt')} ·{' '}
            {done === 0
              ? 'no effect of it is done'
              : `${countText(done)} of its effects done, and not done again`}
          </span>
        </div>
        {letter.error !== '' && <div className="hf-block hf-said">{visibleBlock(letter.error)}</div>}
        <div className="hf-muted">
          from {visibleLine(letter.triggerId)} · event <CutText text={eventId} room={40} />
        </div>
      </div>
      <div className="hf-buttons" role="group" aria-label={`Dead letter ${id}`}>
        <Button
          size="small"
          disabled={off}
          title="Goes on from what it had recorded"
          onClick={() => actions.redeliver(row, letter)}
        >
          Redeliver
        </Button>
        <Button
          size="small"
          disabled={off}
          onClick={() => actions.ask({ kind: 'dead-letter', choice: 'as-new', row, letter })}
        >
          As a new event…
        </Button>
        <Button
          size="small"
          disabled={off}
          onClick={() => actions.ask({ kind: 'dead-letter', choice: 'drop', row, letter })}
        >
          Drop…
        </Button>
      </div>
    </li>
  );
}
