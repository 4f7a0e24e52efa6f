// What an operator does to a process. P7: who, what and why is in the journal before it happens, and what came of it
// after. S36: where the journal can't take that, stopping and ending act all the same.

import type { RequestOf } from '../contract/requests.ts';
import type { Resolution } from '../model/effects.ts';
import { messageOf } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
import { decideApproval } from './approval-commands.ts';
import { extendBudget } from './budget-commands.ts';
import { counted } from './counted.ts';
import type { HostJournal } from './host-journal.ts';
import { applyFork } from './fork-process.ts';
import { clearHealth } from './health-commands.ts';
import type { LiveWorkspace } from './live-workspace.ts';
import { aboutMemory, changeMemory, type MemoryCommand } from './memory-commands.ts';
import { changeMission } from './mission-commands.ts';
import { parseJson } from './parse-json.ts';
import { changeSettings } from './settings-commands.ts';
import { undoChanges } from './self-commands.ts';
import { revokeSecret, rotateSecret } from './secret-commands.ts';
import { changeTrigger, type TriggerCommand } from './trigger-commands.ts';

export type CommandName =
  | 'processes.start'
  | 'processes.suspend'
  | 'processes.resume'
  | 'processes.stop'
  | 'processes.trigger'
  | 'processes.kill-worker'
  | 'processes.force-recover'
  | 'processes.restart'
  | 'processes.signal'
  | 'effects.resolve'
  | 'promises.settle'
  | 'approvals.decide'
  | 'inbox.write'
  | 'deadletters.redeliver'
  | 'deadletters.drop'
  | 'triggers.add'
  | 'triggers.remove'
  | 'triggers.pause'
  | 'triggers.resume'
  | 'triggers.fire'
  | 'budget.extend'
  | 'escalation.test'
  | 'mission.change'
  | 'health.clear'
  | 'settings.change'
  | 'self.undo'
  | 'secrets.rotate'
  | 'secrets.revoke'
  | 'rewind.apply'
  | 'fork.apply'
  | MemoryCommand;

/** What every command says; the process is found by then. */
export type CommandRequest<N extends CommandName = CommandName> = RequestOf<N> & { readonly process: string };

/** The actual state when the answer leaves, and a sentence about what was done. */
export interface Outcome {
  readonly state: string;
  readonly message: string;
}

/** Act even where the journal can't record it first [S36]. */
const NEVER_REFUSED: ReadonlySet<CommandName> = new Set([
  'processes.stop',
  'processes.kill-worker',
  'processes.force-recover',
  'processes.suspend',
]);

/** Who acts, and where that is recorded when a process's own journal can't take it; null for nowhere [S36]. */
export interface Recording {
  readonly operator: string;
  readonly hostJournal: HostJournal | null;
}

/**
 * Resolves when what was done is durable, or was done although it can't be.
 * @throws what the process refuses, and the journal's own trouble where that keeps it from being done
 */
export async function carryOut<N extends CommandName>(
  name: N,
  live: LiveWorkspace,
  request: CommandRequest<N>,
  { operator, hostJournal }: Recording,
): Promise<Outcome> {
  const process = live.runtime.process(request.process);
  const actor: Actor = { name: `operator:${operator}`, reason: request.reason };
  const { commandId, reason } = request;
  const isNeverRefused = NEVER_REFUSED.has(name);
  const action = actionOf(name, request);
  const record = recorderOf(process, request.journalId, hostJournal, isNeverRefused);
  // Why it is done may be said with the value itself.
  if (name === 'secrets.rotate') {
    const { name: secret, value } = request as RequestOf<'secrets.rotate'>;
    process.secrets.told(secret, value);
  }
  const about = isMemory(name) ? await aboutMemory(live.memoryOf(request.process), request) : {};
  await record('operator_action', { action, command_id: commandId, operator, reason, ...about });
  let message: string;
  try {
    message = await act(name, live, process, request, actor);
  } catch (error) {
    // What failed is what is told.
    await record('operator_outcome', outcomeOf(process, commandId, false, messageOf(error))).catch(() => {});
    throw error;
  }
  const where = await record('operator_outcome', outcomeOf(process, commandId, true, message));
  const said = where === null ? message : `${message} ${where}`;
  return { state: aboutWhom(name, live, process, request).snapshot.lifecycle, message: said };
}

