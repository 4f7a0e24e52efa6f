import { expect, test } from 'vitest';
import { bench, folded, isIdle, OPERATOR } from '../support/runtime.ts';

const ended = { maxRestarts: 50 };

test('[P2] a worker killed inside an effect goes on with the same event; what has an outcome is not done again', async () => {
  const b = await bench(
    `for (const step of ['a', 'b', 'c', 'd']) {
       await ctx.effect('book', { class: 'idempotent', args: { step } }, async ({ key, attempt }) => {
         note('begin ' + step);
         await delay(step === 'c' && attempt === 1 ? 60_000 : 1);
         note('end ' + step + ' ' + key);
       });
     }
     return 'done';`,
    ended,
  );
  await b.trigger();
  await b.until('the third effect', () => b.ledger().includes('begin c'));
  const first = b.process.live.worker!.pid;
  await b.process.killWorker();
  await b.until('the end', isIdle);
  const begun = b.ledger().filter((line) => line.startsWith('begin'));
  expect(begun).toEqual(['begin a', 'begin b', 'begin c', 'begin c', 'begin d']);
  const keys = b
    .ledger()
    .filter((line) => line.startsWith('end'))
    .map((line) => line.split(' ')[2]!);
  expect(new Set(keys).size).toBe(4);
  expect(b.process.snapshot.invocationCount).toBe(1);
  const started = (await b.entries()).filter((entry) => entry.entry_type === 'worker_started');
  expect(started.map((entry) => entry.data['generation'])).toEqual([1, 2]);
  expect(started[0]!.data['pid']).toBe(first);
});

test('[P2] [S28] an effect of class ask is held in doubt when its worker dies, and resume does not run it', async () => {
  const b = await bench(
    `const result = await ctx.effect('charge', { args: { amount: 5 } }, async ({ attempt }) => {
       note('charge ' + attempt);
       if (attempt === 1) await delay(60_000);
       return 'paid by run';
     });
     note('result ' + JSON.stringify(result));`,
    ended,
  );
  await b.trigger();
  await b.until('the charge', () => b.ledger().includes('charge 1'));
  await b.process.killWorker();
  await b.until('the hold', (process) => process.snapshot.lifecycle === 'suspended');
  expect(b.process.snapshot.holds).toMatchObject([{ kind: 'in_doubt', reason: 'in doubt: charge #1' }]);
  await b.process.resume(OPERATOR);
  expect(b.process.snapshot.lifecycle).toBe('suspended');
  expect(b.ledger()).toEqual(['charge 1']);

  const next = await b.again();
  expect(next.process.snapshot.lifecycle).toBe('suspended');
  const [effect] = next.process.snapshot.open[0]!.effects;
  await next.process.desk.resolveEffect(
    effect!.effectId,
    { kind: 'happened', result: { receipt: 7 } },
    OPERATOR,
  );
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual(['charge 1', 'result {"receipt":7}']);
  expect(next.process.snapshot.lifecycle).toBe('running');
});

test.each([
  ['did_not_happen', ['charge 1', 'charge 2', 'result 2']],
  ['skip', ['charge 1', 'result null']],
] as const)('[S28] an operator who says %s is obeyed', async (kind, ledger) => {
  const b = await bench(
    `try {
       const result = await ctx.effect('charge', {}, async ({ attempt }) => {
         note('charge ' + attempt);
         if (attempt === 1) await delay(60_000);
         return attempt;
       });
       note('result ' + JSON.stringify(result));
     } catch (error) { note('refused ' + error.message); }`,
    ended,
  );
  await b.trigger();
  await b.until('the charge', () => b.ledger().length === 1);
  await b.process.killWorker();
  await b.until('the hold', (process) => process.snapshot.lifecycle === 'suspended');
  await b.process.desk.resolveEffect(b.process.snapshot.open[0]!.effects[0]!.effectId, { kind }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(ledger);
});

test('[S28] an ask effect that throws anything but DidNotHappen is in doubt, and the code never hears of it', async () => {
  const b = await bench(
    `try {
       await ctx.effect('charge', {}, async () => { throw new Error('connection reset'); });
     } catch { note('improvised'); }`,
  );
  await b.trigger();
  await b.until('the hold', (process) => process.snapshot.holds.some((hold) => hold.kind === 'in_doubt'));
  expect(b.process.snapshot.open[0]!.effects[0]).toMatchObject({
    end: { kind: 'in_doubt', error: 'connection reset' },
  });
  expect(b.ledger()).toEqual([]);
});

test('[S28] an effect that says it did not happen is told to the code, and a re-run is told the same without asking again', async () => {
  const b = await bench(
    `try {
       await ctx.effect('charge', {}, async () => { note('asked'); throw new DidNotHappen('card declined'); });
     } catch (error) { note('told ' + error.message); }
     await ctx.effect('wait', { class: 'idempotent' }, async ({ attempt }) => { note('wait'); if (attempt === 1) await delay(60_000); });`,
    ended,
  );
  await b.trigger();
  await b.until('the second effect', () => b.ledger().includes('wait'));
  await b.process.killWorker();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual([
    'asked',
    'told charge: card declined',
    'wait',
    'told charge: card declined',
    'wait',
  ]);
});

test('an idempotent effect that keeps failing is tried with the same key, then told to the code', async () => {
  const b = await bench(
    `await ctx.effect('send', { class: 'idempotent' }, async ({ key, attempt }) => { note(attempt + ' ' + key); throw new Error('503'); });`,
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger().map((line) => line.split(' ')[0])).toEqual(['1', '2', '3']);
  expect(new Set(b.ledger().map((line) => line.split(' ')[1])).size).toBe(1);
  expect(b.process.snapshot.lastError).toMatchObject({ code: 'effect.failed', message: 'send: 503' });
});

test.each([
  ['other arguments', `{ args: { n: attempts } }`, 'charge#0 with arguments'],
  ['another name', `{}`, 'expected charge1#0, found charge2#0'],
])(
  'a re-run that asks for %s stops with what was expected and found, and runs nothing',
  async (what, options, expected) => {
    const name = what === 'another name' ? "'charge' + attempts" : "'charge'";
    const b = await bench(
      `const attempts = globalThis.process.pid === Number(await ctx.effect('pid', { class: 'retry' }, async () => process.pid)) ? 1 : 2;
     await ctx.effect(${name}, { class: 'idempotent', ...${options} }, async () => { note('done'); });
     await ctx.effect('wait', { class: 'idempotent' }, async ({ attempt }) => { note('wait'); if (attempt === 1) await delay(60_000); });`,
      ended,
    );
    await b.trigger();
    await b.until('the wait', () => b.ledger().includes('wait'));
    await b.process.killWorker();
    await b.until('the failure', (process) => process.snapshot.lifecycle === 'failed');
    expect(b.process.snapshot.lastError).toMatchObject({
      code: 'replay.diverged',
      message: expect.stringContaining(expected) as string,
    });
    expect(b.process.snapshot.open).toHaveLength(1);
    expect(b.ledger()).toEqual(['done', 'wait']);
  },
);

test('[S23] a re-run sees the state as of the start of the invocation, and its recorded writes are not written again', async () => {
  const b = await bench(
    `const before = ctx.state.get('n') ?? 0;
     note('sees ' + before);
     await ctx.state.set('n', before + 1);
     await ctx.effect('wait', { class: 'idempotent' }, async ({ attempt }) => { note('wait'); if (attempt === 1) await delay(60_000); });
     await ctx.state.update('n', (n) => n + 10);`,
    ended,
  );
  await b.trigger();
  await b.until('the wait', () => b.ledger().includes('wait'));
  await b.process.killWorker();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['sees 0', 'wait', 'sees 0', 'wait']);
  expect(b.process.snapshot.context).toEqual({ n: 11 });
  await b.quit();
  const writes = (await b.entries()).filter((entry) => entry.entry_type === 'context_update');
  expect(writes.map((entry) => entry.data['value'])).toEqual([1, 11]);
});

