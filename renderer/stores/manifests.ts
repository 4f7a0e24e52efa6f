// What people do about manifests, what is told of how it went, and what they typed and have not saved.

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Failure, Result } from '../../core/contract/define.ts';
import type {
  ManifestChangeView,
  ManifestPlanView,
  ManifestWrittenView,
  ReloadView,
} from '../../core/contract/manifest-views.ts';
import type { JournalView } from '../../core/contract/fleet-views.ts';
import type { Ids } from '../../core/model/ports.ts';
import { UNREACHABLE } from '../client/bridge-client.ts';
import type { NoticeStore } from './notices.ts';

/** What is asked before something becomes of a manifest. */
export type ManifestQuestion =
  | {
      readonly kind: 'reload';
      readonly journal: JournalView;
      readonly changes: readonly ManifestChangeView[];
    }
  | {
      readonly kind: 'save-manifest';
      readonly journalId: string;
      readonly file: string;
      readonly text: string;
      readonly plan: ManifestPlanView;
      /** Of the text that it was made from; null for a new one. */
      readonly expected: string | null;
      readonly isApplied: boolean;
      readonly onDone: (written: ManifestWrittenView) => void;
    }
  | {
      readonly kind: 'remove-manifest';
      readonly journalId: string;
      readonly file: string;
      /** What has to be typed. */
      readonly name: string;
      readonly isRunning: boolean;
      readonly expected: string;
      readonly onDone: () => void;
    };
type QuestionOf<K extends ManifestQuestion['kind']> = Extract<ManifestQuestion, { readonly kind: K }>;

/** A text that was typed and not saved, and the hash of what it was made from. */
export interface Draft {
  readonly text: string;
  readonly expected: string | null;
}

export interface ManifestStore {
  /** By {@link draftKey}. */
  readonly drafts: StoreApi<Readonly<Record<string, Draft>>>;
  readonly keep: (key: string, draft: Draft | null) => void;
  /** Each resolves with why it was not done, or null. Asked again because nobody knows whether it arrived, it is the same command. */
  readonly reload: (question: QuestionOf<'reload'>, reason: string) => Promise<Failure | null>;
  readonly save: (question: QuestionOf<'save-manifest'>, reason: string) => Promise<Failure | null>;
  readonly remove: (
    question: QuestionOf<'remove-manifest'>,
    reason: string,
    typed: string,
  ) => Promise<Failure | null>;
}

/** `file`: null for a new one. */
export function draftKey(journalId: string, file: string | null): string {
  return `${journalId}/${file ?? ''}`;
}

export function createManifestStore(client: ConsoleClient, notices: NoticeStore, ids: Ids): ManifestStore {
  const drafts = createStore<Readonly<Record<string, Draft>>>(() => ({}));
  /** Commands that may have arrived or not. */
  const unheard = new WeakMap<ManifestQuestion, { readonly told: string; readonly commandId: string }>();

  const attempt = async <T>(
    question: ManifestQuestion,
    told: readonly string[],
    send: (commandId: string) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const text = JSON.stringify(told);
    const before = unheard.get(question);
    const commandId = before?.told === text ? before.commandId : ids.next();
    const result = await send(commandId);
    if (!result.ok && result.error.code === UNREACHABLE) unheard.set(question, { told: text, commandId });
    else unheard.delete(question);
    return result;
  };

  const tell = (title: string, message: string, reload: ReloadView | null): void => {
    const isWhole = reload === null || reload.done.every(({ ok }) => ok);
    notices.push({ tone: isWhole ? 'done' : 'attention', title, message, code: null });
  };

  return {
    drafts,
    keep(key, draft) {
      const { [key]: _, ...others } = drafts.getState();
      drafts.setState(draft === null ? others : { ...others, [key]: draft }, true);
    },
    async reload(question, reason) {
      const { journal, changes } = question;
      const result = await attempt(question, [reason], (commandId) =>
        client.request('workspace.reload', {
          journalId: journal.id,
          commandId,
          reason,
          changes: changes.map(({ file, process, id }) => ({ of: process ?? file, id })),
          isRemoving: changes.some(({ kind }) => kind === 'removed'),
        }),
      );
      if (!result.ok) return result.error;
      const { message, done } = result.value;
      const failed = done.filter(({ ok }) => !ok).map((one) => one.message);
      tell('Manifests', done.length > 1 ? [message, ...failed].join(' ') : message, result.value);
      return null;
    },
    async save(question, reason) {
      const { journalId, file, text, expected, isApplied, onDone } = question;
      const result = await attempt(question, [reason], (commandId) =>
        client.request('manifests.write', { journalId, commandId, reason, file, text, expected, isApplied }),
      );
      if (!result.ok) return result.error;
      tell(file, result.value.message, result.value.reload);
      onDone(result.value);
      return null;
    },
    async remove(question, reason, typed) {
      const { journalId, file, expected, onDone } = question;
      const result = await attempt(question, [reason, typed], (commandId) =>
        client.request('manifests.remove', {
          journalId,
          commandId,
          reason,
          file,
          expected,
          typed,
          isApplied: true,
        }),
      );
      if (!result.ok) return result.error;
      tell(file, result.value.message, result.value.reload);
      onDone();
      return null;
    },
  };
}
