// What a worker may say, and what the agent's code is told before it says too much.

import { describe, expect, test } from 'vitest';
import { parseFromWorker } from '../../core/host/worker-messages.ts';
import { jsonBytes, MAX_RESULT_BYTES, MAX_VALUE_BYTES } from '../../core/model/limits.ts';
import { bench, isIdle, OPERATOR } from '../support/runtime.ts';

/** A text that is so many bytes as JSON, quotes included. */
const ofBytes = (bytes: number): string => 'x'.repeat(bytes - 2);
const run = 1;

const effect = {
  type: 'effect-announced',
  run,
  effectId: 'e/a#0',
  name: 'a',
  occurrence: 0,
  effectClass: 'ask',
  argsHash: 'h',
  key: 'k',
  keyTtlMs: null,
  timeoutMs: null,
  attempt: 1,
};
const ended = { type: 'effect-ended', run, effectId: 'e/a#0', reconciled: false, isAwaited: false };
const wait = { type: 'wait-began', run, waitId: 'p', kind: 'promise', name: 'p', occurrence: 0 };
const never = { dueInMs: null, dueAt: null };
const sent = { type: 'message-sent', run, kind: 'message', topic: 'x', occurrence: 0, argsHash: 'h' };
const waiting = { type: 'invocation-waiting', run, heard: 0 };
const answered = { type: 'query-answered', run, id: 1 };

const VALUES = [
  ['the arguments of an effect', MAX_VALUE_BYTES, (args: string) => ({ ...effect, args })],
  [
    'the result of an effect',
    MAX_RESULT_BYTES,
    (result: string) => ({ ...ended, end: { kind: 'done', result } }),
  ],
  ['what goes with a promise', MAX_VALUE_BYTES, (data: string) => ({ ...wait, ...never, data })],
  ['what is sent to others', MAX_VALUE_BYTES, (data: string) => ({ ...sent, data })],
  [
    'a value of the state',
    MAX_VALUE_BYTES,
    (value: string) => ({ type: 'state-written', run, ordinal: 0, key: 'k', value, deleted: false }),
  ],
  [
    'the answer to a query',
    MAX_VALUE_BYTES,
    (value: string) => ({ ...answered, answer: { ok: true, value } }),
  ],
] as const;

describe('[S20] the host believes no worker that sends more than a journal should hold', () => {
  test.each(VALUES)('%s', (_what, max, message) => {
    expect(parseFromWorker(message(ofBytes(max)))).not.toBeNull();
    expect(parseFromWorker(message(ofBytes(max + 1)))).toBeNull();
  });

  test.each([
    [
      'why an effect did not happen',
      (error: string) => ({ ...ended, end: { kind: 'did_not_happen', error } }),
    ],
    ['why an effect is in doubt', (error: string) => ({ ...ended, end: { kind: 'in_doubt', error } })],
    ['a line of its log', (text: string) => ({ type: 'log', run, level: 'info', text })],
    ['a response', (response: string) => ({ type: 'invocation-done', run, response })],
  ])('%s', (_what, message) => {
    expect(parseFromWorker(message('x'.repeat(20_000)))).not.toBeNull();
    expect(parseFromWorker(message('x'.repeat(20_001)))).toBeNull();
  });

  test('what it waits for', () => {
    expect(parseFromWorker({ ...waiting, for: Array(100).fill('p') })).not.toBeNull();
    expect(parseFromWorker({ ...waiting, for: Array(101).fill('p') })).toBeNull();
  });

  test('what is no JSON is left to the recorder, which says so', () => {
    expect(parseFromWorker({ ...wait, ...never, data: 1n })).not.toBeNull();
  });
});

test.each(['', 'plain', 'ä', '€', '😀', '\u0000"\\', '\ud800', 'aä€😀'])(
  'the size of %j is that of its JSON in UTF-8',
  (text) => {
    expect(jsonBytes([text, 1, null])).toBe(Buffer.byteLength(JSON.stringify([text, 1, null])));
  },
);

test('[S20] what is too large is refused where the code asks for it, and the invocation goes on', async () => {
  const b = await bench(`
    const refused = async (act) => {
      try { await act(); note('taken'); } catch (error) { note(error.code); }
    };
    const large = 'x'.repeat(1024 * 1024);
    await refused(() => ctx.state.set('k', large));
    await refused(() => ctx.state.update('k', () => large));
    await refused(() => ctx.state.set('k'.repeat(10_001), 1));
    await refused(() => ctx.state.set(7, 1));
    await refused(async () => ctx.promise('p', { data: large }));
    await refused(() => ctx.effect('a', { class: 'retry', args: large }, async () => note('performed')));
    await refused(() => ctx.send('x', large));
    await refused(() => ctx.emit('x', large));
    await refused(() => ctx.conversation.append({ role: 'user', content: large }));
    await refused(() => ctx.state.set('k', large.slice(2)));
    await refused(() => ctx.effect('a', { class: 'retry', args: large.slice(2) }, async () => note('performed')));
    return String(ctx.state.get('k').length);`);
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual([
    'state.too-large',
    'state.too-large',
    'state.bad-key',
    'state.bad-key',
    'promise.too-large',
    'effect.too-large',
    'message.too-large',
    'message.too-large',
    'conversation.bad-message',
    'taken',
    'performed',
    'taken',
  ]);
  expect(b.process.snapshot.recentRuns.map(({ ok }) => ok)).toEqual([true]);
  expect(b.process.snapshot.generation).toBe(1);
});

test('[S20] a long error of an effect, hundreds of waits and a long answer end no worker', async () => {
  const b = await bench(
    `ctx.onQuery('fails', () => { throw new Error('x'.repeat(100_000)); });
     ctx.onQuery('large', () => 'x'.repeat(2_000_000));
     await ctx.effect('a', { class: 'retry', retry: { attempts: 1 } }, async () => {
       throw new DidNotHappen('x'.repeat(100_000));
     }).catch(() => note('failed'));
     await Promise.all(Array.from({ length: 300 }, (_, n) => ctx.promise('p' + n)));`,
    { workerIdleMs: 60_000 },
  );
  await b.trigger();
  await b.until('the waits', ({ snapshot }) => snapshot.open[0]?.waits.length === 300);
  await expect(b.process.queries.ask('fails', null, null)).rejects.toMatchObject({
    message: 'x'.repeat(10_000),
  });
  await expect(b.process.queries.ask('large', null, null)).rejects.toMatchObject({ code: 'query.too-large' });
  await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  expect(b.ledger()).toEqual(['failed']);
  expect(b.process.snapshot.generation).toBe(1);
});

test('[S20] what an operator sends to an invocation has the same bound', async () => {
  const b = await bench(`await ctx.promise('p');`);
  await b.trigger();
  await b.until('the wait', ({ snapshot }) => snapshot.open[0]?.waits.length === 1);
  const value = 'x'.repeat(MAX_VALUE_BYTES);
  const { waitId } = b.process.snapshot.open[0]!.waits[0]!;
  await expect(b.process.desk.signal('s', 'go', value, OPERATOR)).rejects.toMatchObject({
    code: 'signal.too-large',
  });
  await expect(
    b.process.desk.settlePromise(waitId, { status: 'resolved', value }, OPERATOR),
  ).rejects.toMatchObject({ code: 'promise.too-large' });
  expect(b.process.snapshot.open[0]!.waits[0]!.end).toBeNull();
});
