// Invocations run again against their record: what a change of the code is found by, in those that ended and in those under way.

import { describe, expect, test } from 'vitest';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import { mapLimited } from '../support/child.ts';
import { briefly, changed, check, SHOP, told, unchanged, type Changes } from '../support/replay-checks.ts';
import { bench, isIdle } from '../support/runtime.ts';

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
    const { checked } = await check(b, spin, { patienceMs: 5_000, last: 2 });
    expect(checked.map(briefly)).toEqual(['other-end: done / no end within 5 s', 'ok']);
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
