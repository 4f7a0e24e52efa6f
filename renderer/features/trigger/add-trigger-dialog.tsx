import { HTMLSelect } from '@blueprintjs/core';
import { useId, useState } from 'react';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { Refused } from '../../ui/refused.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from '../actions/question-dialog.tsx';
import { useAttempt } from '../actions/use-attempt.ts';
import { configTextOf, fieldRefused, missingOf } from './trigger-config-text.ts';
import { TriggerFieldInput } from './trigger-field.tsx';
import { ADDED_KINDS, fieldsOf, initialOf, type AddedKind, type Values } from './trigger-kinds.ts';
import { kindWord } from './trigger-look.tsx';

const PRESETS: readonly string[] = ['Asked to by its owner', 'Another source', 'A test'];

/** One more trigger, beside the manifest. What the host refuses is said here, and what was typed stays. */
export function AddTriggerDialog({ question: { row } }: { readonly question: QuestionOf<'add-trigger'> }) {
  const { client } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const [kind, setKind] = useState<AddedKind>('cron');
  // What was typed for one kind is still there when somebody comes back to it.
  const [entered, setEntered] = useState<Partial<Record<AddedKind, Values>>>({});
  const id = useId();
  const name = visibleLine(row.name);
  const values = entered[kind] ?? initialOf(kind);
  const refused = failure === null ? null : fieldRefused(kind, values, failure);
  const enter = (key: string, value: string): void => {
    forget();
    setEntered((all) => ({ ...all, [kind]: { ...(all[kind] ?? initialOf(kind)), [key]: value } }));
  };
  const add = (reason: string): void => {
    const told = { configText: configTextOf(kind, values) };
    void attempt('Adding a trigger', reason, told, (command) => client.request('triggers.add', command));
  };
  return (
    <QuestionDialog
      title={`Add a trigger to ${name}?`}
      confirm={`Add the trigger to ${name}`}
      danger={false}
      wide
      why={{ presets: PRESETS, required: false }}
      missing={missing ?? missingOf(kind, values)}
      onConfirm={add}
      news={failure === null ? undefined : <Refused failure={failure}>Not added.</Refused>}
    >
      <p>
        It wakes the process from then on, and is kept in the journal: the manifest stays as it is. It can be
        paused and removed again.
      </p>
      <div className="hf-field">
        <label htmlFor={id}>Kind</label>
        <HTMLSelect
          id={id}
          fill
          options={ADDED_KINDS.map((value) => ({ value, label: kindWord(value) }))}
          value={kind}
          onChange={({ currentTarget }) => {
            forget();
            setKind(ADDED_KINDS.find((one) => one === currentTarget.value) ?? 'cron');
          }}
        />
      </div>
      <div className="hf-trigger-fields">
        {fieldsOf(kind, values).map((field) => (
          <TriggerFieldInput
            key={`${kind} ${field.key}`}
            field={field}
            value={values[field.key] ?? ''}
            onChange={(value) => enter(field.key, value)}
            refused={refused === field.key}
          />
        ))}
      </div>
    </QuestionDialog>
  );
}
