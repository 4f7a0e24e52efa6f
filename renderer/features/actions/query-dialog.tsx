import { HTMLSelect } from '@blueprintjs/core';
import { useId, useRef, useState } from 'react';
import type { Result } from '../../../core/contract/define.ts';
import type { ResponseOf } from '../../../core/contract/requests.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { targetOf } from '../../stores/target.ts';
import { FailureCode } from '../../ui/failure-text.tsx';
import { jsonLines } from '../../ui/json-lines.ts';
import { countText } from '../../ui/numbers.ts';
import { Written } from '../../ui/said.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { jsonMissing, JsonField } from './json-field.tsx';
import { MOST_NAME, nameProblem } from './name-problem.ts';
import { QuestionDialog } from './question-dialog.tsx';

type Answer = Result<ResponseOf<'processes.query'>>;

/** Asks an invocation what only its code knows. It changes nothing, so no reason is asked, and one may ask again. */
export function QueryDialog({
  question: { row, invocations, count },
}: {
  readonly question: QuestionOf<'query'>;
}) {
  const { client } = useConsole();
  const [name, setName] = useState('');
  const [args, setArgs] = useState('');
  const [eventId, setEventId] = useState(invocations[0]?.eventId ?? '');
  const [answer, setAnswer] = useState<Answer | 'asking' | null>(null);
  /** Numbers the questions: a late answer is not taken for the one to a newer question. */
  const asked = useRef(0);
  const id = useId();
  const process = visibleLine(row.name);
  const ask = async (): Promise<void> => {
    const mine = (asked.current += 1);
    setAnswer('asking');
    const result = await client.request('processes.query', {
      ...targetOf(row),
      name: name.trim(),
      eventId,
      ...(args.trim() === '' ? {} : { argsText: args }),
    });
    if (mine === asked.current) setAnswer(result);
  };
  return (
    <QuestionDialog
      title={`Ask ${process}?`}
      confirm={`Ask ${process}`}
      cancel="Close"
      danger={false}
      why={null}
      missing={
        answer === 'asking'
          ? 'Waiting for the answer.'
          : (nameProblem('query', name) ?? jsonMissing('arguments', args, true))
      }
      onConfirm={() => void ask()}
      news={answer === null ? undefined : <Answered answer={answer} process={process} />}
    >
      <p>Its code answers out of what it has in hand. Nothing is changed by it, and nothing written.</p>
      {invocations.length > 1 && (
        <div className="hf-field">
          <label htmlFor={id}>Invocation</label>
          <HTMLSelect
            id={id}
            options={invocations.map((open) => ({
              value: open.eventId,
              label: `${countText(open.invocation)}, event ${visibleLine(open.eventId)}`,
            }))}
            value={eventId}
            onChange={(event) => setEventId(event.currentTarget.value)}
          />
          <ShownOf shown={invocations.length} of={count} what="open invocations" />
        </div>
      )}
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        hint="As the agent answers to it."
        maxLength={MOST_NAME}
        required
        code
      />
      <JsonField label="Arguments, as JSON" value={args} onChange={setArgs} hint="May stay empty." optional />
    </QuestionDialog>
  );
}

interface AnsweredProps {
  readonly answer: Answer | 'asking';
  readonly process: string;
}

function Answered({ answer, process }: AnsweredProps) {
  return (
    <div className="hf-answer" role="status">
      {answer === 'asking' ? (
        <span className="hf-muted">{process} is asked …</span>
      ) : answer.ok ? (
        <>
          <strong>{process} answered</strong>
          <Written text={jsonLines(answer.value.valueText)} />
        </>
      ) : (
        <>
          <span className="hf-alarm-text hf-block">{visibleBlock(answer.error.message)}</span>
          <FailureCode code={answer.error.code} message={answer.error.message} />
        </>
      )}
    </div>
  );
}
