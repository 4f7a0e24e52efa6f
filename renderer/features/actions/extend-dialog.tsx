import { useState } from 'react';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { fullestOf } from '../../../core/model/limit-gauge.ts';
import { useConsole, useFleet } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { limitAmount, limitName } from '../../ui/limit-text.ts';
import { Refused } from '../../ui/refused.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { DayClock } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { FrozenState } from './consequences.tsx';
import { amountOf, amountProblem } from './amount.ts';
import { QuestionDialog } from './question-dialog.tsx';
import { useAttempt } from './use-attempt.ts';

const PRESETS: readonly string[] = ['It is worth it', 'An exception today', 'The limit is too low'];
const HALF_AN_HOUR_MS = 30 * 60_000;

type Limit = ProcessRow['budget']['limits'][number];
type Span = NonNullable<QuestionOf<'extend'>['span']>;

/** More of one limit, once: the manifest keeps what it says. What the host refuses is said here. */
export function ExtendDialog({
  question: { row, limit: reached, span: asked = 'over' },
}: {
  readonly question: QuestionOf<'extend'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const { limits, exceeded, currency } = row.budget;
  const [name, setName] = useState(reached ?? fullestOf(limits)?.limit);
  const [text, setText] = useState('');
  const [span, setSpan] = useState<Span>(asked);
  const limit = limits.find((one) => one.limit === name);
  const show = (value: number): string =>
    limit === undefined ? '' : limitAmount(limit.limit, value, currency);
  const process = visibleLine(row.name);
  const amount = amountOf(text);
  const needed = exceeded !== null && exceeded.limit === name ? exceeded.missing : null;
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      forget();
      set(value);
    };
  const extend = (reason: string): void => {
    if (limit === undefined || amount === null) return;
    const told = { limit: limit.limit, amount, forMs: span === 'over' ? null : HALF_AN_HOUR_MS };
    void attempt('Extending its budget', reason, told, (command) => client.request('budget.extend', command));
  };
  return (
    <QuestionDialog
      title={`Extend the budget of ${process}?`}
      confirm={`Extend the budget of ${process}`}
      danger={false}
      why={{ presets: PRESETS, required: true }}
      missing={missing ?? (amount === null ? 'Enter how much more it may use.' : null)}
      onConfirm={extend}
      news={
        <>
          <Moved row={row} />
          {failure !== null && <Refused failure={failure}>Not extended.</Refused>}
        </>
      }
    >
      <p>
        <strong>{process}</strong> is <FrozenState row={row} />.
      </p>
      <ChoiceField
        label="Limit"
        choices={limits.map((one) => [one.limit, `${limitName(one.words)}: ${usedText(one, currency)}`])}
        value={name ?? ''}
        onChange={change((value) => setName(limits.find((one) => one.limit === value)?.limit))}
      />
      <TextField
        label="How much more"
        value={text}
        onChange={change(setText)}
        hint={
          needed === null ? 'It is added to the limit.' : `What waits needs ${show(needed)} more, at least.`
        }
        problem={amountProblem(text)}
        required
        code
      />
      <ChoiceField
        label="For how long"
        choices={[
          ['over', limit?.scope === 'run' ? 'Until the run is over' : 'Until the day is over'],
          ['half-hour', 'For half an hour'],
        ]}
        value={span}
        onChange={change((value) => setSpan(value === 'half-hour' ? value : 'over'))}
      />
      {limit !== undefined && (
        <ul className="hf-consequences">
          <li>
            {amount === null
              ? 'The limit rises'
              : `The limit rises from ${show(limit.max)} to ${show(limit.max + amount)}`}{' '}
            <Lasting limit={limit} span={span} until={row.budget.until} />. The manifest stays as it is.
          </li>
          {needed !== null && amount !== null && (
            <li>
              {amount < needed
                ? 'That is not enough for what waits: it goes on waiting.'
                : 'It is enough for what waits, which is done as soon as nothing else holds the process.'}
            </li>
          )}
        </ul>
      )}
    </QuestionDialog>
  );
}

function usedText({ limit, spent, reserved, max }: Limit, currency: string | null): string {
  return `${limitAmount(limit, spent + reserved, currency)} of ${limitAmount(limit, max, currency)} used`;
}

interface LastingProps {
  readonly limit: Limit;
  readonly span: Span;
  readonly until: string | null;
}

function Lasting({ limit, span, until }: LastingProps) {
  if (span === 'half-hour') return <>for half an hour, and no longer than its {limit.scope}</>;
  if (limit.scope === 'run') return <>for the run that reached it, and no other</>;
  if (until === null) return <>until its day is over</>;
  return (
    <>
      until its day is over, at <DayClock at={until} />
    </>
  );
}

/** The question stays as it was asked; what changed meanwhile is said. */
function Moved({ row }: { readonly row: ProcessRow }) {
  const now = useFleet((state) => state.processes[row.key]?.budget.exceeded);
  if (row.budget.exceeded === null || now !== null) return null;
  return (
    <p className="hf-attention-text" role="status">
      Meanwhile what waited goes on: its budget has room again.
    </p>
  );
}
