// Ended invocations run again against their record: what a change of the code is found by, that unchanged code is never
// blamed, and that checking does nothing to the world or the journal.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import {
  checkReplay,
  verdictOn,
  type CheckedInvocation,
  type ReplayCheckReport,
} from '../../core/host/replay-check.ts';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import { DEFAULT_PROCESS_CONFIG, type ProcessConfig } from '../../core/model/process-config.ts';
import type { WorkerHandle, WorkerHost } from '../../core/model/ports.ts';
import { holdfast, mapLimited } from '../support/child.ts';
import { treeHash } from '../support/fixtures.ts';
import { bench, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';

interface Changes {
  readonly [before: string]: string;
}

/** The agent's module with some of its text changed, beside it. */
function changed(b: Bench, changes: Changes): string {
  let source = readFileSync(join(b.directory, 'agent.ts'), 'utf8');
  for (const [before, after] of Object.entries(changes)) {
    if (!source.includes(before)) throw new Error(`the agent has no ${before}`);
    source = source.replaceAll(before, after);
  }
  const path = join(b.directory, `changed-${crypto.randomUUID()}.ts`);
  writeFileSync(path, source);
  return path;
}

interface CheckOptions {
  readonly config?: Partial<ProcessConfig>;
  readonly last?: number;
  readonly workerHost?: WorkerHost;
  readonly patienceMs?: number;
}

/** Checks, and makes sure that nothing was done: neither to the ledger that stands for the world, nor to the journal. */
async function check(b: Bench, entrypoint: string, options: CheckOptions = {}): Promise<ReplayCheckReport> {
  const journal = join(b.directory, 'journal');
  const before = { hash: treeHash(journal), ledger: b.ledger() };
  const report = await checkReplay({
    journal: readFileJournal(journal),
    process: 'agent',
    entrypoint,
    config: { ...DEFAULT_PROCESS_CONFIG, ...options.config },
    workerHost: options.workerHost ?? childProcessWorkerHost(),
    last: options.last ?? 200,
    ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
  });
  expect({ hash: treeHash(journal), ledger: b.ledger() }).toEqual(before);
  return report;
}

const unchanged = (b: Bench, options: CheckOptions = {}): Promise<ReplayCheckReport> =>
  check(b, join(b.directory, 'agent.ts'), options);

const briefly = (one: CheckedInvocation): string =>
  'expected' in one ? `${one.verdict}: ${one.expected} / ${one.found}` : one.verdict;

const settle = async (b: Bench, name: string, value: string): Promise<void> => {
  const waiting = () =>
    b.process.snapshot.open
      .flatMap(({ waits }) => waits)
      .find((wait) => wait.kind === 'promise' && wait.name === name && wait.end === null);
  await waitFor(() => waiting() !== undefined, { what: `the promise ${name}` });
  await b.process.desk.settlePromise(waiting()!.waitId, { status: 'resolved', value }, OPERATOR);
};

/** Everything that `ctx` has, several ways side by side, and a first attempt that fails. */
const EVERYTHING = `
  const order = [];
  let nudges = 0;
  ctx.onQuery('order', () => order);
  ctx.onSignal('nudge', async (payload) => {
    order.push('nudge ' + payload);
    nudges += 1;
    await ctx.state.update('nudges', (n) => (n ?? 0) + 1);
  });
  const started = ctx.now();
  await ctx.conversation.append({ role: 'user', content: 'hello ' + ctx.uuid() + ' ' + started });
  const branch = async (name, ms) => {
    for (let n = 0; n < 3; n += 1) {
      await ctx.effect('step', { class: 'idempotent', args: { name, n } }, async () => { await delay(ms); note(name + n); return name + n; });
      order.push(name + n);
      await ctx.state.set('last', order.at(-1));
    }
  };
  let tries = 0;
  await ctx.effect('flaky', { class: 'retry', retry: { attempts: 3, backoffMs: 1 } }, async ({ attempt }) => {
    tries += 1;
    note('flaky ' + attempt);
    if (tries < 3) throw new Error('not yet');
  });
  try {
    await ctx.effect('refused', { class: 'ask' }, async () => { note('refused'); throw new DidNotHappen('no'); });
  } catch (error) { order.push(error.code); }
  await ctx.effect('transfer', {
    class: 'reconcile',
    retry: { attempts: 2, backoffMs: 1 },
    reconcile: async () => ({ happened: true, result: 'known' }),
  }, async () => { note('transfer'); throw new Error('lost connection'); });
  const go = ctx.promise('go', { data: { started } });
  await Promise.all([branch('a', 4), branch('b', 1), go.then((value) => order.push('go ' + value)), ctx.sleep(5)]);
  const met = await ctx.until(() => nudges >= 2);
  const missed = await ctx.until(() => false, { timeoutMs: 5 });
  if (ctx.version('greeting', 1, 2) === 2) await ctx.effect('greet', { class: 'ask', args: { met, missed } }, async () => note('greet'));
  await ctx.send('news.today', { order: order.length });
  await ctx.emit('done', { inbox: ctx.inbox.map(({ content }) => content), r: ctx.random() });
  await ctx.state.delete('last');
  await ctx.conversation.append({ role: 'assistant', content: order.join(' ') });
  if (ctx.attempt === 1) throw new Error('the first attempt fails');
  await ctx.effect('second', { class: 'ask', args: { seen: ctx.state.keys().length } }, async () => note('second'));
  ctx.log('done');
  return order.join(' ');
`;

const RETRY = { delivery: { ...DEFAULT_DELIVERY, maxRetries: 1, retryBackoffMs: 20 } } as const;

describe('[P3] unchanged code', () => {
  test('that uses every part of the API, side by side and in a second attempt, is never blamed', async () => {
    const b = await bench(EVERYTHING, { ...RETRY, workerIdleMs: 200 });
    const message = { messageId: 'm1', type: 'context', content: 'this', priority: 'high' } as const;
    await b.process.desk.writeInbox({ ...message, expiresInMs: null }, OPERATOR);
    for (let round = 0; round < 2; round += 1) {
      await b.trigger(`round ${round}`);
      await settle(b, 'go', 'now');
      await b.until('both branches', ({ snapshot }) =>
        snapshot.open[0]?.effects.some(({ name, occurrence }) => name === 'step' && occurrence === 5),
      );
      await b.process.desk.signal(`s${round}-1`, 'nudge', 1, OPERATOR);
      await b.process.desk.signal(`s${round}-2`, 'nudge', 2, OPERATOR);
      await b.until('the end', isIdle);
      expect(b.process.snapshot.deadLetters).toEqual([]);
    }
    // The second attempts did nothing again that the first had done, side by side as it was [S24, S26].
    expect(b.ledger().filter((line) => /^[ab]\d$/.test(line))).toHaveLength(12);
    await b.quit();
    const report = await unchanged(b);
    expect(report.checked.map(briefly)).toEqual(['ok', 'ok']);
    expect(report.checked.map(({ attempt, recorded }) => [attempt, recorded])).toEqual([
      [2, 'done'],
      [2, 'done'],
    ]);
    expect(report).toMatchObject({ ended: 2, badLines: 0, counts: { ok: 2 } });
  });

  test('[S26] whose worker was killed in the middle, several times, is never blamed', async () => {
    const b = await bench(
      `const branch = async (name, ms) => {
         for (let n = 0; n < 4; n += 1) {
           await ctx.effect('step', { class: 'idempotent', args: { name, n } }, async () => { await delay(ms); });
           await ctx.state.set('last', name + n);
         }
       };
       await Promise.all([branch('a', 30), branch('b', 20)]);
       await ctx.promise('go');
       await Promise.all([branch('c', 5), branch('d', 3), ctx.sleep(4)]);`,
      { maxRestarts: 100, restartBackoffMs: 1 },
    );
    await b.trigger();
    for (const effects of [2, 4, 6]) {
      await b.until(
        `${effects} effects`,
        ({ snapshot }) => (snapshot.open[0]?.effects.length ?? 0) >= effects,
      );
      await b.process.killWorker().catch(() => {});
    }
    await settle(b, 'go', 'now');
    await b.until('the end', isIdle);
    await b.quit();
    expect((await unchanged(b)).checked.map(briefly)).toEqual(['ok']);
  });
});

/** What one change of the code is told as. */
async function told(b: Bench, changes: Changes): Promise<string> {
  const { checked } = await check(b, changed(b, changes));
  return checked.map(briefly).join('\n');
}

const SHOP = `
  await ctx.effect('reserve', { class: 'ask', args: { item: 1 } }, async () => note('reserve'));
  await ctx.effect('charge', { class: 'ask', args: { amount: 5 } }, async () => note('charge'));
  await ctx.state.set('sold', 1);
  await ctx.conversation.append({ role: 'assistant', content: 'sold' });
  await ctx.send('orders', { item: 1 });
  await ctx.sleep(1);
  /* more */
  return 'sold';
`;

describe('what a change of the code is found by', () => {
  test('effects, writes, messages and waits that are not what was recorded, each told with both', async () => {
    const b = await bench(SHOP);
    await b.trigger();
    await b.until('the end', isIdle);
    await b.quit();
    const charge = "ctx.effect('charge', { class: 'ask', args: { amount: 5 } }, async () => note('charge'))";
    const reserve = "ctx.effect('reserve', { class: 'ask', args: { item: 1 } }, async () => note('reserve'))";
    const swapped = {
      [`await ${reserve}`]: 'await SECOND',
      [`await ${charge}`]: `await ${reserve}`,
      SECOND: charge,
    };
    const extra = "await ctx.effect('extra', {}, async () => note('extra'));";
    const cases: readonly (readonly [string, Changes, RegExp])[] = [
      ['renamed effect', { "effect('charge'": "effect('bill'" }, /^diverged: charge#0 \/ bill#0$/],
      [
        'changed arguments',
        { 'amount: 5': 'amount: 6' },
        /^diverged: charge#0 with arguments \w+ \({"amount":5}\) \/ charge#0 with arguments \w+$/,
      ],
      ['additional effect', { '/* more */': extra }, /^diverged: the end of the invocation \/ extra#0$/],
      [
        'additional effect in the middle',
        { "await ctx.state.set('sold', 1);": `${extra} await ctx.state.set('sold', 1);` },
        /^diverged: write 0 of sold = 1 \/ extra#0$/,
      ],
      ['missing effect', { [`await ${charge};`]: '' }, /^diverged: effect charge#0 \/ wait sleep#0$/],
      [
        'missing last effect',
        { 'await ctx.sleep(1);': '' },
        /^diverged: timer sleep#0 \/ the end of the invocation$/,
      ],
      ['changed order', swapped, /^diverged: effect reserve#0 \/ effect charge#0$/],
      [
        'changed value of a write',
        { "'sold', 1": "'sold', 2" },
        /^diverged: write 0 of sold = 1 \/ write 0 of sold = 2$/,
      ],
      [
        'changed key of a write',
        { "'sold', 1": "'gone', 1" },
        /^diverged: write 0 of sold = 1 \/ write 0 of gone = 1$/,
      ],
      [
        'additional write',
        { '/* more */': "await ctx.state.set('more', 1);" },
        /^diverged: the end of the invocation \/ write 1 of more = 1$/,
      ],
      [
        'missing write',
        { "await ctx.state.set('sold', 1);": '' },
        /^diverged: write 0 of sold = 1 \/ the end of the invocation$/,
      ],
      [
        'changed message',
        { "'orders', { item: 1 }": "'orders', { item: 2 }" },
        /^diverged: message orders#0 with the data \w+ \/ message orders#0 with the data \w+$/,
      ],
      ['changed topic', { "'orders'": "'sales'" }, /^diverged: message orders#0 \/ message sales#0$/],
      [
        'additional message',
        { '/* more */': "await ctx.emit('more');" },
        /^diverged: the end of the invocation \/ event more#0$/,
      ],
      [
        'changed saying',
        { "content: 'sold'": "content: 'other'" },
        /^diverged: message 0 of assistant as it was recorded \/ message 0 of assistant$/,
      ],
      [
        'additional promise',
        { '/* more */': "await ctx.promise('ok');" },
        /^diverged: the end of the invocation \/ promise ok#0$/,
      ],
      [
        'reading of the clock',
        { '/* more */': 'ctx.now();' },
        /^diverged: the end of the invocation \/ reading 0 of the clock$/,
      ],
      [
        'a failure',
        { '/* more */': "throw new TypeError('oops');" },
        /^other-end: done \/ failed with TypeError: oops$/,
      ],
      [
        'an earlier failure',
        { "await ctx.state.set('sold', 1);": "throw new TypeError('oops');" },
        /^diverged: write 0 of sold = 1 \/ the end of the invocation, failed: oops$/,
      ],
      [
        'a swallowed divergence',
        {
          "amount: 5 } }, async () => note('charge'))":
            "amount: 6 } }, async () => note('charge')).catch(() => {})",
        },
        /^diverged: charge#0 with arguments/,
      ],
      ['unchanged', {}, /^ok$/],
    ];
    // Most of the time is patience.
    const found = await mapLimited(cases, 4, ([, changes]) => told(b, changes));
    for (const [at, [what, , expected]] of cases.entries()) expect(found[at], what).toMatch(expected);
  });

  test('a version that was recorded and is no longer known, and a way that is not the one of its version', async () => {
    const source = `
      if (ctx.version('price', 1, 2) === 2) await ctx.effect('new', {}, async () => note('new'));
      else await ctx.effect('old', {}, async () => note('old'));`;
    const b = await bench(source);
    await b.trigger();
    await b.until('the end', isIdle);
    await b.quit();
    expect(await told(b, {})).toBe('ok');
    expect(await told(b, { "'price', 1, 2": "'price', 1, 3", '=== 2': '>= 2' })).toBe('ok');
    expect(await told(b, { "'price', 1, 2": "'price', 3, 4" })).toBe(
      'diverged: version 2 of price / code that knows versions 3 to 4',
    );
    expect(await told(b, { '=== 2': '=== 1' })).toBe('diverged: new#0 / old#0');
  });

  test('a change behind a version leaves what ended before it as it was, also where it comes last', async () => {
    const b = await bench(`await ctx.effect('old', {}, async () => note('old')); /* more */`);
    await b.trigger();
    await b.until('the end', isIdle);
    await b.quit();
    const more = "await ctx.effect('more', {}, async () => note('more'));";
    expect(await told(b, { '/* more */': more })).toBe('diverged: the end of the invocation / more#0');
    expect(await told(b, { '/* more */': `if (ctx.version('more', 0, 1) === 1) ${more}` })).toBe('ok');
  });

  test('a failure that is one no more, or another one', async () => {
    const b = await bench(`throw new TypeError('broken');`, { maxConsecutiveFailures: 100 });
    await b.trigger();
    await b.until('the end', isIdle);
    await b.quit();
    expect(await told(b, {})).toBe('ok');
    expect(await told(b, { TypeError: 'RangeError' })).toBe(
      'other-end: failed with TypeError / failed with RangeError: broken',
    );
    expect(await told(b, { 'throw new': 'new' })).toBe('other-end: failed with TypeError / done');
  });

  test('code that comes to no end: given up, and the next is checked by another worker', async () => {
    const b = await bench(
      `if (event.payload === 'spin') { /* here */ } await ctx.state.set('n', event.payload);`,
    );
    for (const payload of ['spin', 'on', 'spin', 'on']) await b.trigger(payload);
    await b.until('the end', isIdle);
    await b.quit();
    const spin = changed(b, { '/* here */': 'for (;;) {}' });
    const { checked } = await check(b, spin, { patienceMs: 2_000, last: 2 });
    expect(checked.map(briefly)).toEqual(['other-end: done / no end within 2 s', 'ok']);
    const exit = changed(b, { '/* here */': 'process.exit(3);' });
    const { checked: left } = await check(b, exit, { last: 2 });
    expect(left.map(briefly)).toEqual([expect.stringMatching(/^other-end: done \/ its worker /), 'ok']);
    const hang = changed(b, { '/* here */': 'await ctx.until(() => false);' });
    const { checked: waiting } = await check(b, hang, { last: 2 });
    expect(waiting.map(briefly)).toEqual(['diverged: write 0 of n = "spin" / waiting for a signal', 'ok']);
  });
});

describe('what is under way', () => {
  const WAITING = `
    await ctx.effect('ask', { class: 'ask' }, async () => note('ask'));
    await ctx.state.set('asked', true);
    await ctx.promise('answer');
    await ctx.effect('act', { class: 'ask' }, async () => note('act'));`;

  test('is checked as far as its record goes', async () => {
    const b = await bench(WAITING, { workerIdleMs: 50 });
    await b.trigger();
    await b.until('awaiting', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
    await b.quit();
    const { checked, ended } = await unchanged(b);
    expect(ended).toBe(0);
    expect(checked).toMatchObject([{ verdict: 'ok', recorded: 'open' }]);
    // What comes behind its record may change.
    expect(await told(b, { "effect('act'": "effect('do'" })).toBe('ok');
    expect(await told(b, { "effect('ask'": "effect('tell'" })).toBe('diverged: ask#0 / tell#0');
    expect(await told(b, { "await ctx.promise('answer');": '' })).toMatch(/^diverged: promise answer#0 \/ /);
    expect(await told(b, { "'asked', true": "'asked', false" })).toMatch(
      /^diverged: write 0 of asked = true/,
    );
    expect(await told(b, { "await ctx.state.set('asked', true);": 'await ctx.until(() => false);' })).toBe(
      'diverged: write 0 of asked = true / waiting for a signal',
    );
  });

  test('and what is in doubt, or failed and waits for its next attempt, is no divergence', async () => {
    const b = await bench(
      `if (event.payload === 'doubt') await ctx.effect('risky', { class: 'ask' }, async () => { throw new Error('lost'); });
       throw new Error('once more');`,
      { concurrency: 2, delivery: { ...DEFAULT_DELIVERY, maxRetries: 3, retryBackoffMs: 600_000 } },
    );
    await b.trigger('retry');
    await b.trigger('doubt');
    await b.until('the doubt', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
    await b.until('the failure', ({ snapshot }) => snapshot.open.some(({ retryAt }) => retryAt !== null));
    await b.quit();
    const { checked } = await unchanged(b);
    expect(checked.map(({ verdict, recorded }) => [verdict, recorded])).toEqual([
      ['ok', 'open'],
      ['ok', 'open'],
    ]);
  });
});

test('only the newest are checked, from the checkpoint before them; one worker does it, and is gone at the end', async () => {
  const b = await bench(`await ctx.state.update('n', (n) => (n ?? 0) + 1); return 'n';`);
  for (let n = 0; n < 8; n += 1) {
    await b.trigger(String(n));
    await b.until('the end', isIdle);
  }
  await b.quit();
  const workers: WorkerHandle[] = [];
  const host = childProcessWorkerHost();
  const workerHost: WorkerHost = {
    ...host,
    spawn: async (...args) => {
      const worker = await host.spawn(...args);
      workers.push(worker);
      return worker;
    },
  };
  const report = await unchanged(b, { last: 3, workerHost });
  expect(report).toMatchObject({ ended: 8, counts: { ok: 3, diverged: 0 } });
  expect(report.checked.map(({ invocation }) => invocation)).toEqual([6, 7, 8]);
  expect(workers).toHaveLength(1);
  expect(() => process.kill(workers[0]!.pid, 0)).toThrow(/ESRCH/);
});

test('[S24] a dead letter that was redelivered has two ends, and both are checked with the record of their time', async () => {
  const b = await bench(
    `await ctx.effect('charge', { class: 'ask' }, async () => note('charge'));
     await ctx.state.set('attempt', ctx.attempt);
     if (ctx.attempt === 1) throw new Error('broken');
     await ctx.effect('mail', { class: 'ask' }, async () => note('mail'));`,
    { maxConsecutiveFailures: 100 },
  );
  await b.trigger();
  await b.until('the dead letter', ({ snapshot }) => snapshot.deadLetters.length === 1);
  await b.process.desk.redeliver(b.process.snapshot.deadLetters[0]!.event.eventId, false, OPERATOR);
  await b.until('the end', ({ snapshot }) => snapshot.invocationCount === 1);
  await b.quit();
  const { checked } = await unchanged(b);
  expect(checked.map((one) => [one.recorded, one.attempt, one.verdict])).toEqual([
    ['failed', 1, 'ok'],
    ['done', 2, 'ok'],
  ]);
});

test('[S16] a large result is fetched; where it is lost the invocation is unchecked, and nothing is guessed', async () => {
  const b = await bench(
    `const text = await ctx.effect('read', { class: 'retry' }, async () => 'x'.repeat(200_000));
     await ctx.state.set('length', text.length);`,
  );
  await b.trigger();
  await b.until('the end', isIdle);
  await b.quit();
  const { checked } = await unchanged(b);
  expect(checked.map(briefly)).toEqual(['ok']);
  rmSync(join(b.directory, 'journal/.holdfast/spills'), { recursive: true });
  const { checked: lost } = await unchanged(b);
  expect(lost).toMatchObject([{ verdict: 'unchecked', why: 'the result of read#0 is lost' }]);
});

test('[P6] holdfast replay-check: by process or by module, a line for each, and an exit code for scripts', async () => {
  const b = await bench(SHOP);
  await b.trigger();
  await b.until('the end', isIdle);
  await b.quit();
  const journal = join(b.directory, 'journal');
  writeFileSync(join(b.directory, 'agent.agent'), 'name: agent\nentrypoint: ./agent.ts\n');
  const other = changed(b, { 'amount: 5': 'amount: 6' });
  const before = { hash: treeHash(journal), ledger: b.ledger() };

  const same = await holdfast(['replay-check', 'agent', journal]);
  expect(same).toMatchObject({ code: 0, stderr: '' });
  expect(same.stdout).toMatch(/^\d+ {2}ok {2}invocation 1, recorded done, event [\da-f-]{36}\n/);
  expect(same.stdout).toContain('1 ok · 0 diverged · 0 with another end · 0 unchecked');

  const text = await holdfast(['replay-check', other, journal, '--last', '1']);
  expect(text.code).toBe(1);
  expect(text.stdout).toMatch(
    /DIVERGED .+: expected charge#0 with arguments \w+ \(\{"amount":5\}\); found charge#0/,
  );
  expect(text.stderr).toMatch(
    /^holdfast: .+ does not do what the journal of agent says in 1 of 1 invocations\. [^\n]+\n$/,
  );

  const json = await holdfast(['replay-check', other, journal, '--json']);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    process: 'agent',
    entrypoint: other,
    ended: 1,
    counts: { ok: 0, diverged: 1, 'other-end': 0, unchecked: 0 },
    checked: [{ verdict: 'diverged', invocation: 1, attempt: 1, recorded: 'done' }],
  });

  const nobody = await holdfast(['replay-check', 'nobody', journal]);
  expect(nobody).toMatchObject({ code: 3, stdout: '' });
  expect(nobody.stderr).toMatch(/neither a process of that journal nor the path of a module.+: agent\./);
  const broken = changed(b, {
    'import { defineAgent': "import { nothing } from './nowhere.ts';\nimport { defineAgent",
  });
  const unloadable = await holdfast(['replay-check', broken, journal]);
  expect(unloadable).toMatchObject({ code: 1, stdout: '' });
  expect(unloadable.stderr).toMatch(/can't be loaded/);
  expect({ hash: treeHash(journal), ledger: b.ledger() }).toEqual(before);
});

test('an end that the host made says nothing about the code, which need only come as far as its record', () => {
  const divergence = { expected: 'the end of the invocation', found: 'x#0' };
  expect(verdictOn({ kind: 'open' }, { kind: 'diverged', divergence })).toEqual({ verdict: 'ok' });
  expect(verdictOn({ kind: 'open' }, { kind: 'waiting' })).toEqual({ verdict: 'ok' });
  expect(verdictOn({ kind: 'open' }, { kind: 'no-end', why: 'w' })).toMatchObject({ verdict: 'other-end' });
  expect(verdictOn({ kind: 'done' }, { kind: 'waiting' })).toMatchObject({ verdict: 'other-end' });
});
