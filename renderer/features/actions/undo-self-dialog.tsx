import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { Refused } from '../../ui/refused.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from './question-dialog.tsx';
import { useAttempt } from './use-attempt.ts';

const PRESETS: readonly string[] = ['Not what it is there for', 'It was told to by somebody else'];

/** What an agent changed about itself, taken back: one change with those on top of it, or all. */
export function UndoSelfDialog({
  question: { row, change, changes },
}: {
  readonly question: QuestionOf<'undo-self'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  const inForce = changes.filter(({ end }) => end === null);
  const taken = change === null ? inForce : inForce.filter(({ seq }) => change.takesBack.includes(seq));
  const name = visibleLine(row.name);
  const endsProcess = taken.some(({ kind }) => kind === 'process');
  return (
    <QuestionDialog
      title={change === null ? `Undo all that ${name} changed?` : `Undo ${visibleLine(change.text)}?`}
      confirm={change === null ? `Undo all of ${name}` : `Undo ${visibleLine(change.text)}`}
      danger={endsProcess}
      why={{ presets: PRESETS, required: true }}
      missing={missing}
      onConfirm={(reason) =>
        void attempt(
          'Undoing what it changed',
          reason,
          { changes: change === null ? null : [change.seq] },
          (command) => client.request('self.undo', command),
        )
      }
      news={failure === null ? undefined : <Refused failure={failure}>Nothing was undone.</Refused>}
    >
      <p>
        <strong>{name}</strong> made {taken.length === 1 ? 'this change' : 'these changes'} itself:
      </p>
      <ul className="hf-consequences">
        {taken.map(({ seq, text }) => (
          <li key={seq}>
            {visibleLine(text)}, entry {seq}
          </li>
        ))}
        <li>What is under way keeps the instructions and servers that it began with.</li>
        {endsProcess && (
          <li>
            A process that it began is stopped for good, with all that came from it. Their journals stay, and
            what they used of the day counts for {name}.
          </li>
        )}
      </ul>
    </QuestionDialog>
  );
}
