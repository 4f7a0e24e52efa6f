import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import type { Json } from '../../core/model/json.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import type { ForkPlan } from '../../core/runtime/write-fork.ts';
import { bench, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';

const CHARGES = `
  const count = (ctx.state.get('count') ?? 0) + 1;
  await ctx.state.set('count', count);
  for (const step of ['first', 'second']) {
    await ctx.effect(step, { class: 'idempotent', args: { order: event.payload } }, async ({ key }) => {
      note(ctx.process + ' ' + step + ' ' + event.payload + ' ' + key);
    });
    if (step === 'first' && event.payload === 'held') await ctx.state.set('answer', await ctx.promise('answer'));
  }
  return 'done';`;

async function handled(b: Bench, ...payloads: readonly string[]): Promise<void> {
  for (const payload of payloads) {
    await b.trigger(payload);
    await b.until(`the end of ${payload}`, isIdle);
  }
}

const lastOf = async (b: Bench): Promise<number> => {
  await b.process.settled();
  return (await b.entries()).at(-1)!.seq;
};

interface More {
  readonly set?: Readonly<Record<string, Json>>;
  readonly keep?: () => void;
}

async function fork(
  b: Bench,
  name: string,
  at: number,
  { set = {}, keep = () => {} }: More = {},
): Promise<{ readonly plan: ForkPlan; readonly copy: AgentProcess }> {
  const definition = { ...b.process.definition, name };
  const plan = await b.runtime.fork(definition, { from: 'agent', at, set }, { actor: OPERATOR, keep });
  return { plan, copy: b.runtime.process(name) };
}

const entriesOf = (b: Bench, name: string): Promise<readonly StoredEntry[]> =>
  readFileJournal(join(b.directory, 'journal')).read(name);

const until = (what: string, isSo: () => boolean): Promise<boolean> => waitFor(isSo, { what });

const hashOf = (b: Bench): string =>
  createHash('sha256')
    .update(readFileSync(join(b.directory, 'journal', 'agent.jsonl')))
    .digest('hex');

test('[S40] a fork begins with where it comes from and a full checkpoint, suspended and with its triggers off', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a', 'b');
  const at = await lastOf(b);
  const before = hashOf(b);
  let types: string[] = [];
  const keep = (): void => {
    const lines = readFileSync(join(b.directory, 'journal', 'copy.jsonl'), 'utf8')
      .trim()
      .split('\n');
    types = lines.map((line) => (JSON.parse(line) as { entry_type: string }).entry_type);
  };
  const { plan, copy } = await fork(b, 'copy', at, { keep });
  // Its manifest is written when its journal has that, and not before.
  expect(types).toEqual(['writer_opened', 'forked', 'checkpoint']);
  expect(plan).toMatchObject({ lineage: { process: 'agent', seq: at }, contextKeys: 1, unfinished: [] });
  expect(copy.snapshot).toMatchObject({
    lifecycle: 'suspended',
    holds: [{ kind: 'operator', reason: `forked from entry ${at} of agent` }],
    context: { count: 2 },
    invocationCount: 2,
    lineage: { process: 'agent', seq: at },
    triggers: { allPaused: { actor: OPERATOR.name } },
  });
  const [, forked] = await entriesOf(b, 'copy');
  expect(forked!.data).toMatchObject({
    process: 'agent',
    seq: at,
    left: { queue: [], inbox: [], promises: [], timers: [] },
    actor: OPERATOR.name,
    reason: OPERATOR.reason,
  });
  await b.process.settled();
  expect(hashOf(b)).toBe(before);
});

