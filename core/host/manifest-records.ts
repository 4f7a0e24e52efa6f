// P7: who changes manifests, and why, is on record before it happens, and what came of it after: in the journal of the process,
// or in the host's own where that is not there or can't take it [S36].

import type { AgentProcess } from '../runtime/agent-process.ts';
import { recorderOf, type Recording } from './operator-commands.ts';

export interface ManifestOrder extends Recording {
  readonly journalId: string;
  readonly commandId: string;
  readonly reason: string;
}

/** `process`: null for a manifest by which nothing runs. */
export async function recordAsked(
  process: AgentProcess | null,
  action: string,
  { journalId, commandId, reason, operator, hostJournal }: ManifestOrder,
): Promise<void> {
  const asked = { action, command_id: commandId, operator, reason };
  if (process !== null) {
    await recorderOf(process, journalId, hostJournal, true)('operator_action', asked);
  } else await hostJournal?.record('operator_action', { ...asked, journal_id: journalId });
}

export async function recordOutcome(
  process: AgentProcess | null,
  ok: boolean,
  message: string,
  { journalId, commandId, hostJournal, operator }: ManifestOrder,
): Promise<void> {
  const outcome = { command_id: commandId, ok, message };
  if (process !== null) {
    const { lifecycle: state } = process.snapshot;
    const record = recorderOf(process, journalId, hostJournal, true);
    await record('operator_outcome', { ...outcome, state });
  } else await hostJournal?.record('operator_outcome', { ...outcome, operator, journal_id: journalId });
}