function isMemory(name: CommandName): name is MemoryCommand {
  return name.startsWith('memory.');
}

/** What is told of a fork is about the new process. */
function aboutWhom(
  name: CommandName,
  live: LiveWorkspace,
  process: AgentProcess,
  request: CommandRequest,
): AgentProcess {
  if (name !== 'fork.apply') return process;
  return live.runtime.process((request as RequestOf<'fork.apply'>).name);
}

export type Recorded = (
  type: 'operator_action' | 'operator_outcome',
  data: JsonObject,
) => Promise<string | null>;

/**
 * Records in the process's journal or, where that can't take it, late in the host's own. The result resolves when it is
 * durable, with a sentence about where it went if anything went wrong so far.
 */
export function recorderOf(
  process: AgentProcess,
  journalId: string,
  hostJournal: HostJournal | null,
  isNeverRefused: boolean,
): Recorded {
  const late = (data: JsonObject, because: string): JsonObject => ({
    ...data,
    late: true,
    journal_id: journalId,
    process: process.name,
    because,
  });
  const keepsNone = process.definition.config.journalLevel === 'none';
  let trouble: string | null = null;
  let lost: string | null = hostJournal === null ? 'there is none' : null;
  return async (type, data) => {
    if (keepsNone) {
      await hostJournal?.record(type, late(data, `${process.name} keeps no journal`));
      return null;
    }
    try {
      await process.record(type, data);
    } catch (error) {
      if (!isNeverRefused) throw error;
      trouble = process.live.trouble?.message ?? messageOf(error);
      lost ??= (await hostJournal?.record(type, late(data, trouble))) ?? null;
    }
    if (trouble === null) return null;
    const instead =
      lost === null ? "It is in the host's own journal." : `Nor could the host's own journal: ${lost}`;
    return `The journal could not record it: ${trouble} ${instead}`;
  };
}

function outcomeOf(process: AgentProcess, commandId: string, ok: boolean, message: string): JsonObject {
  return { command_id: commandId, ok, message, state: process.snapshot.lifecycle };
}

