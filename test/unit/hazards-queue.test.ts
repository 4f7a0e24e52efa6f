// What other runtimes lose, swallow or mix up between an event and its end, with real workers on a real journal; and with
// stepped ones where only time tells.

import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import { textAt } from '../../core/model/json.ts';
import { bench, folded, isIdle, OPERATOR } from '../support/runtime.ts';
import { startStepped } from '../support/stepped-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';

test('[C14] three at a time: every entry says whose it is, and every effect that began has an end, failed ones too', async () => {
  const b = await bench(
    `ctx.log('begins');
     const n = Number(event.payload);
     for (let step = 0; step < 3; step += 1) {
       await ctx.effect('call', { class: 'ask', args: { n, step } }, async () => {
         await delay(5 * (1 + (n + step) % 3));
         if (step === 1) throw new DidNotHappen('refused', { retryable: false });
         return n * 10 + step;
       }).catch((error) => ctx.log(error.message));
     }
     await ctx.state.set('last', n);
     await ctx.conversation.append({ role: 'assistant', content: 'event ' + n });
     await ctx.sleep(1);
     await ctx.emit('counted', { n });`,
    { concurrency: 3, maxConsecutiveFailures: 100 },
  );
  const ids = new Map<string, number>();
  // All of them are there when the first begins.
  await b.process.suspend(OPERATOR);
  for (let n = 0; n < 6; n += 1) ids.set(await b.trigger(String(n)), n);
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  await b.quit();
  const entries = await b.entries();
  const ofRuns = /^(effect|invocation_|context_|conversation_|timer_|message_sent|error)/;
  const counts = new Map<string, number>();
  const began: string[] = [];
  const ended: string[] = [];
  const argsOf: string[] = [];
  let atOnce = 0;
  let most = 0;
  for (const { entry_type, data } of entries) {
    if (!ofRuns.test(entry_type)) continue;
    const n = ids.get(textAt(data, 'event_id'));
    expect(n, `${entry_type} ${JSON.stringify(data)}`).toBeDefined();
    counts.set(`${n} ${entry_type}`, (counts.get(`${n} ${entry_type}`) ?? 0) + 1);
    if (entry_type === 'effect_started') {
      began.push(textAt(data, 'effect_id'));
      argsOf.push(`${n} ${textAt(data, 'args_preview')}`);
    }
    if (entry_type === 'effect_finished') ended.push(textAt(data, 'effect_id'));
    if (entry_type === 'invocation_start') most = Math.max(most, (atOnce += 1));
    if (entry_type === 'invocation_result') atOnce -= 1;
  }
  expect(argsOf.every((text) => text.includes(`"n":${text.split(' ')[0]},`))).toBe(true);
  // What sleeps takes no room, so there may be more of them for a moment.
  expect(most).toBeGreaterThanOrEqual(3);
  expect(ended.toSorted()).toEqual(began.toSorted());
  expect(new Set(began).size).toBe(18);
  for (const n of ids.values()) {
    const of = (type: string): number | undefined => counts.get(`${n} ${type}`);
    expect([of('effect_started'), of('effect_finished'), of('invocation_result')]).toEqual([3, 3, 1]);
    expect([of('context_update'), of('conversation_appended'), of('message_sent')]).toEqual([1, 1, 1]);
    expect([of('timer_started'), of('timer_fired')]).toEqual([1, 1]);
  }
});

