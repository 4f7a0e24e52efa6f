// What is otherwise between two manifests: by the settings that they make, so that order, comments and layout are none.

import { isObject, sameJson, type Json } from '../model/json.ts';
import { pathOf } from '../model/settings.ts';

export interface DiffLine {
  readonly keys: readonly string[];
  readonly path: string;
  /** Undefined: nothing stands there. */
  readonly from: Json | undefined;
  readonly to: Json | undefined;
  readonly acts: 'at_once' | 'next_invocation' | 'never';
}

export function manifestDiff(from: Json | undefined, to: Json | undefined): readonly DiffLine[] {
  return differences([], from, to).map((found) => ({
    ...found,
    path: pathOf(found.keys),
    acts: actsOf(found.keys),
  }));
}

type Difference = Pick<DiffLine, 'keys' | 'from' | 'to'>;

function differences(
  keys: readonly string[],
  from: Json | undefined,
  to: Json | undefined,
): readonly Difference[] {
  if (from === undefined || to === undefined) {
    // All of a manifest that is new or gone, key by key.
    const whole = from ?? to;
    if (keys.length > 0 || !isObject(whole ?? null)) return from === to ? [] : [{ keys, from, to }];
    return differences(keys, from ?? {}, to ?? {});
  }
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => differences([...keys, name], own(from, name), own(to, name)));
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    return inLists(keys, from as readonly Json[], to as readonly Json[]);
  }
  return sameJson(from, to) ? [] : [{ keys, from, to }];
}

function own(object: Readonly<Record<string, Json>>, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** What both begin and end with is the same; what lies between is compared in its order. */
function inLists(keys: readonly string[], from: readonly Json[], to: readonly Json[]): readonly Difference[] {
  const least = Math.min(from.length, to.length);
  let start = 0;
  while (start < least && sameJson(from[start], to[start])) start += 1;
  let end = 0;
  while (end < least - start && sameJson(from.at(-1 - end), to.at(-1 - end))) end += 1;
  const between = Math.max(from.length, to.length) - start - end;
  return Array.from({ length: between }, (_, at) => start + at).flatMap((at) =>
    differences(
      [...keys, String(at)],
      at < from.length - end ? from[at] : undefined,
      at < to.length - end ? to[at] : undefined,
    ),
  );
}

/** What guards a process, and what it is run with; all else is what an invocation begins with [S25]. */
const AT_ONCE: ReadonlySet<string> = new Set([
  'triggers',
  'journal',
  'trigger_delivery',
  'budget',
  'mission',
  'health',
  'secrets',
  'config',
  'context',
]);
const AT_ONCE_OF_OURS: ReadonlySet<string> = new Set([
  'durability',
  'retention',
  'worker',
  'escalation',
  'approval_webhook',
]);
/** Of those that act at once, what goes into the plan that an invocation keeps, and what it is shown. */
const OF_THE_PLAN: ReadonlySet<string> = new Set([
  'budget.inject_remaining',
  'config.approval',
  'context.conversation_history',
  'context.conversation_max_messages',
  'trigger_delivery.max_payload_chars',
]);

function actsOf([first = '', second = '']: readonly string[]): DiffLine['acts'] {
  // What a process begins with, once.
  if (first === 'world' || (first === 'context' && second === 'initial_state')) return 'never';
  if (OF_THE_PLAN.has(`${first}.${second}`) || (first === 'context' && second.startsWith('memory_'))) {
    return 'next_invocation';
  }
  if (first === 'holdfast') return AT_ONCE_OF_OURS.has(second) ? 'at_once' : 'next_invocation';
  return AT_ONCE.has(first) ? 'at_once' : 'next_invocation';
}
