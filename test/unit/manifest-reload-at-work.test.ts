// A process is loaded anew while it is at work: nothing of that is lost, and nothing of it is done twice.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editing } from '../support/manifests.ts';
import { command, workspaceOf } from '../support/run-host.ts';
import { budget, CHARGES, isHeld } from '../support/budgets.ts';
import { bench, folded, OPERATOR } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';
import { freePort, sendJson, webhookConfig } from '../support/webhooks.ts';

/** Lines that agents wrote to the ledger, which stands for the world. */
const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];

/** Each event is a few effects, each a line in the ledger; the one called `slow` waits for a file. */
const WORK = (directory: string): string => `
  const { appendFileSync, existsSync } = await import('node:fs');
  const step = (name, act) => ctx.effect(name, { class: 'ask', args: event.payload }, act);
  const note = (name) => appendFileSync(${JSON.stringify(join(directory, 'ledger'))}, event.payload.n + ' ' + name + '\\n');
  await step('first', () => note('first'));
  await step('slow', async () => {
    note('slow');
    while (!existsSync(${JSON.stringify(join(directory, 'go'))})) await new Promise((resolve) => setTimeout(resolve, 5));
  });
  await step('last', () => note('last ' + ctx.instructions));
`;

function worked(): { workspace: string; ledger: string; go: () => void } {
  const workspace = workspaceOf({ clerk: '' }, 'instructions: old\n');
  writeFileSync(
    join(workspace, 'clerk.ts'),
    `import { defineAgent } from 'holdfast';\nexport default defineAgent({ async onTrigger(ctx, event) { ${WORK(workspace)} } });\n`,
  );
  return { workspace, ledger: join(workspace, 'ledger'), go: () => writeFileSync(join(workspace, 'go'), '') };
}

test('[P1] [P2] [S25] an effect under way is let end, its invocation goes on with what it began with, and what waited is done', async () => {
  const { workspace, ledger, go } = worked();
  const b = await editing(workspace);
  const of = { journalId: b.journalId, process: 'clerk' };
  for (const n of [1, 2, 3]) {
    await b.get('processes.trigger', { ...of, ...command(), payloadText: JSON.stringify({ n }) });
  }
  await waitFor(() => linesOf(ledger).includes('1 slow'), { what: 'the effect' });
  b.save('clerk.agent', b.text('clerk.agent').replace('old', 'new'));
  const [change] = await b.changes();
  expect(change!.notes).toContain(
    '1 invocation under way keeps the instructions and tools that it began with; limits and secrets act at once.',
  );
  expect(change!.notes.join(' ')).toContain('1 effect under way has a moment to end');
  const reloaded = b.reload(['clerk']);
  await waitFor(async () => (await b.get('processes.read', of)).holds.some(({ kind }) => kind === 'quit'), {
    what: 'the hold',
  });
  go();
  expect(await reloaded).toMatchObject({ done: [{ ok: true }] });
  await b.get('processes.trigger', { ...of, ...command(), payloadText: '{"n":4}' });
  await waitFor(() => linesOf(ledger).length === 12, { what: 'all of it' });
  expect(linesOf(ledger)).toEqual(
    [1, 2, 3, 4].flatMap((n) => [`${n} first`, `${n} slow`, `${n} last ${n === 1 ? 'old' : 'new'}`]),
  );
});

test('[P2] [S28] an effect that does not end in time is in doubt, and is asked about', async () => {
  const { workspace, ledger, go } = worked();
  const b = await editing(workspace);
  const of = { journalId: b.journalId, process: 'clerk' };
  await b.get('processes.trigger', { ...of, ...command(), payloadText: '{"n":1}' });
  await waitFor(() => linesOf(ledger).includes('1 slow'), { what: 'the effect' });
  b.save('clerk.agent', b.text('clerk.agent').replace('old', 'new'));
  await b.reload(['clerk']);
  const held = await waitFor(
    async () => {
      const { open, row } = await b.get('processes.read', of);
      const doubt = open.flatMap(({ effects }) => effects).find(({ needsOperator }) => needsOperator);
      return doubt === undefined || row.state !== 'suspended' ? null : doubt;
    },
    { what: 'the doubt' },
  );
  go();
  const resolution = { kind: 'happened', resultText: 'null' } as const;
  await b.get('effects.resolve', { ...of, ...command(), effectId: held.effectId, resolution });
  await waitFor(() => linesOf(ledger).length === 3, { what: 'the rest' });
  expect(linesOf(ledger)).toEqual(['1 first', '1 slow', '1 last old']);
});

