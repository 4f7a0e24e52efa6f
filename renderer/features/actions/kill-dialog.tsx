import { useEffect, useState } from 'react';
import type { Result } from '../../../core/contract/define.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useConsole } from '../../app/console-context.ts';
import { targetOf } from '../../stores/target.ts';
import { Skeleton } from '../../ui/state-of-view.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { consequencesOf, FrozenState, Interrupted } from './consequences.tsx';
import { ACTION_REASONS } from './presets.ts';
import { QuestionDialog } from './question-dialog.tsx';
import { Changed, useStillOffered } from './still-offered.tsx';

/** Killing is never held up: not for want of words, nor by what could not be read. */
export function KillDialog({ row }: { readonly row: ProcessRow }) {
  const { actions, client } = useConsole();
  const [read, setRead] = useState<Result<ProcessDetail> | null>(null);
  const offered = useStillOffered(row, 'kill-worker');
  const { journalId, process } = targetOf(row);
  useEffect(() => {
    let wanted = true;
    void client.request('processes.read', { journalId, process }).then((result) => {
      if (wanted) setRead(result);
    });
    return () => {
      wanted = false;
    };
  }, [client, journalId, process]);
  const name = visibleLine(row.name);
  return (
    <QuestionDialog
      title={`Kill the worker of ${name}?`}
      confirm={`Kill the worker of ${name}`}
      danger
      why={{
        presets: ACTION_REASONS,
        required: false,
        hint: 'Goes into the journal. Without one it says: No reason given.',
      }}
      missing={offered.missing}
      onConfirm={(reason) => actions.confirm(reason === '' ? 'No reason given' : reason)}
      news={<Changed offered={offered} name={name} />}
    >
      <p>
        <strong>{name}</strong> is <FrozenState row={row} />.
      </p>
      {read === null ? (
        <Skeleton lines={4} label="Reading what is open" />
      ) : read.ok ? (
        <>
          <ul className="hf-consequences">
            {consequencesOf(read.value).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          <Interrupted detail={read.value} />
        </>
      ) : (
        <p className="hf-alarm-text" role="alert">
          What is open could not be read ({visibleLine(read.error.message)}), so the consequences are unknown.
        </p>
      )}
    </QuestionDialog>
  );
}
