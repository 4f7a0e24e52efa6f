// Commands on their way: one at a time for each process, and what is told of how each of them went.

import type { StoreApi } from 'zustand/vanilla';
import type { Failure, Result } from '../../core/contract/define.ts';
import type { ResponseOf } from '../../core/contract/requests.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import type { Clock, Ids } from '../../core/model/ports.ts';
import { UNREACHABLE } from '../client/bridge-client.ts';
import { lookOf } from '../ui/state-look.ts';
import { visibleLine } from '../ui/visible-text.ts';
import type { NoticeStore } from './notices.ts';
import type { Question } from './questions.ts';
import { targetKey, targetOf, type Target } from './target.ts';

export type Outcome = ResponseOf<'processes.suspend'>;
export type Send = (target: Target, commandId: string) => Promise<Result<Outcome>>;

/** A command that has been asked for and not been answered. */
export interface Pending {
  readonly what: string;
  readonly commandId: string;
  /** Of the monotonic clock. */
  readonly askedAtMs: number;
}

export interface ActionState {
  /** By {@link targetKey}: one command at a time for each process. */
  readonly pending: Readonly<Record<string, Pending>>;
  readonly question: Question | null;
  /** The reason last given, to be given again. */
  readonly lastReason: string;
}

/** What an answer tells the host, and what every command tells besides. */
export type Told<T> = T & Target & { readonly commandId: string; readonly reason: string };

interface Run {
  readonly commandId?: string;
  /** The question to ask again, with what was entered, when the host refuses. */
  readonly again?: Question | null;
}

export interface Commands {
  /** A second click is the same command: false while one waits for its answer. */
  readonly take: (row: ProcessRow, what: string, commandId: string) => boolean;
  readonly leave: (row: ProcessRow) => void;
  /** Sends what was taken, and leaves it. */
  readonly sendTaken: (
    row: ProcessRow,
    what: string,
    commandId: string,
    send: Send,
    again?: Question | null,
  ) => Promise<boolean>;
  readonly run: (row: ProcessRow, what: string, send: Send, options?: Run) => Promise<boolean>;
  /**
   * Answers the open question and leaves it open until the host has taken the answer. Resolves with why it has not, or
   * null. The same answer, given again because nobody knows whether it arrived, is the same command.
   */
  readonly attempt: <T extends object>(
    what: string,
    reason: string,
    told: T,
    send: (command: Told<T>) => Promise<Result<Outcome>>,
    /** Of what is told once it is done, where that is not about the state that the process is in. */
    title?: string,
  ) => Promise<Failure | null>;
}

export function createCommands(
  store: StoreApi<ActionState>,
  notices: NoticeStore,
  clock: Clock,
  ids: Ids,
): Commands {
  /** Answers that may have arrived or not. */
  const unheard = new WeakMap<Question, { readonly told: string; readonly commandId: string }>();

  const take = (row: ProcessRow, what: string, commandId: string): boolean => {
    const key = targetKey(targetOf(row));
    if (store.getState().pending[key] !== undefined) return false;
    const pending: Pending = { what, commandId, askedAtMs: clock.monotonic() };
    store.setState((state) => ({ pending: { ...state.pending, [key]: pending } }));
    return true;
  };

  const leave = (row: ProcessRow): void => {
    store.setState((state) => {
      const { [targetKey(targetOf(row))]: _, ...others } = state.pending;
      return { pending: others };
    });
  };

  const tellDone = (row: ProcessRow, { state, message }: Outcome, title?: string): void => {
    const stateOfIt = `${visibleLine(row.name)}: ${lookOf(state).word}`;
    notices.push({ tone: 'done', title: title ?? stateOfIt, message, code: null });
  };

  interface Refused {
    readonly what: string;
    readonly commandId: string;
    readonly send: Send;
    readonly again: Question | null;
  }
  const tellRefused = (row: ProcessRow, error: Failure, { what, commandId, send, again }: Refused): void => {
    const { code, message } = error;
    notices.push({
      tone: 'alarm',
      title: `${visibleLine(row.name)}: ${what.charAt(0).toLowerCase()}${what.slice(1)} failed`,
      message,
      code,
      // It may have acted or not; with the same command id asking again is safe. What was refused did not act, and what
      // was typed for it is not typed again.
      ...(code === UNREACHABLE
        ? { step: { label: 'Ask again', run: () => void run(row, what, send, { commandId, again }) } }
        : again === null
          ? {}
          : { step: { label: 'Answer again', run: () => store.setState({ question: again }) } }),
    });
  };

  const sendTaken: Commands['sendTaken'] = async (row, what, commandId, send, again = null) => {
    const result = await send(targetOf(row), commandId);
    leave(row);
    if (result.ok) tellDone(row, result.value);
    else tellRefused(row, result.error, { what, commandId, send, again });
    return result.ok;
  };

  const run: Commands['run'] = async (row, what, send, { commandId = ids.next(), again = null } = {}) =>
    take(row, what, commandId) && sendTaken(row, what, commandId, send, again);

  return {
    take,
    leave,
    sendTaken,
    run,
    async attempt(what, reason, told, sendTold, title) {
      const { question } = store.getState();
      // What is asked about a whole workspace is about no process.
      if (question === null || !('row' in question)) return null;
      const { row } = question;
      const text = JSON.stringify([reason, told]);
      const before = unheard.get(question);
      const commandId = before?.told === text ? before.commandId : ids.next();
      if (!take(row, what, commandId)) return busy(row);
      store.setState((state) => ({ lastReason: reason || state.lastReason }));
      const send: Send = (target, id) => sendTold({ ...told, ...target, commandId: id, reason });
      const result = await send(targetOf(row), commandId);
      leave(row);
      const isOpen = store.getState().question === question;
      if (result.ok) {
        if (isOpen) store.setState({ question: null });
        tellDone(row, result.value, title);
        return null;
      }
      if (result.error.code === UNREACHABLE) unheard.set(question, { told: text, commandId });
      else unheard.delete(question);
      // Whoever left the question does not see what is said in it.
      if (!isOpen) tellRefused(row, result.error, { what, commandId, send, again: question });
      return result.error;
    },
  };
}

function busy({ name }: ProcessRow): Failure {
  return {
    code: 'console.busy',
    message: `Another command for ${visibleLine(name)} waits for its answer. Confirm again when it has come.`,
  };
}
