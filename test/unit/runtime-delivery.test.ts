// Retries, dead letters, determinism, effect classes, messages and the inbox, with real workers on a real journal.

import { expect, test } from 'vitest';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import { bench, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';

const ofType = async (b: Bench, type: string) =>
  (await b.entries()).filter(({ entry_type }) => entry_type === type).map(({ data }) => data);

/** Settles the promise that its oldest invocation waits for, and waits for the end. */
async function letGo(b: Bench): Promise<void> {
  const { waitId } = b.process.snapshot.open[0]!.waits[0]!;
  await b.process.desk.settlePromise(waitId, { status: 'resolved', value: null }, OPERATOR);
  await b.until('the end', isIdle);
}

const RETRY = { ...DEFAULT_DELIVERY, maxRetries: 2, retryBackoffMs: 20 };

test('[S24] a retry is the same invocation: what was done is not done again, what did not happen is', async () => {
  const b = await bench(
    `await ctx.effect('charge', { class: 'ask' }, async ({ key }) => note('charge ' + key.slice(-8)));
     await ctx.state.update('n', (n) => (n ?? 0) + 1);
     await ctx.effect('mail', { class: 'ask', args: { attempt: ctx.attempt } }, async () => {
       note('mail ' + ctx.attempt);
       if (ctx.attempt < 3) throw new DidNotHappen('refused');
     });
     return 'attempt ' + ctx.attempt;`,
    { delivery: RETRY },
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['charge charge#0', 'mail 1', 'mail 2', 'mail 3']);
  expect(b.process.snapshot.context['n']).toBe(1);
  expect(b.process.snapshot.deadLetters).toEqual([]);
  await b.quit();
  const [done] = await ofType(b, 'invocation_result');
  expect(done).toMatchObject({ response: 'attempt 3', attempt: 3 });
  const errors = await ofType(b, 'error');
  expect(errors.map(({ final }) => final)).toEqual([false, false]);
});

test('[C15] [C22] a dead letter outlives a restart, and goes on from its record when it is redelivered', async () => {
  const source = `
    await ctx.effect('charge', { class: 'ask' }, async () => note('charge'));
    if (ctx.attempt < 3) throw new Error('broken ' + ctx.attempt);
    note('mended');`;
  const b = await bench(source, { delivery: { ...RETRY, maxRetries: 1 } });
  await b.trigger('one');
  await b.until('the dead letter', ({ snapshot }) => snapshot.deadLetters.length === 1);
  expect(b.ledger()).toEqual(['charge']);
  const next = await b.again();
  const [letter] = next.process.snapshot.deadLetters;
  expect(letter).toMatchObject({ reason: 'retries exhausted', error: 'broken 2', attempts: 2 });
  await next.process.desk.redeliver(letter!.event.eventId, false, OPERATOR);
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual(['charge', 'mended']);
  expect(next.process.snapshot.deadLetters).toEqual([]);
});

test('a dead letter can be dropped, and handled anew as an event of its own', async () => {
  const b = await bench(
    `await ctx.effect('charge', { class: 'ask' }, async () => note('charge')); throw new Error('no');`,
    { maxConsecutiveFailures: 100 },
  );
  await b.trigger('one');
  await b.until('the dead letter', ({ snapshot }) => snapshot.deadLetters.length === 1);
  const { eventId } = b.process.snapshot.deadLetters[0]!.event;
  // It is handled anew, and not a second time by a second click, at the same time or later.
  const clicks = [1, 2].map(() => b.process.desk.redeliver(eventId, true, OPERATOR));
  const ends = (await Promise.allSettled(clicks)).map(({ status }) => status);
  expect(ends).toEqual(['fulfilled', 'rejected']);
  await expect(b.process.desk.redeliver(eventId, true, OPERATOR)).rejects.toMatchObject({
    code: 'dead-letter.not-found',
  });
  await b.until('another', ({ snapshot }) => snapshot.deadLetters.length === 1);
  expect(b.ledger()).toEqual(['charge', 'charge']);
  const again = b.process.snapshot.deadLetters[0]!.event.eventId;
  expect(again).not.toBe(eventId);
  await b.process.desk.dropDeadLetter(again, OPERATOR);
  expect(b.process.snapshot.deadLetters).toHaveLength(0);
  await expect(b.process.desk.dropDeadLetter(again, OPERATOR)).rejects.toMatchObject({
    code: 'dead-letter.not-found',
  });
});

test('a terminal error ends the event at once, without retries', async () => {
  const b = await bench(`note('try'); throw new TerminalError('never');`, { delivery: RETRY });
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['try']);
  expect(b.process.snapshot.deadLetters).toEqual([]);
  expect(b.process.snapshot.lastError?.message).toBe('never');
});

test('a retry that waits outlives a restart, and begins when it is due', async () => {
  const b = await bench(`note('try ' + ctx.attempt); if (ctx.attempt === 1) throw new Error('once');`, {
    delivery: { ...RETRY, retryBackoffMs: 700 },
  });
  await b.trigger();
  await b.until('the failure', ({ snapshot }) => (snapshot.open[0]?.retryAt ?? null) !== null);
  const next = await b.again();
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual(['try 1', 'try 2']);
});

