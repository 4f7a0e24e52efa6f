import { expect, test } from 'vitest';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';

const COUNTS = `
  const count = (ctx.state.get('count') ?? 0) + 1;
  await ctx.state.set('count', count);
  const heard = ctx.conversation.messages().length;
  await ctx.conversation.append({ role: 'assistant', content: event.payload + ' after ' + heard });
  await ctx.effect('note', { args: { of: event.payload } }, async () => void note(event.payload));`;

async function handled(b: Bench, ...payloads: readonly string[]): Promise<void> {
  for (const payload of payloads) {
    await b.trigger(payload);
    await b.until(`the end of ${payload}`, isIdle);
  }
}

test('[S23] [S39] what is handled again one after the other builds on what those before it left, as it did the first time', async () => {
  const b = await bench(COUNTS);
  await b.process.settled();
  const target = (await b.entries()).at(-1)!.seq;
  await handled(b, 'a', 'b', 'c');
  const { context, conversation } = structuredClone({ ...b.process.snapshot });
  expect(context).toEqual({ count: 3 });
  await b.process.rewinds.apply({ to: target, isHandledAgain: true }, 3, OPERATOR);
  expect(b.process.snapshot).toMatchObject({ context: {}, conversation: [] });
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.process.snapshot).toMatchObject({ context, conversation });
  expect(b.ledger()).toEqual(['a', 'b', 'c']);
  await b.process.settled();
  expect({ ...(await folded(b)) }).toEqual({ ...b.process.snapshot });
});

test('[S23] [S39] also where a host ends between two of them', async () => {
  const b = await bench(COUNTS);
  await b.process.settled();
  const target = (await b.entries()).at(-1)!.seq;
  await handled(b, 'a', 'b', 'c');
  await b.process.rewinds.apply({ to: target, isHandledAgain: true }, 3, OPERATOR);
  await b.process.resume(OPERATOR);
  await b.until('the first', ({ snapshot }) => snapshot.open.length < 3);
  const next = await b.again();
  await next.until('the end', isIdle);
  expect(next.process.snapshot.context).toEqual({ count: 3 });
  expect(next.ledger()).toEqual(['a', 'b', 'c']);
});

test('[P2] [S39] what is done under the same name with other arguments has a key of its own, or its provider would not do it', async () => {
  const charge = (currency: string): string => `
    await ctx.effect('charge', { args: '${currency}' }, async ({ key }) => void note('${currency} ' + key));`;
  const first = await bench(charge('euro'));
  await handled(first, 'a');
  await first.quit();
  const b = await bench(charge('yen'), {}, first.directory);
  const target = (await b.entries()).find(({ entry_type: type }) => type === 'invocation_start')!.seq;
  await b.process.rewinds.apply({ to: target, isHandledAgain: true }, 1, OPERATOR);
  await b.process.resume(OPERATOR);
  await b.until('the doubt', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
  const { effectId } = b.process.snapshot.open[0]!.effects[0]!;
  await b.process.desk.resolveEffect(effectId, { kind: 'did_not_happen' }, OPERATOR);
  await b.until('the end', isIdle);
  const [before, after] = b.ledger().map((line) => line.split(' ') as [string, string]);
  expect([before![0], after![0]]).toEqual(['euro', 'yen']);
  expect(after![1]).not.toBe(before![1]);
  expect(after![1].startsWith(`${before![1]}/`)).toBe(true);
});
