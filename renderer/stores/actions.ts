import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Result } from '../../core/contract/define.ts';
import type { RequestOf, ResponseOf } from '../../core/contract/requests.ts';
import type { Action, EffectView, ProcessRow } from '../../core/contract/views.ts';
import type { Clock, Ids } from '../../core/model/ports.ts';
import { UNREACHABLE } from '../client/bridge-client.ts';
import { lookOf } from '../ui/state-look.ts';
import { visibleLine } from '../ui/visible-text.ts';
import { ACTION_TABLE } from './action-table.ts';
import type { NoticeStore } from './notices.ts';
import { targetKey, targetOf, type Target } from './target.ts';

export type Resolution = RequestOf<'effects.resolve'>['resolution'];
type Outcome = ResponseOf<'processes.suspend'>;

/** A command that has been asked for and not been answered. */
export interface Pending {
  readonly what: string;
  readonly commandId: string;
  /** Of the monotonic clock. */
  readonly askedAtMs: number;
}

/** What is being confirmed, as it was when the dialog opened. */
export type Question =
  | { readonly kind: 'action'; readonly action: Action; readonly row: ProcessRow }
  | {
      readonly kind: 'effect';
      readonly resolution: Resolution['kind'];
      readonly row: ProcessRow;
      readonly effect: EffectView;
    };

interface ActionState {
  /** By {@link targetKey}: one command at a time for each process. */
  readonly pending: Readonly<Record<string, Pending>>;
  readonly question: Question | null;
  /** The reason last given, to be given again. */
  readonly lastReason: string;
}

export interface ActionStore {
  readonly store: StoreApi<ActionState>;
  /** Acts at once, or asks first where the action's rank demands it. */
  choose(row: ProcessRow, action: Action): void;
  /** Asks how an effect in doubt ended. */
  chooseResolution(row: ProcessRow, effect: EffectView, resolution: Resolution['kind']): void;
  /** Acts on the open question. */
  confirm(reason: string): void;
  confirmResolution(reason: string, resolution: Resolution): void;
  cancel(): void;
}

export function createActionStore(
  client: ConsoleClient,
  notices: NoticeStore,
  clock: Clock,
  ids: Ids,
): ActionStore {
  const store = createStore<ActionState>(() => ({ pending: {}, question: null, lastReason: '' }));

  const run = (
    row: ProcessRow,
    what: string,
    commandId: string,
    send: (target: Target, commandId: string) => Promise<Result<Outcome>>,
  ): void => {
    const target = targetOf(row);
    const key = targetKey(target);
    // A second click is the same command.
    if (store.getState().pending[key] !== undefined) return;
    const pending: Pending = { what, commandId, askedAtMs: clock.monotonic() };
    store.setState((state) => ({ pending: { ...state.pending, [key]: pending } }));
    const answered = (result: Result<Outcome>): void => {
      store.setState((state) => {
        const { [key]: _, ...others } = state.pending;
        return { pending: others };
      });
      const name = visibleLine(row.name);
      if (result.ok) {
        const title = `${name}: ${lookOf(result.value.state).word}`;
        notices.push({ tone: 'done', title, message: result.value.message, code: null });
        return;
      }
      const { code, message } = result.error;
      notices.push({
        tone: 'alarm',
        title: `${name}: ${what.toLowerCase()} failed`,
        message,
        code,
        // It may have acted or not; with the same command id asking again is safe.
        ...(code === UNREACHABLE
          ? { step: { label: 'Ask again', run: () => run(row, what, commandId, send) } }
          : {}),
      });
    };
    void send(target, commandId).then(answered);
  };

  const act = (row: ProcessRow, action: Action, reason: string): void => {
    const { request, asked } = ACTION_TABLE[action];
    run(row, asked, ids.next(), (target, commandId) =>
      client.request(request, { ...target, commandId, reason }),
    );
  };

  return {
    store,
    choose(row, action) {
      if (store.getState().pending[targetKey(targetOf(row))] !== undefined) return;
      if (ACTION_TABLE[action].confirming === 'none') act(row, action, '');
      else store.setState({ question: { kind: 'action', action, row } });
    },
    chooseResolution(row, effect, resolution) {
      store.setState({ question: { kind: 'effect', resolution, row, effect } });
    },
    confirm(reason) {
      const { question } = store.getState();
      if (question?.kind !== 'action') return;
      store.setState((state) => ({ question: null, lastReason: reason || state.lastReason }));
      act(question.row, question.action, reason);
    },
    confirmResolution(reason, resolution) {
      const { question } = store.getState();
      if (question?.kind !== 'effect') return;
      const { row, effect } = question;
      store.setState({ question: null, lastReason: reason });
      run(row, `Resolving ${visibleLine(effect.name)}`, ids.next(), (target, commandId) =>
        client.request('effects.resolve', {
          ...target,
          commandId,
          reason,
          effectId: effect.effectId,
          resolution,
        }),
      );
    },
    cancel() {
      store.setState({ question: null });
    },
  };
}