test('[P2] [S40] what it takes over keeps the keys of the original; what it begins by itself has its own', async () => {
  const b = await bench(CHARGES);
  await b.trigger('held');
  await b.until('the wait', ({ snapshot }) => snapshot.open[0]?.waits.length === 1);
  await b.process.suspend(OPERATOR);
  await b.trigger('queued');
  const messageId = 'note-1';
  const inbox = {
    messageId,
    type: 'context',
    content: 'hello',
    priority: 'normal',
    expiresInMs: null,
  } as const;
  await b.process.desk.writeInbox(inbox, OPERATOR);
  const at = await lastOf(b);
  const promiseId = b.process.snapshot.open[0]!.waits[0]!.waitId;
  const queued = b.process.snapshot.queue[0]!.eventId;
  const { plan, copy } = await fork(b, 'copy', at);
  expect(plan.left).toEqual({ queue: [queued], inbox: [messageId], promises: [promiseId], timers: [] });
  const [, forked] = await entriesOf(b, 'copy');
  expect(forked!.data['left']).toEqual(plan.left);
  expect(copy.snapshot).toMatchObject({ queue: [], inbox: [], outbox: [], settled: [] });
  expect(copy.snapshot.open).toMatchObject([{ waits: [], effects: [{ name: 'first', isUndone: true }] }]);
  const [original] = b.process.snapshot.open[0]!.effects;
  expect(copy.snapshot.open[0]!.effects[0]!.key).toBe(original!.key);

  await copy.resume(OPERATOR);
  await until('its own promise', () => copy.snapshot.open[0]?.waits.length === 1);
  const own = copy.snapshot.open[0]!.waits[0]!.waitId;
  expect(own).not.toBe(promiseId);
  expect(b.process.waits.knows(own)).toBe(false);
  expect(copy.waits.knows(promiseId)).toBe(false);
  await copy.desk.settlePromise(own, { status: 'resolved', value: 'from the copy' }, OPERATOR);
  await until('its end', () => isIdle(copy));
  expect(copy.snapshot.context).toEqual({ count: 1, answer: 'from the copy' });
  await copy.trigger('own');
  await until('the end of its own', () => isIdle(copy));
  await b.process.resume(OPERATOR);
  await b.process.desk.settlePromise(promiseId, { status: 'resolved', value: 'from here' }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.process.snapshot.context).toEqual({ count: 2, answer: 'from here' });
  const done = b.ledger().map((line) => line.split(' '));
  const prefixOf = (by: string, payload: string): Set<string> =>
    new Set(
      done.filter(([who, , what]) => who === by && what === payload).map((parts) => parts[3]!.split('/')[1]!),
    );
  // Once for the two of them, and the next of each under one key, so that only one of them counts.
  expect(done.filter(([, step, what]) => step === 'first' && what === 'held')).toHaveLength(1);
  expect(prefixOf('copy', 'held')).toEqual(new Set(['agent']));
  expect(prefixOf('copy', 'own')).toEqual(new Set(['copy']));
  const keys = done.filter(([, step, what]) => step === 'second' && what === 'held').map((parts) => parts[3]);
  expect(new Set(keys).size).toBe(1);
});

test('[S40] it begins with another state where that is asked for, also in what it goes on with', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a');
  await b.trigger('held');
  await b.until('the wait', ({ snapshot }) => snapshot.open[0]?.waits.length === 1);
  const at = await lastOf(b);
  const { plan, copy } = await fork(b, 'copy', at, { set: { count: 40, more: { x: 1 } } });
  expect(plan.unfinished).toMatchObject([{ effects: 1 }]);
  expect(copy.snapshot.context).toEqual({ count: 40, more: { x: 1 } });
  await copy.resume(OPERATOR);
  await until('its own promise', () => copy.snapshot.open[0]?.waits.length === 1);
  const own = copy.snapshot.open[0]!.waits[0]!.waitId;
  await copy.desk.settlePromise(own, { status: 'resolved', value: 1 }, OPERATOR);
  await until('its end', () => isIdle(copy));
  expect(copy.snapshot.context).toEqual({ count: 41, more: { x: 1 }, answer: 1 });
  expect((await entriesOf(b, 'copy')).find(({ entry_type }) => entry_type === 'forked')!.data['set']).toEqual(
    ['count', 'more'],
  );
});

