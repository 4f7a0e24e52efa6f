import { expect, test } from 'vitest';
import type { StoredEntry } from '../../core/model/entry.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';

/** Counts in its state, says something, and charges once for each event. */
const CHARGES = `
  const count = (ctx.state.get('count') ?? 0) + 1;
  await ctx.state.set('count', count);
  await ctx.conversation.append({ role: 'assistant', content: 'number ' + count });
  const receipt = await ctx.effect('charge', { args: { order: event.payload } }, async () => {
    note('charge ' + event.payload);
    return 'receipt for ' + event.payload;
  });
  await ctx.state.set('receipt', receipt);
  return receipt;`;

const AGAIN = { isHandledAgain: true };
const LEFT = { isHandledAgain: false };

async function handled(b: Bench, ...payloads: readonly string[]): Promise<void> {
  for (const payload of payloads) {
    await b.trigger(payload);
    await b.until(`the end of ${payload}`, isIdle);
  }
}

/** The number of the how-manieth entry of a type, from 0; of the last where it is negative. */
async function seqOf(b: Bench, type: string, at: number): Promise<number> {
  const those = (await b.entries()).filter((entry) => entry.entry_type === type);
  return those.at(at)!.seq;
}

/** Ends this runtime and starts another one on the same journal, with other code. */
async function withCode(b: Bench, source: string, config: Partial<ProcessConfig> = {}): Promise<Bench> {
  await b.quit();
  return bench(source, config, b.directory);
}

const typesOf = (entries: readonly StoredEntry[]): string[] => entries.map(({ entry_type }) => entry_type);

test('[P2] [S39] what happened is not done again: the re-run gets the record, and the state is that of the target', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a', 'b');
  const target = await seqOf(b, 'invocation_result', 0);
  const before = b.process.snapshot;
  const { invocationCount } = before;
  const plan = await b.process.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR);
  expect(plan.undone).toMatchObject([{ how: 'done', isCutShort: false, effects: 1 }]);
  expect(b.process.snapshot).toMatchObject({
    lifecycle: 'suspended',
    context: { count: 1, receipt: 'receipt for a' },
    conversation: [{ content: 'number 1' }],
    conversationCount: 1,
    recentRuns: [{ ok: true }],
    invocationCount,
    open: [{ event: { payload: 'b' }, attempt: 2, effects: [{ name: 'charge', isUndone: true }] }],
  });
  await b.process.resume(OPERATOR);
  await b.until('the end of the re-run', isIdle);
  expect(b.ledger()).toEqual(['charge a', 'charge b']);
  expect(b.process.snapshot).toMatchObject({
    context: { count: 2, receipt: 'receipt for b' },
    conversation: [{ content: 'number 1' }, { content: 'number 2' }],
    invocationCount: 3,
  });
  const types = typesOf(await b.entries());
  expect(types[types.indexOf('rewind') + 1]).toBe('checkpoint');
  await b.process.settled();
  expect({ ...(await folded(b)) }).toEqual({ ...b.process.snapshot });
});

test('[S39] with --leave nothing is handled again, and what happened since stays in the journal alone', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a', 'b');
  const target = await seqOf(b, 'invocation_result', 0);
  const plan = await b.process.rewinds.apply({ to: target, ...LEFT }, null, OPERATOR);
  expect(plan).toMatchObject({ isHandledAgain: false, undone: [{ how: 'done' }] });
  await b.process.resume(OPERATOR);
  await handled(b, 'c');
  expect(b.ledger()).toEqual(['charge a', 'charge b', 'charge c']);
  expect(b.process.snapshot.context).toEqual({ count: 2, receipt: 'receipt for c' });
});

