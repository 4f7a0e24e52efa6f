import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConsoleClient } from '../../core/contract/client.ts';
import type { RequestOf } from '../../core/contract/requests.ts';
import type { Action, ProcessRow } from '../../core/contract/process-row.ts';
import type { DeadLetterView } from '../../core/contract/work-views.ts';
import type { WaitingItem } from '../../core/contract/waiting-view.ts';
import type { Clock, Ids } from '../../core/model/ports.ts';
import { visibleLine } from '../ui/visible-text.ts';
import { ACTION_TABLE } from './action-table.ts';
import { createCommands, type ActionState, type Commands, type Send } from './commands.ts';
import type { NoticeStore } from './notices.ts';
import {
  isPlainResume,
  type Question,
  type QuestionOf,
  type Resolution,
  type Settlement,
} from './questions.ts';
import { createTriggerSwitch, type TriggerSwitch } from './trigger-switch.ts';
import { targetKey, targetOf } from './target.ts';

type Letter = Pick<RequestOf<'inbox.write'>, 'messageType' | 'content' | 'priority' | 'expiresInSeconds'>;

export interface ActionStore {
  readonly store: StoreApi<ActionState>;
  /** Acts at once, or asks first where the action's rank, or what the host finds, demands it. */
  choose(row: ProcessRow, action: Action): void;
  /** Opens a question about something in a process. */
  ask(question: Exclude<Question, { readonly kind: 'action' }>): void;
  /** Each answers the open question of its kind, and does nothing without one. */
  confirm(reason: string): void;
  confirmResolution(reason: string, resolution: Resolution): void;
  confirmSettlement(reason: string, settlement: Settlement): void;
  confirmSignal(reason: string, name: string, payloadText: string): void;
  confirmDeadLetter(reason: string): void;
  /** A dead letter goes on from its own record: nothing that is done is done again, so nothing is asked. */
  redeliver(row: ProcessRow, letter: DeadLetterView): void;
  /** Lets a trigger call again, or with null all of them: it can be taken back, so nothing is asked. */
  resumeTriggers(row: ProcessRow, triggerId: string | null): void;
  /** The one switch for the triggers of all processes. */
  readonly triggerSwitch: TriggerSwitch;
  /** Answers the open question in its place, see {@link Commands.attempt}. */
  readonly attempt: Commands['attempt'];
  /** Lets a tool be called with what it was asked for: all of that is in sight where it is pressed, so nothing is asked. */
  approve(row: ProcessRow, item: WaitingItem): Promise<boolean>;
  /** True when the message is in the journal. */
  write(row: ProcessRow, letter: Letter): Promise<boolean>;
  cancel(): void;
}

