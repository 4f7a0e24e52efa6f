import { useEffect, useRef, useState } from 'react';
import type { Result } from '../../../core/contract/define.ts';
import type { Action, ProcessDetail, ProcessRow } from '../../../core/contract/views.ts';
import { useConsole, usePart, useSilent } from '../../app/console-context.ts';
import { ACTION_TABLE } from '../../stores/action-table.ts';
import { targetOf } from '../../stores/target.ts';
import { lookOf } from '../../ui/state-look.ts';
import { focusAgain } from '../../ui/focus.ts';
import { visibleLine } from '../../ui/visible-text.ts';
import { consequencesOf, FrozenState, Interrupted } from './consequences.tsx';
import { EffectDialog } from './effect-dialog.tsx';
import { QuestionDialog } from './question-dialog.tsx';
import { ReasonField } from './reason-field.tsx';

/** The question that is open, if one is. */
export function ActionDialogs() {
  const question = usePart(
    ({ actions }) => actions,
    (state) => state.question,
  );
  useFocusReturn(question !== null);
  if (question === null) return null;
  if (question.kind === 'effect') return <EffectDialog key={question.effect.effectId} question={question} />;
  const { action, row } = question;
  return ACTION_TABLE[action].confirming === 'full' ? (
    <DestructiveDialog action={action} row={row} />
  ) : (
    <LightDialog action={action} row={row} />
  );
}

/** When a question is answered or left, the focus goes back to where it was asked. */
function useFocusReturn(asking: boolean): void {
  const { actions } = useConsole();
  const opener = useRef<Element | null>(null);
  useEffect(
    () =>
      actions.store.subscribe((now, then) => {
        if (then.question === null && now.question !== null) opener.current = document.activeElement;
      }),
    [actions],
  );
  useEffect(() => {
    if (!asking) return undefined;
    return () => focusAgain(opener.current);
  }, [asking]);
}

interface Props {
  readonly action: Action;
  readonly row: ProcessRow;
}

function LightDialog({ action, row }: Props) {
  const { actions } = useConsole();
  const offered = useStillOffered(row, action);
  const silent = useSilent();
  const name = visibleLine(row.name);
  const { label } = ACTION_TABLE[action];
  return (
    <QuestionDialog
      title={`${label} ${name}?`}
      confirm={`${label} ${name}`}
      danger={false}
      ready={offered.still && !silent}
      onConfirm={() => actions.confirm('')}
      onCancel={() => actions.cancel()}
    >
      <p>
        <strong>{name}</strong> is <FrozenState row={row} />.
      </p>
      <p>It takes no more triggers and comes to rest. What it recorded stays, and it can be started again.</p>
      <Changed offered={offered} name={name} />
    </QuestionDialog>
  );
}

const PRESETS: readonly string[] = ['No progress', 'Wrong results', 'Maintenance', 'Asked to by its owner'];

function DestructiveDialog({ action, row }: Props) {
  const { actions, client } = useConsole();
  const [reason, setReason] = useState('');
  const [read, setRead] = useState<Result<ProcessDetail> | null>(null);
  const offered = useStillOffered(row, action);
  const silent = useSilent();
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
  const { label } = ACTION_TABLE[action];
  const verb = action === 'kill-worker' ? 'Kill the worker of' : label;
  // Killing is never held up for want of words; the journal then says that none were given.
  const optional = action === 'kill-worker';
  const given = reason.trim();
  return (
    <QuestionDialog
      title={`${verb} ${name}?`}
      confirm={`${verb} ${name}`}
      danger
      ready={offered.still && !silent && (optional || given !== '')}
      onConfirm={() => actions.confirm(given === '' ? 'No reason given' : given)}
      onCancel={() => actions.cancel()}
    >
      <p>
        <strong>{name}</strong> is <FrozenState row={row} />.
      </p>
      {read === null ? (
        <p className="hf-muted" role="status">
          Reading what is open…
        </p>
      ) : read.ok ? (
        <>
          <ul className="hf-consequences">
            {consequencesOf(action, read.value).map((sentence) => (
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
      <ReasonField
        presets={PRESETS}
        value={reason}
        onChange={setReason}
        hint={
          optional
            ? 'Goes into the journal. Without one it says: No reason given.'
            : 'Required. It goes into the journal before anything happens.'
        }
      />
      <Changed offered={offered} name={name} />
    </QuestionDialog>
  );
}

interface Offered {
  readonly still: boolean;
  /** The word for the state that it has now, where that differs from the one in the question. */
  readonly now: string | null;
}

/** The question stays as it was asked; what changed meanwhile is said, and not forced. */
function useStillOffered(asked: ProcessRow, action: Action): Offered {
  const row = usePart(
    ({ fleet }) => fleet,
    (state) => state.processes[asked.key],
  );
  if (row === undefined) return { still: true, now: null };
  return {
    still: row.actions.includes(action),
    now: row.state === asked.state ? null : lookOf(row.state).word,
  };
}

function Changed({ offered: { still, now }, name }: { readonly offered: Offered; readonly name: string }) {
  if (still && now === null) return null;
  return (
    <p className="hf-alarm-text" role="status">
      {now === null ? `${name} changed meanwhile.` : `Meanwhile ${name} became ${now}.`}
      {!still && ' This can’t be done to it any more.'}
    </p>
  );
}
