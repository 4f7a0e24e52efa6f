// The verbs that ask the host that runs a journal: a row for each. What a request takes is in the contract, so whether a
// verb has `--reason`, and whether it needs it, follows from there.

import { InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { REQUESTS, type RequestName } from '../contract/requests.ts';
import type { ProcessDetail } from '../contract/process-detail.ts';
import { counted } from '../host/counted.ts';
import { INBOX_PRIORITIES, INBOX_TYPES } from '../model/inbox.ts';
import { stateText } from './describe.ts';
import { BUDGET_VERBS } from './budget-verbs.ts';
import { ESCALATION_VERBS } from './escalation-verbs.ts';
import { HEALTH_VERBS } from './health-verbs.ts';
import { at, jsonOption, type Given, type HostVerb } from './host-verb.ts';
import { RELOAD_VERBS } from './reload-verbs.ts';
import { MISSION_VERBS } from './mission-verbs.ts';
import { PEOPLE_VERBS } from './people-verbs.ts';
import { SELF_VERBS } from './self-verbs.ts';
import { REWIND_VERBS } from './rewind-verbs.ts';
import { SETTINGS_VERBS } from './settings-verbs.ts';
import { SECRET_VERBS } from './secret-verbs.ts';
import { TOOL_VERBS } from './tool-verbs.ts';
import { TRIGGER_VERBS } from './trigger-verbs.ts';

export const HOST_VERBS: readonly HostVerb[] = [
  {
    usage: at('start'),
    description: 'start a process that was stopped, failed or never started',
    asks: 'processes.start',
  },
  {
    usage: at('stop'),
    description: 'stop a process; what it was doing stops before its next effect',
    asks: 'processes.stop',
  },
  {
    usage: at('suspend'),
    description: 'hold a process until somebody resumes it',
    asks: 'processes.suspend',
  },
  {
    usage: at('resume'),
    description: "lift an operator's hold; others stay, and are said",
    asks: 'processes.resume',
  },
  { usage: at('restart'), description: 'stop a process and start it again', asks: 'processes.restart' },
  {
    usage: at('kill'),
    description: "end a process's worker at once, as an accident would",
    asks: 'processes.kill-worker',
  },
  {
    usage: at('trigger'),
    description: 'hand a process an event by hand',
    asks: 'processes.trigger',
    options: [jsonOption('--payload <json>', 'what the event carries')],
    more: (_, { payload }) => (payload === undefined ? {} : { payloadText: payload }),
  },
  {
    usage: at('resolve', ' <effect>'),
    description: 'decide an effect in doubt: it happened, it did not, or go on without it',
    asks: 'effects.resolve',
    options: [
      jsonOption('--happened <json>', 'it happened, and this is what it gave'),
      new Option('--did-not-happen', 'it did not happen, and is run again'),
      new Option('--skip', 'go on as if it had given nothing'),
    ],
    more: ([, effectId], given) => ({ effectId, resolution: resolutionOf(given) }),
  },
  {
    usage: 'resolve-promise <directory> <promise>',
    description: 'settle a durable promise by its id; it is settled once',
    asks: 'promises.settle',
    options: [
      jsonOption('--resolved <json>', 'what it becomes'),
      new Option('--rejected <text>', 'why it is refused'),
    ],
    more: ([promiseId], given) => ({ process: null, promiseId, settlement: settlementOf(given) }),
  },
  {
    usage: at('signal', ' <name>'),
    description: 'send a signal to what a process has under way',
    asks: 'processes.signal',
    options: [jsonOption('--payload <json>', 'what the signal carries')],
    more: ([, name], { payload }) => ({ name, ...(payload === undefined ? {} : { payloadText: payload }) }),
  },
  {
    usage: at('query', ' <name>'),
    description: 'ask an invocation that is under way; nothing is written for it',
    asks: 'processes.query',
    options: [
      jsonOption('--args <json>', 'what it is asked with'),
      new Option('--event <id>', 'of the invocation of this event; of the oldest unless given'),
    ],
    more: ([, name], { args, event }) => ({
      name,
      ...(args === undefined ? {} : { argsText: args }),
      ...(event === undefined ? {} : { eventId: event }),
    }),
    says: (answer) => [(answer as { readonly valueText: string }).valueText],
  },
  {
    usage: at('write', ' <text>'),
    description: 'write to an agent; its next invocation reads it',
    asks: 'inbox.write',
    options: [
      new Option('--type <type>', 'what it is').choices([...INBOX_TYPES]).default('directive'),
      new Option('--priority <priority>', 'how urgent').choices([...INBOX_PRIORITIES]).default('normal'),
      new Option('--expires-in <seconds>', 'after which nobody need read it').argParser(seconds),
    ],
    more: ([, content], { type, priority, expiresIn }) => ({
      content,
      messageType: type,
      priority,
      expiresInSeconds: expiresIn ?? null,
    }),
  },
  {
    usage: at('deadletters'),
    description: 'list the events of a process that were given up',
    asks: 'processes.read',
    says: (answer) => deadLetterLines(answer as ProcessDetail),
    picks: (answer) => (answer as ProcessDetail).deadLetters,
  },
  {
    usage: at('redeliver', ' <event>'),
    description: 'handle a dead letter again, from what its invocation had recorded',
    asks: 'deadletters.redeliver',
    options: [new Option('--as-new', 'as an event of its own, for which everything is done again')],
    more: ([, eventId], { asNew }) => ({ eventId, asNew: asNew === true }),
  },
  {
    usage: at('drop', ' <event>'),
    description: 'drop a dead letter for good',
    asks: 'deadletters.drop',
    more: ([, eventId]) => ({ eventId }),
  },
  ...PEOPLE_VERBS,
  ...TRIGGER_VERBS,
  ...BUDGET_VERBS,
  ...ESCALATION_VERBS,
  ...MISSION_VERBS,
  ...SELF_VERBS,
  ...HEALTH_VERBS,
  ...SETTINGS_VERBS,
  ...TOOL_VERBS,
  ...RELOAD_VERBS,
  ...SECRET_VERBS,
  ...REWIND_VERBS,
];

function deadLetterLines({ counts, deadLetters, deadLettersLost, row }: ProcessDetail): readonly string[] {
  const lines = deadLetters.map(
    ({ eventId, triggerId, reason, error, attempts, at: since, doneEffects }) =>
      `${since}  ${eventId}  of ${triggerId}, ${counted(attempts, 'attempt')}, ${counted(doneEffects, 'effect')} done · ${reason} · ${error}`,
  );
  const rest =
    lines.length < counts.deadLetters
      ? [`These are the newest ${lines.length} of ${counts.deadLetters}.`]
      : [];
  const lost = deadLettersLost > 0 ? [`${deadLettersLost} older ones are gone.`] : [];
  return lines.length + lost.length === 0
    ? [`${row.name} has no dead letters.`]
    : [...lines, ...rest, ...lost];
}

function settlementOf({ resolved, rejected }: Given): Given {
  if ((resolved === undefined) === (rejected === undefined))
    throw new InvalidArgumentError('Say one of these: --resolved <json> or --rejected <text>');
  return rejected === undefined
    ? { kind: 'resolved', valueText: resolved }
    : { kind: 'rejected', error: rejected };
}

/** A number of seconds. */
function seconds(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number of seconds above 0.');
}

function resolutionOf({ happened, didNotHappen, skip }: Given): Given {
  const said = [happened, didNotHappen, skip].filter((value) => value !== undefined);
  if (said.length !== 1)
    throw new InvalidArgumentError('Say one of these: --happened <json>, --did-not-happen or --skip');
  if (happened !== undefined) return { kind: 'happened', resultText: happened };
  return { kind: skip === undefined ? 'did_not_happen' : 'skip' };
}

export function reasonOption(): Option {
  return new Option('--reason <text>', 'why; it is kept in the journal');
}

/** Whether a request carries a reason, and whether it may be empty. */
export function reasonIn(name: RequestName): 'none' | 'optional' | 'needed' {
  const { reason } = REQUESTS[name].request.shape as { readonly reason?: z.ZodType };
  if (reason === undefined) return 'none';
  return reason.safeParse('').success ? 'optional' : 'needed';
}

/** The reason that was given. @throws InvalidArgumentError for one that is needed and missing */
export function reasonOf(verb: string, asks: RequestName, given: Given): string {
  const reason = typeof given['reason'] === 'string' ? given['reason'].trim() : '';
  if (reason === '' && reasonIn(asks) === 'needed')
    throw new InvalidArgumentError(`"${verb}" needs --reason <text>: why it is done is kept in the journal`);
  return reason;
}

/** Every command answers with this. */
export interface Outcome {
  readonly state: string;
  readonly message: string;
}

export function outcomeLine({ state, message }: Outcome): string {
  return `${stateText({ state, live: true })} · ${message}`;
}
