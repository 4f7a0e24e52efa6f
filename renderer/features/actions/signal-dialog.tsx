import { useState } from 'react';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { counted } from '../../ui/numbers.ts';
import { TextField } from '../../ui/text-field.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { jsonMissing, JsonField } from './json-field.tsx';
import { MOST_NAME, nameProblem } from './name-problem.ts';
import { QuestionDialog } from './question-dialog.tsx';

const PRESETS: readonly string[] = ['Asked to by its owner', 'New information'];

/** A signal to every invocation that is open. */
export function SignalDialog({
  question: { row, invocations, entered },
}: {
  readonly question: QuestionOf<'signal'>;
}) {
  const { actions } = useConsole();
  const [name, setName] = useState(entered?.name ?? '');
  const [payload, setPayload] = useState(entered?.text ?? '');
  const process = visibleLine(row.name);
  return (
    <QuestionDialog
      title={`Send a signal to ${process}?`}
      confirm={`Send the signal to ${process}`}
      danger={false}
      why={{ presets: PRESETS, required: false }}
      reasonBefore={entered?.reason ?? ''}
      missing={nameProblem('signal', name) ?? jsonMissing('payload', payload, true)}
      onConfirm={(reason) => actions.confirmSignal(reason, name.trim(), payload)}
    >
      <p>
        {counted(invocations, 'open invocation')} {invocations === 1 ? 'gets' : 'get'} it, now or when{' '}
        {invocations === 1 ? 'it goes' : 'they go'} on. What the agent does with it is its own affair.
      </p>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        hint="As the agent listens for it."
        maxLength={MOST_NAME}
        required
        code
      />
      <JsonField
        label="Payload, as JSON"
        value={payload}
        onChange={setPayload}
        hint="May stay empty."
        optional
      />
    </QuestionDialog>
  );
}
