// Health with real workers on a real journal: what is seen is acted on at the moment at which it is seen.

import { expect, test } from 'vitest';
import { health, isHeldByHealth, toldOf } from '../support/health.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';

/** Calls with the numbers that its event names, then works for as long as a minute. */
const CALLS = `
  for (const n of JSON.parse(event.payload)) {
    await ctx.effect('look', { class: 'retry', args: { n } }, async () => void note('look ' + n));
  }
  await delay(60_000);`;

test('[C16] stuck at second 1 of a 60 s run pauses: the third same call is not made before somebody resumes it', async () => {
  const b = await bench(CALLS, health('pause'));
  const began = performance.now();
  await b.trigger('[1,7,7,7,8]');
  await b.until('the hold', isHeldByHealth);
  expect(performance.now() - began).toBeLessThan(50_000);
  expect(b.ledger()).toEqual(['look 1', 'look 7', 'look 7']);
  expect(b.process.snapshot).toMatchObject({
    lifecycle: 'suspended',
    holds: [{ kind: 'health', reason: 'look was called 3 times in a row with the same arguments' }],
    open: [{ attempt: 1 }],
  });
  await b.process.resume(OPERATOR);
  // The detector begins anew: it goes on, and finds nothing in what it has seen.
  await b.until('the last call', () => b.ledger().length === 5);
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'running', holds: [] });
  expect(toldOf(await b.entries())).toEqual(['stuck', '!all']);
  expect((await folded(b)).health).toEqual(b.process.snapshot.health);
});

test('[C16] 50 % failing runs escalate, on the failing run itself', async () => {
  const b = await bench(`if (event.payload === 'bad') throw new TerminalError('it broke');`, {
    maxConsecutiveFailures: 10,
    ...health('escalate', {
      errorWindow: 4,
      errorMinRuns: 4,
      escalation: { webhookUrl: null, eventType: 'alarm' },
    }),
  });
  const run = async (payload: string): Promise<void> => {
    await b.trigger(payload);
    await b.until('the end of a run', isIdle);
  };
  for (const payload of ['bad', 'good', 'good']) await run(payload);
  expect(b.process.snapshot.escalations).toEqual([]);
  await run('bad');
  const raised = (await b.entries()).filter(({ entry_type: type }) => type === 'escalation_raised');
  expect(raised.map(({ data }) => data)).toMatchObject([
    {
      kind: 'health',
      key: 'health/high_error_rate',
      summary: 'agent: 2 of the last 4 runs failed',
      detail: {
        type: 'health_anomaly',
        process_id: 'agent',
        anomaly_type: 'high_error_rate',
        details: { error_rate: 0.5, error_count: 2, window_size: 4, threshold: 0.5 },
      },
      targets: [{ target: 'event', to: 'alarm' }],
    },
  ]);
  // Telling is all: it goes on.
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'running', holds: [] });
});

test('[C13] [P4] each anomaly is an entry, is gone by an entry, and outlives its host', async () => {
  const b = await bench(
    `if (event.payload === 'bad') throw new TerminalError('it broke');
     return event.payload;`,
    {
      maxConsecutiveFailures: 10,
      ...health('log', { emptyThreshold: 2, errorWindow: 4, errorMinRuns: 2, cooldownMs: 0 }),
    },
  );
  const run = async (of: Bench, payload: string): Promise<void> => {
    await of.trigger(payload);
    await of.until('the end of a run', isIdle);
  };
  await run(b, 'no');
  await run(b, 'a reply that says something');
  await run(b, ' no          ');
  await run(b, 'no');
  await run(b, 'bad');
  const found = b.process.snapshot.health;
  expect(found).toMatchObject({ runs: '11110', replies: [2, 27, 2, 2] });
  const c = await b.again();
  expect(c.process.snapshot.health).toEqual(found);
  await run(c, 'bad');
  await run(c, 'a reply that says something');
  await run(c, 'a reply that says something');
  await run(c, 'a reply that says something');
  const entries = await c.entries();
  expect(toldOf(entries)).toEqual([
    'empty_response',
    'high_error_rate',
    '-empty_response',
    '-high_error_rate',
  ]);
  expect(entries.find(({ entry_type }) => entry_type === 'health_anomaly')?.data).toEqual({
    anomaly_type: 'empty_response',
    description: 'the last 2 replies had at most 10 characters each',
    details: { consecutive_count: 2, max_chars: 10, lengths: [2, 2] },
    action: 'log',
    cooldown_ms: 0,
  });
  expect((await folded(c)).health).toEqual(c.process.snapshot.health);
});

