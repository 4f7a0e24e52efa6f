// S23, S26: a secret's value is no part of the record. What code sends through `ctx` has its name in its place, so that a re-run
// with another value asks for the same, and what code gets back is what a re-run gets back.

import { expect, test } from 'vitest';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { OTHER, PLANTED, secretsOf } from '../support/secrets.ts';
import { tempDirectory } from '../support/temp-directory.ts';

/** Uses it wherever it can, and then waits to be told that it may go on. */
const USES_IT = `
  const key = await ctx.secret('API_KEY');
  await ctx.effect('call', { class: 'retry', args: { auth: 'Bearer ' + key, ['x' + key]: [key] } }, async ({ args }) => {
    note('called ' + (args.auth === 'Bearer ' + key));
    return { echo: key };
  });
  await ctx.state.set('kept', { key });
  await ctx.emit('told', { key });
  await ctx.conversation.append({ role: 'user', content: 'it is ' + key });
  const approved = ctx.promise('approval', { data: { key } });
  await ctx.state.set('id', approved.id);
  await approved;
  note('went on with ' + key.slice(0, 7));
  const again = await ctx.effect('call', { class: 'retry', args: { auth: key } }, async () => key);
  note('gave ' + again);
  note('state ' + JSON.stringify(ctx.state.get('kept')));
  return 'done with ' + key;`;

const NAMED = '[secret:API_KEY]';

const started = (body = USES_IT): Promise<Bench> =>
  bench(body, secretsOf(['API_KEY']), tempDirectory(), { environment: { API_KEY: PLANTED } });

const approve = async (of: Bench): Promise<void> => {
  await of.process.desk.settlePromise(
    of.process.snapshot.context['id'] as string,
    { status: 'resolved', value: null },
    OPERATOR,
  );
  await of.until('the end', (process) => isIdle(process));
};

test('a rotation between a run and its re-run makes no divergence', async () => {
  const of = await started();
  await of.trigger();
  await of.until('the wait', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  await of.process.governance.rotateSecret({ name: 'API_KEY', value: OTHER, ttlMs: undefined }, OPERATOR);
  await approve(of);
  expect(of.process.snapshot).toMatchObject({ lifecycle: 'running', invocationCount: 1, lastError: null });
  expect(of.ledger()).toEqual([
    'called true',
    `went on with ${OTHER.slice(0, 7)}`,
    `gave ${NAMED}`,
    `state {"key":"${NAMED}"}`,
  ]);
});

test('what an effect gives is the same at once as in a re-run, with its name in its place [P3]', async () => {
  const of = await started();
  await of.trigger();
  await of.until('the wait', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  await of.process.killWorker().catch(() => {});
  await approve(of);
  const finished = (await of.entries()).filter(({ entry_type: type }) => type === 'effect_finished');
  expect(finished.map(({ data }) => data['result'])).toEqual([{ echo: NAMED }, NAMED]);
  expect(of.process.snapshot.context['kept']).toEqual({ key: NAMED });
  expect((await folded(of)).context).toEqual(of.process.snapshot.context);
});

test('had inside of an effect, what it is used for is not recorded at all', async () => {
  const of = await started(`
    await ctx.effect('call', { class: 'retry' }, async () => void note('used ' + (await ctx.secret('API_KEY')).slice(0, 7)));`);
  await of.trigger();
  await of.until('the end', (process) => of.ledger().length === 1 && isIdle(process));
  expect(of.ledger()).toEqual([`used ${PLANTED.slice(0, 7)}`]);
  expect(of.process.snapshot.lastError).toBeNull();
});

test('branches that ask for it side by side ask for the same again in a re-run [S26]', async () => {
  const of = await bench(
    `const branch = async (name, pause) => {
       await ctx.effect('pause', { class: 'retry', args: pause }, () => delay(pause));
       const key = await ctx.secret('API_KEY');
       return ctx.effect('step', { class: 'retry', args: { name, key } }, async () => name);
     };
     const order = await Promise.all([branch('a', 30), branch('b', 5), branch('c', 15)]);
     const wait = ctx.promise('go');
     await ctx.state.set('id', wait.id);
     await wait;
     note(order.join());`,
    { concurrency: 1, ...secretsOf(['API_KEY']) },
    tempDirectory(),
    { environment: { API_KEY: PLANTED } },
  );
  for (let round = 1; round <= 3; round += 1) {
    await of.trigger();
    await of.until('the wait', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
    await approve(of);
    expect(of.process.snapshot.lastError).toBeNull();
  }
  expect(of.ledger()).toEqual(['a,b,c', 'a,b,c', 'a,b,c']);
});

test('a run that only looks is given no secret, and sees the same record', async () => {
  const of = await started(`
    ctx.onQuery('what', () => ({ starts: key?.slice(0, 10) ?? '' }));
    let key;
    key = await ctx.secret('API_KEY');
    await ctx.effect('call', { class: 'retry', args: { key } }, async () => 1);
    const wait = ctx.promise('go');
    await ctx.state.set('id', wait.id);
    await wait;`);
  await of.trigger();
  await of.until(
    'the wait',
    ({ snapshot, live }) => snapshot.lifecycle === 'awaiting' && live.worker === null,
  );
  expect(await of.process.queries.ask('what', null, null)).toEqual({ starts: 'stands-in-' });
  const reads = (await of.entries()).filter(({ entry_type: type }) => type === 'secret_read');
  expect(reads).toHaveLength(1);
  await approve(of);
  expect(of.process.snapshot.lastError).toBeNull();
});
