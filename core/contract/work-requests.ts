// What people decide about the work of a process, what waits for them, and what they say to it.

import { z } from 'zod';
import { MAX_ANSWER } from '../model/approval.ts';
import { INBOX_PRIORITIES, INBOX_TYPES, MAX_INBOX_LENGTH } from '../model/inbox.ts';
import { defineRequest } from './define.ts';
import { WAITING_KINDS, WaitingDetail, WaitingView } from './waiting-view.ts';
import { Id, ProcessName, OneProcess, Command, NeedsReason, Outcome, JsonText } from './request-parts.ts';

const EventId = z.string().min(1).max(1000);

/** A durable promise is known by its id alone; its process need not be named. */
const SettlePromise = z.strictObject({
  ...Command.shape,
  process: ProcessName.nullable(),
  promiseId: z.string().min(1).max(200),
  settlement: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('resolved'), valueText: JsonText }),
    z.strictObject({ kind: z.literal('rejected'), error: z.string().min(1).max(2000) }),
  ]),
});

/** A rejection needs the command's reason: the agent reads it. */
const DecideApproval = z
  .strictObject({
    ...SettlePromise.shape,
    decision: z.discriminatedUnion('kind', [
      /** With `argsText`: those, as JSON, instead of what was asked for. */
      z.strictObject({ kind: z.literal('approve'), argsText: JsonText.optional() }),
      z.strictObject({ kind: z.literal('reject') }),
      z.strictObject({ kind: z.literal('answer'), text: z.string().min(1).max(MAX_ANSWER) }),
    ]),
  })
  .omit({ settlement: true });

const WriteInbox = z.strictObject({
  ...Command.shape,
  messageType: z.enum(INBOX_TYPES),
  content: z.string().min(1).max(MAX_INBOX_LENGTH),
  priority: z.enum(INBOX_PRIORITIES),
  expiresInSeconds: z.number().positive().max(31_536_000).nullable(),
});

const Resolve = z.strictObject({
  ...NeedsReason.shape,
  effectId: z.string().min(1).max(1000),
  resolution: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('happened'), resultText: z.string().max(100_000) }),
    z.strictObject({ kind: z.literal('did_not_happen') }),
    z.strictObject({ kind: z.literal('skip') }),
  ]),
});

export const WORK_REQUESTS = {
  'effects.resolve': defineRequest('effects.resolve', Resolve, Outcome),
  'promises.settle': defineRequest('promises.settle', SettlePromise, Outcome),
  /** What waits for a person in a journal, all processes of it; `waiting` of their rows says when it is another. */
  'waiting.read': defineRequest('waiting.read', z.strictObject({ journalId: Id }), WaitingView),
  'waiting.show': defineRequest(
    'waiting.show',
    z.strictObject({ ...OneProcess, kind: z.enum(WAITING_KINDS), id: z.string().min(1).max(1000) }),
    WaitingDetail,
  ),
  /** Decides about a call of a tool, or answers a question, once: a second decision is told what the first was. */
  'approvals.decide': defineRequest('approvals.decide', DecideApproval, Outcome),
  'processes.signal': defineRequest(
    'processes.signal',
    z.strictObject({
      ...Command.shape,
      name: z.string().min(1).max(200),
      payloadText: JsonText.optional(),
    }),
    Outcome,
  ),
  /** Asks an invocation under way; nothing is written for it. */
  'processes.query': defineRequest(
    'processes.query',
    z.strictObject({
      ...OneProcess,
      name: z.string().min(1).max(200),
      argsText: JsonText.optional(),
      eventId: EventId.optional(),
    }),
    z.strictObject({ valueText: z.string() }),
  ),
  'inbox.write': defineRequest('inbox.write', WriteInbox, Outcome),
  'deadletters.redeliver': defineRequest(
    'deadletters.redeliver',
    z.strictObject({ ...Command.shape, eventId: EventId, asNew: z.boolean() }),
    Outcome,
  ),
  'deadletters.drop': defineRequest(
    'deadletters.drop',
    z.strictObject({ ...NeedsReason.shape, eventId: EventId }),
    Outcome,
  ),
} as const;
