// The verbs for what wakes a process.

import type { ProcessDetail } from '../contract/views.ts';
import { at, jsonOption, type HostVerb } from './host-verb.ts';

export const TRIGGER_VERBS: readonly HostVerb[] = [
  {
    usage: at('triggers'),
    description: 'list what wakes a process, what is due, what was missed, and what went wrong',
    asks: 'processes.read',
    says: (answer) => triggerLines(answer as ProcessDetail),
    picks: (answer) => {
      const { triggers, triggersPaused, queue } = answer as ProcessDetail;
      return { triggers, triggersPaused, queue };
    },
  },
  {
    usage: at('pause-trigger', ' [trigger]'),
    description: 'let a trigger wake nothing until it is resumed; all of them where none is named',
    asks: 'triggers.pause',
    more: ([, triggerId]) => ({ triggerId: triggerId ?? null }),
  },
  {
    usage: at('resume-trigger', ' [trigger]'),
    description: 'let it wake the process again, from now on',
    asks: 'triggers.resume',
    more: ([, triggerId]) => ({ triggerId: triggerId ?? null }),
  },
  {
    usage: at('fire', ' <trigger>'),
    description: 'as if this trigger had called',
    asks: 'triggers.fire',
    options: [jsonOption('--payload <json>', 'what it carries')],
    more: ([, triggerId], { payload }) => ({
      triggerId,
      ...(payload === undefined ? {} : { payloadText: payload }),
    }),
  },
  {
    usage: at('add-trigger', ' <json>'),
    description: "add a trigger, in a manifest's words",
    asks: 'triggers.add',
    more: ([, configText]) => ({ configText }),
  },
  {
    usage: at('remove-trigger', ' <trigger>'),
    description: 'take a trigger away',
    asks: 'triggers.remove',
    more: ([, triggerId]) => ({ triggerId }),
  },
];

function triggerLines({ triggers, triggersPaused, queue, row }: ProcessDetail): readonly string[] {
  const lines = triggers.map((trigger) => {
    const { id, type, description, next, address, paused, problem, accepted, filtered, missed } = trigger;
    const state =
      paused === null
        ? (next ?? address ?? (row.live ? 'waits' : 'not run'))
        : `paused by ${paused.actor}${paused.reason === '' ? '' : `: ${paused.reason}`}`;
    const counts = `${accepted} accepted, ${filtered} filtered, ${missed} missed`;
    const trouble = problem === null ? '' : ` · ${problem.code} at ${problem.at}: ${problem.message}`;
    return `${id}  ${type}  ${description} · ${state} · ${counts}${trouble}`;
  });
  const all =
    triggersPaused === null
      ? []
      : [`All triggers are paused by ${triggersPaused.actor}: ${triggersPaused.reason}`];
  const queued = queue.map(
    ({ eventId, triggerId, acceptedAt, missed }) =>
      `queued  ${acceptedAt}  ${eventId}  of ${triggerId}${missed > 0 ? `, for ${missed} more` : ''}`,
  );
  const none = triggers.length === 0 ? [`${row.name} has no triggers.`] : [];
  return [...all, ...none, ...lines, ...queued];
}
