import type { RecordedEffect } from '../../core/model/effects.ts';
import { openedInvocation, type OpenInvocation } from '../../core/model/snapshot.ts';

/** An effect as the fold keeps it: of the class `ask`, and done. */
export function recordedEffect(more: Partial<RecordedEffect> = {}): RecordedEffect {
  return {
    effectId: 'e/charge#0',
    name: 'charge',
    occurrence: 0,
    effectClass: 'ask',
    argsHash: '',
    argsPreview: '',
    key: '',
    attempts: 1,
    keyTtlMs: null,
    timeoutMs: null,
    announcedAt: '2026-01-05T09:00:00.000+00:00',
    seq: 1,
    endSeq: 1,
    end: { kind: 'done', result: null },
    ...more,
  };
}

/** An invocation under way, in whose event and beginning each text is this one. */
export function invocationSaying(text: string): OpenInvocation {
  return openedInvocation({
    event: { eventId: text, triggerId: text, triggerType: text, payload: text, acceptedAt: text },
    invocation: 1,
    attempt: 1,
    attemptSeq: 0,
    startedAt: text,
    codeHash: '',
    seed: '',
    inbox: [],
    conversationFrom: 0,
  });
}
