// Ended invocations run again against their record: that unchanged code is never blamed, that nothing is guessed, and that
// checking does nothing to the world or the journal.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { verdictOn } from '../../core/host/replay-check.ts';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import type { WorkerHandle, WorkerHost } from '../../core/model/ports.ts';
import { briefly, unchanged } from '../support/replay-checks.ts';
import { bench, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';

const settle = async (b: Bench, name: string, value: string): Promise<void> => {
  const waiting = () =>
    b.process.snapshot.open
      .flatMap(({ waits }) => waits)
      .find((wait) => wait.kind === 'promise' && wait.name === name && wait.end === null);
  await waitFor(() => waiting() !== undefined, { what: `the promise ${name}` });
  await b.process.desk.settlePromise(waiting()!.waitId, { status: 'resolved', value }, OPERATOR);
};

/** Everything that `ctx` has, several ways side by side, and a first attempt that fails. */
const EVERYTHING = `
  const order = [];
  let nudges = 0;
  ctx.onQuery('order', () => order);
  ctx.onSignal('nudge', async (payload) => {
    order.push('nudge ' + payload);
    nudges += 1;
    await ctx.state.update('nudges', (n) => (n ?? 0) + 1);
  });
  const started = ctx.now();
  await ctx.conversation.append({ role: 'user', content: 'hello ' + ctx.uuid() + ' ' + started });
  const branch = async (name, ms) => {
    for (let n = 0; n < 3; n += 1) {
      await ctx.effect('step', { class: 'idempotent', args: { name, n } }, async () => { await delay(ms); note(name + n); return name + n; });
      order.push(name + n);
      await ctx.state.set('last', order.at(-1));
    }
  };
  let tries = 0;
  await ctx.effect('flaky', { class: 'retry', retry: { attempts: 3, backoffMs: 1 } }, async ({ attempt }) => {
    tries += 1;
    note('flaky ' + attempt);
    if (tries < 3) throw new Error('not yet');
  });
  try {
    await ctx.effect('refused', { class: 'ask' }, async () => { note('refused'); throw new DidNotHappen('no'); });
  } catch (error) { order.push(error.code); }
  await ctx.effect('transfer', {
    class: 'reconcile',
    retry: { attempts: 2, backoffMs: 1 },
    reconcile: async () => ({ happened: true, result: 'known' }),
  }, async () => { note('transfer'); throw new Error('lost connection'); });
  const go = ctx.promise('go', { data: { started } });
  await Promise.all([branch('a', 4), branch('b', 1), go.then((value) => order.push('go ' + value)), ctx.sleep(5)]);
  const met = await ctx.until(() => nudges >= 2);
  const missed = await ctx.until(() => false, { timeoutMs: 5 });
  if (ctx.version('greeting', 1, 2) === 2) await ctx.effect('greet', { class: 'ask', args: { met, missed } }, async () => note('greet'));
  await ctx.send('news.today', { order: order.length });
  await ctx.emit('done', { inbox: ctx.inbox.map(({ content }) => content), r: ctx.random() });
  await ctx.state.delete('last');
  await ctx.conversation.append({ role: 'assistant', content: order.join(' ') });
  if (ctx.attempt === 1) throw new Error('the first attempt fails');
  await ctx.effect('second', { class: 'ask', args: { seen: ctx.state.keys().length } }, async () => note('second'));
  ctx.log('done');
  return order.join(' ');
`;

const RETRY = { delivery: { ...DEFAULT_DELIVERY, maxRetries: 1, retryBackoffMs: 20 } } as const;

describe('[P3] unchanged code', () => {
  test('that uses every part of the API, side by side and in a second attempt, is never blamed', async () => {
    const b = await bench(EVERYTHING, { ...RETRY, workerIdleMs: 200 });
    const message = { messageId: 'm1', type: 'context', content: 'this', priority: 'high' } as const;
    await b.process.desk.writeInbox({ ...message, expiresInMs: null }, OPERATOR);
    for (let round = 0; round < 2; round += 1) {
      await b.trigger(`round ${round}`);
      await settle(b, 'go', 'now');
      await b.until('both branches', ({ snapshot }) =>
        snapshot.open[0]?.effects.some(({ name, occurrence }) => name === 'step' && occurrence === 5),
      );
      await b.process.desk.signal(`s${round}-1`, 'nudge', 1, OPERATOR);
      await b.process.desk.signal(`s${round}-2`, 'nudge', 2, OPERATOR);
      await b.until('the end', isIdle);
      expect(b.process.snapshot.deadLetters).toEqual([]);
    }
    // The second attempts did nothing again that the first had done, side by side as it was [S24, S26].
    expect(b.ledger().filter((line) => /^[ab]\d$/.test(line))).toHaveLength(12);
    await b.quit();
    const report = await unchanged(b);
    expect(report.checked.map(briefly)).toEqual(['ok', 'ok']);
    expect(report.checked.map(({ attempt, recorded }) => [attempt, recorded])).toEqual([
      [2, 'done'],
      [2, 'done'],
    ]);
    expect(report).toMatchObject({ ended: 2, badLines: 0, counts: { ok: 2 } });
  });

  test('[S26] whose worker was killed in the middle, several times, is never blamed', async () => {
    const b = await bench(
      `const branch = async (name, ms) => {
         for (let n = 0; n < 4; n += 1) {
           await ctx.effect('step', { class: 'idempotent', args: { name, n } }, async () => { await delay(ms); });
           await ctx.state.set('last', name + n);
         }
       };
       await Promise.all([branch('a', 30), branch('b', 20)]);
       await ctx.promise('go');
       await Promise.all([branch('c', 5), branch('d', 3), ctx.sleep(4)]);`,
      { maxRestarts: 100, restartBackoffMs: 1 },
    );
    await b.trigger();
    for (const effects of [2, 4, 6]) {
      await b.until(
        `${effects} effects`,
        ({ snapshot }) => (snapshot.open[0]?.effects.length ?? 0) >= effects,
      );
      await b.process.killWorker().catch(() => {});
    }
    await settle(b, 'go', 'now');
    await b.until('the end', isIdle);
    await b.quit();
    expect((await unchanged(b)).checked.map(briefly)).toEqual(['ok']);
  });
});

test('only the newest are checked, from the checkpoint before them; one worker does it, and is gone at the end', async () => {
  const b = await bench(`await ctx.state.update('n', (n) => (n ?? 0) + 1); return 'n';`);
  for (let n = 0; n < 8; n += 1) {
    await b.trigger(String(n));
    await b.until('the end', isIdle);
  }
  await b.quit();
  const workers: WorkerHandle[] = [];
  const host = childProcessWorkerHost();
  const workerHost: WorkerHost = {
    ...host,
    spawn: async (...args) => {
      const worker = await host.spawn(...args);
      workers.push(worker);
      return worker;
    },
  };
  const report = await unchanged(b, { last: 3, workerHost });
  expect(report).toMatchObject({ ended: 8, counts: { ok: 3, diverged: 0 } });
  expect(report.checked.map(({ invocation }) => invocation)).toEqual([6, 7, 8]);
  expect(workers).toHaveLength(1);
  expect(() => process.kill(workers[0]!.pid, 0)).toThrow(/ESRCH/);
});

test('[S24] a dead letter that was redelivered has two ends, and both are checked with the record of their time', async () => {
  const b = await bench(
    `await ctx.effect('charge', { class: 'ask' }, async () => note('charge'));
     await ctx.state.set('attempt', ctx.attempt);
     if (ctx.attempt === 1) throw new Error('broken');
     await ctx.effect('mail', { class: 'ask' }, async () => note('mail'));`,
    { maxConsecutiveFailures: 100 },
  );
  await b.trigger();
  await b.until('the dead letter', ({ snapshot }) => snapshot.deadLetters.length === 1);
  await b.process.desk.redeliver(b.process.snapshot.deadLetters[0]!.event.eventId, false, OPERATOR);
  await b.until('the end', ({ snapshot }) => snapshot.invocationCount === 1);
  await b.quit();
  const { checked } = await unchanged(b);
  expect(checked.map((one) => [one.recorded, one.attempt, one.verdict])).toEqual([
    ['failed', 1, 'ok'],
    ['done', 2, 'ok'],
  ]);
});

test('[S16] a large result is fetched; where it is lost the invocation is unchecked, and nothing is guessed', async () => {
  const b = await bench(
    `const text = await ctx.effect('read', { class: 'retry' }, async () => 'x'.repeat(200_000));
     await ctx.state.set('length', text.length);`,
  );
  await b.trigger();
  await b.until('the end', isIdle);
  await b.quit();
  const { checked } = await unchanged(b);
  expect(checked.map(briefly)).toEqual(['ok']);
  rmSync(join(b.directory, 'journal/.holdfast/spills'), { recursive: true });
  const { checked: lost } = await unchanged(b);
  expect(lost).toMatchObject([{ verdict: 'unchecked', why: 'the result of read#0 is lost' }]);
});

test('an end that the host made says nothing about the code, which need only come as far as its record', () => {
  const divergence = { expected: 'the end of the invocation', found: 'x#0' };
  expect(verdictOn({ kind: 'open' }, { kind: 'diverged', divergence })).toEqual({ verdict: 'ok' });
  expect(verdictOn({ kind: 'open' }, { kind: 'waiting' })).toEqual({ verdict: 'ok' });
  expect(verdictOn({ kind: 'open' }, { kind: 'no-end', why: 'w' })).toMatchObject({ verdict: 'other-end' });
  expect(verdictOn({ kind: 'done' }, { kind: 'waiting' })).toMatchObject({ verdict: 'other-end' });
});
