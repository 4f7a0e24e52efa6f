// The verbs that go back: to go on from an earlier entry, or to begin another process there. Both can be looked at first.

import { InvalidArgumentError, Option } from 'commander';
import type { ForkPlanView, RewindPlanView } from '../contract/rewind-views.ts';
import { counted } from '../host/counted.ts';
import { messageOf } from '../model/errors.ts';
import { at, type Given, type HostVerb } from './host-verb.ts';

const planOption = (what: string): Option => new Option('--plan', `only say what it would ${what}`);

const rewindOf = ({ to, leave }: Given): Given => ({ to, isHandledAgain: leave !== true });
const forkOf = ({ at: entry, as, set, configure }: Given): Given => ({ at: entry, name: as, set, configure });

export const REWIND_VERBS: readonly HostVerb[] = [
  {
    usage: at('rewind'),
    description: 'go on from an earlier entry; nothing is deleted, and nothing that was done is done again',
    asks: 'rewind.apply',
    options: [
      new Option('--to <seq>', 'the entry to go on from').argParser(entryNumber).makeOptionMandatory(),
      new Option('--leave', 'what was handled since is not handled again'),
      planOption('do'),
    ],
    more: (_, given) => ({ ...rewindOf(given), undone: null }),
    plan: {
      asks: 'rewind.plan',
      more: (_, given) => rewindOf(given),
      says: (answer) => rewindLines(answer as RewindPlanView),
    },
  },
  {
    usage: at('fork'),
    description: 'begin another process from an entry of this one: suspended, and with its triggers off',
    asks: 'fork.apply',
    options: [
      new Option('--at <seq>', 'the last entry that it has').argParser(entryNumber).makeOptionMandatory(),
      new Option('--as <name>', 'its name').makeOptionMandatory(),
      new Option('--set <key=json>', 'begin with another value of a key of the state; may be said again')
        .argParser(assignment)
        .default({}),
      new Option('--configure <path=json>', 'begin with another setting of the manifest; may be said again')
        .argParser(assignment)
        .default({}),
      planOption('begin with'),
    ],
    more: (_, given) => forkOf(given),
    plan: {
      asks: 'fork.plan',
      more: (_, given) => forkOf(given),
      says: (answer) => forkLines(answer as ForkPlanView),
    },
  },
];

function entryNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be the number of an entry, as "show" tells it.');
}

function assignment(text: string, before: unknown): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`It must be a name, "=" and JSON: 'limit=5'`);
  const value = text.slice(at + 1);
  try {
    JSON.parse(value);
  } catch (error) {
    throw new InvalidArgumentError(
      `${value} is not JSON: ${messageOf(error)}. A text needs quotes: 'name="this"'`,
    );
  }
  return { ...(before as Readonly<Record<string, string>>), [text.slice(0, at)]: value };
}

/** A list that is cut says so. */
function more(shown: number, of: number): readonly string[] {
  return shown < of ? [`  … and ${of - shown} more`] : [];
}

function rewindLines(plan: RewindPlanView): readonly string[] {
  const { target, context, contextChanges, conversation, undone, undoneCount, facts, factCount } = plan;
  const show = (value: RewindPlanView['context'][number]['now']): string => value?.valueText ?? '(not there)';
  const kinds = Object.entries(factCount).filter(([, count]) => count > 0);
  const again = plan.isHandledAgain
    ? 'are handled again, and get back what they did'
    : 'are not handled again where they have ended';
  return [
    `${plan.process} would go on from entry ${target.seq}, ${target.entryType} of ${target.timestamp}. Nothing was done.`,
    `State: ${counted(contextChanges, 'key')} would change back.`,
    ...context.map(({ key, now, was }) => `  ${key}: ${show(now)} → ${show(was)}`),
    ...more(context.length, contextChanges),
    `Conversation: ${counted(conversation.now, 'message')} now, ${conversation.was} then.`,
    `Invocations under way there, or begun since: ${undoneCount}, which ${again}.`,
    ...undone.map(
      ({ eventId, triggerId, how, effects }) =>
        `  ${eventId}  of ${triggerId}, ${how}, ${counted(effects, 'effect')} on record`,
    ),
    ...more(undone.length, undoneCount),
    kinds.length === 0
      ? 'Nothing happened since that stays.'
      : `What happened since stays a fact: ${kinds.map(([kind, count]) => counted(count, kind)).join(', ')}.`,
    ...facts.map((fact) => `  ${fact.seq}  ${fact.kind}  ${fact.text}${endOf(fact)}`),
    ...more(
      facts.length,
      kinds.reduce((sum, [, count]) => sum + count, 0),
    ),
  ];
}

/** What nobody knows is called that [P5]. */
function endOf({ kind, end }: RewindPlanView['facts'][number]): string {
  if (end === null) return kind === 'effect' ? ' · outcome unknown' : '';
  return ` · ${end === 'done' ? 'happened' : end.replaceAll('_', ' ')}`;
}

function forkLines({
  from,
  at: seq,
  name,
  contextKeys,
  conversation,
  unfinished,
  unfinishedCount,
  left,
}: ForkPlanView): readonly string[] {
  const stays = Object.entries(left).filter(([, count]) => count > 0);
  return [
    `${name} would begin where ${from} was at entry ${seq}: suspended, with its triggers off. Nothing was done.`,
    `It would have ${counted(contextKeys, 'key')} of state and ${counted(conversation, 'message')} of conversation.`,
    `Unfinished invocations that it would go on with: ${unfinishedCount}.`,
    ...unfinished.map(({ eventId, effects }) => `  ${eventId}, ${counted(effects, 'effect')} on record`),
    ...more(unfinished.length, unfinishedCount),
    stays.length === 0
      ? 'Nothing stays behind.'
      : `What could act by itself stays with ${from}: ${stays.map(([what, count]) => `${count} ${what}`).join(', ')}.`,
  ];
}
