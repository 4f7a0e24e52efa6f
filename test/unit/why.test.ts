// The line "why is it not moving": its time is no part of the text, so that whoever shows it does so in its own zone.

import { expect, test } from 'vitest';
import { whyText } from '../../core/cli/describe.ts';
import { asRecorded, processRow } from '../../core/host/read-model.ts';
import type { RecordedEffect } from '../../core/model/effects.ts';
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

const calling: RecordedEffect = {
  effectId: 'e1/model#0',
  name: 'model',
  occurrence: 0,
  effectClass: 'retry',
  argsHash: '',
  argsPreview: '',
  key: '',
  keyTtlMs: null,
  timeoutMs: null,
  attempts: 1,
  announcedAt: AT,
  seq: 2,
  endSeq: null,
  end: null,
};
const plan = { models: ['openai:m'] };
const LIST = { hash: 'h', problems: [] };
const tools = {
  ...emptySnapshot().tools,
  lists: {
    h: [
      { name: 'read', source: 'mcp:files' },
      { name: 'model', source: 'mcp:files' },
      { name: 'note', source: 'memory' },
    ],
  },
};
const WAIT = { text: 'openai:m is rate limited: retry 2/5', untilMs: Date.parse(AT) };

test.each([
  ['waiting for cron-1 at', running, live],
  ['its worker died; another starts at', running, { ...live, respawnsAt: AT }],
  [
    'openai:m is rate limited: retry 2/5 at',
    { ...running, open: [{ ...open, effects: [calling] }] },
    { ...live, saying: { model: 'openai:m', text: '', wait: WAIT, sinceMs: 0 } },
  ],
  [
    'asking openai:m in invocation 1, since',
    { ...running, open: [{ ...open, plan, effects: [calling] }] },
    { ...live, saying: { model: 'openai:m', text: 'I', wait: null, sinceMs: 0 } },
  ],
  [
    'asking openai:n in invocation 1, since',
    { ...running, open: [{ ...open, plan, effects: [{ ...calling, model: 'openai:n' }] }] },
    live,
  ],
  [
    'asking its model for a summary in invocation 1 and 1 more, since',
    { ...running, open: [{ ...open, plan, effects: [{ ...calling, name: 'summary' }] }, open] },
    live,
  ],
  [
    'calling read of files in invocation 1, since',
    { ...running, tools, open: [{ ...open, plan, tools: LIST, effects: [{ ...calling, name: 'read' }] }] },
    live,
  ],
  [
    'calling model of files in invocation 1, since',
    {
      ...running,
      tools,
      open: [{ ...open, plan, tools: LIST, effects: [{ ...calling, name: 'model (tool)' }] }],
    },
    live,
  ],
  [
    'calling note in invocation 1, since',
    { ...running, tools, open: [{ ...open, plan, tools: LIST, effects: [{ ...calling, name: 'note' }] }] },
    live,
  ],
  [
    'performing memory.recall in invocation 1, since',
    {
      ...running,
      tools,
      open: [{ ...open, plan, tools: LIST, effects: [{ ...calling, name: 'memory.recall' }] }],
    },
    live,
  ],
  ['performing model in invocation 1, since', { ...running, open: [{ ...open, effects: [calling] }] }, live],
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

const hold = { kind: 'budget' as const, reason: 'cost of a day: 4 of 4 used', actor: 'host', since: AT };
const spent = { ...emptySnapshot(), lifecycle: 'suspended', holds: [hold] };
const exceeded = {
  limit: 'max_cost_per_day',
  max: 4,
  spent: 4,
  reserved: 0,
  asked: 1,
  eventId: 'e1',
} as const;
const period = { id: AT, until: AT };

test('what its budget holds says what did not fit, and what to do: extend it, or wait for another day of it', () => {
  const budget = { ...spent.budget, period, exceeded };
  expect(whyOf({ ...spent, budget }, live)).toEqual({
    text: 'budget: cost of a day: 4 of 4 used; extend that limit, or it goes on at',
    at: AT,
    tone: 'attention',
  });
  const ofRun = { ...budget, exceeded: { ...exceeded, limit: 'max_cost_per_run' as const } };
  expect(whyOf({ ...spent, budget: ofRun }, live)).toEqual({
    text: 'budget: cost of a day: 4 of 4 used; extend that limit, or stop it',
    tone: 'attention',
  });
});

test('where something else holds it too no time is promised; where nobody runs it nothing can be done about it', () => {
  const budget = { ...spent.budget, period, exceeded };
  const operator = { kind: 'operator' as const, reason: 'Maintenance', actor: 'operator:ann', since: AT };
  expect(whyOf({ ...spent, budget, holds: [hold, operator] }, live)).toEqual({
    text: 'budget: cost of a day: 4 of 4 used; extend that limit, or stop it · by ann: Maintenance',
    tone: 'attention',
  });
  expect(whyOf({ ...spent, budget }, null)).toEqual({
    text: 'budget: cost of a day: 4 of 4 used',
    tone: 'attention',
  });
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

test('one whose last run failed says so while it waits, and asks for a look, until one does not fail', () => {
  const lastError = { code: 'x', message: 'the key is missing', at: AT };
  const failed = { ...running, consecutiveFailures: 1, lastError };
  expect(whyOf(failed, { ...live, nextTrigger: null })).toEqual({
    text: 'its last run failed: the key is missing; waiting to be triggered',
    tone: 'attention',
  });
  expect(whyOf(failed, live)).toEqual({
    text: 'its last run failed: the key is missing; waiting for cron-1 at',
    at: AT,
    tone: 'attention',
  });
  expect(whyOf({ ...failed, consecutiveFailures: 0 }, live)).toMatchObject({ tone: 'quiet' });
});
