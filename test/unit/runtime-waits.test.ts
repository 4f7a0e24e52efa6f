// Durable promises, timers, signals and queries, with real workers on a real journal.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../core/host/system-clock.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';

const promiseOf = (b: Bench): string =>
  b.process.snapshot.open
    .flatMap(({ waits }) => waits)
    .find(({ kind, end }) => kind === 'promise' && end === null)!.waitId;

const types = async (b: Bench): Promise<string[]> => (await b.entries()).map(({ entry_type }) => entry_type);

const APPROVAL = `
  const approval = ctx.promise('approve', { data: { amount: 5 } });
  await ctx.effect('tell', { class: 'retry', args: { id: approval.id } }, async () => note('told ' + approval.id));
  const answer = await approval;
  note('answer ' + JSON.stringify(answer));
  return 'done';
`;

test('[P2] a promise is waited for without a worker, survives a restart, and is settled once', async () => {
  const b = await bench(APPROVAL, { workerIdleMs: 100 });
  await b.trigger();
  await b.until(
    'awaiting',
    ({ snapshot, live }) => snapshot.lifecycle === 'awaiting' && live.worker === null,
  );
  const id = promiseOf(b);
  expect(b.ledger()).toEqual([`told ${id}`]);
  expect(b.process.snapshot.lifecycleReason).toContain('approve');
  const next = await b.again();
  expect(next.process.snapshot.lifecycle).toBe('awaiting');
  expect(next.runtime.processOfPromise(id).name).toBe('agent');
  const settled = await next.process.desk.settlePromise(
    id,
    { status: 'resolved', value: { yes: 1 } },
    OPERATOR,
  );
  expect(settled).toEqual({ status: 'resolved', isFirst: true });
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual([`told ${id}`, 'answer {"yes":1}']);
  // Whoever settles it again, now or after the end, is told what it was settled as.
  const again = await next.process.desk.settlePromise(id, { status: 'rejected', error: 'no' }, OPERATOR);
  expect(again).toEqual({ status: 'resolved', isFirst: false });
  await next.quit();
  expect(await folded(next)).toEqual(next.process.snapshot);
});

test('two settlements at once: one counts, and both are told which', async () => {
  const b = await bench(APPROVAL);
  await b.trigger();
  await b.until('the promise', () => b.ledger().length === 1);
  const id = promiseOf(b);
  const settle = (value: number) => b.process.desk.settlePromise(id, { status: 'resolved', value }, OPERATOR);
  const [one, two] = await Promise.all([settle(1), settle(2)]);
  expect(one.isFirst).toBe(true);
  expect(two.isFirst).toBe(false);
  await b.until('the end', isIdle);
  expect(b.ledger().at(-1)).toBe('answer 1');
});

test('a rejected promise and one that expires throw where they are awaited', async () => {
  const b = await bench(`
    const one = ctx.promise('one');
    const two = ctx.promise('two', { expiresInMs: 50 });
    note('promises');
    try { await two; } catch (error) { note(error.code + ' ' + (error instanceof PromiseExpired)); }
    try { await one; } catch (error) { note(error.code + ' ' + error.message); }
  `);
  await b.trigger();
  await b.until('the expiry', () => b.ledger().includes('promise.expired true'));
  await b.process.desk.settlePromise(promiseOf(b), { status: 'rejected', error: 'too dear' }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['promises', 'promise.expired true', 'promise.rejected too dear']);
});

test('a promise that nobody knows is refused with what is the matter', async () => {
  const b = await bench(`return 'x';`);
  await expect(
    b.process.desk.settlePromise('p_nothing', { status: 'resolved', value: 1 }, OPERATOR),
  ).rejects.toMatchObject({ code: 'promise.not-found' });
  expect(() => b.runtime.processOfPromise('p_nothing')).toThrow(/Nothing here waits/);
});

test('a timer fires while no worker is there, and late rather than never after a restart', async () => {
  const source = `
    note('before');
    await ctx.sleep(60_000);
    note('after');
  `;
  const b = await bench(source, { workerIdleMs: 50 });
  await b.trigger();
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  await b.quit();
  const clock = systemClock();
  const later = { ...clock, now: () => clock.now() + 61_000 };
  const next = await bench(source, { workerIdleMs: 50 }, b.directory, { clock: later });
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual(['before', 'before', 'after']);
  const fired = (await next.entries()).find(({ entry_type }) => entry_type === 'timer_fired');
  expect(fired!.data['late_ms']).toBeGreaterThan(0);
});

