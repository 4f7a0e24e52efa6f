// What the mark of a checkpoint says of what bounds a process.

import { isObject } from './json.ts';
import { listOf, number, orNull, recordOf, text, truth, withKeys, type Shape } from './json-shape.ts';
import { MOST } from './meters.ts';

const amount: Shape = (value) => typeof value === 'number' && value > 0 && value <= MOST;
/** Of the meters that this version knows; what a later one counts besides is left alone. */
export const amounts = recordOf(amount);

const spent = withKeys({ at: number, spent: amounts });

export const budget = withKeys(
  {
    period: orNull(withKeys({ id: text, until: orNull(text) })),
    spent: amounts,
    reserved: amounts,
    warned: listOf(text),
    extensions: listOf(withKeys({ limit: text, amount, until: orNull(text), eventId: orNull(text) })),
    exceeded: orNull(
      withKeys(
        {
          limit: text,
          max: number,
          spent: number,
          reserved: number,
          asked: number,
          eventId: orNull(text),
        },
        { model: text, cap: text, of: text },
      ),
    ),
  },
  {
    currency: orNull(text),
    spending: withKeys({ since: orNull(number), minutes: listOf(spent), halfHours: listOf(spent) }),
  },
);

export const escalation = withKeys({
  id: text,
  key: text,
  kind: text,
  summary: text,
  detail: isObject,
  at: text,
  repeats: number,
  overAt: orNull(text),
  overWhy: text,
  deliveries: listOf(
    withKeys({
      target: text,
      to: text,
      status: text,
      attempts: number,
      lastAt: orNull(text),
      dueAt: orNull(text),
      answer: orNull(number),
      reason: text,
    }),
  ),
});

export const health = withKeys({
  runs: text,
  replies: listOf(number),
  histories: listOf(withKeys({ name: text, seq: number, count: number, buckets: recordOf(number) })),
  found: recordOf(
    withKeys({
      description: text,
      action: text,
      at: text,
      eventId: orNull(text),
      effectId: orNull(text),
      overAt: orNull(text),
      coolsUntilMs: orNull(number),
    }),
  ),
  anew: recordOf(number),
});

export const secret = withKeys({
  resolvedAt: text,
  expiresAt: orNull(text),
  rotatedAt: orNull(text),
  revoked: orNull(withKeys({ at: text, actor: text })),
  lastReadAt: orNull(text),
});

export const mission = withKeys({
  objective: text,
  successCriteria: text,
  status: text,
  since: text,
  sinceMs: number,
  reason: text,
  actor: text,
  startedAt: text,
  startedMs: number,
  runs: number,
  judged: number,
  outcome: orNull(text),
  history: listOf(
    withKeys({
      at: text,
      invocation: number,
      achieved: truth,
      confidence: number,
      progress: orNull(number),
      reasoning: text,
      outcome: text,
    }),
  ),
  evaluations: number,
  bestConfidence: number,
  bestProgress: number,
  advancedAt: text,
  advancedMs: number,
  unknown: orNull(
    withKeys({ reason: text, at: text, atMs: number, run: number, attempts: number, isForBudget: truth }),
  ),
  judging: orNull(withKeys({ run: number, booked: amounts }, { model: text, prices: text, most: amounts })),
  setBackMs: number,
  pending: orNull(text),
  lastRun: orNull(
    withKeys({
      invocation: number,
      triggerId: text,
      triggerType: text,
      payload: text,
      response: text,
      effects: listOf(withKeys({ name: text, argsHash: text, end: text })),
    }),
  ),
});
