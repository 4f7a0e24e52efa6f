// Holding the triggers of all processes at once. P7: who, and why, is in each journal before it holds there, and in the host's
// own, because it belongs to no process [S36].

import type { RequestOf } from '../contract/requests.ts';
import type { TriggerSwitchView } from '../contract/settings-views.ts';
import { counted } from './counted.ts';
import { cut } from './cut.ts';
import type { LiveWorkspace } from './live-workspace.ts';
import type { Recording } from './operator-commands.ts';
import { MAX_NAME, MAX_SENTENCE } from './view-limits.ts';

export type SwitchRequest = RequestOf<'workspace.hold-triggers' | 'workspace.release-triggers'>;

const MAX_FAILED = 100;

/** @throws `triggers.held`, `triggers.not-held` */
export async function switchTriggers(
  live: LiveWorkspace,
  { commandId, journalId, reason }: SwitchRequest,
  isHeld: boolean,
  { operator, hostJournal }: Recording,
): Promise<TriggerSwitchView> {
  const action = isHeld ? 'hold-triggers' : 'release-triggers';
  const told = { command_id: commandId, journal_id: journalId, operator };
  await hostJournal?.record('operator_action', { action, ...told, reason });
  const actor = { name: `operator:${operator}`, reason };
  const { reached, failed } = await live.runtime.triggerSwitch.set(isHeld, actor);
  const what = isHeld ? 'held: only people wake them' : 'on again, but for what was paused by itself';
  const but =
    failed.length === 0
      ? ''
      : ` ${counted(failed.length, 'process', 'processes')} could not record it and will follow: ${failed
          .slice(0, MAX_FAILED)
          .map(({ process }) => process)
          .join(', ')}.`;
  const message = cut(
    `The triggers of ${counted(reached, 'process', 'processes')} are ${what}.${but}`,
    MAX_SENTENCE,
  );
  await hostJournal?.record('operator_outcome', { ...told, ok: failed.length === 0, message });
  return {
    held: isHeld,
    reached,
    failed: failed
      .slice(0, MAX_FAILED)
      .map((one) => ({ process: cut(one.process, MAX_NAME), message: cut(one.message, MAX_SENTENCE) })),
    message,
  };
}