test('[P3] after all of that the live state is what the journal alone gives', async () => {
  const b = await bench(
    `await ctx.state.update('n', (n) => (n ?? 0) + 1);
     await ctx.effect('step', { class: 'idempotent' }, async () => { note('x'); await delay(5); });
     if (event.payload === 'bad') throw new Error('bad payload');`,
    ended,
  );
  for (const payload of ['', 'bad', '', '']) await b.trigger(payload);
  await b.until('some work', () => b.ledger().length >= 2);
  await b.process.killWorker();
  await b.process.suspend(OPERATOR);
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  await b.until('silence', (process) => process.live.running === 0);
  await b.quit();
  expect(await folded(b)).toEqual(b.process.snapshot);
});

test.each(['ask', 'retry'])(
  '[S16] the large result of an effect of class %s that runs alone is kept before the end',
  async (effectClass) => {
    const b = await bench(
      `const text = await ctx.effect('read', { class: '${effectClass}' }, async () => { note('read'); return 'x'.repeat(100_000); });
     return String(text.length);`,
    );
    await b.trigger();
    await b.until('the end', isIdle);
    expect(b.ledger()).toEqual(['read']);
    expect(b.process.snapshot.workerDeaths).toBe(0);
    expect(b.process.snapshot.invocationCount).toBe(1);
  },
);

test('[P2] code that was changed writes nothing before it diverges, and goes on when it is put back', async () => {
  const good = `await ctx.effect('one', { class: 'retry' }, async () => note('one'));
     await ctx.promise('go');
     note('went');`;
  const b = await bench(good, { workerIdleMs: 50 });
  await b.trigger();
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  const { waitId } = b.process.snapshot.open[0]!.waits[0]!;
  await b.quit();
  const changed = await bench(
    `await ctx.state.set('wrong', 1); note('changed'); await ctx.promise('other');`,
    {},
    b.directory,
  );
  await changed.process.desk.signal('s', 'wake', null, OPERATOR);
  await changed.until('the divergence', ({ snapshot }) => snapshot.lifecycle === 'failed');
  expect(changed.process.snapshot.lifecycleReason).toMatch(/expected one#0/);
  expect(changed.process.snapshot.context).toEqual({});
  await changed.quit();
  const back = await bench(good, { workerIdleMs: 50 }, b.directory);
  await back.process.start(OPERATOR);
  await back.process.desk.settlePromise(waitId, { status: 'resolved', value: null }, OPERATOR);
  await back.until('the end', isIdle);
  expect(back.ledger()).toEqual(['one', 'went']);
});

test('code that dropped a recorded effect and only waits diverges', async () => {
  const b = await bench(
    `await ctx.effect('one', { class: 'retry' }, async () => note('one'));
     await ctx.promise('go');`,
    { workerIdleMs: 50 },
  );
  await b.trigger();
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  await b.quit();
  const changed = await bench(`await ctx.promise('go');`, {}, b.directory);
  await changed.process.desk.signal('s', 'wake', null, OPERATOR);
  await changed.until('the divergence', ({ snapshot }) => snapshot.lifecycle === 'failed');
  expect(changed.process.snapshot.lifecycleReason).toMatch(/expected one#0/);
});