test('a trigger wakes a process that waits, and what waits takes no room', async () => {
  const b = await bench(
    `if (event.payload === 'wait') { await ctx.promise('go'); note('went'); } else note('other');`,
    { workerIdleMs: 50, concurrency: 1 },
  );
  await b.trigger('wait');
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  await b.trigger('other');
  await b.until('the other', () => b.ledger().includes('other'));
  await b.until('awaiting again', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  await b.process.desk.settlePromise(promiseOf(b), { status: 'resolved', value: null }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['other', 'went']);
  const journal = await types(b);
  expect(journal).toContain('invocation_waiting');
});

test('short sleeps keep their worker and leave no word of waiting', async () => {
  // All together last longer than what waits keeps its worker for.
  const b = await bench(`for (let n = 0; n < 4; n += 1) await ctx.sleep(400); note('done');`);
  await b.trigger();
  await b.until('the end', isIdle);
  // The live state is ahead of what can be read.
  await b.quit();
  const journal = await types(b);
  expect(journal.filter((type) => type === 'timer_fired')).toHaveLength(4);
  expect(journal).not.toContain('invocation_waiting');
  expect(journal.filter((type) => type === 'worker_started')).toHaveLength(1);
});

test('[S34] while it is suspended a promise can be settled, and it goes on when it is resumed', async () => {
  const b = await bench(APPROVAL, { workerIdleMs: 50 });
  await b.trigger();
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  await b.process.suspend(OPERATOR);
  await b.process.desk.settlePromise(promiseOf(b), { status: 'resolved', value: 3 }, OPERATOR);
  expect(b.process.snapshot.lifecycle).toBe('suspended');
  expect(b.ledger()).toHaveLength(1);
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger().at(-1)).toBe('answer 3');
});

test('signals reach what is under way, in order, also what waits without a worker, and each once', async () => {
  const b = await bench(
    `const got = [];
     ctx.onSignal('add', async (payload) => { got.push(payload); await ctx.state.set('got', [...got]); });
     await ctx.until(() => got.length === 3);
     note('got ' + got.join());`,
    { workerIdleMs: 50 },
  );
  await expect(b.process.desk.signal('s0', 'add', 0, OPERATOR)).rejects.toMatchObject({
    code: 'process.nothing-under-way',
  });
  await b.trigger();
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  await b.process.desk.signal('s1', 'add', 1, OPERATOR);
  await b.process.desk.signal('s1', 'add', 1, OPERATOR);
  await b.until('the first', ({ snapshot }) => snapshot.context['got'] !== undefined);
  await b.process.desk.signal('s2', 'add', 2, OPERATOR);
  const next = await b.again();
  await next.process.desk.signal('s2', 'add', 2, OPERATOR);
  await next.process.desk.signal('s3', 'add', 3, OPERATOR);
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual(['got 1,2,3']);
});

test('until gives up after its time-out', async () => {
  const b = await bench(`note(String(await ctx.until(() => false, { timeoutMs: 30 })));`);
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['false']);
});

test('[P6] a query is answered by the run that has it, or by one that only looks; the journal stays as it is', async () => {
  const source = `
    let step = 0;
    ctx.onQuery('step', ({ plus }) => step + plus);
    ctx.onQuery('write', () => ctx.state.set('x', 1));
    await ctx.effect('one', { class: 'ask' }, async () => note('one'));
    step = 1;
    await ctx.promise('go');
  `;
  const b = await bench(source, { workerIdleMs: 300 });
  await b.trigger();
  await b.until('the promise', ({ snapshot }) => snapshot.open[0]?.waits.length === 1);
  expect(await b.process.queries.ask('step', { plus: 10 }, null)).toBe(11);
  await expect(b.process.queries.ask('write', null, null)).rejects.toMatchObject({ code: 'query.async' });
  await expect(b.process.queries.ask('unknown', null, null)).rejects.toMatchObject({ code: 'query.unknown' });
  await b.until(
    'awaiting',
    ({ snapshot, live }) => snapshot.lifecycle === 'awaiting' && live.worker === null,
  );
  await waitFor(async () => (await b.entries()).length === b.process.snapshot.seq, {
    what: 'the last entry',
  });
  const before = b.process.snapshot.seq;
  expect(await b.process.queries.ask('step', { plus: 20 }, null)).toBe(21);
  expect(b.process.snapshot.seq).toBe(before);
  expect((await b.entries()).length).toBe(before);
  expect(b.process.live.worker).toBeNull();
  expect(b.ledger()).toEqual(['one']);
});