test('[P6] [S39] a plan changes no byte, and says what applying it then does', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a', 'b', 'c');
  await b.process.suspend(OPERATOR);
  await b.process.settled();
  const target = await seqOf(b, 'invocation_result', 0);
  const before = JSON.stringify(await b.entries());
  const plan = await b.process.rewinds.plan({ to: target, ...AGAIN });
  await b.process.settled();
  expect(JSON.stringify(await b.entries())).toBe(before);
  expect(plan).toMatchObject({
    process: 'agent',
    target: { seq: target, entryType: 'invocation_result' },
    context: [
      { key: 'count', now: { value: 3 }, was: { value: 1 } },
      { key: 'receipt', now: { value: 'receipt for c' }, was: { value: 'receipt for a' } },
    ],
    conversation: { now: 3, was: 1 },
    undone: [
      { how: 'done', effects: 1 },
      { how: 'done', effects: 1 },
    ],
    factCount: { effect: 2, event: 2, message: 0, promise: 0, timer: 0, decision: 0 },
  });
  expect(plan.facts.map(({ kind, end }) => [kind, end])).toEqual([
    ['event', null],
    ['effect', 'done'],
    ['event', null],
    ['effect', 'done'],
  ]);
  const done = await b.process.rewinds.apply({ to: target, ...AGAIN }, plan.undone.length, OPERATOR);
  expect(done).toEqual({ ...plan, basedOn: done.basedOn });
  const entry = (await b.entries()).find(({ entry_type }) => entry_type === 'rewind')!;
  expect(entry.data).toEqual({
    target_seq: target,
    handled_again: true,
    entries_affected: done.basedOn - target,
    undone: plan.undone.map(({ eventId }) => eventId),
    undone_count: 2,
    actor: OPERATOR.name,
    reason: OPERATOR.reason,
  });
});

test('[S39] a plan that has changed is refused, and the process goes on as it did', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a', 'b');
  const target = await seqOf(b, 'invocation_result', 0);
  const plan = await b.process.rewinds.plan({ to: target, ...AGAIN });
  await handled(b, 'c');
  const apply = b.process.rewinds.apply({ to: target, ...AGAIN }, plan.undone.length, OPERATOR);
  await expect(apply).rejects.toMatchObject({
    code: 'rewind.changed',
    message:
      'agent has moved since the rewind was planned: 2 invocations would be undone, and not 1. Look at the plan again.',
  });
  expect(b.process.snapshot.lifecycle).toBe('running');
  expect(typesOf(await b.entries())).not.toContain('rewind');
});

test.each([
  [0, 'rewind.no-entry', 'agent has no entry 0; its last is '],
  [-3, 'rewind.no-entry', 'agent has no entry -3; its last is '],
  [1.5, 'rewind.no-entry', 'agent has no entry 1.5; its last is '],
  [99_999, 'rewind.no-entry', 'agent has no entry 99999; its last is '],
])('[S39] %s is no entry to go on from, and nothing is stopped for it', async (to, code, message) => {
  const b = await bench(CHARGES);
  await handled(b, 'a');
  await b.process.settled();
  const before = await b.entries();
  for (const order of [AGAIN, LEFT]) {
    const plan = b.process.rewinds.plan({ to, ...order });
    await expect(plan).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
    const apply = b.process.rewinds.apply({ to, ...order }, null, OPERATOR);
    await expect(apply).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
  }
  expect(b.process.snapshot.lifecycle).toBe('running');
  expect(await b.entries()).toEqual(before);
});

test('[S3] a process that keeps no journal has nothing to go back to', async () => {
  const b = await bench('await ctx.state.set("n", 1);', { journalLevel: 'none' });
  await handled(b, 'a');
  const apply = b.process.rewinds.apply({ to: 1, ...AGAIN }, null, OPERATOR);
  await expect(apply).rejects.toMatchObject({ code: 'journal.required' });
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'running', context: { n: 1 } });
});

test('[S39] a process that runs is suspended first; what its worker was doing is cut short and handled again', async () => {
  const b = await bench(
    `await ctx.state.set('step', 'begun');
     await ctx.effect('look', { class: 'retry' }, async ({ attempt }) => {
       note('look ' + attempt);
       if (attempt === 1) await delay(60_000);
     });
     await ctx.state.set('step', 'over');`,
    { workerLimits: { memoryMb: null, startDeadlineMs: 30_000, stopDeadlineMs: 600 } },
  );
  await b.trigger('a');
  await b.until('the effect', () => b.ledger().includes('look 1'));
  const target = await seqOf(b, 'trigger_event', 0);
  const plan = await b.process.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR);
  expect(plan.undone).toMatchObject([{ how: 'under way', isCutShort: false }]);
  expect(plan.facts).toMatchObject([{ kind: 'effect', end: null }]);
  expect(b.process.live.worker).toBeNull();
  expect(b.process.snapshot).toMatchObject({
    lifecycle: 'suspended',
    holds: [{ kind: 'operator', reason: 'test' }],
    context: {},
    open: [{ attempt: 2, writes: [] }],
  });
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.process.snapshot.context).toEqual({ step: 'over' });
  expect(b.ledger()).toEqual(['look 1', 'look 2']);
});

