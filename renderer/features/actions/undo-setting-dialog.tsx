import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { Refused } from '../../ui/refused.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from './question-dialog.tsx';
import { useAttempt } from './use-attempt.ts';

const PRESETS: readonly string[] = ['No longer needed', 'Changed by mistake'];

/** One setting, as the manifest has it again. */
export function UndoSettingDialog({
  question: { row, setting },
}: {
  readonly question: QuestionOf<'undo-setting'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  const { path, manifestText, valueText } = setting;
  return (
    <QuestionDialog
      title={`Set ${visibleLine(path)} back to the manifest's?`}
      confirm={`Set ${visibleLine(path)} back`}
      danger={false}
      why={{ presets: PRESETS, required: true }}
      missing={missing}
      onConfirm={(reason) =>
        void attempt('Taking a setting back', reason, { set: {}, undo: [path] }, (command) =>
          client.request('settings.change', command),
        )
      }
      news={failure === null ? undefined : <Refused failure={failure}>Nothing was changed.</Refused>}
    >
      <p>
        <code className="hf-mono">{visibleLine(path)}</code> of <strong>{visibleLine(row.name)}</strong> goes
        from <code className="hf-mono">{shownValue(valueText)}</code> to{' '}
        <code className="hf-mono">{shownValue(manifestText)}</code>, which the manifest says.
      </p>
      <ul className="hf-consequences">
        <li>It is in force at once, also for what is under way; what was done stays done.</li>
      </ul>
    </QuestionDialog>
  );
}

export function shownValue(text: string | null): string {
  return text === null ? 'not set' : visibleLine(text);
}
