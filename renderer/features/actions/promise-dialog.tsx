import { useId, useState } from 'react';
import { useConsole, useSilent } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { jsonLines } from '../../ui/json-lines.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { fieldProblem, JsonField } from './json-field.tsx';
import { QuestionDialog } from './question-dialog.tsx';
import { ReasonField } from './reason-field.tsx';

const MOST_ERROR = 2_000;
const RESOLVED: readonly string[] = ['Approved', 'Answered', 'Checked by me'];
const REJECTED: readonly string[] = ['Not approved', 'No longer needed', 'Wrong data'];

/** What a promise becomes, on the operator's word. The first settlement stays. */
export function PromiseDialog({
  question: { row, wait, settlement },
}: {
  readonly question: QuestionOf<'promise'>;
}) {
  const { actions } = useConsole();
  const [reason, setReason] = useState('');
  const [text, setText] = useState('');
  const silent = useSilent();
  const id = useId();
  const resolving = settlement === 'resolved';
  const missing = resolving ? fieldProblem(text, false) !== null : text.trim() === '';
  const name = visibleLine(wait.name);
  const verb = resolving ? 'Resolve' : 'Reject';
  return (
    <QuestionDialog
      title={`${verb} ${name}?`}
      confirm={`${verb} ${name}`}
      danger={false}
      ready={!silent && !missing && reason.trim() !== ''}
      onConfirm={() =>
        actions.confirmSettlement(
          reason.trim(),
          resolving ? { kind: 'resolved', valueText: text } : { kind: 'rejected', error: text.trim() },
        )
      }
      onCancel={() => actions.cancel()}
    >
      <p>
        <strong>{visibleLine(row.name)}</strong> has waited for <code className="hf-mono">{name}</code> for{' '}
        <Ago at={wait.createdAt} long />. It gave you this to go by:
      </p>
      <pre className="hf-mono hf-block hf-args">{visibleBlock(jsonLines(wait.dataText))}</pre>
      <p>
        {resolving
          ? 'The invocation goes on with the value you enter. That can’t be changed afterwards.'
          : 'The invocation gets this as an error, and decides itself what follows. That can’t be changed afterwards.'}
      </p>
      {resolving ? (
        <JsonField
          label="Value, as JSON"
          value={text}
          onChange={setText}
          hint="What the invocation waits for: true, a text in quotes, an object. For nothing: null"
        />
      ) : (
        <div className="hf-field">
          <label htmlFor={id}>Error</label>
          <textarea
            id={id}
            className="bp6-input bp6-fill"
            rows={3}
            maxLength={MOST_ERROR}
            value={text}
            aria-describedby={`${id}-hint`}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <div id={`${id}-hint`} className="hf-muted">
            What the agent reads as the reason.
          </div>
        </div>
      )}
      <ReasonField
        presets={resolving ? RESOLVED : REJECTED}
        value={reason}
        onChange={setReason}
        hint="Required. It goes into the journal with your answer."
      />
    </QuestionDialog>
  );
}
