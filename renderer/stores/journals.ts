import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Failure, Result } from '../../core/contract/define.ts';
import type { JournalView } from '../../core/contract/fleet-views.ts';
import { visibleLine } from '../ui/visible-text.ts';
import type { NoticeStore } from './notices.ts';

export interface Journals {
  readonly store: StoreApi<{ readonly opening: boolean }>;
  /** Lets the operator pick a directory. */
  choose(): Promise<void>;
  /** Opens what was dropped on the window, one after the other. */
  openDropped(files: readonly unknown[]): Promise<void>;
  close(journal: JournalView): Promise<void>;
}

/** Opening and closing journals. The list itself is part of the fleet and comes with its changes. */
export function createJournals(
  client: ConsoleClient,
  notices: NoticeStore,
  pathOf: (file: unknown) => Promise<string>,
): Journals {
  const store = createStore<{ readonly opening: boolean }>(() => ({ opening: false }));

  const failed = (title: string, { code, message }: Failure): void => {
    notices.push({ tone: 'alarm', title, message, code });
  };
  const opened = (result: Result<JournalView | null>): void => {
    if (!result.ok) {
      failed('The journal could not be opened', result.error);
      return;
    }
    if (result.value === null) return;
    const { title, access, note } = result.value;
    notices.push({
      tone: 'done',
      title: `Opened ${visibleLine(title)}`,
      message: note !== '' ? note : access === 'live' ? 'This host runs it.' : 'It is only looked at.',
      code: null,
    });
  };
  const whileOpening = async (work: () => Promise<void>): Promise<void> => {
    if (store.getState().opening) return;
    store.setState({ opening: true });
    try {
      await work();
    } finally {
      store.setState({ opening: false });
    }
  };

  return {
    store,
    choose: () => whileOpening(async () => opened(await client.request('journals.choose', {}))),
    openDropped: (files) =>
      whileOpening(async () => {
        for (const file of files) {
          const path = await pathOf(file);
          if (path === '') {
            failed('The journal could not be opened', {
              code: 'console.no-path',
              message:
                'What was dropped is no file or directory on this computer. Drop a journal directory, or the journal.holdfast file in it.',
            });
          } else opened(await client.request('journals.open', { path }));
        }
      }),
    async close(journal) {
      const result = await client.request('journals.close', { journalId: journal.id });
      if (!result.ok) failed(`${visibleLine(journal.title)} could not be closed`, result.error);
    },
  };
}
