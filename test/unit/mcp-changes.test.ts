// Servers of tools that change what they offer, or come and go: nothing is called on an old word [S32], and nobody else waits.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DidNotHappen } from '../../core/agent/effect-errors.ts';
import { killProcess } from '../support/kill-process.ts';
import { caught, hostile, mcpBench } from '../support/mcp.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

test.each([false, true])(
  'a server is asked anew where it may have changed: each time, or, where it tells of that (%s), when it has told',
  async (tellsChanges) => {
    const toolsIn = join(tempDirectory(), 'tools.json');
    const bench = mcpBench({ bad: hostile({ toolsIn, tellsChanges }) });
    const names = async () => (await bench.list()).offers.map(({ name }) => name);
    const only = (name: string) => [{ name, inputSchema: { type: 'object' } }];
    const before = await names();
    const change = await bench.offer('changes');
    writeFileSync(toolsIn, JSON.stringify(only('silent')));
    expect(await names()).toEqual(tellsChanges ? before : ['silent']);
    const signal = new AbortController().signal;
    const request = { args: { tools: only('told') }, key: '', attempt: 1, signal };
    await bench.source.call(bench.turn, change, request);
    expect(await names()).toEqual(['told']);
  },
);

test('a server that dies again and again is left alone for twice as long each time', async () => {
  const bench = mcpBench({ bad: hostile({ diesAt: 'tools/list' }) });
  for (const waitMs of [1_000, 2_000]) {
    const begun = Date.now();
    await bench.list();
    const { retryAt } = bench.told.at(-1)![0]!;
    expect(retryAt! - begun).toBeGreaterThanOrEqual(waitMs);
    await waitFor(() => Date.now() > retryAt!, { what: 'its time' });
  }
});

test('[S32] annotations that change are believed no more, and what began before is not called on their word', async () => {
  const toolsIn = join(tempDirectory(), 'tools.json');
  const bench = mcpBench({ bad: hostile({ toolsIn, tellsChanges: true }, { isTrusted: true }) });
  const first = await bench.list();
  const echo = first.offers.find(({ name }) => name === 'echo')!;
  expect(echo).toMatchObject({ class: 'retry', decidedBy: 'annotation' });
  const changed = [
    {
      name: 'echo',
      description: 'now with teeth',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    },
  ];
  expect((await bench.call('changes', { tools: changed })).text).toBe('changed');
  const stale = await caught(bench.call('echo'));
  expect(stale).toBeInstanceOf(DidNotHappen);
  expect(String(stale)).toContain('has changed since this invocation began');
  // As the journal knows it.
  const later = bench.next({}, { 'mcp:bad/echo': echo.fingerprint });
  const { offers, problems } = await later.list();
  expect(offers).toMatchObject([{ name: 'echo', class: 'ask', decidedBy: 'changed' }]);
  expect(problems).toEqual([expect.stringContaining('echo of bad says something else of itself')]);
  const said = later.next({ tools: { echo: { class: 'retry' } } });
  expect((await said.list()).offers).toMatchObject([{ class: 'retry', decidedBy: 'manifest' }]);
});

test('[S32] of calls side by side none is made on the old word while their server is asked what it says now', async () => {
  const [directory, more] = [tempDirectory(), { isTrusted: true }];
  const [toolsIn, ledger] = [join(directory, 'tools.json'), join(directory, 'ledger')];
  const bench = mcpBench({ bad: hostile({ toolsIn, ledger, tellsChanges: true }, more) });
  await bench.list();
  const changed = [{ name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: false } }];
  await bench.call('changes', { tools: changed });
  const calls = await Promise.all([1, 2, 3].map((text) => caught(bench.call('echo', { text }))));
  for (const call of calls) expect(String(call)).toContain('has changed since this invocation began');
  expect(readFileSync(ledger, 'utf8')).not.toMatch(/^echo/m);
});

test('a call whose time is over while its server is asked what it offers takes no other along', async () => {
  const directory = tempDirectory();
  const [ledger, holdsListWhile] = [join(directory, 'ledger'), join(directory, 'hold')];
  const bench = mcpBench({ bad: hostile({ ledger, holdsListWhile, tellsChanges: true }) });
  const noted = (what: string) =>
    waitFor(() => existsSync(ledger) && readFileSync(ledger, 'utf8').includes(what), { what });
  const over = new AbortController();
  const hung = caught(bench.call('hang', {}, over.signal));
  await noted('hang');
  await bench.call('changes');
  writeFileSync(holdsListWhile, '');
  const late = new AbortController();
  const first = caught(bench.call('echo', {}, late.signal));
  await noted('holds its list');
  late.abort(new Error('too late'));
  rmSync(holdsListWhile);
  expect(await first).toMatchObject({ message: 'too late' });
  expect((await bench.call('echo', { text: 'on' })).text).toContain('on');
  // It is still the same one, and the call that it works on is not lost.
  over.abort(new Error('enough'));
  const ended = await hung;
  expect(ended).toBeInstanceOf(Error);
  expect(ended).not.toMatchObject({ code: 'mcp.lost' });
  expect(readFileSync(ledger, 'utf8').match(/^echo/gm)).toHaveLength(1);
});

test('a server that is down is tried again in its time, also where the clock is set back meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-02T10:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  const bench = mcpBench({ bad: hostile() });
  await caught(bench.call('die'));
  vi.setSystemTime(new Date('2026-03-01T10:00:00Z'));
  expect(String(await caught(bench.call('echo')))).toContain('is not tried again for 1 s');
  await waitFor(async () => (await bench.list()).problems.length === 0, { what: 'another try' });
});

test('what a newer plan has no more ends, once its last call is over', async () => {
  const [ledger, server] = [join(tempDirectory(), 'ledger'), hostile()];
  const busy = hostile({ ledger });
  const bench = mcpBench({ one: server, two: busy, three: hostile({}, { timeoutMs: 9_999 }) });
  const pids = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      const { own, child } = JSON.parse((await bench.call(`${name}_breeds`)).text) as Record<string, number>;
      onTestFinished(() => void killProcess(child));
      return own!;
    }),
  );
  const over = new AbortController();
  const hung = bench.call('two_hang', {}, over.signal).catch(() => 'over');
  await waitFor(() => readFileSync(ledger, 'utf8').includes('hang'), { what: 'the call' });
  const [one, two, three] = pids.map((pid) => () => isThere(pid));
  await bench.next({ servers: { three: hostile({}, { timeoutMs: 9_999 }) } }).list();
  await waitFor(() => !one!(), { what: 'the end of one that nobody waits for' });
  expect([two!(), three!()]).toEqual([true, true]);
  over.abort();
  expect(await hung).toBe('over');
  await waitFor(() => !two!(), { what: 'the end of the one that worked' });
  expect(three!()).toBe(true);
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