test('[S30] a question that its worker takes to the grave is asked of whoever has the run next', async () => {
  const b = await bench(`
    ctx.onQuery('where', () => 'here');
    if (!existsSync(event.payload)) {
      appendFileSync(event.payload, '');
      for (;;);
    }
    await ctx.promise('go');
  `);
  const hasHung = join(b.directory, 'hung');
  await b.trigger(hasHung);
  await b.until('the loop', () => existsSync(hasHung));
  const answer = b.process.queries.ask('where', null, null);
  await b.process.killWorker();
  expect(await answer).toBe('here');
});

test('without an invocation under way a query is refused', async () => {
  const b = await bench(`return 'x';`);
  await expect(b.process.queries.ask('step', null, null)).rejects.toMatchObject({
    code: 'process.nothing-under-way',
  });
});

test('[S26] parallel branches see the same order of promises, effects and signals after every kill', async () => {
  const b = await bench(
    `const order = [];
     const log = (what) => order.push(what);
     ctx.onSignal('tick', (n) => log('signal ' + n));
     const branch = async (name) => {
       for (let n = 0; n < 3; n += 1) {
         await ctx.effect('step', { class: 'idempotent', args: { name, n } }, async () => {
           await delay(name === 'a' ? 3 : 1);
         });
         log(name + n);
       }
     };
     await Promise.all([branch('a'), branch('b'), ctx.promise('go').then(() => log('go'))]);
     note(order.join(' '));
     if (ctx.now() > 0) await ctx.promise('end');
     note(order.join(' '));`,
    { workerIdleMs: 100, maxRestarts: 100 },
  );
  await b.trigger();
  await b.until('the go', ({ snapshot }) => snapshot.open[0]?.waits.some(({ name }) => name === 'go'));
  await b.process.desk.signal('one', 'tick', 1, OPERATOR);
  await b.process.desk.settlePromise(promiseOf(b), { status: 'resolved', value: null }, OPERATOR);
  await b.process.desk.signal('two', 'tick', 2, OPERATOR);
  await b.until('the order', () => b.ledger().length === 1);
  const lines = 4;
  for (let line = 1; line < lines; line += 1) {
    await b.process.killWorker().catch(() => {});
    await b.process.desk.signal(`wake ${line}`, 'nobody', null, OPERATOR);
    await b.until('a re-run', () => b.ledger().length > line);
  }
  expect(new Set(b.ledger()).size).toBe(1);
  await b.process.desk.settlePromise(promiseOf(b), { status: 'resolved', value: null }, OPERATOR);
  await b.until('the end', isIdle);
  expect(new Set(b.ledger()).size).toBe(1);
});

test('timers that come due at the same moment fire once each', async () => {
  const b = await bench(
    `const at = ctx.now() + 1_300;
     await Promise.all([1, 2, 3].map(() => ctx.sleep({ until: at })));
     note('all');`,
    { workerIdleMs: 50 },
  );
  await b.trigger();
  await b.until('the end', () => b.ledger().includes('all'));
  await b.until('the end', isIdle);
  await b.quit();
  expect((await types(b)).filter((type) => type === 'timer_fired')).toHaveLength(3);
});

test('very many timers that come due at once fire, and the host goes on', async () => {
  const b = await bench(
    `await Promise.all(Array.from({ length: 2_000 }, () => ctx.sleep({ until: 0 })));
     await Promise.all(Array.from({ length: 2_000 }, () => ctx.sleep({ until: ctx.attempt + 1 })));
     note('all');`,
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['all']);
});

test('a timer of an earlier attempt fires while the next one waits for something else', async () => {
  const b = await bench(
    `if (ctx.attempt === 1) { ctx.sleep(700); throw new Error('once'); }
     await ctx.promise('go');`,
    {
      workerIdleMs: 50,
      delivery: { maxRetries: 1, retryBackoffMs: 1, retryBackoffMaxMs: 1, deadLetterSize: 1 },
    },
  );
  await b.trigger();
  await b.until('the timer', ({ snapshot }) =>
    snapshot.open[0]?.waits.some(({ end }) => end?.status === 'fired'),
  );
  await b.until(
    'awaiting',
    ({ snapshot, live }) => snapshot.lifecycle === 'awaiting' && live.worker === null,
  );
  expect(b.process.snapshot.open[0]!.attempt).toBe(2);
});
