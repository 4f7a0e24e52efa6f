import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { counted } from '../../ui/numbers.ts';
import { Said } from '../../ui/said.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from './question-dialog.tsx';

const AGAIN: readonly string[] = ['Its cause is repaired', 'What it did was taken back'];
const DROP: readonly string[] = ['No longer needed', 'Done by hand', 'Bad input'];

/** Everything again, or nothing any more: both need a reason. */
export function DeadLetterDialog({
  question: { choice, letter, row },
}: {
  readonly question: QuestionOf<'dead-letter'>;
}) {
  const { actions } = useConsole();
  const { doneEffects: done } = letter;
  const drop = choice === 'drop';
  return (
    <QuestionDialog
      title={drop ? 'Drop this dead letter?' : 'Deliver it as a new event?'}
      confirm={drop ? 'Drop the dead letter' : 'Deliver it as a new event'}
      danger
      why={{ presets: drop ? DROP : AGAIN, required: true }}
      missing={null}
      onConfirm={(reason) => actions.confirmDeadLetter(reason)}
    >
      <p>
        Event <CutText text={letter.eventId} room={40} /> of <strong>{visibleLine(row.name)}</strong> was
        given up <Ago at={letter.at} long suffix=" ago" /> after {counted(letter.attempts, 'attempt')}.
      </p>
      <Said text={letter.error} />
      <p>
        {drop
          ? 'It is not delivered any more. The journal keeps what it was and what it did.'
          : 'It is handled as if it had never been: every effect is done again.'}
      </p>
      {done > 0 && (
        <p className={drop ? '' : 'hf-alarm-text'}>
          {drop
            ? `${counted(done, 'effect')} of it ${done === 1 ? 'is' : 'are'} done, and ${done === 1 ? 'stays' : 'stay'} done.`
            : `${counted(done, 'effect')} of it ${done === 1 ? 'is' : 'are'} done already, and would be done twice. To go on from there instead, redeliver it.`}
        </p>
      )}
    </QuestionDialog>
  );
}
