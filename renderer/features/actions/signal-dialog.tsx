import { useId, useState } from 'react';
import { useConsole, useSilent } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { counted } from '../../ui/numbers.ts';
import { visibleLine } from '../../ui/visible-text.ts';
import { fieldProblem, JsonField } from './json-field.tsx';
import { QuestionDialog } from './question-dialog.tsx';
import { ReasonField } from './reason-field.tsx';

const MOST_NAME = 200;
const PRESETS: readonly string[] = ['Asked to by its owner', 'New information'];

/** A signal to every invocation that is open. */
export function SignalDialog({
  question: { row, invocations },
}: {
  readonly question: QuestionOf<'signal'>;
}) {
  const { actions } = useConsole();
  const [name, setName] = useState('');
  const [payload, setPayload] = useState('');
  const [reason, setReason] = useState('');
  const silent = useSilent();
  const id = useId();
  const process = visibleLine(row.name);
  return (
    <QuestionDialog
      title={`Send a signal to ${process}?`}
      confirm={`Send the signal to ${process}`}
      danger={false}
      ready={!silent && name.trim() !== '' && fieldProblem(payload, true) === null}
      onConfirm={() => actions.confirmSignal(reason.trim(), name.trim(), payload)}
      onCancel={() => actions.cancel()}
    >
      <p>
        {counted(invocations, 'open invocation')} {invocations === 1 ? 'gets' : 'get'} it, now or when{' '}
        {invocations === 1 ? 'it goes' : 'they go'} on. What the agent does with it is its own affair.
      </p>
      <div className="hf-field">
        <label htmlFor={id}>Name</label>
        <input
          id={id}
          type="text"
          className="bp6-input bp6-fill hf-mono"
          value={name}
          maxLength={MOST_NAME}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={`${id}-hint`}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <div id={`${id}-hint`} className="hf-muted">
          As the agent listens for it.
        </div>
      </div>
      <JsonField
        label="Payload, as JSON"
        value={payload}
        onChange={setPayload}
        hint="May stay empty."
        optional
      />
      <ReasonField
        presets={PRESETS}
        value={reason}
        onChange={setReason}
        hint="Goes into the journal, if you give one."
      />
    </QuestionDialog>
  );
}