test('now, random and uuid are the same in every re-run, and differ between invocations', async () => {
  const b = await bench(
    `note([ctx.now(), ctx.random(), ctx.uuid(), ctx.random()].join(' '));
     const promise = ctx.promise('go');
     note(promise.id);
     await promise;`,
    { workerIdleMs: 100 },
  );
  await b.trigger();
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  const next = await b.again();
  await letGo(next);
  const [one, id, two, again] = next.ledger();
  expect(two).toBe(one);
  expect(again).toBe(id);
  expect(one).toMatch(/^\d+ 0\.\d+ [\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12} 0\.\d+$/);
  await next.trigger();
  await next.until('another', () => next.ledger().length === 6);
  expect(next.ledger()[4]!.split(' ')[1]).not.toBe(one!.split(' ')[1]);
});

test('version: an invocation that had passed a change of the code goes the old way, a new one the new way', async () => {
  const old = `
    await ctx.effect('a', { class: 'retry' }, async () => note('a'));
    await ctx.effect('b', { class: 'retry' }, async () => note('b'));
    await ctx.promise('go');`;
  const b = await bench(old, { workerIdleMs: 100 });
  await b.trigger();
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  await b.quit();
  const changed = `
    await ctx.effect('a', { class: 'retry' }, async () => note('a'));
    if (ctx.version('mail first', 1, 2) === 2) await ctx.effect('mail', { class: 'retry' }, async () => note('mail'));
    await ctx.effect('b', { class: 'retry' }, async () => note('b'));
    if (ctx.version('second', 0, 1) === 1) note('second new'); else note('second old');
    if (event.payload === '') await ctx.promise('go');`;
  const next = await bench(changed, { workerIdleMs: 100 }, b.directory);
  await letGo(next);
  expect(next.ledger()).toEqual(['a', 'b', 'second old']);
  await next.trigger('new');
  await next.until('the new', () => next.ledger().includes('second new'));
  await next.until('the end', isIdle);
  expect(next.ledger().slice(3)).toEqual(['a', 'mail', 'b', 'second new']);
});

