// Telling somebody outside, with real workers, a real journal and real receivers.

import { expect, test } from 'vitest';
import { CHARGES, extend, isHeld } from '../support/budgets.ts';
import {
  causesOf,
  escalating,
  escalation,
  escalationEntries,
  eventOf,
  isTold,
  SECRET,
  typesOf,
  webhookAt,
} from '../support/escalations.ts';
import { isSignedWith, never, receiver, status } from '../support/receiver.ts';
import { bench, folded, isIdle, OPERATOR } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';

const FAILS = `throw new TerminalError('the till is empty');`;

test('[C13] on_exceeded: escalate tells once, holds, and is over when the limit is extended; each of it an entry', async () => {
  const one = await receiver();
  const b = await bench(CHARGES, { ...escalating(2), ...escalation(webhookAt(one.url)) });
  await b.trigger('4');
  await b.until('the hold', isHeld(b));
  await b.until('the delivery', isTold(b));
  const [first] = one.received;
  expect(first!.body).toMatchObject({
    type: 'budget_violation',
    process_id: 'agent',
    process_name: 'agent',
    kind: 'budget',
    key: 'budget/max_tool_calls_per_day',
    violation: { limit_name: 'max_tool_calls_per_day', limit_value: 2, current_value: 2, tool_name: null },
  });
  expect(isSignedWith(SECRET, first!)).toBe(true);
  expect(isSignedWith('another', first!)).toBe(false);
  expect(first!.headers['x-holdfast-delivery']).toBe(first!.body['escalation_id']);
  expect(b.process.snapshot.lifecycle).toBe('suspended');

  await extend(b, 'max_tool_calls_per_day', 2);
  await b.until('the end', isIdle);
  expect(causesOf(b)).toMatchObject([{ overWhy: 'nothing waits for its budget any more', detail: {} }]);
  const entries = await escalationEntries(b);
  expect(typesOf(entries)).toEqual(['escalation_raised', 'escalation_sent', 'escalation_over']);
  expect(entries[0]!.data).toMatchObject({
    key: 'budget/max_tool_calls_per_day',
    kind: 'budget',
    // A path is as good as a password.
    targets: [{ target: 'webhook', to: `http://127.0.0.1:${one.port}/…` }],
  });
  expect(entries[1]!.data).toMatchObject({ attempt: 1, status: 204 });
  expect(JSON.stringify(await b.entries())).not.toContain('xyzzy');
  expect(JSON.stringify(await b.entries())).not.toContain(SECRET);
  expect((await folded(b)).escalations).toEqual(causesOf(b));
  expect(one.received).toHaveLength(1);
});

test('[P4] raised, held and told: another life tells nothing again', async () => {
  const one = await receiver();
  const b = await bench(CHARGES, { ...escalating(1), ...escalation(webhookAt(one.url)) });
  await b.trigger('2');
  await b.until('the delivery', isTold(b));
  const c = await b.again();
  expect(isHeld(c)()).toBe(true);
  expect(causesOf(c)).toMatchObject([{ overAt: null, deliveries: [{ status: 'sent' }] }]);
  const d = await c.again();
  expect(causesOf(d)).toHaveLength(1);
  expect(one.received).toHaveLength(1);
});

test('without a target it holds all the same, and the cause is open for whoever looks', async () => {
  const b = await bench(CHARGES, escalating(1));
  await b.trigger('2');
  await b.until('the hold', isHeld(b));
  expect(causesOf(b)).toMatchObject([{ key: 'budget/max_tool_calls_per_day', overAt: null, deliveries: [] }]);
});

test("a section's own target goes before the default", async () => {
  const [ours, others] = [await receiver(), await receiver()];
  const b = await bench(CHARGES, {
    ...escalating(1, { escalation: webhookAt(ours.url) }),
    ...escalation(webhookAt(others.url)),
  });
  await b.trigger('2');
  await b.until('the delivery', isTold(b));
  expect([ours.received.length, others.received.length]).toEqual([1, 0]);
});

