// What whoever an effect was done with can't tell yet is asked again, in a run, in a re-run, and not for ever.

import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { askWhatBecame } from '../../core/agent/ask-what-became.ts';
import { bench, isIdle, OPERATOR } from '../support/runtime.ts';

const isHeld = ({ snapshot }: Parameters<typeof isIdle>[0]): boolean =>
  snapshot.holds.some(({ kind }) => kind === 'in_doubt');

test('[S30] not yet is asked again until there is an answer, and told for how long nothing is done any more', async () => {
  const b = await bench(
    `let asked = 0;
     const result = await ctx.effect('send', {
       class: 'reconcile',
       reconcile: async ({ overForMs, announcedAt }) => {
         asked += 1;
         note([asked, Number.isInteger(overForMs) && overForMs >= 20 * (asked - 1), announcedAt <= Date.now()].join(' '));
         return asked < 8 ? { happened: 'unknown', why: 'in progress', retryAfterMs: 25 } : { happened: true, result: 'sent' };
       },
     }, async () => { note('send'); throw new Error('connection reset'); });
     note('result ' + result);`,
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual([
    'send',
    ...Array.from({ length: 8 }, (_, at) => `${at + 1} true true`),
    'result sent',
  ]);
  // One announcement, one doubt, one answer: asking leaves nothing in the journal.
  const effects = (await b.entries()).filter(({ entry_type }) => entry_type.startsWith('effect_'));
  expect(effects.map(({ entry_type, data }) => [entry_type, data['end'], data['reconciled']])).toEqual([
    ['effect_started', undefined, undefined],
    ['effect_finished', 'in_doubt', undefined],
    ['effect_finished', 'done', true],
  ]);
});

test('[S28] not yet for too long is left to the operator, with why', async () => {
  const b = await bench(
    `await ctx.effect('send', {
       class: 'reconcile',
       reconcileForMs: 2_000,
       reconcile: async () => { note('asked'); return { happened: 'unknown', why: 'in progress', retryAfterMs: 60_000 }; },
     }, async () => { throw new Error('connection reset'); });
     note('done');`,
  );
  await b.trigger();
  await b.until('the hold', isHeld);
  const [effect] = b.process.snapshot.open[0]!.effects;
  expect(effect!.end).toMatchObject({ kind: 'in_doubt', reconciled: true });
  expect(effect!.end).toMatchObject({ error: expect.stringContaining('in progress') });
  // Once more at the end of its time, however much later it was told to ask.
  expect(b.ledger()).toEqual(['asked', 'asked']);
  await b.process.desk.resolveEffect(effect!.effectId, { kind: 'happened', result: null }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['asked', 'asked', 'done']);
});

test('[S28] a timer that rings early is no reason to ask once more', async () => {
  const from = performance.now();
  const clock = performance.now.bind(performance);
  // Nine tenths of the time that timers keep: what they wait for is never quite there.
  const slow = vi.spyOn(performance, 'now').mockImplementation(() => from + (clock() - from) * 0.9);
  onTestFinished(() => slow.mockRestore());
  let count = 0;
  const effect = {
    name: 'send',
    args: null,
    key: 'a key',
    backoff: () => 0,
    reconcile: async () => {
      count += 1;
      return { happened: 'unknown', retryAfterMs: 60_000 } as const;
    },
    reconcileForMs: 300,
    announcedAt: Date.now(),
  };
  const isOver = { soon: new Promise<never>(() => {}), refuse: () => {} };
  const answer = await askWhatBecame({ within: (_, ask) => ask() }, effect, {
    attempt: 1,
    overAt: from,
    isOver,
  });
  expect(answer.happened).toBe('unknown');
  expect(count).toBe(2);
});

test('[P2] [S30] a worker that dies while it asks: the next one asks again, and the time since begins anew', async () => {
  const b = await bench(
    `const result = await ctx.effect('send', {
       class: 'reconcile',
       reconcile: async ({ overForMs, attempt }) => {
         note('asked ' + attempt + (overForMs < 5_000 ? '' : ' late'));
         return existsSync(event.payload) ? { happened: false } : { happened: 'unknown', retryAfterMs: 20 };
       },
     }, async ({ attempt }) => { note('send ' + attempt); if (attempt === 1) throw new Error('reset'); return 'sent'; });
     note('result ' + result);`,
  );
  const settled = `${b.directory}/settled`;
  await b.trigger(settled);
  for (let life = 1; life <= 2; life += 1) {
    const asked = b.ledger().length;
    await b.until('questions', () => b.ledger().length > asked + 2);
    const { generation } = b.process.live.worker!;
    await b.process.killWorker();
    await b.until('another worker', ({ live }) => (live.worker?.generation ?? 0) > generation);
  }
  writeFileSync(settled, '');
  await b.until('the end', isIdle);
  expect([...new Set(b.ledger())]).toEqual(['send 1', 'asked 1', 'send 2', 'result sent']);
  expect(b.ledger().filter((line) => line.startsWith('send'))).toEqual(['send 1', 'send 2']);
});

test('a process that is stopped while its worker asks does not wait for the answer', async () => {
  const b = await bench(
    `await ctx.effect('send', {
       class: 'reconcile',
       reconcile: async () => { note('asked'); return { happened: 'unknown', retryAfterMs: 60_000 }; },
     }, async () => { throw new Error('reset'); });`,
  );
  await b.trigger();
  await b.until('the question', () => b.ledger().length === 1);
  const start = performance.now();
  await b.process.stop(OPERATOR);
  expect(performance.now() - start).toBeLessThan(20_000);
  expect(b.process.snapshot.open[0]!.effects[0]!.end).toMatchObject({ kind: 'in_doubt' });
});

test.each([
  ['null', 'no happened'],
  [`{ happened: 'unknown', retryAfterMs: 'soon' }`, 'no number of milliseconds'],
  [`{ happened: 'unknown', retryAfterMs: -1 }`, 'no number of milliseconds'],
  [`{ happened: 'unknown', retryAfterMs: NaN }`, 'no number of milliseconds'],
])('[S28] an answer like %s is none', async (answer, why) => {
  const b = await bench(
    `await ctx.effect('send', { class: 'reconcile', reconcile: async () => (${answer}) }, async () => { throw new Error('reset'); });`,
  );
  await b.trigger();
  await b.until('the hold', isHeld);
  const [effect] = b.process.snapshot.open[0]!.effects;
  expect(effect!.end).toMatchObject({ error: expect.stringContaining(why) });
});

test('[S28] what only an operator may decide is told at once, also while something beside it is still asked about', async () => {
  const b = await bench(
    `let asked; const isAsked = new Promise((resolve) => (asked = resolve));
     const effect = (name, reconcile) => ctx.effect(name, { class: 'reconcile', reconcile }, async () => { throw new Error('reset'); });
     await Promise.all([
       effect('left', async () => { note('left'); asked(); return { happened: 'unknown', retryAfterMs: 600_000 }; }),
       effect('right', async () => { await isAsked; note('right'); return { happened: 'unknown', why: 'no record' }; }),
     ]);`,
  );
  await b.trigger();
  await b.until('the hold', isHeld);
  const [left, right] = b.process.snapshot.open[0]!.effects;
  expect(right!.end).toMatchObject({ kind: 'in_doubt', reconciled: true });
  // It was cut short, and nobody has said that it is not known.
  expect(left!.end).not.toHaveProperty('reconciled');
  await b.process.desk.resolveEffect(right!.effectId, { kind: 'happened', result: null }, OPERATOR);
  // The next run asks again.
  await b.until('another question', () => b.ledger().filter((line) => line === 'left').length === 2);
});

test('[S28] a time that is too long for a timer is not over at once', async () => {
  const b = await bench(
    `const result = await ctx.effect('send', { class: 'ask', timeoutMs: 30 * 24 * 3_600_000 }, async ({ signal }) => {
       await delay(100);
       return signal.aborted ? 'too late' : 'in time';
     });
     note(result);`,
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['in time']);
});
