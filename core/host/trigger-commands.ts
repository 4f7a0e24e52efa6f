// What operators do to one trigger.

import type { RequestOf } from '../contract/requests.ts';
import { AppError } from '../model/errors.ts';
import { isObject, type Json } from '../model/json.ts';
import type { TriggerConfig } from '../model/trigger-config.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
import { someOf } from '../runtime/trigger-id.ts';
import { parseJson } from './parse-json.ts';

export type TriggerCommand =
  | 'triggers.add'
  | 'triggers.remove'
  | 'triggers.pause'
  | 'triggers.resume'
  | 'triggers.fire';

/** Resolves with a sentence about what was done. */
export async function changeTrigger(
  command: TriggerCommand,
  workspace: string,
  process: AgentProcess,
  request: RequestOf<TriggerCommand>,
  actor: Actor,
): Promise<string> {
  const { triggerDesk, name } = process;
  switch (command) {
    case 'triggers.add': {
      const { configText } = request as RequestOf<'triggers.add'>;
      const config = parseJson(configText, 'trigger');
      if (!isObject(config)) {
        throw new AppError(
          'trigger.invalid',
          'A trigger is a JSON object, like {"type":"cron","cron_expression":"0 9 * * *"}.',
        );
      }
      return `${name} has the trigger ${await triggerDesk.add(config, workspace, actor)}.`;
    }
    case 'triggers.remove': {
      const { triggerId } = request as RequestOf<'triggers.remove'>;
      await triggerDesk.remove(triggerId, actor);
      return `${name} has the trigger ${triggerId} no more.`;
    }
    case 'triggers.pause': {
      const { triggerId } = request as RequestOf<'triggers.pause'>;
      await triggerDesk.pause(triggerId, actor);
      return triggerId === null
        ? `The triggers of ${name} are paused: only people wake it.`
        : `The trigger ${triggerId} of ${name} is paused.`;
    }
    case 'triggers.resume': {
      const { triggerId } = request as RequestOf<'triggers.resume'>;
      await triggerDesk.resume(triggerId, actor);
      return resumed(process, triggerId);
    }
    case 'triggers.fire':
      return fired(process, request as RequestOf<'triggers.fire'>, actor);
  }
}

/** One that was paused by itself and with all others is on again once both are resumed. */
function resumed({ name, triggers, snapshot }: AgentProcess, triggerId: string | null): string {
  const held = snapshot.triggers.switch?.pause ?? null;
  if (held !== null) {
    const what = triggerId === null ? `The triggers of ${name}` : `The trigger ${triggerId} of ${name}`;
    return `${what} would be on again, but the triggers of all processes are held, by ${held.actor}. Release those for it.`;
  }
  const paused = triggers.views().filter(({ paused }) => paused !== null);
  if (triggerId !== null) {
    const is = paused.find(({ id }) => id === triggerId)?.paused;
    return is === undefined || is === null
      ? `The trigger ${triggerId} of ${name} is on again, from now on.`
      : `The trigger ${triggerId} of ${name} stays paused with all others, by ${is.actor}. Resume all of them for it to be on again.`;
  }
  const but =
    paused.length === 0 ? '' : `, but for what was paused by itself: ${someOf(paused.map(({ id }) => id))}`;
  return `The triggers of ${name} are on again, from now on${but}.`;
}

/** What a schedule says of itself; what another source would have said nobody knows. */
function ownPayload(trigger: TriggerConfig, actor: Actor): Json {
  if (trigger.type !== 'cron') return { by: actor.name };
  const { cronExpression, cronTimezone } = trigger;
  const now = new Date(Date.now()).toISOString();
  return { scheduled_time: now, cron_expression: cronExpression, timezone: cronTimezone };
}

/** As its source would, but with no filter before it: whoever fires it wants it to run. */
async function fired(
  process: AgentProcess,
  { triggerId, payloadText }: RequestOf<'triggers.fire'>,
  actor: Actor,
): Promise<string> {
  const { trigger } = process.triggerDesk.find(triggerId);
  const isEmpty = payloadText === undefined || payloadText.trim() === '';
  const payload = isEmpty ? ownPayload(trigger, actor) : parseJson(payloadText, 'payload');
  const metadata = { fired_by: actor.name, reason: actor.reason };
  const eventId = await process.accept({ triggerId, triggerType: trigger.type, payload, metadata });
  return `Event ${eventId} was accepted, as if ${triggerId} had called.`;
}
