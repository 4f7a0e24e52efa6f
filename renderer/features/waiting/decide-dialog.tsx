import { useState } from 'react';
import type { RequestOf } from '../../../core/contract/requests.ts';
import type { WaitingDetail } from '../../../core/contract/waiting-view.ts';
import { editProblem, MAX_ANSWER } from '../../../core/model/approval.ts';
import { isObject, type Json, type JsonObject } from '../../../core/model/json.ts';
import { holdsPlaceholder } from '../../../core/model/placeholder.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { Refused } from '../../ui/refused.tsx';
import { Said } from '../../ui/said.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { jsonProblem } from '../actions/json-problem.ts';
import { QuestionDialog } from '../actions/question-dialog.tsx';
import { useAttempt } from '../actions/use-attempt.ts';
import { classText } from './waiting-text.ts';

type Decision = RequestOf<'approvals.decide'>['decision'];

const EDITED: readonly string[] = ['Corrected by me', 'A smaller step first', 'Another target'];
const REJECTED: readonly string[] = ['Not now', 'Wrong target', 'Too risky', 'Explain it better first'];
const DECLINED: readonly string[] = ['Decide it yourself', 'No longer needed'];
const AGENT_READS = 'Required. The agent reads it, and it is kept in the journal.';

interface Props {
  readonly question: QuestionOf<'decide'>;
}

/** A decision that takes words. What the host refuses is said here, and what was typed stays. */
export function DecideDialog({ question }: Props) {
  switch (question.decision) {
    case 'edit':
      return <EditDialog question={question} />;
    case 'reject':
      return <RejectDialog question={question} />;
    case 'answer':
      return <AnswerDialog question={question} />;
  }
}

function useDecision({ row, detail: { item } }: QuestionOf<'decide'>) {
  const { client } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const decide = (what: string, reason: string, decision: Decision): void => {
    const told = { promiseId: item.id, decision };
    void attempt(what, reason, told, (command) => client.request('approvals.decide', command));
  };
  return { decide, failure, missing, forget };
}

function EditDialog({ question }: Props) {
  const { row, detail } = question;
  const { decide, failure, missing, forget } = useDecision(question);
  const [text, setText] = useState(detail.argsText ?? '');
  const problem = argsProblem(text, detail);
  const tool = visibleLine(detail.item.title);
  return (
    <QuestionDialog
      title={`Edit and approve ${tool}?`}
      confirm={`Approve ${tool}`}
      danger={false}
      wide
      why={{ presets: EDITED, required: false }}
      missing={missing ?? (problem === null ? null : 'The arguments can’t be used yet.')}
      onConfirm={(reason) => decide(`Approving ${tool}`, reason, { kind: 'approve', argsText: text })}
      news={failure !== null && <Refused failure={failure}>Nothing was decided.</Refused>}
    >
      <p>
        <strong>{visibleLine(row.name)}</strong> calls the tool with what you leave here, once.{' '}
        {classText(detail.item.effectClass)}
      </p>
      {hasSecrets(detail) && (
        <p>
          <code>[secret:NAME]</code> stands where the value of a secret was taken out. A text with one that
          you leave as it is, where it is, is given to the tool with the value; one that you change or move is
          refused.
        </p>
      )}
      <TextField
        label="Arguments, as JSON"
        value={text}
        onChange={(value) => {
          forget();
          setText(value);
        }}
        hint={detail.schemaText === null ? 'Valid JSON.' : 'Valid JSON, as the tool takes it.'}
        problem={problem}
        rows={14}
        required
        code
      />
    </QuestionDialog>
  );
}

/** What keeps the arguments from being used, or null. The host looks at them again. */
function argsProblem(text: string, detail: WaitingDetail): string | null {
  const problem = jsonProblem(text);
  if (problem !== null) return problem;
  const args = JSON.parse(text) as Json;
  if (!isObject(args)) return 'The arguments of a tool are an object: { … }';
  const edit = editProblem({ args: shownArgs(detail), schema: schemaOf(detail) }, args);
  return edit === null ? null : visibleLine(edit);
}

function hasSecrets(detail: WaitingDetail): boolean {
  const shown = shownArgs(detail);
  return shown !== undefined && holdsPlaceholder(shown);
}

/** Undefined where they are too large to be there whole, or hold numbers that are none of JSON's. */
function shownArgs({ argsText, isWhole }: WaitingDetail): Json | undefined {
  const isThere = argsText !== null && isWhole && jsonProblem(argsText) === null;
  return isThere ? (JSON.parse(argsText) as Json) : undefined;
}

function schemaOf({ schemaText }: WaitingDetail): JsonObject | null {
  const schema = schemaText === null ? null : (JSON.parse(schemaText) as Json);
  return isObject(schema) ? schema : null;
}

function RejectDialog({ question }: Props) {
  const { row, detail } = question;
  const { decide, failure, missing } = useDecision(question);
  const isQuestion = detail.item.kind === 'question';
  const tool = visibleLine(detail.item.title);
  const verb = isQuestion ? 'Decline the question' : `Reject ${tool}`;
  return (
    <QuestionDialog
      title={`${verb}?`}
      confirm={verb}
      danger={false}
      why={{ presets: isQuestion ? DECLINED : REJECTED, required: true, hint: AGENT_READS }}
      missing={missing}
      onConfirm={(reason) =>
        decide(isQuestion ? 'Declining' : `Rejecting ${tool}`, reason, { kind: 'reject' })
      }
      news={failure !== null && <Refused failure={failure}>Nothing was decided.</Refused>}
    >
      <p>
        {isQuestion
          ? 'It gets no answer but your reason, and goes on with that.'
          : 'The tool is not called. The model gets your reason in place of a result, and goes on with that.'}{' '}
        <strong>{visibleLine(row.name)}</strong> can ask again.
      </p>
    </QuestionDialog>
  );
}

function AnswerDialog({ question }: Props) {
  const { row, detail } = question;
  const { decide, failure, missing, forget } = useDecision(question);
  const [text, setText] = useState('');
  const change = (value: string): void => {
    forget();
    setText(value);
  };
  const name = visibleLine(row.name);
  return (
    <QuestionDialog
      title={`Answer ${name}?`}
      confirm={`Answer ${name}`}
      danger={false}
      why={null}
      missing={missing ?? (text.trim() === '' ? 'Enter the answer first.' : null)}
      onConfirm={(reason) => decide('Answering', reason, { kind: 'answer', text: text.trim() })}
      news={failure !== null && <Refused failure={failure}>Not answered.</Refused>}
    >
      <Said text={detail.why} />
      <TextField
        label="Answer"
        value={text}
        onChange={change}
        hint="The agent gets this text, and it is kept in the journal."
        rows={4}
        maxLength={MAX_ANSWER}
        required
      >
        {detail.options.length > 0 && (
          <div className="hf-presets" role="group" aria-label="Suggested answers">
            {detail.options.map((option, at) => (
              <button
                key={at}
                type="button"
                className="hf-preset"
                aria-pressed={text === option}
                onClick={() => change(option)}
              >
                {visibleLine(option)}
              </button>
            ))}
          </div>
        )}
      </TextField>
    </QuestionDialog>
  );
}
