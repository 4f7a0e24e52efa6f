// The line "why is it not moving": its time is no part of the text, so that whoever shows it does so in its own zone.

import { expect, test } from 'vitest';
import { whyText } from '../../core/cli/describe.ts';
import { asRecorded, processRow } from '../../core/host/read-model.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { waitingFor, whyOf, type LiveFacts } from '../../core/model/why.ts';
import { openedInvocation } from '../../core/model/snapshot.ts';

const AT = '2026-01-31T14:05:00.000Z';
const live: LiveFacts = {
  trouble: null,
  hasWorker: false,
  isSpawning: false,
  isAnswering: true,
  isInLine: false,
  respawnsAt: null,
  restartsAt: null,
  nextTrigger: { id: 'cron-1', at: AT },
};
const running = { ...emptySnapshot(), lifecycle: 'running' };
const event = { eventId: 'e1', triggerId: 'cron-1', triggerType: 'cron', payload: null, acceptedAt: AT };
const open = openedInvocation({
  event,
  invocation: 1,
  attempt: 2,
  attemptSeq: 1,
  startedAt: AT,
  codeHash: '',
  seed: '',
  inbox: [],
  conversationFrom: 0,
});

test.each([
  ['waiting for cron-1 at', running, live],
  ['its worker died; another starts at', running, { ...live, respawnsAt: AT }],
  [
    'attempt 2 of cron-1 failed, 1 more under way; the next begins at',
    { ...running, open: [{ ...open, retryAt: AT }, open] },
    live,
  ],
  [
    'it broke; restarts at',
    { ...running, lifecycle: 'failed', lifecycleReason: 'it broke' },
    { ...live, restartsAt: AT },
  ],
])('%s', (text, snapshot, facts) => {
  expect(whyOf(snapshot, facts)).toMatchObject({ text, at: AT });
});

test('a journal has the time in the text, in UTC, and a screen apart from it', () => {
  const wait = {
    waitId: 't',
    kind: 'timer' as const,
    name: 'sleep',
    occurrence: 0,
    createdAt: AT,
    dueAt: Date.parse(AT),
    data: null,
    seq: 1,
    end: null,
    endSeq: null,
  };
  const snapshot = { ...emptySnapshot(), lifecycle: 'awaiting', open: [{ ...open, waits: [wait] }] };
  expect(waitingFor(snapshot)).toBe('waiting for timer until 2026-01-31 14:05:00 UTC');
  const row = processRow(asRecorded('j', 'a', snapshot));
  expect(row).toMatchObject({ why: 'waiting for timer until', whyAt: AT });
  expect(whyText(row)).toBe('waiting for timer until 2026-01-31 14:05:00 UTC');
});
