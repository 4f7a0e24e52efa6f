import { useEffect, useRef } from 'react';
import { useConsole, usePart } from '../../app/console-context.ts';
import { ACTION_TABLE } from '../../stores/action-table.ts';
import { isPreviewed, type Question, type QuestionOf } from '../../stores/questions.ts';
import { focusAgain } from '../../ui/focus.ts';
import { visibleLine } from '../../ui/visible-text.ts';
import { MemoryDialog } from '../memory/memory-dialogs.tsx';
import { ReloadDialog, RemoveManifestDialog, SaveManifestDialog } from '../manifests/manifest-dialogs.tsx';
import { ForkDialog } from '../rewind/fork-dialog.tsx';
import { RewindDialog } from '../rewind/rewind-dialog.tsx';
import { AddTriggerDialog } from '../trigger/add-trigger-dialog.tsx';
import { FireTriggerDialog, PauseTriggersDialog, RemoveTriggerDialog } from '../trigger/trigger-dialogs.tsx';
import { DecideDialog } from '../waiting/decide-dialog.tsx';
import { FrozenState } from './consequences.tsx';
import { ClearHealthDialog } from './clear-health-dialog.tsx';
import { DeadLetterDialog } from './dead-letter-dialog.tsx';
import { EffectDialog } from './effect-dialog.tsx';
import { ExtendDialog } from './extend-dialog.tsx';
import { HoldTriggersDialog } from './hold-triggers-dialog.tsx';
import { KillDialog } from './kill-dialog.tsx';
import { MissionDialog } from './mission-dialog.tsx';
import { LimitsDialog } from './limits-dialog.tsx';
import { PreflightDialog } from './preflight-dialog.tsx';
import { PromiseDialog } from './promise-dialog.tsx';
import { QueryDialog } from './query-dialog.tsx';
import { QuestionDialog } from './question-dialog.tsx';
import { RevokeSecretDialog, RotateSecretDialog } from './secret-dialogs.tsx';
import { SignalDialog } from './signal-dialog.tsx';
import { Changed, useStillOffered } from './still-offered.tsx';
import { TestEscalationDialog } from './test-escalation-dialog.tsx';
import { ToolClassDialog, ToolSwitchDialog } from './tool-dialogs.tsx';
import { UndoSelfDialog } from './undo-self-dialog.tsx';
import { UndoSettingDialog } from './undo-setting-dialog.tsx';

/** The question that is open, if one is. */
export function ActionDialogs() {
  const question = usePart(
    ({ actions }) => actions,
    (state) => state.question,
  );
  useFocusReturn(question !== null);
  return question === null ? null : <Asked question={question} />;
}

function Asked({ question }: { readonly question: Question }) {
  switch (question.kind) {
    case 'action':
      if (isPreviewed(question.action)) {
        return <PreflightDialog question={question} action={question.action} />;
      }
      return question.action === 'kill-worker' ? (
        <KillDialog row={question.row} />
      ) : (
        <LightDialog question={question} />
      );
    case 'effect':
      return <EffectDialog key={question.effect.effectId} question={question} />;
    case 'promise':
      return <PromiseDialog key={question.wait.waitId} question={question} />;
    case 'decide':
      return <DecideDialog key={question.detail.item.key} question={question} />;
    case 'signal':
      return <SignalDialog question={question} />;
    case 'query':
      return <QueryDialog question={question} />;
    case 'dead-letter':
      return <DeadLetterDialog key={question.letter.eventId} question={question} />;
    case 'pause-triggers':
      return <PauseTriggersDialog question={question} />;
    case 'remove-trigger':
      return <RemoveTriggerDialog question={question} />;
    case 'fire-trigger':
      return <FireTriggerDialog question={question} />;
    case 'add-trigger':
      return <AddTriggerDialog question={question} />;
    case 'extend':
      return <ExtendDialog question={question} />;
    case 'test-escalation':
      return <TestEscalationDialog question={question} />;
    case 'mission':
      return <MissionDialog key={question.order} question={question} />;
    case 'clear-health':
      return <ClearHealthDialog question={question} />;
    case 'limits':
      return <LimitsDialog question={question} />;
    case 'undo-self':
      return <UndoSelfDialog question={question} />;
    case 'undo-setting':
      return <UndoSettingDialog question={question} />;
    case 'tool-switch':
      return <ToolSwitchDialog question={question} />;
    case 'tool-class':
      return <ToolClassDialog question={question} />;
    case 'hold-triggers':
      return <HoldTriggersDialog question={question} />;
    case 'reload':
      return <ReloadDialog question={question} />;
    case 'save-manifest':
      return <SaveManifestDialog question={question} />;
    case 'remove-manifest':
      return <RemoveManifestDialog question={question} />;
    case 'rotate-secret':
      return <RotateSecretDialog question={question} />;
    case 'revoke-secret':
      return <RevokeSecretDialog question={question} />;
    case 'memory':
      return <MemoryDialog question={question} />;
    case 'rewind':
      return <RewindDialog question={question} />;
    case 'fork':
      return <ForkDialog question={question} />;
  }
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

function LightDialog({ question: { action, row } }: { readonly question: QuestionOf<'action'> }) {
  const { actions } = useConsole();
  const offered = useStillOffered(row, action);
  const name = visibleLine(row.name);
  const { label } = ACTION_TABLE[action];
  return (
    <QuestionDialog
      title={`${label} ${name}?`}
      confirm={`${label} ${name}`}
      danger={false}
      why={null}
      missing={offered.missing}
      onConfirm={() => actions.confirm('')}
      news={<Changed offered={offered} name={name} />}
    >
      <p>
        <strong>{name}</strong> is <FrozenState row={row} />.
      </p>
      <p>It takes no more triggers and comes to rest. What it recorded stays, and it can be started again.</p>
    </QuestionDialog>
  );
}