test('500, then 200: told again after a while, with the same id and the same words', async () => {
  const one = await receiver((answer, nth) => status(nth === 1 ? 500 : 200)(answer, nth));
  const b = await bench(FAILS, { maxConsecutiveFailures: 1, ...escalation(webhookAt(one.url)) });
  await b.trigger();
  await b.until('the delivery', isTold(b));
  const [first, second] = one.received;
  expect(one.received).toHaveLength(2);
  expect(second!.text).toBe(first!.text);
  expect(second!.headers['x-holdfast-delivery']).toBe(first!.headers['x-holdfast-delivery']);
  expect(one.received.every((each) => isSignedWith(SECRET, each))).toBe(true);
  const entries = await escalationEntries(b);
  expect(typesOf(entries)).toEqual(['escalation_raised', 'escalation_failed', 'escalation_sent']);
  expect(entries[1]!.data).toMatchObject({ attempt: 1, status: 500, reason: 'it answered 500' });
  expect(entries[1]!.data['retry_at']).toEqual(expect.any(String));
  expect(entries[2]!.data).toMatchObject({ attempt: 2, status: 200 });
});

test('429 with Retry-After: it is left alone for so long', async () => {
  const one = await receiver((answer, nth) =>
    (nth === 1 ? status(429, { 'retry-after': '3' }) : status(200))(answer, nth),
  );
  const b = await bench(FAILS, { maxConsecutiveFailures: 1, ...escalation(webhookAt(one.url)) });
  await b.trigger();
  await b.until('the delivery', isTold(b));
  const [first, second] = one.received;
  expect(second!.atMs - first!.atMs).toBeGreaterThan(2_900);
});

test('a receiver that redirects is given up at once, and that is said', async () => {
  const one = await receiver(status(302, { location: 'http://127.0.0.1:1/' }));
  const said: string[] = [];
  const b = await bench(FAILS, { maxConsecutiveFailures: 1, ...escalation(webhookAt(one.url)) }, undefined, {
    onUntold: (message) => said.push(message),
  });
  await b.trigger();
  await b.until('the end of it', isTold(b));
  expect(causesOf(b)).toMatchObject([
    { overAt: null, deliveries: [{ status: 'failed', answer: 302, attempts: 1 }] },
  ]);
  expect(said).toEqual([
    expect.stringMatching(
      /could not be told .* leads elsewhere, and redirects are not followed\. It is: agent has failed/,
    ),
  ]);
});

test('private addresses are refused where the manifest does not allow them, and nothing is sent', async () => {
  const one = await receiver();
  const b = await bench(FAILS, {
    maxConsecutiveFailures: 1,
    ...escalation(webhookAt(one.url), { allowPrivate: false }),
  });
  await b.trigger();
  await b.until('the end of it', isTold(b));
  expect(causesOf(b)[0]!.deliveries[0]!.reason).toContain('not a public address');
  expect(one.received).toEqual([]);
});

test('a receiver that hangs holds up nothing: the process works, others are told, and the host quits', async () => {
  const hangs = await receiver(never);
  const b = await bench(CHARGES, {
    ...escalating(1),
    ...escalation({ webhookUrl: hangs.url, eventType: 'ops.alert' }),
  });
  await b.trigger('2');
  await waitFor(() => hangs.received.length === 1, { what: 'the one that hangs' });
  await extend(b, 'max_tool_calls_per_day', 1);
  await b.until('the end', isIdle);
  await b.until('the event', () => causesOf(b)[0]!.deliveries[1]!.status === 'sent');
  const c = await b.again();
  // It was called off, not given up, so the next host tells it, though it is over.
  await waitFor(() => hangs.received.length === 2, { what: 'the next host' });
  expect(hangs.received[1]!.text).toBe(hangs.received[0]!.text);
  expect(causesOf(c)).toMatchObject([
    { deliveries: [{ status: 'pending', attempts: 0 }, { status: 'sent' }] },
  ]);
});

test('an event reaches who listens for it, once, with the same id', async () => {
  const b = await bench(
    `if (event.triggerType === 'event') note(JSON.stringify(event.payload));
     else throw new TerminalError('the till is empty');`,
    {
      maxConsecutiveFailures: 5,
      triggers: [{ type: 'event', eventType: 'ops.*', eventSource: null, filter: null }],
      ...escalation(eventOf('ops.alert')),
    },
  );
  expect(await b.process.governance.testEscalation('tester')).toEqual(['The event ops.alert was sent.']);
  await waitFor(() => b.ledger().length === 1, { what: 'the event' });
  // A host that ends before its handling has ended leaves it to the next.
  await b.until('the end of its handling', isIdle);
  const heard = JSON.parse(b.ledger()[0]!) as Record<string, unknown>;
  expect(heard).toMatchObject({
    event_type: 'ops.alert',
    source: 'agent',
    data: { type: 'test', process_name: 'agent', asked_by: 'tester' },
  });
  expect((heard['data'] as Record<string, unknown>)['escalation_id']).toBe(causesOf(b)[0]!.id);
  const c = await b.again();
  await c.until('the outbox', ({ snapshot }) => snapshot.outbox.length === 0);
  expect(c.ledger()).toHaveLength(1);
});