test('[S25] what is under way is shown as many messages as it began with, and keeps what it was allowed to write', async () => {
  const code = `
    const { n } = event.payload;
    const seen = ctx.conversation.messages().length;
    if (n < 3) { await ctx.conversation.append({ role: 'user', content: 'a' }); await ctx.conversation.append({ role: 'user', content: 'b' }); return; }
    let wrote = 'b';
    try { await ctx.state.set('b', n); } catch (error) { wrote = error.code; }
    await ctx.effect('show', { class: 'retry', args: { seen, wrote } }, async () => null);
    if (n === 3) await ctx.promise('answer');
    await ctx.state.set('a', n + ' saw ' + seen + ' and wrote ' + wrote);`;
  const more = 'context: { writable_keys: [a, b], conversation_max_messages: 8 }\n';
  const b = await editing(workspaceOf({ clerk: code }, more));
  const of = { journalId: b.journalId, process: 'clerk' };
  const read = () => b.get('processes.read', of);
  const handled = async (n: number): Promise<void> => {
    const before = (await read()).row.invocations;
    await b.get('processes.trigger', { ...of, ...command(), payloadText: JSON.stringify({ n }) });
    if (n !== 3) await waitFor(async () => (await read()).row.invocations > before, { what: 'its end' });
  };
  await handled(1);
  await handled(2);
  await handled(3);
  const promiseId = await waitFor(async () => (await read()).open[0]?.waits[0]?.waitId ?? null, {
    what: 'the promise',
  });
  b.save(
    'clerk.agent',
    b
      .text('clerk.agent')
      .replace('[a, b], conversation_max_messages: 8', '[a], conversation_max_messages: 2'),
  );
  const { changes } = await b.get('workspace.changes', { journalId: b.journalId });
  expect(changes[0]!.lines).toMatchObject([
    { path: 'context.writable_keys.1', acts: 'at_once' },
    { path: 'context.conversation_max_messages', acts: 'next_invocation' },
  ]);
  await b.reload(['clerk']);
  const settlement = { kind: 'resolved', valueText: '"yes"' } as const;
  await b.get('promises.settle', { ...of, ...command(), promiseId, settlement });
  const said = (text: string) =>
    waitFor(async () => JSON.stringify((await read()).context).includes(text), { what: text });
  await said('3 saw 4 and wrote b');
  await handled(4);
  await said('4 saw 2 and wrote state.not-writable');
});

test('[P4] timers, promises, queue and what was rotated stay', async () => {
  const code = `
    if (event.payload.n === 2) { ctx.state.set('key', await ctx.secret('KEY')); return; }
    const done = await ctx.promise('answer');
    ctx.state.set('answer', done);`;
  process.env['RELOAD_TEST_KEY'] = 'a-value-of-the-environment';
  const more =
    'instructions: old\nsecrets:\n  secrets:\n    KEY: ${RELOAD_TEST_KEY}\nconfig: { concurrency: 2 }\n';
  const b = await editing(workspaceOf({ clerk: code }, more));
  const of = { journalId: b.journalId, process: 'clerk' };
  await b.get('processes.trigger', { ...of, ...command(), payloadText: '{"n":1}' });
  const promiseId = await waitFor(
    async () => (await b.get('processes.read', of)).open[0]?.waits[0]?.waitId ?? null,
    { what: 'the promise' },
  );
  await b.get('secrets.rotate', { ...of, ...command(), name: 'KEY', value: 'rotated-since-then' });
  b.save('clerk.agent', b.text('clerk.agent').replace('old', 'new'));
  await b.reload(['clerk']);
  const { secrets } = await b.get('processes.read', of);
  expect(secrets[0]).toMatchObject({ name: 'KEY', status: 'active', isRotationLost: false });
  const settlement = { kind: 'resolved', valueText: '"yes"' } as const;
  await b.get('promises.settle', { ...of, ...command(), promiseId, settlement });
  await waitFor(async () => (await b.get('processes.read', of)).context.some(({ key }) => key === 'answer'), {
    what: 'the answer',
  });
});

