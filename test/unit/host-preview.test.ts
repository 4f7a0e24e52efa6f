// What an operator is told before an action: what would happen, and nothing that would not [P5].

import { expect, test } from 'vitest';
import { previewOf } from '../../core/host/preview.ts';
import { emptySnapshot, openedInvocation, type ProcessSnapshot } from '../../core/model/snapshot.ts';

const AT = '2026-01-01T00:00:00.000+00:00';
const event = { eventId: 'e1', triggerId: 'manual', triggerType: 'manual', payload: null, acceptedAt: AT };
const open = openedInvocation({
  event,
  invocation: 1,
  attempt: 1,
  attemptSeq: 1,
  startedAt: AT,
  codeHash: '',
  seed: '',
  inbox: [],
  conversationFrom: 0,
});
const hold = (kind: 'operator' | 'in_doubt') => ({ kind, reason: 'why', actor: 'ada', since: AT });

function stepsOf(more: Partial<ProcessSnapshot>): readonly string[] {
  const snapshot = { ...emptySnapshot(), lifecycle: 'suspended', ...more };
  return previewOf({ action: 'resume', snapshot, worker: null, nowMs: Date.parse(AT) }).steps;
}

test('what waits goes on, one or many', () => {
  expect(stepsOf({ holds: [hold('operator')], open: [open], queue: [event] })).toEqual([
    '1 unfinished invocation goes on from the top; 0 effects are read back, and not done again.',
    '1 event of the queue follows.',
  ]);
  expect(stepsOf({ open: [open, open], queue: [event, event] })).toEqual([
    '2 unfinished invocations go on from the top; 0 effects are read back, and not done again.',
    '2 events of the queue follow.',
  ]);
});

test('[P5] [S34] nothing is said to go on while another hold stays', () => {
  expect(stepsOf({ holds: [hold('operator'), hold('in_doubt')], open: [open], queue: [event] })).toEqual([
    'It stays suspended: in doubt; until that is lifted nothing else goes on.',
  ]);
});