test('[C15] every event that was accepted has one end on record, whichever way it went', async () => {
  const b = await bench(
    `const how = event.payload;
     await ctx.effect('begin', { class: 'retry' }, async () => null);
     if (how === 'throws') throw new Error('no');
     if (how === 'gives up') throw new TerminalError('never');
     if (how === 'recovers' && ctx.attempt === 1) throw new Error('once');
     if (how === 'dies' && !existsSync('DIED')) { appendFileSync('DIED', ''); process.kill(process.pid, 'SIGKILL'); await delay(60_000); }
     if (how === 'waits') await ctx.sleep(20);`.replaceAll("'DIED'", `ctx.state.get('place') + '/died'`),
    {
      concurrency: 2,
      maxConsecutiveFailures: 1_000,
      maxRestarts: 1_000,
      delivery: { ...DEFAULT_DELIVERY, maxRetries: 1, retryBackoffMs: 10 },
      initialState: { place: tempDirectory() },
    },
  );
  const ways = ['well', 'throws', 'gives up', 'recovers', 'dies', 'waits'];
  const accepted = new Map<string, string>();
  for (const how of [...ways, ...ways]) accepted.set(await b.trigger(how), how);
  await b.until('the end', isIdle);
  await b.quit();
  const ends = new Map<string, string[]>();
  for (const { entry_type, data } of await b.entries()) {
    const isEnd = entry_type === 'invocation_result' || (entry_type === 'error' && data['final'] === true);
    const eventId = textAt(data, 'event_id');
    if (isEnd) ends.set(eventId, [...(ends.get(eventId) ?? []), entry_type]);
  }
  for (const [eventId, how] of accepted) {
    const isBad = how === 'throws' || how === 'gives up';
    expect(ends.get(eventId), how).toEqual([isBad ? 'error' : 'invocation_result']);
  }
  expect(ends.size).toBe(accepted.size);
  expect(b.process.snapshot.deadLetters.map(({ event }) => event.payload)).toEqual(['throws', 'throws']);
  expect(await folded(b)).toEqual(b.process.snapshot);
});

test('[C19] an event after an idle hold wakes the process and is handled', async () => {
  const host = await startStepped(() => 0.5, { idleTimeoutMs: 5_000 });
  await host.until('the idle hold', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'idle'));
  await host.outcome('accepting', host.agent.trigger({ errand: 'count' }));
  await host.until('its end', ({ snapshot }) => snapshot.invocationCount === 1);
  expect(host.agent.snapshot).toMatchObject({ lifecycle: 'running', holds: [], context: { count: 1 } });
});

test('[C20] a suspended process with a full queue does nothing for a day, and then goes on in the order in which events came', async () => {
  const heartbeatIntervalMs = 10_000;
  const host = await startStepped(() => 0.5, { heartbeatIntervalMs, concurrency: 1 });
  const { agent, clock } = host;
  await host.outcome('suspending', agent.suspend(OPERATOR));
  const ids: string[] = [];
  for (let n = 0; n < 50; n += 1) {
    ids.push(await host.outcome('accepting', agent.trigger({ errand: 'count' })));
  }
  await host.until('its checkpoint', () => host.workers.living === 0);
  await host.settled();
  const before = await host.entries();
  const called = clock.called;
  const day = 24 * 60 * 60 * 1000;
  clock.pass(day);
  await host.turns(5, 0);
  await host.settled();
  // It only looks once in a while whether the clock was set.
  expect(clock.called - called).toBeLessThanOrEqual(day / heartbeatIntervalMs + 1);
  expect(clock.pending).toBe(1);
  expect(await host.entries()).toEqual(before);
  expect(agent.snapshot.queue.map(({ eventId }) => eventId)).toEqual(ids);
  await host.outcome('resuming', agent.resume(OPERATOR));
  await host.until('the end', isIdle);
  await host.settled();
  const order = (await host.entries())
    .filter(({ entry_type }) => entry_type === 'invocation_start')
    .map(({ data }) => data['event_id']);
  expect(order).toEqual(ids);
});

test('[C23] an event that comes while another is handled is handled by the same worker, and nothing is restarted for it', async () => {
  const b = await bench(
    `if (event.payload !== 'second') await ctx.effect('wait', { class: 'retry' }, async () => { note('first'); while (!existsSync(event.payload)) await delay(5); });
     else note('second');`,
    { concurrency: 2 },
  );
  const gate = `${b.directory}/gate`;
  await b.trigger(gate);
  await b.until('the first', () => b.ledger().length === 1);
  await b.trigger('second');
  await b.until('the second', ({ snapshot }) => snapshot.invocationCount === 1);
  expect(b.ledger()).toEqual(['first', 'second']);
  expect(b.process.snapshot.open).toHaveLength(1);
  appendFileSync(gate, '');
  await b.until('the end', isIdle);
  await b.quit();
  const types = (await b.entries()).map(({ entry_type }) => entry_type);
  expect(types.filter((type) => type === 'worker_started')).toHaveLength(1);
  expect(types.filter((type) => type === 'recovered' || type === 'restart')).toEqual([]);
});
