import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { Refused } from '../../ui/refused.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from './question-dialog.tsx';
import { useAttempt } from './use-attempt.ts';

const PRESETS: readonly string[] = ['Does it arrive?', 'The receiver is new'];

type Receivers = NonNullable<ProcessDetail['receivers']>;

/** "The webhook https://ops.example/… and the event ops.alert". */
export function receiversText(receivers: Receivers): string {
  const text = receivers.map(({ target, to }) => `the ${target} ${visibleLine(to)}`).join(' and ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Tells everybody whom the manifest names, once; the answer says what came of it. */
export function TestEscalationDialog({
  question: { row, receivers },
}: {
  readonly question: QuestionOf<'test-escalation'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  const name = visibleLine(row.name);
  return (
    <QuestionDialog
      title={`Send a test for ${name}?`}
      confirm={`Send a test for ${name}`}
      danger={false}
      why={{ presets: PRESETS, required: false }}
      missing={missing}
      onConfirm={(reason) =>
        void attempt(
          'Sending a test',
          reason,
          {},
          (command) => client.request('escalation.test', command),
          `${name}: a test`,
        )
      }
      news={failure === null ? undefined : <Refused failure={failure}>Not sent.</Refused>}
    >
      <p>{receiversText(receivers)}: told once that this is a test.</p>
      <ul className="hf-consequences">
        <li>It says that it is a test, who asked for it, and of which process.</li>
        <li>An event wakes whoever listens for it, as any other would.</li>
        <li>What does not arrive is not sent again; the answer says so.</li>
      </ul>
    </QuestionDialog>
  );
}