test('[S16] [S40] what lies beside the journal is copied, and the fork has it when the other is gone', async () => {
  const b = await bench(
    `const big = await ctx.effect('big', async () => 'x'.repeat(200_000));
     await ctx.state.set('length', big.length);
     await ctx.promise('wait');`.replace("'big', async", "'big', {}, async"),
  );
  await b.trigger('a');
  await b.until('the wait', ({ snapshot }) => snapshot.open[0]?.waits.length === 1);
  const { copy } = await fork(b, 'copy', await lastOf(b));
  const [theirs, own] = [b.process, copy].map(({ snapshot }) => snapshot.open[0]!.effects[0]!.end);
  expect(theirs).toMatchObject({ kind: 'done', spilled: { bytes: 200_002 } });
  expect(own).toMatchObject({ kind: 'done', spilled: { bytes: 200_002 } });
  if (own?.kind !== 'done') throw new Error('it is not done');
  const bytes = await b.journal.spilled('copy', own.spilled!);
  expect(bytes).toHaveLength(200_002);
  await copy.resume(OPERATOR);
  await until('its own promise', () => copy.snapshot.open[0]?.waits.length === 1);
  expect(copy.snapshot.context).toEqual({ length: 200_000 });
});

test('[S16] [S40] so is what an event said, where that lies beside the journal', async () => {
  const b = await bench(
    `await ctx.state.set('length', event.payload.length);
     await ctx.promise('wait');`,
  );
  await b.trigger('x'.repeat(100_000));
  await b.until('the wait', ({ snapshot }) => snapshot.open[0]?.waits.length === 1);
  const { copy } = await fork(b, 'copy', await lastOf(b), { set: { length: 0 } });
  const [theirs, own] = [b.process, copy].map(({ snapshot }) => snapshot.open[0]!.event.spilled!);
  expect(await b.journal.spilled('agent', theirs!)).toHaveLength(100_002);
  expect(await b.journal.spilled('copy', own!)).toHaveLength(100_002);
  await copy.resume(OPERATOR);
  await until('its own promise', () => copy.snapshot.open[0]?.waits.length === 1);
  expect(copy.snapshot.context).toEqual({ length: 100_000 });
});

test('[S40] a name that is taken is refused, by a process and by a journal', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a');
  const at = await lastOf(b);
  await expect(fork(b, 'agent', at)).rejects.toMatchObject({ code: 'fork.name-taken' });
  await b.journal.append({ process_id: 'ghost', entry_type: 'log', data: {} });
  await expect(fork(b, 'ghost', at)).rejects.toMatchObject({ code: 'fork.name-taken' });
  expect(await entriesOf(b, 'ghost')).toMatchObject([{ entry_type: 'writer_opened' }, { entry_type: 'log' }]);
});

test.each([0, 99_999])('[S40] %s is no entry to fork from, and nothing is begun', async (at) => {
  const b = await bench(CHARGES);
  await handled(b, 'a');
  await expect(fork(b, 'copy', at)).rejects.toMatchObject({ code: 'rewind.no-entry' });
  expect(await b.journal.processes()).toEqual(['agent']);
});

test('[S3] a fork that would keep no journal is refused before anything is written', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a');
  const { definition } = b.process;
  const none = {
    ...definition,
    name: 'copy',
    config: { ...definition.config, journalLevel: 'none' as const },
  };
  const asked = b.runtime.fork(
    none,
    { from: 'agent', at: await lastOf(b), set: {} },
    { actor: OPERATOR, keep: () => {} },
  );
  await expect(asked).rejects.toMatchObject({ code: 'journal.required' });
  expect(await b.journal.processes()).toEqual(['agent']);
});