test('a process that has failed for good is told, and over when it is started; one with restarts left is not', async () => {
  const one = await receiver();
  const b = await bench(FAILS, {
    maxConsecutiveFailures: 1,
    restartPolicy: 'on_failure',
    maxRestarts: 1,
    ...escalation(webhookAt(one.url)),
  });
  await b.trigger();
  await b.until('the restart', ({ snapshot }) => snapshot.restarts === 1 && snapshot.lifecycle === 'running');
  expect(causesOf(b)).toEqual([]);
  await b.trigger();
  await b.until('the delivery', isTold(b));
  expect(one.received[0]!.body).toMatchObject({
    type: 'process_failure',
    key: 'process/failed',
    summary: expect.stringContaining('has no restarts left, after 1'),
    failure: { restarts: 1 },
  });
  await b.process.start(OPERATOR);
  expect(causesOf(b)).toMatchObject([{ overWhy: expect.stringMatching(/^it is (starting|running)$/) }]);
});

test('an effect in doubt is told, and over once it is decided', async () => {
  const one = await receiver();
  const b = await bench(
    `await ctx.effect('pay', { class: 'ask' }, async () => { throw new Error('the line went dead'); });`,
    escalation(webhookAt(one.url)),
  );
  await b.trigger();
  await b.until('the delivery', isTold(b));
  expect(one.received[0]!.body).toMatchObject({ type: 'effect_in_doubt', key: 'process/in-doubt' });
  const [effect] = b.process.snapshot.open[0]!.effects;
  await b.process.desk.resolveEffect(effect!.effectId, { kind: 'happened', result: null }, OPERATOR);
  expect(causesOf(b)[0]!.overAt).not.toBeNull();
});

test('over and there again within a minute: it is told once that is over, and not at all where it was over before', async () => {
  const one = await receiver();
  const b = await bench(CHARGES, { ...escalating(1), ...escalation(webhookAt(one.url)) });
  await b.trigger('4');
  await b.until('the delivery', isTold(b));
  await extend(b, 'max_tool_calls_per_day', 1);
  await b.until('the hold, again', () => causesOf(b).length === 2 && isHeld(b)());
  expect(causesOf(b)[1]!.deliveries).toMatchObject([
    { status: 'pending', attempts: 0, dueAt: expect.any(String) },
  ]);
  await extend(b, 'max_tool_calls_per_day', 5);
  await b.until('the end', isIdle);
  expect(causesOf(b)[1]!.deliveries).toMatchObject([{ status: 'dropped' }]);
  expect(one.received).toHaveLength(1);
  expect((await folded(b)).escalations).toEqual(causesOf(b));
});

test('a test says what came of it, is no cause for more than itself, and is not tried again', async () => {
  const one = await receiver(status(500));
  const b = await bench(CHARGES, escalation(webhookAt(one.url)));
  expect(await b.process.governance.testEscalation('tester')).toEqual([
    `http://127.0.0.1:${one.port}/… was not told: it answered 500.`,
  ]);
  expect(causesOf(b)).toMatchObject([
    { kind: 'test', overWhy: 'it was a test', deliveries: [{ status: 'failed' }] },
  ]);
  const c = await bench(CHARGES);
  await expect(c.process.governance.testEscalation('tester')).rejects.toMatchObject({
    code: 'escalation.no-target',
  });
});

test('a journal that nobody knows to be the one that counts tells nobody, until somebody resumes it [S10]', async () => {
  const one = await receiver(status(503));
  const b = await bench(FAILS, { maxConsecutiveFailures: 1, ...escalation(webhookAt(one.url)) });
  await b.trigger();
  await b.until('an attempt', () => causesOf(b)[0]?.deliveries[0]?.attempts === 1);
  await b.process.record('hold_placed', { hold: 'gap', reason: 'a copy', actor: 'holdfast' });
  const c = await b.again();
  one.answer(status(200));
  const before = one.received.length;
  expect(await c.process.governance.testEscalation('tester')).toEqual([
    expect.stringContaining('was not told'),
  ]);
  expect(one.received).toHaveLength(before);
  await c.process.start(OPERATOR);
  await c.until('the delivery', ({ snapshot }) =>
    snapshot.escalations.some(
      ({ key, deliveries }) => key === 'process/failed' && deliveries[0]!.status === 'sent',
    ),
  );
});
