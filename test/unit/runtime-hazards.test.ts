// What agent authors do by mistake, and what operators do at the worst moment.

import { appendFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../core/model/json.ts';
import { expectGone } from '../support/grandchildren.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';

const often = { maxRestarts: 50 };
const kinds = ({ process }: Bench): string[] => process.snapshot.holds.map((hold) => hold.kind);

async function handled(b: Bench, payload = ''): Promise<void> {
  await b.trigger(payload);
  await b.until('the end', isIdle);
}

describe('a mistake in an agent costs its own invocation and nobody else', () => {
  test.each([
    ['logs what is no text', `ctx.log(new Error('x')); ctx.log({ a: 1n });`, 'ok'],
    ['returns what is no text', `return { ok: true };`, 'ok'],
    ['throws what has no text', `throw Object.create(null);`, 'failed'],
    [
      'throws an error whose message is an object',
      `const e = new Error(); e.message = {}; throw e;`,
      'failed',
    ],
    ['writes NaN', `await ctx.state.set('x', { n: Number.NaN });`, 'failed'],
    [
      'writes what is nested too deep',
      `let deep = 1; for (let i = 0; i < 3000; i += 1) deep = [deep]; await ctx.state.set('x', deep);`,
      'failed',
    ],
    [
      'names a class that there is not',
      `await ctx.effect('a', { class: 'Ask' }, async () => note('performed'));`,
      'failed',
    ],
    [
      'uses ctx inside an effect',
      `await ctx.effect('a', { class: 'retry' }, () => ctx.effect('b', { class: 'retry' }, async () => note('performed')));`,
      'failed',
    ],
  ])('one that %s', async (_what, source, end) => {
    const b = await bench(source);
    await handled(b);
    expect(b.process.snapshot.recentRuns.map((run) => (run.ok ? 'ok' : 'failed'))).toEqual([end]);
    expect(b.ledger()).toEqual([]);
    expect(b.process.snapshot.lifecycle).toBe('running');
  });

  test('one that is not async, and one that throws at once', async () => {
    const b = await bench(
      `export default defineAgent({ onTrigger(ctx, event) { if (event.payload === 'bad') throw new Error('at once'); } });`,
    );
    await handled(b);
    await handled(b, 'bad');
    expect(b.process.snapshot.recentRuns.map((run) => run.ok)).toEqual([true, false]);
    expect(b.process.snapshot.lastError?.message).toBe('at once');
  });

  test('one that sends garbage to its host loses its worker, and the process fails in the end with what happened', async () => {
    const b = await bench(`process.send({ type: 'invocation-done', run: 'x' }); await delay(60_000);`, {
      maxRestarts: 1,
    });
    await b.trigger();
    await b.until('the failure', ({ snapshot }) => snapshot.lifecycle === 'failed');
    expect(b.process.snapshot.lifecycleReason).toMatch(/no worker sends/);
  });
});

describe('[P2] an outcome is never left behind', () => {
  test.each([
    [
      'fails beside it',
      `await Promise.all([ctx.effect('slow', {}, async () => { await delay(150); note('happened'); return 1; }), (async () => { throw new Error('beside'); })()]);`,
    ],
    [
      'races it against a timeout',
      `await Promise.race([ctx.effect('slow', {}, async () => { await delay(150); note('happened'); return 1; }), delay(20).then(() => { throw new Error('late'); })]);`,
    ],
    [
      'forgets to await it',
      `void ctx.effect('slow', {}, async () => { await delay(150); note('happened'); return 1; });`,
    ],
  ])('by code that %s', async (_what, source) => {
    const b = await bench(source);
    await handled(b);
    await b.quit();
    expect(b.ledger()).toEqual(['happened']);
    const types = (await b.entries())
      .map((entry) => entry.entry_type)
      .filter((type) => /effect|error|invocation_result/.test(type));
    expect(types.slice(0, 2)).toEqual(['effect_started', 'effect_finished']);
    expect(types).toHaveLength(3);
  });

  test('by a result that can not be written: it happened, and is in doubt', async () => {
    const b = await bench(
      `await ctx.effect('charge', {}, async () => { note('charged'); const o = {}; o.self = o; return o; });`,
    );
    await b.trigger();
    await b.until('the doubt', () => kinds(b).includes('in_doubt'));
    expect(b.process.snapshot.open[0]!.effects[0]!.end).toMatchObject({
      kind: 'in_doubt',
      error: expect.stringContaining('it happened') as string,
    });
  });

  test('by an operator: what a worker is performing can not be decided', async () => {
    const b = await bench(
      `if (event.payload === 'A') await ctx.effect('a', {}, async () => { throw new Error('lost'); });
       else await ctx.effect('b', {}, async () => { note('b begins'); while (!existsSync(event.payload)) await delay(5); note('b ends'); return 1; });`,
      { concurrency: 2 },
    );
    const gate = `${b.directory}/gate`;
    await b.trigger(gate);
    await b.until('b', () => b.ledger().length === 1);
    await b.trigger('A');
    await b.until('the doubt', () => kinds(b).includes('in_doubt'));
    const b0 = b.process.snapshot.open.flatMap((open) => open.effects).find((effect) => effect.name === 'b')!;
    await expect(
      b.process.desk.resolveEffect(b0.effectId, { kind: 'did_not_happen' }, OPERATOR),
    ).rejects.toMatchObject({ code: 'effect.not-in-doubt' });
    appendFileSync(gate, '');
    await b.until('the end of b', ({ snapshot }) => snapshot.invocationCount === 1);
    expect(b.ledger()).toEqual(['b begins', 'b ends']);
  });
});

test('[S30] what a worker started is gone before the next worker performs', async () => {
  const b = await bench(
    `const { spawn } = await import('node:child_process');
     await ctx.effect('export', { class: 'retry' }, async ({ attempt }) => {
       const child = spawn('sleep', ['600'], { stdio: 'ignore' });
       note(String(child.pid));
       if (attempt === 1) await delay(60_000);
       child.kill();
     });`,
    often,
  );
  await b.trigger();
  await b.until('the child', () => b.ledger().length === 1);
  process.kill(b.process.live.worker!.pid, 'SIGKILL');
  await b.until('the second child', () => b.ledger().length === 2);
  await expectGone([Number(b.ledger()[0])]);
  await b.until('the end', isIdle);
});

test('after a doubt is decided the first run has nothing more to say, and nothing of it goes on', async () => {
  const b = await bench(
    `const decided = event.payload;
     const again = existsSync(decided);
     const later = async () => { while (!existsSync(decided)) await delay(5); };
     await Promise.race([ctx.effect('a', {}, async () => { throw new Error('lost'); }), later()]);
     await ctx.effect('b', {}, async () => { note('b begins ' + again); await delay(400); note('b ends'); return 1; });
     return again ? 'second run' : 'first run';`,
  );
  const gate = `${b.directory}/decided`;
  await b.trigger(gate);
  await b.until('the doubt', () => kinds(b).includes('in_doubt'));
  appendFileSync(gate, '');
  await b.process.desk.resolveEffect(
    b.process.snapshot.open[0]!.effects[0]!.effectId,
    { kind: 'skip' },
    OPERATOR,
  );
  await b.until('the end', isIdle);
  await b.quit();
  expect(b.ledger()).toEqual(['b begins true', 'b ends']);
  const results = (await b.entries()).filter((entry) => entry.entry_type === 'invocation_result');
  expect(results.map((entry) => entry.data['response'])).toEqual(['second run']);
});

test('[S34] an operator’s hold outlives a failure, its restart, and a restart of the host', async () => {
  const b = await bench(`while (!existsSync(event.payload)) await delay(5); throw new Error('no');`, {
    restartPolicy: 'always',
    maxConsecutiveFailures: 1,
  });
  const gate = `${b.directory}/gate`;
  await b.trigger(gate);
  await b.until('the run', ({ live }) => live.running === 1);
  await b.process.suspend(OPERATOR);
  appendFileSync(gate, '');
  await b.until(
    'the restart',
    ({ snapshot }) => snapshot.restarts === 1 && snapshot.lifecycle === 'suspended',
  );
  expect(kinds(b)).toEqual(['operator']);
  const next = await b.again();
  expect(kinds(next)).toEqual(['operator']);
  await next.process.resume(OPERATOR);
  expect(next.process.snapshot.lifecycle).toBe('running');
});

test('[S34] under a doubt alone the others go on, also when an operator’s hold on top of it is lifted', async () => {
  const b = await bench(
    `if (event.payload === 'A') await ctx.effect('a', {}, async () => { throw new Error('lost'); });
     else { while (!existsSync(event.payload)) await delay(5); await ctx.effect('b', {}, async () => { note('b'); return 1; }); }`,
    { concurrency: 2 },
  );
  const gate = `${b.directory}/gate`;
  await b.trigger(gate);
  await b.until('the run', ({ live }) => live.running === 1);
  await b.trigger('A');
  await b.until('the doubt', () => kinds(b).includes('in_doubt'));
  await b.process.suspend(OPERATOR);
  appendFileSync(gate, '');
  await b.until('the announcement', ({ snapshot }) =>
    snapshot.open.some((open) => open.effects.some((effect) => effect.name === 'b')),
  );
  expect(b.ledger()).toEqual([]);
  await b.process.resume(OPERATOR);
  await b.until('b', () => b.ledger().length === 1);
  expect(b.process.snapshot.lifecycle).toBe('suspended');
});

test('an effect that was announced and never permitted is taken back, and is no doubt at the next start', async () => {
  const b = await bench(
    `while (!existsSync(event.payload)) await delay(5);
     await ctx.effect('charge', {}, async () => { note('charged'); return 1; });`,
  );
  const gate = `${b.directory}/gate`;
  await b.trigger(gate);
  await b.until('the run', ({ live }) => live.running === 1);
  await b.process.suspend(OPERATOR);
  appendFileSync(gate, '');
  await b.until('the announcement', ({ snapshot }) => snapshot.open[0]?.effects.length === 1);
  const next = await b.again();
  expect(kinds(next)).toEqual(['operator']);
  expect(next.process.snapshot.open[0]!.effects).toEqual([]);
  await next.process.resume(OPERATOR);
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual(['charged']);
});

test('[P1] [P3] force-recover between accepted events loses none of them, and the live state stays what the journal gives', async () => {
  const b = await bench(`note(event.payload);`, often);
  await b.process.suspend(OPERATOR);
  const accepted: Promise<string>[] = [];
  for (let round = 0; round < 10; round += 1) {
    for (let event = 0; event < 5; event += 1) accepted.push(b.trigger(`e${round}-${event}`));
    await b.process.forceRecover(OPERATOR);
  }
  await Promise.all(accepted);
  expect(b.process.snapshot.queue).toHaveLength(50);
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  await b.quit();
  expect(new Set(b.ledger()).size).toBe(50);
  expect(b.ledger()).toHaveLength(50);
  expect(await folded(b)).toEqual(b.process.snapshot);
});

test('[P3] operators who all press at once get one thing after the other, and a legal state at the end', async () => {
  const b = await bench(
    `await ctx.effect('x', { class: 'idempotent' }, async () => { note('x'); await delay(5); });`,
    often,
  );
  for (let round = 0; round < 6; round += 1) {
    await b.trigger();
    await Promise.allSettled([
      b.process.suspend(OPERATOR),
      b.process.forceRecover(OPERATOR),
      b.process.killWorker(),
      b.process.resume(OPERATOR),
      b.process.stop(OPERATOR),
      b.process.start(OPERATOR),
    ]);
  }
  expect(b.process.snapshot.lifecycle).toBe('running');
  await b.until('the end', isIdle);
  await b.quit();
  expect(b.process.snapshot.invocationCount).toBe(6);
  expect(await folded(b)).toEqual(b.process.snapshot);
});

test('branches that run side by side are no divergence, whatever each of them waits for', async () => {
  const b = await bench(
    `await Promise.all([
       (async () => {
         await ctx.effect('a', { class: 'retry' }, async () => { await delay(100); return 1; });
         if (!existsSync(event.payload)) { appendFileSync(event.payload, ''); process.kill(process.pid, 'SIGKILL'); await delay(1_000); }
         await ctx.effect('d', { class: 'retry' }, async () => 1);
       })(),
       (async () => { await delay(50); await ctx.effect('c', { class: 'retry' }, async () => 1); })(),
     ]);`,
    often,
  );
  await handled(b, `${b.directory}/killed`);
  expect(b.process.snapshot).toMatchObject({ invocationCount: 1, lifecycle: 'running' });
});

test('[S23] what code gets back live is what a re-run gets back: JSON’s copy of it', async () => {
  const b = await bench(
    `const args = { when: new Date(0), gone: undefined };
     const pending = ctx.effect('read', { class: 'retry', args }, async (call) => { note(JSON.stringify(call.args)); return { at: new Date(0), list: [undefined] }; });
     args.when = 'changed meanwhile';
     const result = await pending;
     note(JSON.stringify(result) + typeof result.at);
     await ctx.state.set('x', { d: new Date(0), u: undefined });
     note(JSON.stringify(ctx.state.get('x')));
     await ctx.effect('wait', { class: 'retry' }, async ({ attempt }) => { if (attempt === 1) { note('wait'); await delay(60_000); } });`,
    often,
  );
  await b.trigger();
  await b.until('the wait', () => b.ledger().includes('wait'));
  await b.process.killWorker();
  await b.until('the end', isIdle);
  const [args, result, state, wait, ...again] = b.ledger();
  expect(args).toBe('{"when":"1970-01-01T00:00:00.000Z"}');
  expect(result).toBe('{"at":"1970-01-01T00:00:00.000Z","list":[null]}string');
  expect(state).toBe('{"d":"1970-01-01T00:00:00.000Z"}');
  expect([wait, ...again]).toEqual(['wait', result, state]);
});

test('an event that the journal can not hold is refused, and the process goes on', async () => {
  const b = await bench(`note('ran');`);
  const deep = JSON.parse(`{"toJSON": 1, "deep": ${'['.repeat(300)}${']'.repeat(300)}}`) as Json;
  for (const payload of [{ limit: Number.POSITIVE_INFINITY }, deep])
    await expect(b.process.trigger(payload)).rejects.toMatchObject({ code: 'json.not-recordable' });
  expect(b.process.live.trouble).toBeNull();
  await handled(b);
  expect(b.ledger()).toEqual(['ran']);
});

test('[S34] an idle hold waits for the work that there is, and resuming starts its clock anew', async () => {
  const b = await bench(
    `await delay(1_000);\nexport default defineAgent({ async onTrigger() { note('ran'); } });`,
    { idleTimeoutMs: 300, heartbeatIntervalMs: 50 },
  );
  await b.trigger();
  await b.until('the idle hold', () => kinds(b).includes('idle'));
  expect(b.ledger()).toEqual(['ran']);
  const first = await b.entries();
  // A machine that stands still may leave it idle before its event, too.
  const types = first.map((entry) => entry.entry_type);
  const since = types.slice(types.indexOf('trigger_event'));
  expect(since.indexOf('hold_placed')).toBeGreaterThan(since.indexOf('invocation_result'));
  await b.process.resume(OPERATOR);
  await b.until('the next one', () => kinds(b).includes('idle'));
  const next = (await b.entries()).slice(first.length);
  const states = next.flatMap(({ data }) => data['to_state'] ?? []);
  expect(states).toEqual(['running', 'suspended']);
  const holds = next.filter(({ data }) => data['hold'] === 'idle');
  const [lifted, placed] = holds.map(({ timestamp }) => Date.parse(timestamp));
  // By another clock, and far more than to the next beat.
  expect(placed! - lifted!).toBeGreaterThan(250);
  await b.trigger();
  await b.until('the second run', () => b.ledger().length === 2);
});

test('a restart that was waited for when the host went is still due', async () => {
  const b = await bench(`throw new Error('no');`, {
    restartPolicy: 'always',
    maxConsecutiveFailures: 1,
    restartBackoffMs: 2_000,
  });
  await b.trigger();
  await b.until('the failure', ({ live }) => live.restartAt !== null);
  const next = await b.again();
  await next.until('the restart', ({ snapshot }) => snapshot.lifecycle === 'running');
  expect(next.process.snapshot.restarts).toBe(1);
  const entries = await next.entries();
  const found = entries.findLastIndex(({ entry_type }) => entry_type === 'recovered');
  expect(entries[found]!.data).toMatchObject({ from: 'failed' });
  const states = entries.slice(found).flatMap(({ data }) => data['to_state'] ?? []);
  expect(states).toEqual(['starting', 'running']);
});

test('a host that closes takes no more orders, and starts nothing', async () => {
  const b = await bench(`note('ran');`);
  const quitting = b.runtime.quit();
  await expect(b.process.resume(OPERATOR)).rejects.toMatchObject({ code: 'host.closing' });
  await expect(b.trigger()).rejects.toMatchObject({ code: 'host.closing' });
  await quitting;
  expect(b.process.live.worker).toBeNull();
  expect(b.process.triggers.isOpen).toBe(false);
});

test('stopping does not wait for a module that hangs while it is loaded', async () => {
  const b = await bench(
    `setInterval(() => {}, 1_000); await new Promise(() => {});\nexport default defineAgent({ async onTrigger() {} });`,
  );
  await b.trigger();
  await b.until('the worker', ({ live }) => live.isSpawning);
  await b.process.stop(OPERATOR);
  expect(b.process.snapshot.lifecycle).toBe('stopped');
  expect(b.process.live.isSpawning).toBe(false);
});

test('[S3] a process without a journal may not do what could be done twice, nor begin again what a journal has begun', async () => {
  const b = await bench(
    `await ctx.effect('pay', { class: 'ask' }, async () => { note('paid'); return 1; });`,
    { journalLevel: 'none' },
  );
  await handled(b);
  expect(b.ledger()).toEqual([]);
  expect(b.process.snapshot.lastError).toMatchObject({
    code: 'effect.refused',
    message: expect.stringContaining('keeps no journal') as string,
  });
  await expect(b.process.forceRecover(OPERATOR)).rejects.toMatchObject({ code: 'journal.required' });

  const journaled = await bench(`note('ran'); await delay(60_000);`);
  await journaled.trigger();
  await journaled.until('the run', () => journaled.ledger().length === 1);
  await journaled.quit();
  const forgetful = await bench(`note('ran');`, { journalLevel: 'none' }, journaled.directory);
  expect(forgetful.process.live.trouble).toMatchObject({ code: 'journal.required' });
  await waitFor(() => forgetful.ledger().length === 1);
});
