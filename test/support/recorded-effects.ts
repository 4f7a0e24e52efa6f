import type { RecordedEffect } from '../../core/model/effects.ts';

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
