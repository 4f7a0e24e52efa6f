// What the mark of a checkpoint says of the work of a process: what waits, is under way, and was given up.

import { amounts } from './checkpoint-mark-governance.ts';
import { isObject } from './json.ts';
import { any, listOf, number, orNull, recordOf, text, truth, withKeys } from './json-shape.ts';

export const event = withKeys(
  { eventId: text, triggerId: text, triggerType: text, payload: any, acceptedAt: text },
  {
    from: withKeys({ process: text, number }, { numbering: text }),
    metadata: isObject,
    missed: number,
    spilled: withKeys({ id: text, sha256: text, bytes: number }),
  },
);

const effect = withKeys(
  {
    effectId: text,
    name: text,
    occurrence: number,
    effectClass: text,
    argsHash: text,
    argsPreview: text,
    key: text,
    attempts: number,
    announcedAt: text,
    end: orNull(withKeys({ kind: text })),
  },
  {
    keyTtlMs: orNull(number),
    timeoutMs: orNull(number),
    seq: number,
    endSeq: orNull(number),
    earlier: withKeys({ end: withKeys({ kind: text }), endSeq: orNull(number) }),
    isUndone: truth,
    booked: amounts,
    maybe: amounts,
    model: text,
    prices: text,
    most: amounts,
  },
);

const wait = withKeys(
  {
    waitId: text,
    kind: text,
    name: text,
    occurrence: number,
    createdAt: text,
    dueAt: orNull(number),
    data: any,
    seq: number,
    end: orNull(withKeys({ status: text })),
    endSeq: orNull(number),
  },
  { shiftMs: number },
);

export const inboxMessage = withKeys({
  messageId: text,
  messageType: text,
  content: text,
  sender: text,
  priority: text,
  createdAt: text,
  expiresAt: orNull(text),
});

export const compaction = withKeys({ until: number, summary: text });

export const openInvocation = withKeys(
  {
    event,
    invocation: number,
    attempt: number,
    startedAt: text,
    codeHash: text,
    effects: listOf(effect),
    writes: listOf(withKeys({ ordinal: number, key: text, value: any, deleted: truth }, { seq: number })),
    before: recordOf(orNull(withKeys({ value: any }))),
  },
  {
    attemptSeq: number,
    seed: text,
    inbox: listOf(inboxMessage),
    sayings: listOf(withKeys({ ordinal: number, role: text, content: text, seq: number })),
    sends: listOf(
      withKeys(
        { kind: text, topic: text, occurrence: number, argsHash: text, seq: number },
        { isUndone: truth },
      ),
    ),
    waits: listOf(wait),
    signals: listOf(withKeys({ signalId: text, name: text, payload: any, seq: number })),
    clock: listOf(number),
    versions: recordOf(number),
    isWaiting: truth,
    retryAt: orNull(text),
    conversationFrom: number,
    isToBegin: truth,
    spent: amounts,
    reserved: amounts,
    warned: listOf(text),
    inherited: withKeys({ keyPrefix: text, by: text }),
    instructions: text,
    plan: isObject,
    tools: withKeys({ hash: text, problems: listOf(text) }),
    told: recordOf(text),
    conversationMax: number,
    compaction,
    compactions: listOf(withKeys({ ordinal: number, keep: number, summary: text, seq: number })),
  },
);

export const deadLetter = withKeys({
  event,
  open: orNull(openInvocation),
  reason: text,
  error: text,
  attempts: number,
  at: text,
});