test.each([
  ['happened: true, result: { id: 7 }', ['send 1', 'asked 1', 'result {"id":7}']],
  ['happened: false', ['send 1', 'asked 1', 'send 2', 'result "sent"']],
])('[S30] an effect of class reconcile asks what became of it: %s', async (answer, ledger) => {
  const b = await bench(
    // Whoever was asked to do it may still be doing it until the effect's own time is over.
    `const result = await ctx.effect('send', {
       class: 'reconcile',
       timeoutMs: 2_000,
       reconcile: async ({ attempt, announcedAt }) => {
         note('asked ' + attempt + (Date.now() - announcedAt < 2_000 ? ' too soon' : ''));
         return { ${answer} };
       },
     }, async ({ attempt }) => {
       note('send ' + attempt);
       if (attempt === 1) process.kill(process.pid, 'SIGKILL');
       return 'sent';
     });
     note('result ' + JSON.stringify(result));`,
    { restartBackoffMs: 1 },
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(ledger);
});

test('[S28] a provider that can not tell leaves it to the operator', async () => {
  const b = await bench(
    `const result = await ctx.effect('send', {
       class: 'reconcile',
       reconcile: async () => ({ happened: 'unknown', why: 'no record is kept' }),
     }, async () => { note('send'); throw new Error('connection reset'); });
     note('result ' + JSON.stringify(result));`,
  );
  await b.trigger();
  await b.until('the hold', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
  const [effect] = b.process.snapshot.open[0]!.effects;
  expect(effect!.end).toMatchObject({ kind: 'in_doubt', reconciled: true });
  const next = await b.again();
  expect(next.process.snapshot.lifecycle).toBe('suspended');
  await next.process.desk.resolveEffect(effect!.effectId, { kind: 'happened', result: 1 }, OPERATOR);
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual(['send', 'result 1']);
});

test('[S31] a key that the provider may have forgotten is not used again: an operator is asked', async () => {
  const b = await bench(
    `await ctx.effect('pay', { class: 'idempotent', keyTtlMs: 1 }, async ({ attempt }) => {
       note('pay ' + attempt);
       await delay(60_000);
     });`,
    {},
  );
  await b.trigger();
  await b.until('the payment', () => b.ledger().length === 1);
  await b.process.killWorker();
  await b.until('the hold', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
  expect(b.ledger()).toEqual(['pay 1']);
  expect(await ofType(b, 'effect_expired')).toHaveLength(1);
});

test('an effect that takes too long is given up and, where that is safe, tried again', async () => {
  const b = await bench(
    `const result = await ctx.effect('read', { class: 'retry', timeoutMs: 100, retry: { backoffMs: 1 } },
       async ({ attempt, signal }) => {
         signal.addEventListener('abort', () => note('aborted ' + attempt));
         if (attempt < 3) await delay(60_000, null, { ref: false });
         return attempt;
       });
     note('result ' + result);`,
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['aborted 1', 'aborted 2', 'result 3']);
});

test('what was given up is given up in every re-run of the same attempt', async () => {
  const b = await bench(
    `try {
       await ctx.effect('read', { class: 'retry', retry: { attempts: 2, backoffMs: 1 } }, async ({ attempt }) => {
         note('read ' + attempt);
         throw new Error('down');
       });
     } catch { note('gave up'); }
     await ctx.promise('go');`,
    { workerIdleMs: 100 },
  );
  await b.trigger();
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  const next = await b.again();
  await letGo(next);
  expect(next.ledger()).toEqual(['read 1', 'read 2', 'gave up', 'gave up']);
});

test('what did not happen is tried again only where its code says that this may help', async () => {
  const b = await bench(
    `for (const retryable of [false, true]) {
       await ctx.effect('send', { class: 'ask', retry: { attempts: 3, backoffMs: 1 } }, async ({ attempt }) => {
         note(retryable + ' ' + attempt);
         throw new DidNotHappen('busy', { retryable });
       }).catch(() => {});
     }`,
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['false 1', 'true 1', 'true 2', 'true 3']);
});

test('[C21] what is written to the agent is delivered once, with the next invocation, the most urgent first', async () => {
  const b = await bench(
    `note('inbox ' + (ctx.inbox.map(({ content }) => content).join() || 'empty'));
     if (event.payload === 'wait') await ctx.promise('go');`,
    { workerIdleMs: 100 },
  );
  const write = (
    messageId: string,
    content: string,
    priority: 'normal' | 'high',
    expiresInMs: number | null,
  ) => b.process.desk.writeInbox({ messageId, type: 'directive', content, priority, expiresInMs }, OPERATOR);
  await write('m1', 'one', 'normal', null);
  await write('m1', 'one', 'normal', null);
  await write('m2', 'two', 'high', null);
  await write('m3', 'late', 'high', 1);
  const late = b.process.snapshot.inbox.find(({ messageId }) => messageId === 'm3')!.expiresAt!;
  await waitFor(() => Date.now() > Date.parse(late), { what: 'the last message to expire' });
  await b.trigger('wait');
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  const next = await b.again();
  await letGo(next);
  await next.trigger();
  await next.until('another', () => next.ledger().length === 3);
  expect(next.ledger()).toEqual(['inbox two,one', 'inbox two,one', 'inbox empty']);
});

test('[S23] the conversation is as it was when the invocation began, with its own messages', async () => {
  const b = await bench(
    `await ctx.conversation.append({ role: 'user', content: String(event.payload) });
     note(ctx.conversation.messages().map(({ content }) => content).join());
     await ctx.promise('go');
     await ctx.conversation.append({ role: 'assistant', content: event.payload + '!' });`,
    { workerIdleMs: 100, conversationMaxMessages: 3, concurrency: 3 },
  );
  await b.trigger('a');
  await b.until('a', () => b.ledger().length === 1);
  await b.trigger('b');
  await b.until(
    'both awaiting',
    ({ snapshot }) =>
      snapshot.lifecycle === 'awaiting' &&
      snapshot.open.length === 2 &&
      snapshot.open.every(({ waits }) => waits.length === 1),
  );
  const next = await b.again();
  for (const { waits } of next.process.snapshot.open) {
    await next.process.desk.settlePromise(waits[0]!.waitId, { status: 'resolved', value: null }, OPERATOR);
  }
  await next.until('the end', isIdle);
  expect(next.ledger().slice(0, 2)).toEqual(['a', 'a,b']);
  expect(next.ledger().slice(2).sort()).toEqual(['a', 'a,b']);
  expect(next.process.snapshot.conversation).toHaveLength(3);
});

test('a key that the manifest does not list can not be written', async () => {
  const b = await bench(
    `await ctx.state.set('mine', 1); try { await ctx.state.set('other', 1); } catch (error) { note(error.code); }`,
    { writableKeys: ['mine'] },
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['state.not-writable']);
  expect(b.process.snapshot.context).toEqual({ mine: 1 });
});

test('an invocation that takes too long is failed, and the process goes on', async () => {
  const b = await bench(
    `if (event.payload === 'slow') { note('slow'); await delay(60_000); } note('quick');`,
    { maxInvocationTimeMs: 2_000 },
  );
  await b.trigger('slow');
  await b.trigger('quick');
  await b.until('the quick one', () => b.ledger().includes('quick'));
  await b.until('the end', isIdle);
  expect(b.process.snapshot.deadLetters[0]).toMatchObject({ reason: 'retries exhausted' });
  expect(b.process.snapshot.workerDeaths).toBe(0);
});

test('[S3] without a journal nothing can be waited for that has to outlive its host', async () => {
  const b = await bench(
    `for (const act of [() => ctx.sleep(1), () => ctx.promise('x'), () => ctx.emit('x')]) {
       try { await act(); } catch (error) { note(error.code); }
     }`,
    { journalLevel: 'none' },
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['journal.required', 'journal.required', 'journal.required']);
});
