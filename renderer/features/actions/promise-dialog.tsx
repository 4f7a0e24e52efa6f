import { useState } from 'react';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { jsonLines } from '../../ui/json-lines.ts';
import { Written } from '../../ui/said.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { jsonMissing, JsonField } from './json-field.tsx';
import { QuestionDialog } from './question-dialog.tsx';

const MOST_ERROR = 2_000;
const RESOLVED: readonly string[] = ['Approved', 'Answered', 'Checked by me'];
const REJECTED: readonly string[] = ['Not approved', 'No longer needed', 'Wrong data'];

/** What a promise becomes, on the operator's word. The first settlement stays. */
export function PromiseDialog({
  question: { row, wait, settlement, entered },
}: {
  readonly question: QuestionOf<'promise'>;
}) {
  const { actions } = useConsole();
  const [text, setText] = useState(entered?.text ?? '');
  const resolving = settlement === 'resolved';
  const nothing = text.trim() === '' ? 'Enter the error first.' : null;
  const name = visibleLine(wait.name);
  const verb = resolving ? 'Resolve' : 'Reject';
  return (
    <QuestionDialog
      title={`${verb} ${name}?`}
      confirm={`${verb} ${name}`}
      danger={false}
      why={{ presets: resolving ? RESOLVED : REJECTED, required: true }}
      reasonBefore={entered?.reason ?? ''}
      missing={resolving ? jsonMissing('value', text, false) : nothing}
      onConfirm={(reason) =>
        actions.confirmSettlement(
          reason,
          resolving ? { kind: 'resolved', valueText: text } : { kind: 'rejected', error: text.trim() },
        )
      }
    >
      <p>
        <strong>{visibleLine(row.name)}</strong> has waited for <code className="hf-mono">{name}</code> for{' '}
        <Ago at={wait.createdAt} long />
        {wait.dataText === 'null' ? ', and gave you nothing to go by.' : '. It gave you this to go by:'}
      </p>
      {wait.dataText !== 'null' && <Written text={jsonLines(wait.dataText)} />}
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
        <TextField
          label="Error"
          value={text}
          onChange={setText}
          hint="What the agent reads as the reason."
          rows={3}
          maxLength={MOST_ERROR}
          required
        />
      )}
    </QuestionDialog>
  );
}
