// The verbs for what wakes a process.

import type { ProcessDetail } from '../contract/process-detail.ts';
import type { TriggerView } from '../contract/trigger-views.ts';
import { isActive, isLifecycleState } from '../model/lifecycle.ts';
import { at, jsonOption, type HostVerb } from './host-verb.ts';

export const TRIGGER_VERBS: readonly HostVerb[] = [
  {
    usage: at('triggers'),
    description: 'list what wakes a process, what is due, what was missed, and what went wrong',
    asks: 'processes.read',
    says: (answer) => triggerLines(answer as ProcessDetail),
    picks: (answer) => {
      const detail = answer as ProcessDetail;
      const { triggers, triggersPaused, queue, counts, row } = detail;
      const all = { triggers: counts.triggers, queued: row.queued };
      return { triggers, triggersPaused, queue, retrying: retryingOf(detail), counts: all };
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

interface Retrying {
  readonly eventId: string;
  readonly triggerId: string;
  /** The last one, which failed. */
  readonly attempt: number;
  readonly retryAt: string;
}

function retryingOf({ open }: ProcessDetail): readonly Retrying[] {
  return open.flatMap(({ eventId, triggerId, attempt, retryAt }) =>
    retryAt === null ? [] : [{ eventId, triggerId, attempt, retryAt }],
  );
}

/** Of what there are more than are shown. */
function moreThan(shown: number, all: number, what: string): readonly string[] {
  return all > shown ? [`and ${all - shown} more ${what}`] : [];
}

/** Those that have nothing to open, and listen as long as their process lives. */
const ONLY_LISTEN: ReadonlySet<string> = new Set(['event', 'message', 'manual']);

/** When it is due, where it listens, or why it does neither. */
function standing(
  { type, next, address, paused, problem }: TriggerView,
  { row: { live, name, state }, holds }: ProcessDetail,
): string {
  if (paused !== null) return `paused by ${paused.actor}${paused.reason === '' ? '' : `: ${paused.reason}`}`;
  if (next !== null) return `next ${next}`;
  if (address !== null) return address;
  if (!live) return 'not run';
  if (!isLifecycleState(state) || !isActive(state)) return `off while ${name} is ${state}`;
  // Nobody knows whether its journal is the one that counts.
  if (holds.some(({ kind }) => kind === 'gap')) return `off until ${name} is resumed`;
  return problem === null && ONLY_LISTEN.has(type) ? 'waits' : 'not open';
}

function triggerLines(detail: ProcessDetail): readonly string[] {
  const { triggers, triggersPaused, queue, counts, row } = detail;
  const lines = triggers.map((trigger) => {
    const { id, type, description, problem, accepted, filtered, missed } = trigger;
    const came = `${accepted} accepted, ${filtered} filtered, ${missed} missed`;
    const trouble = problem === null ? '' : ` · ${problem.code} at ${problem.at}: ${problem.message}`;
    return `${id}  ${type}  ${description} · ${standing(trigger, detail)} · ${came}${trouble}`;
  });
  const all =
    triggersPaused === null
      ? []
      : [`All triggers are paused by ${triggersPaused.actor}: ${triggersPaused.reason}`];
  const queued = queue.map(
    ({ eventId, triggerId, acceptedAt, missed }) =>
      `queued  ${acceptedAt}  ${eventId}  of ${triggerId}${missed > 0 ? `, for ${missed} more` : ''}`,
  );
  const retrying = retryingOf(detail).map(
    ({ eventId, triggerId, attempt, retryAt }) =>
      `retrying  ${retryAt}  ${eventId}  of ${triggerId}, after attempt ${attempt}`,
  );
  const none = triggers.length === 0 ? [`${row.name} has no triggers.`] : [];
  return [
    ...all,
    ...none,
    ...lines,
    ...moreThan(triggers.length, counts.triggers, 'triggers'),
    ...retrying,
    ...queued,
    ...moreThan(queue.length, row.queued, 'queued'),
  ];
}