async function act<N extends CommandName>(
  name: N,
  live: LiveWorkspace,
  process: AgentProcess,
  request: CommandRequest<N>,
  actor: Actor,
): Promise<string> {
  const command: CommandName = name;
  switch (command) {
    case 'processes.start':
      await process.start(actor);
      return `${process.name} was started.`;
    case 'processes.suspend':
      await process.suspend(actor);
      return process.live.trouble === null
        ? `${process.name} is suspended; what it was doing stops before its next effect.`
        : `The worker and the triggers of ${process.name} were ended.`;
    case 'processes.resume':
      await process.resume(actor);
      return resumed(process);
    case 'processes.stop':
      await process.stop(actor);
      return process.live.trouble === null
        ? `${process.name} was stopped.`
        : `The worker and the triggers of ${process.name} were ended.`;
    case 'processes.trigger':
      return triggered(process, request, actor);
    case 'processes.kill-worker':
      await process.killWorker();
      return `The worker of ${process.name} was killed.`;
    case 'processes.force-recover':
      await process.forceRecover(actor);
      return `${process.name} was rebuilt from its journal.`;
    case 'processes.restart':
      await process.restart(actor);
      return `${process.name} was restarted.`;
    case 'processes.signal':
      return signalled(process, request as RequestOf<'processes.signal'>, actor);
    case 'promises.settle':
      return settled(process, request as RequestOf<'promises.settle'>, actor);
    case 'approvals.decide':
      return decideApproval(process, request as RequestOf<'approvals.decide'>, actor);
    case 'inbox.write':
      return written(process, request as RequestOf<'inbox.write'>, actor);
    case 'deadletters.redeliver': {
      const { eventId, asNew } = request as RequestOf<'deadletters.redeliver'>;
      const letter = letterOf(process, eventId);
      const id = await process.desk.redeliver(eventId, asNew, actor);
      return asNew
        ? `${letter} was accepted as the new event ${id}, for which everything is done again.`
        : `${letter} goes on from what its invocation had recorded.`;
    }
    case 'deadletters.drop': {
      const { eventId } = request as RequestOf<'deadletters.drop'>;
      const letter = letterOf(process, eventId);
      await process.desk.dropDeadLetter(eventId, actor);
      return `${letter} was dropped.`;
    }
    case 'triggers.add':
    case 'triggers.remove':
    case 'triggers.pause':
    case 'triggers.resume':
    case 'triggers.fire':
      return changeTrigger(command, live.workspace, process, request as RequestOf<TriggerCommand>, actor);
    case 'budget.extend':
      return extendBudget(process, request as RequestOf<'budget.extend'>, actor);
    case 'escalation.test':
      return (await process.governance.testEscalation(actor.name)).join(' ');
    case 'mission.change':
      return changeMission(process, request as RequestOf<'mission.change'>, actor);
    case 'health.clear':
      return clearHealth(process, request as RequestOf<'health.clear'>, actor);
    case 'settings.change':
      return changeSettings(process, request as RequestOf<'settings.change'>, actor);
    case 'self.undo':
      return undoChanges(process, request as RequestOf<'self.undo'>, actor);
    case 'secrets.rotate':
      return rotateSecret(process, request as RequestOf<'secrets.rotate'>, actor);
    case 'secrets.revoke':
      return revokeSecret(process, request as RequestOf<'secrets.revoke'>, actor);
    case 'rewind.apply':
      return rewound(process, request as RequestOf<'rewind.apply'>, actor);
    case 'fork.apply':
      return applyFork(live, process, request as RequestOf<'fork.apply'>, actor);
    case 'memory.write':
    case 'memory.forget':
    case 'memory.repair':
      return changeMemory(command, live.memoryOf(process.name), request, actor.name);
    case 'effects.resolve':
      return resolved(process, request as RequestOf<'effects.resolve'>, actor);
  }
}

/** By what it is known to people: ids say nothing to them. */
function letterOf({ snapshot }: AgentProcess, eventId: string): string {
  const letter = snapshot.deadLetters.find(({ event }) => event.eventId === eventId);
  return letter === undefined ? `Event ${eventId}` : `The event of ${letter.event.triggerId}`;
}

/** As entries tell it: `suspend`, `trigger-pause`, `mission-fail`. */
function actionOf(name: CommandName, request: CommandRequest): string {
  const [area = '', action = ''] = name.split('.');
  if (area === 'mission') return `mission-${(request as RequestOf<'mission.change'>).order}`;
  if (area === 'triggers') return `trigger-${action}`;
  if (area === 'approvals') return (request as RequestOf<'approvals.decide'>).decision.kind;
  if (area === 'escalation') return `escalation-${action}`;
  if (area === 'health') return 'clear-health';
  if (area === 'settings') return 'set';
  if (area === 'self') return 'undo-changes';
  if (area === 'secrets') return `secret-${action}`;
  if (area === 'memory') return `memory-${action}`;
  return action === 'apply' ? area : action;
}

