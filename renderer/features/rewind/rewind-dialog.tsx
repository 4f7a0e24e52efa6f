import { Switch } from '@blueprintjs/core';
import { useCallback, useState } from 'react';
import type { RewindPlanView } from '../../../core/contract/rewind-views.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { targetOf } from '../../stores/target.ts';
import { NotPossible, Refused } from '../../ui/refused.tsx';
import { countText } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/state-of-view.tsx';
import { Ago, ClockTime } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { FrozenState } from '../actions/consequences.tsx';
import { QuestionDialog } from '../actions/question-dialog.tsx';
import { useAttempt } from '../actions/use-attempt.ts';
import { EntryField, seqOf, seqProblem } from './entry-field.tsx';
import { RewindPlan } from './rewind-plan.tsx';
import { usePlan, type Planned } from './use-plan.ts';

const PRESETS: readonly string[] = ['Wrong results', 'Bad input', 'A fault that is repaired'];

/** Going on from an earlier entry: what that would do is worked out by the host, seen, and only then done. */
export function RewindDialog({
  question: { row, seq },
}: {
  readonly question: QuestionOf<'rewind' | 'fork'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const [entry, setEntry] = useState(seq === null ? '' : String(seq));
  const [isHandledAgain, setHandledAgain] = useState(true);
  const to = seqOf(entry);
  const { journalId, process } = targetOf(row);
  const ask = useCallback(
    () => client.request('rewind.plan', { journalId, process, to: to ?? 1, isHandledAgain }),
    [client, journalId, process, to, isHandledAgain],
  );
  const planned = usePlan(to === null ? null : ask);
  const { result, isOld } = planned;
  const plan = result?.ok === true && to !== null && !isOld ? result.value : null;
  const name = visibleLine(row.name);

  const apply = async (reason: string): Promise<void> => {
    if (plan === null) return;
    const told = { to: plan.target.seq, isHandledAgain: plan.isHandledAgain, undone: plan.undoneCount };
    const refused = await attempt(`Rewinding to entry ${told.to}`, reason, told, (command) =>
      client.request('rewind.apply', command),
    );
    // What was decided on is not what is there any more: it is shown as it is now.
    if (refused !== null) planned.again();
  };
  return (
    <QuestionDialog
      title={to === null ? `Rewind ${name}?` : `Rewind ${name} to entry ${countText(to)}?`}
      confirm={`Rewind ${name}`}
      danger
      wide
      why={{ presets: PRESETS, required: true }}
      missing={missing ?? seqProblem(entry) ?? planMissing(planned)}
      onConfirm={(reason) => void apply(reason)}
      news={
        failure === null ? undefined : (
          <Refused failure={failure}>
            {failure.code === 'rewind.changed' ? 'Nothing was moved. The plan above is new.' : 'Not rewound.'}
          </Refused>
        )
      }
    >
      <p>
        <strong>{name}</strong> is <FrozenState row={row} />. It gets suspended, goes back to how it was right
        after that entry, and stays suspended until somebody resumes it. The journal keeps everything: nothing
        is deleted.
      </p>
      <EntryField
        value={entry}
        onChange={(text) => {
          forget();
          setEntry(text);
        }}
      />
      <Switch
        className="hf-plan-switch"
        checked={isHandledAgain}
        label="Handle again what has been handled since"
        onChange={({ currentTarget }) => {
          forget();
          setHandledAgain(currentTarget.checked);
        }}
      />
      <p className="hf-muted">
        {isHandledAgain
          ? 'Each invocation since then is handled once more, with the effects it has on record given back to it.'
          : 'What has ended stays handled. What is under way is handled again all the same: its state is gone back on.'}
      </p>
      {to !== null && <PlanRoom planned={planned} />}
    </QuestionDialog>
  );
}

function planMissing({ result, isOld }: Planned<RewindPlanView>): string | null {
  if (result === null || isOld) return 'Wait for what it would do.';
  return result.ok ? null : 'This can’t be done, so there is nothing to confirm.';
}

function PlanRoom({ planned: { result, isOld } }: { readonly planned: Planned<RewindPlanView> }) {
  if (result === null) {
    return (
      <div className="hf-preflight-room">
        <Skeleton lines={6} label="Working out what it would do" />
      </div>
    );
  }
  if (!result.ok) return <NotPossible failure={result.error}>Not possible.</NotPossible>;
  const { target, basedOn } = result.value;
  return (
    <div className={isOld ? 'hf-plan-old' : ''} aria-busy={isOld}>
      {isOld && <p role="status">This is the one before: it is worked out again.</p>}
      <p className="hf-muted">
        Entry {countText(target.seq)}: {visibleLine(target.entryType)}, <ClockTime at={target.timestamp} />,{' '}
        <Ago at={target.timestamp} long suffix=" ago" />. Worked out up to entry {countText(basedOn)}.
      </p>
      <RewindPlan plan={result.value} />
    </div>
  );
}