test('[S40] a fork whose manifest could not be written is finished by forking again', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a', 'b');
  const at = await lastOf(b);
  const full = (): void => {
    throw new Error('no space left on device');
  };
  await expect(fork(b, 'copy', at, { keep: full })).rejects.toThrow('no space left');
  await expect(fork(b, 'copy', at, { keep: full })).rejects.toThrow('no space left');
  expect(b.runtime.processes.has('copy')).toBe(false);
  await expect(fork(b, 'copy', at - 1)).rejects.toMatchObject({ code: 'fork.name-taken' });
  const { copy } = await fork(b, 'copy', at, { set: { count: 7 } });
  expect(copy.snapshot.context).toEqual({ count: 7 });
  await copy.resume(OPERATOR);
  await copy.trigger('own');
  await until('the end', () => isIdle(copy));
  expect(copy.snapshot.context).toEqual({ count: 8 });
  expect(b.process.snapshot.context).toEqual({ count: 2 });
});

test('[S40] a fork can be rewound and forked again; its lineage is the last one, its keys those of the first', async () => {
  const b = await bench(CHARGES);
  await b.trigger('held');
  await b.until('the wait', ({ snapshot }) => snapshot.open[0]?.waits.length === 1);
  const { copy } = await fork(b, 'copy', await lastOf(b));
  const begin = copy.snapshot.seq;
  await copy.resume(OPERATOR);
  await until('its own promise', () => copy.snapshot.open[0]?.waits.length === 1);
  const own = copy.snapshot.open[0]!.waits[0]!.waitId;
  await copy.rewinds.apply({ to: begin, isHandledAgain: true }, 1, OPERATOR);
  await copy.settled();
  const definition = { ...b.process.definition, name: 'third' };
  const order = { from: 'copy', at: copy.snapshot.seq, set: {} };
  await b.runtime.fork(definition, order, { actor: OPERATOR, keep: () => {} });
  const third = b.runtime.process('third');
  expect(third.snapshot.lineage).toMatchObject({ process: 'copy' });
  expect(third.snapshot.open[0]!.inherited).toMatchObject({ by: 'third' });
  expect(third.snapshot.open[0]!.inherited!.keyPrefix).toMatch(/\/agent$/);
  await third.resume(OPERATOR);
  await until('its own promise', () => third.snapshot.open[0]?.waits.length === 1);
  expect(third.snapshot.open[0]!.waits[0]!.waitId).not.toBe(own);
  expect(b.ledger()).toHaveLength(1);
});

test.each(['happened', 'did_not_happen'] as const)(
  '[P2] [S40] an effect that was under way at that entry is in doubt in the fork; where it %s, it is so there',
  async (kind) => {
    const b = await bench(
      `const receipt = await ctx.effect('pay', {}, async ({ key }) => {
         note(ctx.process + ' pays under ' + key);
         if (ctx.process === 'agent') await delay(600_000);
         return 'paid by ' + ctx.process;
       });
       await ctx.state.set('receipt', receipt);`,
      { workerLimits: { memoryMb: null, startDeadlineMs: 30_000, stopDeadlineMs: 600 } },
    );
    await b.trigger('a');
    await b.until('the effect', () => b.ledger().length === 1);
    const { effectId, key } = b.process.snapshot.open[0]!.effects[0]!;
    const { copy } = await fork(b, 'copy', await lastOf(b));
    await copy.resume(OPERATOR);
    await until('the doubt', () => copy.snapshot.holds.some((hold) => hold.kind === 'in_doubt'));
    expect(copy.snapshot.lifecycle).toBe('suspended');
    expect(b.ledger()).toEqual([`agent pays under ${key}`]);
    const decided = kind === 'happened' ? { kind, result: 'paid' } : { kind };
    await copy.desk.resolveEffect(effectId, decided, OPERATOR);
    await until('its end', () => isIdle(copy));
    const isDone = kind === 'happened';
    expect(copy.snapshot.context).toEqual({ receipt: isDone ? 'paid' : 'paid by copy' });
    const own = isDone ? [] : [`copy pays under ${key}`];
    expect(b.ledger()).toEqual([`agent pays under ${key}`, ...own]);
  },
);