const SWITCHED = (currency: string): string => `
  const receipt = await ctx.effect('charge', { args: { order: event.payload, in: '${currency}' } }, async ({ attempt }) => {
    note('charge ' + event.payload + ' in ${currency}, attempt ' + attempt);
    return 'paid in ${currency}';
  });
  await ctx.state.set('receipt', receipt);`;

async function unlike(): Promise<Bench> {
  const first = await bench(SWITCHED('euro'));
  await handled(first, 'a');
  const b = await withCode(first, SWITCHED('yen'));
  const target = await seqOf(b, 'invocation_start', 0);
  await b.process.rewinds.apply({ to: target, ...AGAIN }, null, OPERATOR);
  await b.process.resume(OPERATOR);
  await b.until('the doubt', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
  expect(b.ledger()).toEqual(['charge a in euro, attempt 1']);
  const [effect] = b.process.snapshot.open[0]!.effects;
  expect(effect).toMatchObject({
    effectClass: 'ask',
    end: {
      kind: 'in_doubt',
      error: 'before the rewind it was done with other arguments: {"order":"a","in":"euro"}',
    },
    argsPreview: '{"order":"a","in":"yen"}',
  });
  return b;
}

const effectOf = ({ process }: Bench): string => process.snapshot.open[0]!.effects[0]!.effectId;

test('[S39] under the same name with other arguments an operator is asked; it was the same: its result is given back', async () => {
  const b = await unlike();
  const result = { receipt: 'the same' };
  await b.process.desk.resolveEffect(effectOf(b), { kind: 'happened', result }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.process.snapshot.context).toEqual({ receipt: result });
  expect(b.ledger()).toEqual(['charge a in euro, attempt 1']);
});

test('[S39] under the same name with other arguments an operator is asked; it was another: this one is done', async () => {
  const b = await unlike();
  const next = await b.again();
  expect(next.process.snapshot.holds).toMatchObject([{ kind: 'in_doubt' }]);
  await next.process.desk.resolveEffect(effectOf(next), { kind: 'did_not_happen' }, OPERATOR);
  await next.until('the end', isIdle);
  expect(next.process.snapshot.context).toEqual({ receipt: 'paid in yen' });
  expect(next.ledger()).toEqual(['charge a in euro, attempt 1', 'charge a in yen, attempt 2']);
});

test('[S39] under the same name with other arguments an operator is asked; it is left out: nothing is done', async () => {
  const b = await unlike();
  await b.process.desk.resolveEffect(effectOf(b), { kind: 'skip' }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.process.snapshot.context).toEqual({ receipt: null });
  expect(b.ledger()).toEqual(['charge a in euro, attempt 1']);
});

test('[S39] what is queued stays queued, and what was decided stays decided', async () => {
  const b = await bench(
    `await ctx.effect('charge', { args: event.payload }, async () => {
       note('charge ' + event.payload);
       if (event.payload === 'a') throw new Error('the line went dead');
     });`,
  );
  await handled(b);
  const target = (await b.entries()).at(-1)!.seq;
  await b.trigger('a');
  await b.until('the doubt', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
  await b.trigger('b');
  await b.process.desk.resolveEffect(effectOf(b), { kind: 'happened', result: null }, OPERATOR);
  await b.until('the end', isIdle);
  await b.process.suspend(OPERATOR);
  await b.trigger('c');
  const plan = await b.process.rewinds.apply({ to: target, ...AGAIN }, 2, OPERATOR);
  expect(plan.factCount).toMatchObject({ decision: 1, event: 3 });
  expect(b.process.snapshot.queue).toMatchObject([{ payload: 'c' }]);
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['charge a', 'charge b', 'charge c']);
});

test('[S39] a dead letter of what is undone is taken up; one that was dropped stays dropped', async () => {
  const b = await bench(
    `await ctx.effect('charge', { args: event.payload }, async () => void note('charge ' + event.payload));
     if (ctx.state.get('works') !== true) throw new Error('not yet');`,
  );
  await b.process.settled();
  const target = (await b.entries()).at(-1)!.seq;
  await handled(b, 'a', 'b');
  const [, second] = b.process.snapshot.deadLetters;
  await b.process.desk.dropDeadLetter(second!.event.eventId, OPERATOR);
  expect(b.process.snapshot).toMatchObject({ deadLetters: [{}], consecutiveFailures: 2 });
  const plan = await b.process.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR);
  expect(plan.undone).toMatchObject([{ how: 'given up' }]);
  expect(plan.factCount.decision).toBe(1);
  expect(b.process.snapshot).toMatchObject({ deadLetters: [], consecutiveFailures: 0, recentRuns: [] });
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['charge a', 'charge b']);
});