test('[P4] [S34] a process held by its health stays held over a restart; resuming it lifts that', async () => {
  const b = await bench(CALLS, health('pause'));
  await b.trigger('[1,2,1,2]');
  await b.until('the hold', isHeldByHealth);
  const c = await b.again();
  expect(c.process.snapshot).toMatchObject({
    lifecycle: 'suspended',
    holds: [{ kind: 'health', reason: 'the same 2 calls were made 2 times over: look, look' }],
  });
  expect(c.ledger()).toEqual(['look 1', 'look 2', 'look 1']);
  await c.process.resume(OPERATOR);
  await c.until('the last call', () => c.ledger().length === 4);
  expect(toldOf(await c.entries())).toEqual(['loop', '!all']);
  expect(c.process.snapshot.holds).toEqual([]);
});

test('[C16] stop stops it in the middle of its run; started again it goes on, and is not stopped for what it did before', async () => {
  const b = await bench(CALLS, health('stop'));
  await b.trigger('[7,7,7]');
  await b.until('the end', ({ snapshot }) => snapshot.lifecycle === 'stopped');
  expect(b.ledger()).toEqual(['look 7', 'look 7']);
  expect((await b.entries()).findLast(({ data }) => data['to_state'] === 'stopping')?.data).toMatchObject({
    reason: 'look was called 3 times in a row with the same arguments',
    actor: 'host',
  });
  await b.process.start(OPERATOR);
  await b.until('the last call', () => b.ledger().length === 3);
  expect(toldOf(await b.entries())).toEqual(['stuck', '!all']);
  expect(b.process.snapshot.lifecycle).toBe('running');
});

test('what is cleared is recorded with who and why, and lets go of what it held; nothing can be cleared twice [P7]', async () => {
  const b = await bench(CALLS, health('pause'));
  await b.trigger('[7,7,7]');
  await b.until('the hold', isHeldByHealth);
  await expect(b.process.governance.clearHealth('loop', OPERATOR)).rejects.toMatchObject({
    code: 'health.nothing-found',
    message: expect.stringContaining('There is stuck.'),
  });
  await b.process.governance.clearHealth('stuck', OPERATOR);
  await b.until('the last call', () => b.ledger().length === 3);
  expect((await b.entries()).find(({ entry_type }) => entry_type === 'health_cleared')?.data).toEqual({
    anomaly_type: 'stuck',
    actor: OPERATOR.name,
    reason: OPERATOR.reason,
  });
  await expect(b.process.governance.clearHealth(null, OPERATOR)).rejects.toMatchObject({
    code: 'health.nothing-found',
  });
});

test('a host that died right after it found something does what is to be done when it is back', async () => {
  const b = await bench(CALLS, health('log'));
  await b.trigger('[7,7,7]');
  await b.until('what is found', ({ snapshot }) => snapshot.health.found.stuck !== undefined);
  await b.process.record('health_anomaly', {
    anomaly_type: 'stuck',
    description: 'seen and not held yet',
    action: 'pause',
    event_id: b.process.snapshot.open[0]!.event.eventId,
  });
  const c = await b.again();
  expect(c.process.snapshot.holds).toMatchObject([{ kind: 'health', reason: 'seen and not held yet' }]);
});

test('a process without the section is not watched at all', async () => {
  const b = await bench(`
    for (let n = 0; n < 4; n += 1) await ctx.effect('look', { class: 'retry' }, async () => null);
    return '';`);
  await b.trigger();
  await b.until('the end', isIdle);
  const entries = await b.entries();
  expect(toldOf(entries)).toEqual([]);
  for (const { data } of entries) {
    expect(data).not.toHaveProperty('took_ms');
    expect(data).not.toHaveProperty('reply_chars');
  }
});
