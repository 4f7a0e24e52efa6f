import { useCallback, useMemo, useState } from 'react';
import { useConsole, useFleet } from '../../app/console-context.ts';
import { processPlace } from '../../stores/place.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { targetOf } from '../../stores/target.ts';
import { countText } from '../../ui/numbers.ts';
import { NotPossible, Refused } from '../../ui/refused.tsx';
import { Skeleton } from '../../ui/state-of-view.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from '../actions/question-dialog.tsx';
import { useAttempt } from '../actions/use-attempt.ts';
import { ChangedValuesField } from './changed-values-field.tsx';
import { recordOf, valuesProblem, type ChangedValue } from './changed-values.ts';
import { EntryField, seqOf, seqProblem } from './entry-field.tsx';
import { ForkPlan } from './fork-plan.tsx';
import { usePlan } from './use-plan.ts';

const PRESETS: readonly string[] = ['An experiment', 'To find a fault', 'To try other settings'];
const MOST_NAME = 4_096;
/** Those that are changed most often; any other is as good. */
const SETTINGS: readonly string[] = [
  'entrypoint',
  'instructions',
  'budget.max_runs_per_day',
  'config.concurrency',
  'config.max_invocation_time',
  'trigger_delivery.max_retries',
];

/** A new process from an entry of another one; when it is there, it is what is shown. */
export function ForkDialog({
  question: { row, seq, contextKeys },
}: {
  readonly question: QuestionOf<'rewind' | 'fork'>;
}) {
  const { client, place } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const taken = useFleet((state) => state.processes);
  const [entry, setEntry] = useState(seq === null ? '' : String(seq));
  const [name, setName] = useState(() => freeName(row.name, Object.values(taken)));
  const [keys, setKeys] = useState<readonly ChangedValue[]>([]);
  const [settings, setSettings] = useState<readonly ChangedValue[]>([]);
  const at = seqOf(entry);
  const newName = name.trim();
  const problem =
    seqProblem(entry) ??
    (newName === '' ? 'Enter a name for the new process first.' : null) ??
    valuesProblem('key', keys) ??
    valuesProblem('setting', settings);
  const { journalId, process } = targetOf(row);
  const order = useMemo(
    () => ({ at: at ?? 1, name: newName, set: recordOf(keys), configure: recordOf(settings) }),
    [at, newName, keys, settings],
  );
  const ask = useCallback(
    () => client.request('fork.plan', { journalId, process, ...order }),
    [client, journalId, process, order],
  );
  const { result, isOld } = usePlan(problem === null ? ask : null);
  const source = visibleLine(row.name);

  const fork = async (reason: string): Promise<void> => {
    const refused = await attempt(
      `Forking ${source}`,
      reason,
      order,
      (command) => client.request('fork.apply', command),
      `${visibleLine(newName)} was forked`,
    );
    if (refused === null) place.go(processPlace({ journalId, process: newName }));
  };
  /** What was refused is being changed. */
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      forget();
      set(value);
    };
  return (
    <QuestionDialog
      title={at === null ? `Fork ${source}?` : `Fork ${source} from entry ${countText(at)}?`}
      confirm={`Fork as ${visibleLine(newName)}`}
      danger={false}
      wide
      why={{ presets: PRESETS, required: true }}
      missing={missing ?? problem}
      onConfirm={(reason) => void fork(reason)}
      news={failure === null ? undefined : <Refused failure={failure}>Not forked.</Refused>}
    >
      <p>
        A new process begins where <strong>{source}</strong> was at that entry: suspended, and with its
        triggers off, so that nothing happens before you look at it. {source} is not touched.
      </p>
      <div className="hf-trigger-fields">
        <EntryField value={entry} onChange={changing(setEntry)} />
        <TextField
          label="Name of the new process"
          value={name}
          onChange={changing(setName)}
          hint="One that nothing here has."
          maxLength={MOST_NAME}
          required
        />
      </div>
      <ChangedValuesField
        label="Another state to begin with"
        one="key"
        hint="Each with its value as JSON, in place of what it was at that entry."
        known={contextKeys}
        values={keys}
        onChange={changing(setKeys)}
      />
      <ChangedValuesField
        label="Other settings"
        one="setting"
        hint="By their place in the manifest, like config.concurrency, each with its value as JSON."
        known={SETTINGS}
        values={settings}
        onChange={changing(setSettings)}
      />
      {result === null ? (
        problem === null && <Skeleton lines={3} label="Working out what it would begin with" />
      ) : (
        <div className={isOld || problem !== null ? 'hf-plan-old' : ''} aria-busy={isOld}>
          {(isOld || problem !== null) && <p role="status">As it was before the last change.</p>}
          {result.ok ? (
            <ForkPlan plan={result.value} />
          ) : (
            <NotPossible failure={result.error}>Not possible so.</NotPossible>
          )}
        </div>
      )}
    </QuestionDialog>
  );
}

/** One that no process of the console has. */
function freeName(name: string, processes: readonly { readonly name: string }[]): string {
  const names = new Set(processes.map((process) => process.name));
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? `${name}-fork` : `${name}-fork-${number}`;
    if (!names.has(candidate)) return candidate;
  }
}
