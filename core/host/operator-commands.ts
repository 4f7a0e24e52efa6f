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

/**
 * Resolves when what was done is durable, or was done although it can't be.
 * @throws what the process refuses, and the journal's own trouble where that keeps it from being done
 */
export async function carryOut<N extends CommandName>(
  name: N,
  process: AgentProcess,
  request: RequestOf<N>,
  operator: string,
): Promise<Outcome> {
  const actor: Actor = { name: `operator:${operator}`, reason: request.reason };
  const { commandId, reason } = request;
  const isNeverRefused = NEVER_REFUSED.has(name);
  let isRecorded = true;
  const record = async (entry: () => Promise<void>): Promise<void> => {
    try {
      await entry();
    } catch (error) {
      if (!isNeverRefused) throw error;
      isRecorded = false;
    }
  };
  const action = name.replace(/^.*\./, '');
  await record(() => process.record('operator_action', { action, command_id: commandId, operator, reason }));
  let message: string;
  try {
    message = await act(name, process, request, actor);
  } catch (error) {
    await outcome(process, commandId, false, messageOf(error)).catch(() => {}); // what failed is what is told
    throw error;
  }
  await record(() => outcome(process, commandId, true, message));
  const { lifecycle } = process.snapshot;
  return {
    state: lifecycle,
    message: isRecorded ? message : `${message} The journal could not record it: ${troubleOf(process)}`,
  };
}

function troubleOf({ live }: AgentProcess): string {
  return live.trouble?.message ?? 'it did not take the entry.';
}

/** Durable with everything before it. */
function outcome(process: AgentProcess, commandId: string, ok: boolean, message: string): Promise<void> {
  const { lifecycle } = process.snapshot;
  return process.record('operator_outcome', { command_id: commandId, ok, message, state: lifecycle });
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
      await process.start(actor);
      return `${process.name} was started.`;
    case 'processes.suspend':
      await process.suspend(actor);
      return `${process.name} is suspended; what it was doing stops before its next effect.`;
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

async function resolved(
  process: AgentProcess,
  { effectId, resolution }: RequestOf<'effects.resolve'>,
  actor: Actor,
): Promise<string> {
  const decided: Resolution =
    resolution.kind === 'happened'
      ? { kind: 'happened', result: parse(resolution.resultText, 'result') }
      : { kind: resolution.kind };
  await process.resolveEffect(effectId, decided, actor);
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
