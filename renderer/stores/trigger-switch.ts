// The one switch for the triggers of all processes of a workspace, and what is told of how it went.

import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Failure } from '../../core/contract/define.ts';
import type { TriggerSwitchView } from '../../core/contract/settings-views.ts';
import type { JournalView } from '../../core/contract/fleet-views.ts';
import type { Ids } from '../../core/model/ports.ts';
import type { NoticeStore } from './notices.ts';

export interface TriggerSwitch {
  /**
   * Resolves with why it was not done, or null. Asked again about the same view of the journal, because nobody knows whether
   * it arrived, it is the same command.
   */
  readonly hold: (journal: JournalView, reason: string) => Promise<Failure | null>;
  /** It can be taken back, so nothing is asked. */
  readonly release: (journal: JournalView) => Promise<void>;
}

export function createTriggerSwitch(client: ConsoleClient, notices: NoticeStore, ids: Ids): TriggerSwitch {
  const asked = new WeakMap<JournalView, { readonly reason: string; readonly commandId: string }>();

  const commandFor = (journal: JournalView, reason: string): string => {
    const before = asked.get(journal);
    if (before?.reason === reason) return before.commandId;
    const commandId = ids.next();
    asked.set(journal, { reason, commandId });
    return commandId;
  };

  const tellDone = (title: string, { message, failed }: TriggerSwitchView): void => {
    notices.push({ tone: failed.length === 0 ? 'done' : 'attention', title, message, code: null });
  };

  return {
    async hold(journal, reason) {
      const commandId = commandFor(journal, reason);
      const command = { journalId: journal.id, commandId, reason };
      const result = await client.request('workspace.hold-triggers', command);
      if (!result.ok) return result.error;
      tellDone('All triggers are held', result.value);
      return null;
    },
    async release(journal) {
      const command = { journalId: journal.id, commandId: ids.next(), reason: '' };
      const result = await client.request('workspace.release-triggers', command);
      if (result.ok) {
        tellDone('All triggers are on again', result.value);
        return;
      }
      const { code, message } = result.error;
      notices.push({ tone: 'alarm', title: 'Releasing all triggers failed', message, code });
    },
  };
}
