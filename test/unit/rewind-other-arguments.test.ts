// Behind a rewind the code may ask for something else under a name: what then is done by itself, what somebody is asked about,
// and what somebody has to mend.

import { expect, test } from 'vitest';
import { bench, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';

const AGAIN = { isHandledAgain: true };
const CONFIG = { restartPolicy: 'never' } as const;

/** Handles an event with the first code, goes back to before it, and goes on with the second. */
async function changed(before: string, after: string): Promise<Bench & { readonly end: number }> {
  const first = await bench(before, CONFIG);
  await first.process.settled();
  const target = first.process.snapshot.seq;
  await first.trigger('a');
  await first.until('the end', isIdle);
  const end = (await first.entries()).find(({ entry_type: type }) => type === 'invocation_result')!.seq;
  await first.quit();
  const b = await bench(after, CONFIG, first.directory);
  await b.process.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR);
  await b.process.resume(OPERATOR);
  return { ...b, end };
}

const looks = (count: number, at: string): string => `
  for (let n = 0; n < ${count}; n += 1) {
    const seen = await ctx.effect('look', { class: 'retry', args: { n, at: '${at}' } }, async ({ key }) => {
      note('look ' + n + ' at ${at} ' + key);
      return '${at} ' + n;
    });
    await ctx.state.set('seen', seen);
  }`;

test('[S28] [S39] what is harmless to repeat is performed with other arguments too, under a key of its own, and nobody is asked', async () => {
  const b = await changed(looks(3, 'noon'), looks(3, 'night'));
  await b.until('the end', isIdle);
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'running', holds: [], context: { seen: 'night 2' } });
  const lines = b.ledger().map((line) => line.split(' ') as [string, string, string, string, string]);
  expect(lines.map(([, n, , at]) => `${at} ${n}`)).toEqual([
    'noon 0',
    'noon 1',
    'noon 2',
    'night 0',
    'night 1',
    'night 2',
  ]);
  expect(new Set(lines.map((line) => line[4])).size).toBe(6);
  const decided = (await b.entries()).filter(({ entry_type: type }) => type === 'effect_resolved');
  expect(decided).toHaveLength(3);
  for (const { data } of decided) {
    expect(data).toMatchObject({ operator: 'host', resolution: 'did_not_happen', again: true });
  }
});

test('[P1] [P2] [S39] and what came of that is on record: a host that ends in the middle of it does none of it again', async () => {
  const b = await changed(looks(2, 'noon'), `${looks(2, 'night')} await ctx.promise('go');`);
  await b.until('the wait', ({ snapshot }) => snapshot.open[0]?.waits.length === 1);
  const next = await b.again();
  const { waitId } = next.process.snapshot.open[0]!.waits[0]!;
  await next.process.desk.settlePromise(waitId, { status: 'resolved', value: null }, OPERATOR);
  await next.until('the end', isIdle);
  expect(next.ledger()).toHaveLength(4);
});

test('[S39] a message with other data says what to do next, and that helps', async () => {
  const told = (what: string): string => `await ctx.emit('news', { what: '${what}' });`;
  const b = await changed(told('old'), told('new'));
  await b.until('the divergence', ({ snapshot }) => snapshot.lifecycle === 'failed');
  const { message } = b.process.snapshot.lastError!;
  expect(message).toContain(
    'It was sent before the rewind or the fork, and is not taken back or sent twice.',
  );
  expect(message).toContain('rewind to an entry behind that');
  await b.process.rewinds.apply({ to: b.end, ...AGAIN }, 0, OPERATOR);
  await b.process.start(OPERATOR);
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'running', open: [] });
  expect((await b.entries()).filter(({ entry_type: type }) => type === 'message_sent')).toHaveLength(1);
});

test('[P5] [S39] of an effect that nobody knows the end of it is not said that it was done', async () => {
  const charge = (currency: string): string => `
    await ctx.effect('charge', { class: 'idempotent', args: '${currency}', retry: { attempts: 1 } }, async () => {
      note('${currency}');
      if ('${currency}' === 'euro') throw new Error('the line went dead');
    }).catch(() => {});`;
  const b = await changed(charge('euro'), charge('yen'));
  await b.until('the doubt', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
  expect(b.process.snapshot.open[0]!.effects[0]!.end).toMatchObject({
    error:
      'before the rewind it was begun with other arguments, and nobody knows what became of that: "euro"',
  });
  expect(b.ledger()).toEqual(['euro']);
});