test('[S39] what waits: a settled promise answers from the record, one from before stays, one begun since is begun anew', async () => {
  const b = await bench(
    `const early = await ctx.promise('early');
     await ctx.state.set('early', early);
     await ctx.sleep(1);
     const late = await ctx.promise('late');
     await ctx.state.set('late', late);`,
  );
  const promise = (name: string) =>
    b.process.snapshot.open[0]?.waits.find((wait) => wait.name === name && wait.end === null);
  await b.trigger('a');
  await b.until('the first promise', () => promise('early'));
  const target = await seqOf(b, 'promise_created', 0);
  const early = promise('early')!.waitId;
  await b.process.rewinds.apply({ to: target, ...AGAIN }, null, OPERATOR);
  expect(promise('early')?.waitId).toBe(early);
  await b.process.resume(OPERATOR);
  await b.process.desk.settlePromise(early, { status: 'resolved', value: 'yes' }, OPERATOR);
  await b.until('the second promise', () => promise('late'));
  const late = promise('late')!.waitId;
  const timers = (entries: readonly StoredEntry[]): number =>
    typesOf(entries).filter((type) => type === 'timer_started').length;
  expect(timers(await b.entries())).toBe(1);

  await b.process.rewinds.apply({ to: target, ...AGAIN }, null, OPERATOR);
  expect(b.process.snapshot.open[0]!.waits.map(({ name, end }) => [name, end?.status])).toEqual([
    ['early', 'resolved'],
    ['sleep', 'fired'],
  ]);
  expect(b.process.live.dueAt).toBeNull();
  await b.process.resume(OPERATOR);
  await b.until('the second promise, anew', () => promise('late'));
  expect(promise('late')!.waitId).toBe(late);
  await b.process.desk.settlePromise(late, { status: 'resolved', value: 'too' }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.process.snapshot.context).toEqual({ early: 'yes', late: 'too' });
  expect(timers(await b.entries())).toBe(1);
});

test('[S39] a process that only waits is suspended too, and stays so', async () => {
  const b = await bench(`await ctx.promise('approval');`);
  await b.trigger('a');
  await b.until('the wait', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  const target = await seqOf(b, 'promise_created', 0);
  await b.process.rewinds.apply({ to: target, ...AGAIN }, null, OPERATOR);
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'suspended', holds: [{ kind: 'operator' }] });
});

test('[S39] a rewind is taken back by another: what was over at its target is over, and is not handled twice', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a', 'b');
  const early = await seqOf(b, 'invocation_result', 0);
  const late = await seqOf(b, 'invocation_result', 1);
  await b.process.rewinds.apply({ to: early, ...AGAIN }, 1, OPERATOR);
  const plan = await b.process.rewinds.apply({ to: late, ...AGAIN }, 0, OPERATOR);
  expect(plan.undone).toEqual([]);
  expect(b.process.snapshot).toMatchObject({
    context: { count: 2, receipt: 'receipt for b' },
    conversationCount: 2,
    open: [],
  });
  await b.process.resume(OPERATOR);
  await handled(b, 'c');
  expect(b.process.snapshot.context).toEqual({ count: 3, receipt: 'receipt for c' });
  await b.process.rewinds.apply({ to: early, ...AGAIN }, 2, OPERATOR);
  expect(b.process.snapshot.open.map(({ event }) => event.payload)).toEqual(['b', 'c']);
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['charge a', 'charge b', 'charge c']);
});

test('[P3] [S39] whoever takes it over after a rewind finds what was left there', async () => {
  const b = await bench(CHARGES);
  await handled(b, 'a', 'b');
  const target = await seqOf(b, 'invocation_result', 0);
  await b.process.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR);
  const { context, open, conversation } = structuredClone({ ...b.process.snapshot });
  const next = await b.again();
  expect(next.process.snapshot).toMatchObject({ lifecycle: 'suspended', context, conversation });
  expect(next.process.snapshot.open).toEqual(open);
  await next.process.resume(OPERATOR);
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual(['charge a', 'charge b']);
});
