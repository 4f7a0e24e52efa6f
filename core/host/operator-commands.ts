// What an operator does to a process. P7: who, what and why is in the journal before it happens, and what came of it
// after. S36: where the journal can't take that, stopping and ending act all the same.

import type { RequestOf } from '../contract/requests.ts';
import type { Resolution } from '../model/effects.ts';
import { AppError, messageOf } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
import { MANUAL_TRIGGER } from '../runtime/trigger-set.ts';

export type CommandName =
  | 'processes.start'
  | 'processes.suspend'
  | 'processes.resume'
  | 'processes.stop'
  | 'processes.trigger'
  | 'processes.kill-worker'
  | 'processes.force-recover'
  | 'effects.resolve';

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

export async function carryOut<N extends CommandName>(
  name: N,
  process: AgentProcess,
  request: RequestOf<N>,
  operator: string,
): Promise<Outcome> {
  const actor: Actor = { name: `operator:${operator}`, reason: request.reason };
  const asked = process.record('operator_action', {
    action: name.replace(/^.*\./, ''),
    command_id: request.commandId,
    operator,
    reason: request.reason,
  });
  try {
    await asked;
  } catch (error) {
    if (!NEVER_REFUSED.has(name)) throw error;
  }
  let message: string;
  try {
    message = await act(name, process, request, actor);
  } catch (error) {
    await tell(process, request.commandId, false, messageOf(error));
    throw error;
  }
  await tell(process, request.commandId, true, message);
  return { state: process.snapshot.lifecycle, message };
}

async function tell(process: AgentProcess, commandId: string, ok: boolean, message: string): Promise<void> {
  const { lifecycle } = process.snapshot;
  // A journal that can't take it has put the process in trouble, which shows.
  await process
    .record('operator_outcome', { command_id: commandId, ok, message, state: lifecycle })
    .catch(() => {});
}

async function act<N extends CommandName>(
  name: N,
  process: AgentProcess,
  request: RequestOf<N>,
  actor: Actor,
): Promise<string> {
  const command: CommandName = name;
  switch (command) {
    case 'processes.start':
      process.start(actor);
      return `${process.name} was started.`;
    case 'processes.suspend':
      process.suspend(actor);
      return `${process.name} is suspended; what it was doing stops before its next effect.`;
    case 'processes.resume':
      process.resume(actor);
      return resumed(process);
    case 'processes.stop':
      await process.stop(actor);
      return `${process.name} was stopped.`;
    case 'processes.trigger':
      return triggered(process, request, actor);
    case 'processes.kill-worker':
      return `Worker ${process.killWorker()} of ${process.name} was killed.`;
    case 'processes.force-recover':
      await process.forceRecover(actor);
      return `${process.name} was rebuilt from its journal.`;
    case 'effects.resolve':
      return resolved(process, request as RequestOf<'effects.resolve'>, actor);
  }
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
      : parse(payloadText, 'payload');
  const eventId = await process.accept(MANUAL_TRIGGER, MANUAL_TRIGGER, payload);
  const { lifecycle } = process.snapshot;
  return lifecycle === 'running'
    ? `Event ${eventId} was accepted.`
    : `Event ${eventId} was accepted and waits: ${process.name} is ${lifecycle}.`;
}

function resolved(
  process: AgentProcess,
  { effectId, resolution }: RequestOf<'effects.resolve'>,
  actor: Actor,
): string {
  const decided: Resolution =
    resolution.kind === 'happened'
      ? { kind: 'happened', result: parse(resolution.resultText, 'result') }
      : { kind: resolution.kind };
  process.resolveEffect(effectId, decided, actor);
  return `${effectId} is decided: ${resolution.kind.replaceAll('_', ' ')}.`;
}

function parse(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new AppError(
      'request.not-json',
      `The ${what} is not JSON: ${messageOf(error)}. A text needs quotes: "like this".`,
      {},
      { cause: error },
    );
  }
}
