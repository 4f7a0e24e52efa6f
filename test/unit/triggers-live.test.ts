// Triggers that are added, paused, resumed and taken away while their process lives, and again in its next life.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changeTrigger } from '../../core/host/trigger-commands.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { TriggerConfig } from '../../core/model/trigger-config.ts';
import { withIds } from '../../core/runtime/trigger-id.ts';
import type { TriggerView } from '../../core/runtime/trigger-set.ts';
import { bench, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { SteppedClock } from '../support/stepped-clock.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { cron, fileWatch, triggerSet } from '../support/triggers.ts';
import { freePort, sendJson, webhookConfig } from '../support/webhooks.ts';

const NOTE = 'note(String(event.payload));';
const add = (b: Bench, config: JsonObject): Promise<string> =>
  b.process.triggerDesk.add(config, b.directory, OPERATOR);
const view = (b: Bench, id: string): TriggerView | undefined =>
  b.process.triggers.views().find((trigger) => trigger.id === id);
async function typed(b: Bench, type: string): Promise<Record<string, unknown>[]> {
  await b.process.settled();
  return (await b.entries()).filter(({ entry_type }) => entry_type === type).map(({ data }) => data);
}

test('[C23] a webhook is added, paused, resumed and taken away live, and is as it was left in the next life', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/hook`;
  const post = async (): Promise<number | string> =>
    (await sendJson(url, 'x').catch((error: NodeJS.ErrnoException) => ({ status: error.code ?? '' }))).status;
  let b = await bench(NOTE);
  const id = await add(b, { type: 'webhook', webhook_port: port, webhook_path: '/hook' });
  expect(id).toBe(`webhook-${port}/hook`);
  expect(await post()).toBe(202);
  b = await b.again();
  await b.until('the port', () => view(b, id)?.address);
  expect(await post()).toBe(202);
  await b.process.triggerDesk.pause(id, OPERATOR);
  await b.process.triggers.closed();
  expect(await post()).toBe('ECONNREFUSED');
  b = await b.again();
  expect(view(b, id)).toMatchObject({ isAdded: true, address: null, paused: { actor: OPERATOR.name } });
  await b.process.triggerDesk.resume(id, OPERATOR);
  await b.until('the port', () => view(b, id)?.address);
  expect(await post()).toBe(202);
  await b.process.triggerDesk.remove(id, OPERATOR);
  await b.process.triggers.closed();
  expect(await post()).toBe('ECONNREFUSED');
  b = await b.again();
  expect(b.process.triggers.views()).toEqual([]);
  await b.until('all of them', isIdle);
  expect(b.ledger()).toEqual(['x', 'x', 'x']);
});

test('[C23] what was due while a schedule was paused is over', async () => {
  const clock = new SteppedClock(Date.UTC(2026, 0, 31, 10, 15));
  const source = 'note(event.payload.scheduled_time.slice(11, 16));';
  const b = await bench(source, { triggers: [cron('0 * * * *', 'all')] }, undefined, { clock });
  const { id } = b.process.triggers.views()[0]!;
  await b.process.triggerDesk.pause(null, OPERATOR);
  clock.pass(3 * 60 * 60_000);
  const next = await b.again();
  clock.pass(0);
  await next.process.triggerDesk.resume(null, OPERATOR);
  expect(view(next, id)).toMatchObject({ next: '2026-01-31T14:00:00.000Z', missed: 0, accepted: 0 });
  clock.pass(60 * 60_000);
  await next.until('the tick', () => view(next, id)!.accepted === 1);
  await next.until('its end', isIdle);
  expect(next.ledger()).toEqual(['14:00']);
});

test('[S22] a schedule that was followed ahead of the clock begins anew where an operator resumes it', async () => {
  const clock = new SteppedClock(Date.UTC(2026, 0, 31, 10, 15));
  const b = await bench('', { triggers: [cron('0 * * * *')] }, undefined, { clock });
  const { id } = b.process.triggers.views()[0]!;
  clock.pass(60 * 60_000);
  await b.until('the tick', () => view(b, id)!.next === '2026-01-31T12:00:00.000Z');
  clock.set(-24 * 60 * 60_000);
  expect(view(b, id)!.problem?.code).toBe('trigger.clock-behind');
  await b.process.triggerDesk.resume(id, OPERATOR);
  expect(view(b, id)).toMatchObject({ problem: null, next: '2026-01-30T12:00:00.000Z' });
});

test('[C23] [P5] resuming one of several that are paused together says that it stays paused, and all but one which', async () => {
  const b = await bench(NOTE, { triggers: [cron('0 4 * * *'), cron('0 5 * * *')] });
  const [first, second] = b.process.triggers.views().map(({ id }) => id);
  const resume = (triggerId: string | null): Promise<string> =>
    changeTrigger(
      'triggers.resume',
      b.directory,
      b.process,
      { journalId: 'any', process: 'agent', commandId: crypto.randomUUID(), reason: '', triggerId },
      OPERATOR,
    );
  const desk = b.process.triggerDesk;
  await desk.pause(null, OPERATOR);
  expect(await resume(first!)).toContain(
    `${first} of agent stays paused with all others, by ${OPERATOR.name}`,
  );
  expect(view(b, first!)!.paused).not.toBeNull();
  await desk.pause(second!, OPERATOR);
  expect(await resume(null)).toBe(
    `The triggers of agent are on again, from now on, but for what was paused by itself: ${second}.`,
  );
  expect(b.process.triggers.views().map(({ paused }) => paused === null)).toEqual([true, false]);
  expect(await resume(second!)).toBe(`The trigger ${second} of agent is on again, from now on.`);
});

test('[C24] one that is closed while its port is found to be taken leaves no timer behind', async () => {
  const clock = new SteppedClock(Date.UTC(2026, 0, 31));
  const other = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => {
    other.listen(port, '127.0.0.1', resolve);
  });
  onTestFinished(() => void other.close());
  const triggers = triggerSet([webhookConfig(port)], clock);
  triggers.open();
  // It has begun to open its port, and does not know yet that it can't.
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  triggers.close();
  await triggers.closed();
  expect(clock.pending).toBe(0);
});

test('[C23] a trigger of the manifest that was taken away stays away, and can be added again', async () => {
  const b = await bench(NOTE, { triggers: [cron('0 4 * * *'), cron('0 5 * * *')] });
  const [first, second] = b.process.triggers.views();
  await b.process.triggerDesk.remove(first!.id, OPERATOR);
  const next = await b.again();
  expect(next.process.triggers.views().map(({ id }) => id)).toEqual([second!.id]);
  expect(await add(next, { type: 'cron', cron_expression: '0  4 * * *' })).toBe(first!.id);
  const last = await next.again();
  expect(view(last, first!.id)).toMatchObject({ isAdded: true, next: expect.any(String) as string });
  await last.process.triggerDesk.remove(first!.id, OPERATOR);
  expect(last.process.triggers.views().map(({ id }) => id)).toEqual([second!.id]);
});

test('[C23] ids are the same wherever a trigger stands in its manifest', () => {
  const event = { type: 'event', eventType: 'price.*', eventSource: null } as const;
  const triggers: TriggerConfig[] = [
    cron('0 4 * * *'),
    { ...event, filter: "currency == 'EUR'" },
    { ...event, filter: null },
    webhookConfig(9_090),
    { ...event, filter: "currency == 'CHF'" },
    fileWatch('/somewhere'),
  ];
  const idsOf = (all: readonly TriggerConfig[]): Map<TriggerConfig, string> =>
    new Map(withIds(all.map((trigger) => ({ trigger }))).map(({ trigger, id }) => [trigger, id]));
  const ids = idsOf(triggers);
  expect(new Set(ids.values()).size).toBe(triggers.length);
  for (let turn = 1; turn < triggers.length; turn += 1) {
    const turned = idsOf([...triggers.slice(turn), ...triggers.slice(0, turn)].toReversed());
    for (const trigger of triggers) expect(turned.get(trigger)).toBe(ids.get(trigger));
  }
});

test('[C23] ids are told apart also where one folder is called as the second trigger of another would be', () => {
  const triggers = [
    fileWatch('/srv/in', { patterns: ['*.csv'] }),
    fileWatch('/srv/in', { patterns: ['*.txt'] }),
    fileWatch('/srv/in-2'),
    fileWatch('/srv/in', { patterns: ['*.xml'] }),
  ];
  for (let turn = 0; turn < triggers.length; turn += 1) {
    const turned = [...triggers.slice(turn), ...triggers.slice(0, turn)];
    const ids = withIds(turned.map((trigger) => ({ trigger })));
    expect(ids.map(({ id }) => id).toSorted()).toEqual(
      ['in', 'in-2', 'in-3', 'in-4'].map((name) => `file_watch-/srv/${name}`),
    );
    expect(ids.find(({ trigger }) => trigger.path === '/srv/in-2')!.id).toBe('file_watch-/srv/in-2');
  }
});

test('[A13] [A14] [C23] what can never wake anything is refused when it is added, by name, and leaves no trace', async () => {
  const taken = await freePort();
  const b = await bench(NOTE, { triggers: [webhookConfig(taken)] });
  await b.until('the port', ({ triggers }) => triggers.views()[0]!.address);
  const wrong: readonly [JsonObject, string, RegExp][] = [
    [{ type: 'cron', cron_expression: '61 * * * *' }, 'trigger.bad-cron', /61/],
    [{ type: 'cron', cron_expression: '0 4 * * *', cron_timezone: 'Mars' }, 'trigger.bad-cron', /Mars/],
    [{ type: 'cron', cron_expresion: '0 4 * * *' }, 'trigger.invalid', /cron_expresion/],
    [{ type: 'cron', cron_expression: '0 4 * * *', holdfast: { mised: 'all' } }, 'trigger.invalid', /mised/],
    [{ type: 'cron', cron_expression: '0 4 * * *', filter_expression: 'a +' }, 'trigger.bad-filter', /./],
    [{ type: 'webhok' }, 'trigger.invalid', /type: it is one of cron, .* and file_watch/],
    [{ type: 'manual' }, 'trigger.invalid', /by hand/],
    [{ type: 'webhook', webhook_port: 80 }, 'trigger.invalid', /webhook_port: take a port from 1025/],
    [{ type: 'webhook', webhook_path: 'orders' }, 'trigger.bad-path', /slash/],
    [{ type: 'webhook', allowed_sources: ['everybody'] }, 'trigger.bad-source', /everybody/],
    [{ type: 'file_watch', watch_path: 'in', watch_patterns: ['in/*.csv'] }, 'trigger.bad-pattern', /name/],
    [{ type: 'file_watch', watch_path: 'journal' }, 'trigger.bad-path', /is a journal/],
    [{ type: 'webhook', webhook_port: taken }, 'trigger.exists', /already/],
    [
      { type: 'webhook', webhook_port: taken, webhook_host: '0.0.0.0', webhook_path: '/b' },
      'trigger.port-taken',
      /use/,
    ],
    [{ type: 'webhook', hmac_secret: 'plain' }, 'trigger.secret', /environment/],
    [
      { type: 'webhook', hmac_secret: '${HOLDFAST_TEST_UNSET}' },
      'manifest.no-variable',
      /HOLDFAST_TEST_UNSET/,
    ],
    [{ type: 'file_watch', watch_path: 'agent.ts' }, 'trigger.not-a-directory', /agent\.ts/],
  ];
  for (const [config, code, message] of wrong) {
    await expect(add(b, config), JSON.stringify(config)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  }
  expect(b.process.triggers.views()).toHaveLength(1);
  expect(b.process.snapshot.triggers).toMatchObject({ added: [], removed: [] });
  await expect(b.process.triggerDesk.remove('cron-0', OPERATOR)).rejects.toMatchObject({
    code: 'trigger.not-found',
  });
  await expect(b.process.triggerDesk.remove('manual', OPERATOR)).rejects.toMatchObject({
    code: 'trigger.not-found',
  });
});

test('[C23] one that makes no sense any more says so, lets the others be, and can be taken away', async () => {
  const port = await freePort();
  process.env['HOLDFAST_TEST_SECRET'] = 'sesame';
  onTestFinished(() => void delete process.env['HOLDFAST_TEST_SECRET']);
  const b = await bench(NOTE);
  const hook = await add(b, {
    type: 'webhook',
    webhook_port: port,
    hmac_secret: '${HOLDFAST_TEST_SECRET}',
  });
  const daily = await add(b, { type: 'cron', cron_expression: '0 4 * * *' });
  expect(JSON.stringify(await b.entries())).not.toContain('sesame');
  delete process.env['HOLDFAST_TEST_SECRET'];
  const next = await b.again();
  expect(view(next, hook)).toMatchObject({
    type: 'webhook',
    address: null,
    problem: { code: 'manifest.no-variable' },
  });
  expect(next.process.triggers.problem).toMatchObject({ code: 'manifest.no-variable' });
  expect(view(next, daily)!.next).not.toBeNull();
  // Nothing but taking it away is of any use, and that is said.
  await expect(next.process.triggerDesk.pause(hook, OPERATOR)).rejects.toMatchObject({
    code: 'trigger.unusable',
    message: expect.stringMatching(/only be taken away: .*HOLDFAST_TEST_SECRET/) as string,
  });
  await expect(add(next, { type: 'webhook', webhook_port: port })).rejects.toMatchObject({
    code: 'trigger.exists',
  });
  await next.process.triggerDesk.remove(hook, OPERATOR);
  expect(next.process.triggers.views().map(({ id }) => id)).toEqual([daily]);
});

test('[C23] a folder that is added with a path of its own is watched there, also after its workspace was moved', async () => {
  const b = await bench('note(event.payload.filename);');
  const inbox = join(tempDirectory(), 'inbox');
  mkdirSync(inbox);
  const id = await add(b, { type: 'file_watch', watch_path: inbox, watch_debounce_seconds: 0.05 });
  expect(id).toBe(`file_watch-${inbox}`);
  const relative = await add(b, { type: 'file_watch', watch_path: './here' });
  expect(await typed(b, 'trigger_added')).toMatchObject([
    { config: { watch_path: inbox } },
    { config: { watch_path: join(b.directory, 'here') } },
  ]);
  expect(relative).toBe(`file_watch-${join(b.directory, 'here')}`);
  writeFileSync(join(inbox, 'a.txt'), 'a');
  await b.until('the run', ({ snapshot }) => snapshot.invocationCount === 1);
  await b.until('its end', isIdle);
  expect(b.ledger()).toEqual(['a.txt']);
});

test('[C23] one that is taken away and added again in the middle of its events holds up nothing', async () => {
  const b = await bench('');
  const inbox = join(tempDirectory(), 'inbox');
  const config = { type: 'file_watch', watch_path: inbox, watch_debounce_seconds: 0 };
  const id = await add(b, config);
  for (let turn = 0; turn < 10; turn += 1) {
    for (let file = 0; file < 20; file += 1) writeFileSync(join(inbox, `${turn}-${file}.csv`), 'x');
    const { accepted } = view(b, id)!;
    await b.until('some of them', () => view(b, id)!.accepted > accepted);
    await Promise.all([b.process.triggerDesk.remove(id, OPERATOR), add(b, config)]);
  }
  await b.process.stop(OPERATOR);
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'stopped', triggers: { removed: [] } });
});

/** What this program holds of the system. */
function held(): Record<string, number> {
  const kinds = process
    .getActiveResourcesInfo()
    .filter((kind) => /TCPServer|FSEvent|FSREQ|StatWatcher|Timeout/.test(kind));
  return Object.fromEntries(
    Object.entries(Object.groupBy(kinds, (kind) => kind)).map(([kind, all]) => [kind, all!.length]),
  );
}

test('[C24] fifty restarts leave no port, no timer and no watcher behind', async () => {
  const port = await freePort();
  const inbox = join(tempDirectory(), 'inbox');
  const triggers = [webhookConfig(port), fileWatch(inbox), cron('0 4 * * *')];
  const b = await bench(NOTE, { triggers });
  const isOpen = (): boolean =>
    b.process.triggers.views().every(({ address, next }) => address !== null || next !== null);
  await b.until('all of them', isOpen);
  await b.until('quiet', () => !('FSReqCallback' in held()));
  const before = held();
  for (let turn = 0; turn < 50; turn += 1) {
    // Half of them before what they close was open.
    if (turn % 2 === 0) await b.until('all of them', isOpen);
    await b.process.restart(OPERATOR);
  }
  await b.until('all of them', isOpen);
  await b.process.triggers.closed();
  expect(b.process.triggers.views().map(({ problem }) => problem)).toEqual([null, null, null]);
  await b.until('what it held before, and no more', () => {
    const now = held();
    return Object.entries(now).every(([kind, count]) => count <= (before[kind] ?? 0));
  });
  expect((await sendJson(`http://127.0.0.1:${port}/webhook`, 'x')).status).toBe(202);
  await b.process.stop(OPERATOR);
  await b.process.triggers.closed();
  expect(held()).not.toHaveProperty('TCPServerWrap');
  await expect(sendJson(`http://127.0.0.1:${port}/webhook`, 'x')).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});

test('[C24] what fails and is restarted by itself keeps its port, and answers on it all the time', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/webhook`;
  const b = await bench(`note('ran'); throw new Error('no');`, {
    triggers: [webhookConfig(port)],
    maxConsecutiveFailures: 1,
    restartPolicy: 'on_failure',
    maxRestarts: 20,
    restartBackoffMs: 1,
  });
  await b.until('the port', ({ triggers }) => triggers.views()[0]!.address);
  for (let failures = 1; failures <= 5; failures += 1) {
    for (;;) {
      const { status } = await sendJson(url, 'x');
      if (status === 202) break;
      expect(status).toBe(503);
    }
    await b.until('the failure', () => b.ledger().length >= failures && isIdle(b.process));
  }
  expect(await typed(b, 'restart')).not.toHaveLength(0);
});