export function createActionStore(
  client: ConsoleClient,
  notices: NoticeStore,
  clock: Clock,
  ids: Ids,
): ActionStore {
  const store = createStore<ActionState>(() => ({ pending: {}, question: null, lastReason: '' }));

  const { take, leave, sendTaken, run, attempt } = createCommands(store, notices, clock, ids);

  const sendAction = (action: Action, reason: string): Send => {
    const { request } = ACTION_TABLE[action];
    return (target, commandId) => client.request(request, { ...target, commandId, reason });
  };

  /** Looks before it resumes, and asks only about what it finds; under one command id, however often it is pressed. */
  const resume = async (row: ProcessRow): Promise<void> => {
    const { asked } = ACTION_TABLE.resume;
    const commandId = ids.next();
    if (!take(row, asked, commandId)) return;
    const found = await client.request('processes.preview', { ...targetOf(row), action: 'resume' });
    if (found.ok && isPlainResume(found.value)) {
      await sendTaken(row, asked, commandId, sendAction('resume', ''));
      return;
    }
    leave(row);
    if (store.getState().question === null) {
      store.setState({ question: { kind: 'action', action: 'resume', row, found } });
      return;
    }
    notices.push({
      tone: 'attention',
      title: `${visibleLine(row.name)}: not resumed`,
      message: 'It has something to look at first, and another question was open. Resume it again.',
      code: null,
    });
  };

  /** Closes the open question if it is of this kind. */
  const answered = <K extends Question['kind']>(kind: K, reason: string): QuestionOf<K> | null => {
    const { question } = store.getState();
    if (question?.kind !== kind) return null;
    store.setState((state) => ({ question: null, lastReason: reason || state.lastReason }));
    return question as QuestionOf<K>;
  };

  return {
    store,
    choose(row, action) {
      if (store.getState().pending[targetKey(targetOf(row))] !== undefined) return;
      const { confirming, asked } = ACTION_TABLE[action];
      if (confirming === 'none') void run(row, asked, sendAction(action, ''));
      else if (confirming === 'if-found') void resume(row);
      else store.setState({ question: { kind: 'action', action, row, found: null } });
    },
    ask(question) {
      store.setState({ question });
    },
    confirm(reason) {
      const question = answered('action', reason);
      if (question === null) return;
      const { row, action } = question;
      void run(row, ACTION_TABLE[action].asked, sendAction(action, reason));
    },
    confirmResolution(reason, resolution) {
      const question = answered('effect', reason);
      if (question === null) return;
      const { row, effect } = question;
      const { effectId } = effect;
      const text = resolution.kind === 'happened' ? resolution.resultText : '';
      void run(
        row,
        `Resolving ${visibleLine(effect.name)}`,
        (target, commandId) =>
          client.request('effects.resolve', { ...target, commandId, reason, effectId, resolution }),
        { again: { ...question, entered: { reason, text } } },
      );
    },
    confirmSettlement(reason, settlement) {
      const question = answered('promise', reason);
      if (question === null) return;
      const { row, wait } = question;
      const { waitId: promiseId } = wait;
      const text = settlement.kind === 'resolved' ? settlement.valueText : settlement.error;
      void run(
        row,
        `Settling ${visibleLine(wait.name)}`,
        (target, commandId) =>
          client.request('promises.settle', { ...target, commandId, reason, promiseId, settlement }),
        { again: { ...question, entered: { reason, text } } },
      );
    },
    confirmSignal(reason, name, payloadText) {
      const question = answered('signal', reason);
      if (question === null) return;
      const payload = payloadText.trim() === '' ? {} : { payloadText };
      void run(
        question.row,
        `Sending ${visibleLine(name)}`,
        (target, commandId) =>
          client.request('processes.signal', { ...target, commandId, reason, name, ...payload }),
        { again: { ...question, entered: { reason, text: payloadText, name } } },
      );
    },
    confirmDeadLetter(reason) {
      const question = answered('dead-letter', reason);
      if (question === null) return;
      const { row, letter, choice } = question;
      const { eventId } = letter;
      void run(
        row,
        choice === 'drop' ? 'Dropping a dead letter' : 'Delivering as a new event',
        (target, commandId) =>
          choice === 'drop'
            ? client.request('deadletters.drop', { ...target, commandId, reason, eventId })
            : client.request('deadletters.redeliver', { ...target, commandId, reason, eventId, asNew: true }),
      );
    },
    redeliver(row, { eventId }) {
      void run(row, 'Redelivering', (target, commandId) =>
        client.request('deadletters.redeliver', { ...target, commandId, reason: '', eventId, asNew: false }),
      );
    },
    resumeTriggers(row, triggerId) {
      void run(
        row,
        triggerId === null ? 'Resuming all triggers' : `Resuming ${visibleLine(triggerId)}`,
        (target, commandId) =>
          client.request('triggers.resume', { ...target, commandId, reason: '', triggerId }),
      );
    },
    triggerSwitch: createTriggerSwitch(client, notices, ids),
    attempt,
    approve(row, { id: promiseId, title }) {
      return run(row, `Approving ${visibleLine(title)}`, (target, commandId) =>
        client.request('approvals.decide', {
          ...target,
          commandId,
          reason: '',
          promiseId,
          decision: { kind: 'approve' },
        }),
      );
    },
    write(row, letter) {
      return run(row, 'Writing to it', (target, commandId) =>
        client.request('inbox.write', { ...target, commandId, reason: '', ...letter }),
      );
    },
    cancel() {
      store.setState({ question: null });
    },
  };
}
