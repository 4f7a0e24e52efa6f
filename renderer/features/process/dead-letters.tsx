import { Button } from '@blueprintjs/core';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { DeadLetterView } from '../../../core/contract/work-views.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { Said } from '../../ui/said.tsx';
import { SectionHead } from '../../ui/section-head.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { DeskItem } from './desk.tsx';

/** Events that were given up, newest first, and what may still become of them. */
export function DeadLetters({
  detail: { row, counts, deadLetters, deadLettersLost },
}: {
  readonly detail: ProcessDetail;
}) {
  return (
    <section aria-label="Dead letters">
      <SectionHead title="Dead letters" shown={deadLetters.length} of={counts.deadLetters} />
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
      <ShownOf shown={deadLetters.length} of={counts.deadLetters} what="dead letters, the newest" />
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
  const off = useAnswersOff(row);
  const { doneEffects: done, eventId } = letter;
  const ask = (choice: 'as-new' | 'drop', label: string) => (
    <Button
      size="small"
      disabled={off}
      onClick={() => actions.ask({ kind: 'dead-letter', choice, row, letter })}
    >
      {label}
    </Button>
  );
  return (
    <DeskItem
      title={visibleLine(letter.reason) || 'Given up'}
      about={
        <>
          <Ago at={letter.at} long suffix=" ago" /> · {counted(letter.attempts, 'attempt')} ·{' '}
          {done === 0
            ? 'no effect of it is done'
            : `${countText(done)} of its effects done, and not done again`}
        </>
      }
      answersLabel={`Dead letter ${visibleLine(eventId)}`}
      answers={
        <>
          <Button
            size="small"
            disabled={off}
            title="Goes on from what it had recorded"
            onClick={() => actions.redeliver(row, letter)}
          >
            Redeliver
          </Button>
          {ask('as-new', 'As a new event…')}
          {ask('drop', 'Drop…')}
        </>
      }
    >
      <Said text={letter.error} />
      <div className="hf-muted">
        from {visibleLine(letter.triggerId)} · event <CutText text={eventId} room={24} />
      </div>
    </DeskItem>
  );
}
