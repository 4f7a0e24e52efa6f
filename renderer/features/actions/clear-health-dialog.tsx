import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { anomalyName } from '../../ui/anomaly-text.ts';
import { Refused } from '../../ui/refused.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { FrozenState } from './consequences.tsx';
import { QuestionDialog } from './question-dialog.tsx';
import { useAttempt } from './use-attempt.ts';

const PRESETS: readonly string[] = ['Looked into it', 'That is as it should be', 'Its cause is repaired'];

/** Somebody has seen what was found. */
export function ClearHealthDialog({ question: { row } }: { readonly question: QuestionOf<'clear-health'> }) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  const name = visibleLine(row.name);
  const clear = (reason: string): void =>
    void attempt('Clearing its health', reason, { type: null }, (command) =>
      client.request('health.clear', command),
    );
  return (
    <QuestionDialog
      title={`Clear what was found of ${name}?`}
      confirm={`Clear what was found of ${name}`}
      danger={false}
      why={{ presets: PRESETS, required: true }}
      missing={missing}
      onConfirm={clear}
      news={failure !== null && <Refused failure={failure}>Not cleared.</Refused>}
    >
      <p>
        <strong>{name}</strong> is <FrozenState row={row} />. What was found:
      </p>
      <ul className="hf-consequences">
        {row.health.anomalies.map(({ type, text, at }) => (
          <li key={type}>
            <strong>{anomalyName(type)}</strong> · {visibleLine(text)} · <Ago at={at} long suffix=" ago" />
          </li>
        ))}
      </ul>
      <p>
        It is looked for anew: what was found so far is not found again. If its health holds {name}, it goes
        on.
      </p>
    </QuestionDialog>
  );
}