async function rewound(
  process: AgentProcess,
  { to, isHandledAgain, undone }: RequestOf<'rewind.apply'>,
  actor: Actor,
): Promise<string> {
  const plan = await process.rewinds.apply({ to, isHandledAgain }, undone, actor);
  // With the others left, what was under way still is.
  const count = plan.undone.filter(({ how }) => isHandledAgain || how === 'under way').length;
  const again =
    count === 0
      ? 'nothing is handled again'
      : `${counted(count, 'invocation is', 'invocations are')} handled again, with what they did given back to them`;
  return `${process.name} goes on from entry ${to}: ${again}. It is ${process.snapshot.lifecycle}; resume or start it when you are ready.`;
}

function resumed({ name, snapshot }: AgentProcess): string {
  if (snapshot.lifecycle !== 'suspended') return `${name} was resumed.`;
  const left = snapshot.holds.map((hold) => `${hold.kind.replace('_', ' ')} (${hold.reason})`).join(', ');
  return `Your hold on ${name} is lifted, but it stays suspended: ${left}.`;
}

async function triggered(
  process: AgentProcess,
  { payloadText }: RequestOf<'processes.trigger'>,
  actor: Actor,
): Promise<string> {
  const payload =
    payloadText === undefined || payloadText.trim() === ''
      ? { by: actor.name }
      : parseJson(payloadText, 'payload');
  const eventId = await process.trigger(payload);
  const { lifecycle } = process.snapshot;
  return lifecycle === 'running'
    ? `Event ${eventId} was accepted.`
    : `Event ${eventId} was accepted and waits: ${process.name} is ${lifecycle}.`;
}

async function signalled(
  process: AgentProcess,
  { commandId, name, payloadText }: RequestOf<'processes.signal'>,
  actor: Actor,
): Promise<string> {
  const payload = payloadText === undefined ? null : parseJson(payloadText, 'payload');
  // The same command is the same signal, also for a host that was started in between.
  await process.desk.signal(commandId, name, payload, actor);
  return `${process.name} got the signal ${name}.`;
}

async function settled(
  process: AgentProcess,
  { promiseId, settlement }: RequestOf<'promises.settle'>,
  actor: Actor,
): Promise<string> {
  const waits = process.snapshot.open.flatMap((invocation) => invocation.waits);
  const name = waits.find(({ waitId }) => waitId === promiseId)?.name ?? promiseId;
  const { status, isFirst } = await process.desk.settlePromise(
    promiseId,
    settlement.kind === 'resolved'
      ? { status: 'resolved', value: parseJson(settlement.valueText, 'value') }
      : { status: 'rejected', error: settlement.error },
    actor,
  );
  return isFirst
    ? `The promise ${name} is ${status}.`
    : `The promise ${name} was settled before: it is ${status}, and stays so.`;
}

async function written(
  process: AgentProcess,
  { commandId, messageType, content, priority, expiresInSeconds }: RequestOf<'inbox.write'>,
  actor: Actor,
): Promise<string> {
  const expiresInMs = expiresInSeconds === null ? null : expiresInSeconds * 1000;
  await process.desk.writeInbox(
    { messageId: commandId, type: messageType, content, priority, expiresInMs },
    actor,
  );
  return `${process.name} reads it with its next invocation.`;
}

const DECIDED: Readonly<Record<Resolution['kind'], string>> = {
  happened: 'it happened, and its invocation gets the result',
  did_not_happen: 'it did not happen, and is performed when its invocation goes on',
  skip: 'it is skipped, and its invocation gets null',
};

async function resolved(
  process: AgentProcess,
  { effectId, resolution }: RequestOf<'effects.resolve'>,
  actor: Actor,
): Promise<string> {
  const decided: Resolution =
    resolution.kind === 'happened'
      ? { kind: 'happened', result: parseJson(resolution.resultText, 'result') }
      : { kind: resolution.kind };
  const effects = process.snapshot.open.flatMap((invocation) => invocation.effects);
  const name = effects.find((effect) => effect.effectId === effectId)?.name ?? effectId;
  await process.desk.resolveEffect(effectId, decided, actor);
  return `${name} is decided: ${DECIDED[resolution.kind]}.`;
}