test('[P1] [S29] what callers were told is accepted while it is loaded anew is handled, each once, and they are heard after', async () => {
  const triggers = [webhookConfig(await freePort())];
  // An effect, for only those are done once: code that is cut short between two lines is run again from its first.
  const source = `await ctx.effect('note', { class: 'ask' }, async () => note(String(event.payload.n)));`;
  const b = await bench(source, { triggers });
  const addressNow = (): string | null => b.runtime.process('agent').triggers.views()[0]!.address;
  const url = await waitFor(addressNow, { what: 'the webhook' });
  const accepted: string[] = [];
  const calls = { areOver: false };
  const calling = (async () => {
    for (let n = 0; !calls.areOver; n += 1) {
      // A caller that finds nobody, or is told to come again, would do so.
      const heard = await sendJson(url, { n }).catch(() => null);
      if (heard?.status === 202) accepted.push(String(n));
    }
  })();
  await waitFor(() => accepted.length > 5, { what: 'callers' });
  for (const hash of ['second', 'third']) {
    const before = accepted.length;
    await b.runtime.reload({ ...b.process.definition, configHash: hash }, OPERATOR);
    await waitFor(() => accepted.length > before + 5, { what: 'callers after it' });
  }
  calls.areOver = true;
  await calling;
  // Those count that were told so: where the answer was cut off, the event may be there all the same.
  await waitFor(() => new Set(accepted).isSubsetOf(new Set(b.ledger())), { what: 'their events' });
  expect(b.ledger().filter((line) => accepted.includes(line))).toEqual(accepted);
});

test('a process that keeps no journal is not loaded anew while anything of it is unfinished', async () => {
  const b = await bench(`await ctx.effect('wait', { class: 'retry' }, () => new Promise(() => {}));`, {
    journalLevel: 'none',
  });
  await b.trigger();
  await b.until('the invocation', ({ snapshot }) => snapshot.open.length === 1);
  const next = { ...b.process.definition, configHash: 'other' };
  await expect(b.runtime.reload(next, OPERATOR)).rejects.toMatchObject({ code: 'journal.required' });
  expect(b.runtime.process('agent')).toBe(b.process);
  await b.process.killWorker();
});

test('[P4] what it has used counts once under a cap when it is loaded anew, and not at all when it is removed', async () => {
  const caps = { workspace: { limits: { max_cost_per_day: 3 }, resetHour: 0, resetZone: 'UTC' } };
  const b = await bench(CHARGES, budget({ limits: { max_cost_per_day: 100 } }), undefined, { caps });
  await b.trigger('2');
  await b.until('the work', ({ snapshot }) => snapshot.invocationCount === 1);
  const spent = (): number | undefined => b.runtime.caps.standing('workspace')!.spent.cost;
  expect(spent()).toBe(2);
  await b.runtime.reload({ ...b.process.definition, configHash: 'other' }, OPERATOR);
  expect(spent()).toBe(2);
  const process = b.runtime.process('agent');
  await process.trigger('5');
  await waitFor(isHeld({ ...b, process }), { what: 'the hold' });
  expect(b.ledger()).toHaveLength(3);
  expect(spent()).toBe(3);
  await b.runtime.remove('agent', OPERATOR, async () => {});
  expect(spent() ?? 0).toBe(0);
  expect(b.runtime.processes.size).toBe(0);
});

test('[S7] another durability is in force from then on, in a journal that goes on where it was', async () => {
  const b = await bench(`ctx.state.set('n', event.payload.n);`);
  const { definition } = b.process;
  const config = { ...definition.config, durability: 'os' } as const;
  await b.runtime.reload({ ...definition, config, configHash: 'other' }, OPERATOR);
  const process = b.runtime.process('agent');
  await process.trigger({ n: 1 });
  await waitFor(() => process.snapshot.context['n'] === 1, { what: 'the work' });
  await process.settled();
  const entries = await b.entries();
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
  expect(entries.filter(({ entry_type: type }) => type === 'writer_opened')).toHaveLength(2);
  expect((await folded(b)).context).toEqual({ n: 1 });
});
