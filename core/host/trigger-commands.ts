// What operators do to one trigger.

import type { RequestOf } from '../contract/requests.ts';
import { AppError } from '../model/errors.ts';
import { isObject } from '../model/json.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
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
      const whose =
        triggerId === null ? `The triggers of ${name} are` : `The trigger ${triggerId} of ${name} is`;
      return `${whose} on again, from now on.`;
    }
    case 'triggers.fire':
      return fired(process, request as RequestOf<'triggers.fire'>, actor);
  }
}

/** As its source would, but with no filter before it: whoever fires it wants it to run. */
async function fired(
  process: AgentProcess,
  { triggerId, payloadText }: RequestOf<'triggers.fire'>,
  actor: Actor,
): Promise<string> {
  const { trigger } = process.triggerDesk.find(triggerId);
  const isEmpty = payloadText === undefined || payloadText.trim() === '';
  const payload = isEmpty ? { by: actor.name } : parseJson(payloadText, 'payload');
  const metadata = { fired_by: actor.name, reason: actor.reason };
  const eventId = await process.accept({ triggerId, triggerType: trigger.type, payload, metadata });
  return `Event ${eventId} was accepted, as if ${triggerId} had called.`;
}
