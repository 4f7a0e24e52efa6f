// What stands under the mark of a full checkpoint [S17]. Anybody can write a line, so it is looked at before it is believed.

import { amounts, budget, escalation, health, secret } from './checkpoint-mark-governance.ts';
import { compaction, deadLetter, event, inboxMessage, openInvocation } from './checkpoint-mark-work.ts';
import { isObject, type JsonObject } from './json.ts';
import { any, listOf, number, orNull, recordOf, text, truth, withKeys, type Shape } from './json-shape.ts';
import type { ProcessSnapshot } from './snapshot.ts';

const pause = withKeys({ reason: text, actor: text, at: text });
const sentMessage = withKeys(
  { number, kind: text, topic: text, data: any, sentAt: text },
  { numbering: text },
);

const changeEnd = withKeys({ how: text, at: text, actor: text, reason: text, key: text });

type Marked = Exclude<
  keyof ProcessSnapshot,
  'context' | 'lifecycle' | 'invocationCount' | 'conversation' | 'foreign' | 'lastEntryType' | 'lastEntryAt'
>;
const MARK: Readonly<Record<Marked, Shape>> = {
  seq: number,
  lifecycleSince: orNull(text),
  lifecycleReason: text,
  lifecycleActor: text,
  holds: listOf(withKeys({ kind: text, reason: text, actor: text, since: text })),
  startedAt: orNull(text),
  queue: listOf(event),
  open: listOf(openInvocation),
  deadLetters: listOf(deadLetter),
  deadLettersLost: number,
  conversationCount: number,
  conversationMax: number,
  compaction: orNull(compaction),
  inbox: listOf(inboxMessage),
  inboxRead: listOf(
    withKeys({
      message: inboxMessage,
      deliveredAt: text,
      eventId: text,
      invocation: number,
      answer: orNull(withKeys({ text, at: text })),
    }),
  ),
  outbox: listOf(sentMessage),
  sent: number,
  numbering: text,
  heard: recordOf(number),
  heardOf: recordOf(listOf(withKeys({ numbering: text, number }))),
  settled: listOf(withKeys({ promiseId: text, status: text, at: text })),
  taken: listOf(text),
  recentRuns: listOf(withKeys({ eventId: text, ok: truth, at: text, durationMs: orNull(number) })),
  consecutiveFailures: number,
  budget,
  escalations: listOf(escalation),
  mission: orNull(isObject),
  health,
  caps: recordOf(withKeys({ limits: recordOf(number), id: text, until: text, spent: amounts })),
  settings: recordOf(withKeys({ value: any, manifest: any, actor: text, reason: text, at: text })),
  self: withKeys({
    changes: listOf(
      withKeys(
        {
          seq: number,
          key: text,
          kind: text,
          what: text,
          eventId: text,
          at: text,
          reason: text,
          end: orNull(changeEnd),
        },
        { before: any },
      ),
    ),
    servers: recordOf(isObject),
    spawned: listOf(
      withKeys({
        name: text,
        instructions: text,
        triggers: listOf(isObject),
        secrets: listOf(text),
        task: text,
      }),
    ),
    rebuilds: number,
  }),
  parent: orNull(withKeys({ process: text, depth: number, isDiscarded: truth })),
  tally: recordOf(number),
  secrets: recordOf(secret),
  restarts: number,
  restart: text,
  workerDeaths: number,
  lastError: orNull(withKeys({ code: text, message: text, at: text })),
  lastWorkerDeath: orNull(text),
  writer: orNull(withKeys({ epoch: number, hostId: text, pid: number, startTime: text, build: text })),
  workers: listOf(withKeys({ pid: number, startTime: text, generation: number })),
  generation: number,
  configHash: orNull(text),
  plan: orNull(isObject),
  tools: withKeys({
    last: orNull(withKeys({ hash: text, at: text, problems: listOf(text) })),
    lists: recordOf(listOf(isObject)),
    believed: recordOf(text),
  }),
  triggers: withKeys(
    {
      known: recordOf(
        withKeys({
          accepted: number,
          filtered: number,
          missed: number,
          lastEventAt: orNull(text),
          lastScheduledMs: orNull(number),
          sinceMs: orNull(number),
          paused: orNull(pause),
          keys: listOf(withKeys({ key: text, atMs: number })),
        }),
      ),
      allPaused: orNull(pause),
      added: listOf(withKeys({ id: text, config: isObject })),
      removed: listOf(text),
      sinceMs: orNull(number),
    },
    { switch: withKeys({ number, pause: orNull(pause) }) },
  ),
  rewinding: orNull(withKeys({ seq: number, target: number, isHandledAgain: truth })),
  lineage: orNull(withKeys({ process: text, journalId: text, seq: number })),
};

const MARK_SHAPES = Object.entries(MARK);

/** Whether each key is what a fold could have left; those that an earlier version did not have may be absent. */
export function isMark(mark: JsonObject): boolean {
  return MARK_SHAPES.every(([key, shape]) => !Object.hasOwn(mark, key) || shape(mark[key]!));
}

/** Only what was looked at; the shared sections stand outside the mark. */
export function knownOf(mark: JsonObject): Partial<ProcessSnapshot> {
  return Object.fromEntries(Object.entries(mark).filter(([key]) => Object.hasOwn(MARK, key)));
}
