// Processes that an agent begins: they inherit what bounds it, share its budget, follow it, and are begun again from journals
// alone.

import { describe, expect, test } from 'vitest';
import { DEFAULT_BUDGET } from '../../core/model/budget.ts';
import { findOrphans } from '../../core/host/orphans.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import type { AgentRuntime } from '../../core/runtime/agent-runtime.ts';
import { answersOf, call, callOne, openBench, untilThere } from '../support/open-agent.ts';
import { openPlan, type Call } from '../support/open-source.ts';
import { isIdle, OPERATOR } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';

const spawn = (name: string, more: object = {}): Call => ({
  tool: 'spawn_process',
  args: { name, instructions: `be ${name}`, ...more },
});
const task = (calls: readonly Call[], more: object = {}): object => ({
  task: JSON.stringify({ calls, ...more }),
});
const linesOf = (runtime: AgentRuntime, name: string): string => runtime.process(name).snapshot.lifecycle;
const untilState = (process: () => AgentProcess, state: string): Promise<unknown> =>
  waitFor(() => process().snapshot.lifecycle === state, { what: state });

describe('a process that an agent begins', () => {
  test('has its models, tools and limits, its own instructions and journal, and no secret that was not granted', async () => {
    const sources = {
      GRANTED: { kind: 'literal', value: 'granted-value-1' },
      KEPT: { kind: 'literal', value: 'kept-value-22' },
    } as const;
    const b = await openBench(openPlan(), {
      secrets: { sources, ttlsMs: {}, revokeOnStop: true, withheld: [] },
      budget: { ...DEFAULT_BUDGET, limits: { max_tool_calls_per_day: 50 } },
    });
    const told = await call(b.process, spawn('helper', { secrets: ['GRANTED'], ...task([]) }));
    expect(told).toMatchObject([{ isError: false }]);
    const child = await untilThere(b.runtime, 'agent.helper');
    await waitFor(() => child.snapshot.context['told'] === 'be helper', { what: 'its task' });
    expect(child.definition.config.agent?.models).toEqual(b.process.definition.config.agent?.models);
    expect(child.definition.config.budget.limits).toEqual({ max_tool_calls_per_day: 50 });
    expect(Object.keys(child.definition.config.secrets.sources)).toEqual(['GRANTED']);
    expect(child.snapshot.parent).toEqual({ process: 'agent', depth: 1, isDiscarded: false });
    await child.settled();
    expect((await b.journal.readLast('agent.helper', 1_000)).entries.length).toBeGreaterThan(3);
  });

  test('is refused where a name is taken, a secret is not its parent’s, or a trigger is not allowed', async () => {
    const b = await openBench();
    const told = await call(
      b.process,
      spawn('one'),
      spawn('one'),
      spawn('two', { secrets: ['OTHER'] }),
      spawn('three', { triggers: [{ type: 'webhook', webhook_host: '0.0.0.0' }] }),
      spawn('Four'),
      spawn('../five'),
    );
    expect(told.map(({ isError }) => isError)).toEqual([false, true, true, true, true, true]);
    expect([...b.runtime.processes.keys()]).toEqual(['agent', 'agent.one']);
  });

  test('is one of no more than are allowed, counted over all that came from the first', async () => {
    const b = await openBench(openPlan({ maxSpawned: 3 }));
    await call(b.process, spawn('a', task([spawn('b', task([spawn('c'), spawn('d')])), spawn('e')])));
    const b2 = await untilThere(b.runtime, 'agent.a.b');
    await waitFor(() => isIdle(b2) && b2.snapshot.invocationCount > 0, { what: 'the second' });
    await waitFor(() => isIdle(b.runtime.process('agent.a')), { what: 'the first' });
    const told = [...answersOf(b2), ...answersOf(b.runtime.process('agent.a')).slice(1)];
    expect(told.filter(({ isError }) => !isError)).toHaveLength(1);
    expect(b.runtime.processes.size).toBe(4);
    expect(await callOne(b.process, 'spawn_process', { name: 'f', instructions: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('3 are allowed'),
    });
  });

  test('begins others at most three deep', async () => {
    const b = await openBench(openPlan({ maxSpawned: 9 }));
    await call(b.process, spawn('a', task([spawn('b', task([spawn('c', task([spawn('d')]))]))])));
    const deepest = await untilThere(b.runtime, 'agent.a.b.c');
    await waitFor(() => deepest.snapshot.invocationCount > 0 && isIdle(deepest), { what: 'the deepest' });
    expect(answersOf(deepest)).toMatchObject([{ isError: true }]);
    expect(b.runtime.processes.size).toBe(4);
  });

  test('is begun again from the journals after its host is gone, with all that came from it, and told its task once', async () => {
    const b = await openBench();
    await call(b.process, spawn('a', task([spawn('b', task([], { work: 1 }))])));
    const grandchild = await untilThere(b.runtime, 'agent.a.b');
    await waitFor(() => grandchild.snapshot.invocationCount > 0 && isIdle(grandchild), { what: 'its task' });
    const again = await b.again();
    const [a, ab] = [
      await untilThere(again.runtime, 'agent.a'),
      await untilThere(again.runtime, 'agent.a.b'),
    ];
    await call(again.process);
    expect([a.snapshot.invocationCount, ab.snapshot.invocationCount]).toEqual([1, 1]);
    expect(again.ledger()).toEqual(['agent.a.b']);
  });
});

test('is let go of with a process that is loaded anew, and goes on with it', async () => {
  const b = await openBench();
  await call(b.process, spawn('a', task([spawn('b')])));
  await untilThere(b.runtime, 'agent.a.b');
  const { family } = b.runtime;
  await family.letGo(b.process);
  expect([...b.runtime.processes.keys()]).toEqual(['agent']);
  for (const child of await family.recover([b.process])) child.begin();
  await untilThere(b.runtime, 'agent.a.b');
  expect([...b.runtime.processes.keys()]).toEqual(['agent', 'agent.a', 'agent.a.b']);
});

describe('what follows a process', () => {
  test('is held, resumed, stopped and started with it', async () => {
    const b = await openBench();
    await call(b.process, spawn('a', task([spawn('b')])));
    await untilThere(b.runtime, 'agent.a.b');
    const both = async (state: string): Promise<void> => {
      for (const name of ['agent.a', 'agent.a.b']) await untilState(() => b.runtime.process(name), state);
    };
    await b.process.suspend(OPERATOR);
    await both('suspended');
    await b.process.resume(OPERATOR);
    await both('running');
    await b.process.stop(OPERATOR);
    await both('stopped');
    await b.process.start(OPERATOR);
    await both('running');
    expect(b.runtime.process('agent.a.b').snapshot.holds).toEqual([]);
  });

  test('stays as somebody put it alone', async () => {
    const b = await openBench();
    await call(b.process, spawn('held'), spawn('ended'));
    const [held, ended] = [
      await untilThere(b.runtime, 'agent.held'),
      await untilThere(b.runtime, 'agent.ended'),
    ];
    await held.suspend(OPERATOR);
    await ended.stop(OPERATOR);
    await b.process.suspend(OPERATOR);
    await b.process.resume(OPERATOR);
    await b.process.stop(OPERATOR);
    await untilState(() => held, 'stopped');
    await b.process.start(OPERATOR);
    await untilState(() => held, 'suspended');
    expect(linesOf(b.runtime, 'agent.ended')).toBe('stopped');
  });

  test('is stopped also where its host was gone in between', async () => {
    const b = await openBench();
    await call(b.process, spawn('a'));
    await untilThere(b.runtime, 'agent.a');
    b.runtime.family.close();
    await b.process.stop(OPERATOR);
    expect(linesOf(b.runtime, 'agent.a')).toBe('running');
    const again = await b.again();
    await untilState(() => again.runtime.process('agent.a'), 'stopped');
  });

  test('tells its parent when it fails, once, as an event from outside', async () => {
    const b = await openBench(openPlan(), { maxConsecutiveFailures: 1 });
    await call(b.process, spawn('a', task([], { fail: 'no way' })));
    await untilState(() => b.runtime.process('agent.a'), 'failed');
    const heard = (process: AgentProcess): unknown => process.snapshot.context['heard'];
    await waitFor(() => heard(b.process) !== undefined && isIdle(b.process), { what: 'the news' });
    const again = await b.again();
    await call(again.process);
    expect(heard(again.process)).toMatchObject([
      {
        event_type: 'process.failed',
        source: 'agent.a',
        data: { reason: expect.stringContaining('no way') },
      },
    ]);
  });

  test('is discarded for good, with what came from it, and what it used stays with its parent [P4]', async () => {
    const b = await openBench(openPlan(), {
      budget: { ...DEFAULT_BUDGET, limits: { max_tool_calls_per_day: 100 } },
    });
    await call(b.process, spawn('a', task([spawn('b', task([], { work: 5 }))], { work: 2 })));
    const grandchild = await untilThere(b.runtime, 'agent.a.b');
    await waitFor(() => b.ledger().length === 7 && isIdle(grandchild), { what: 'their work' });
    const spent = (process: AgentProcess): number => process.snapshot.budget.spent.toolCalls ?? 0;
    const all = [...b.runtime.processes.values()].reduce((sum, process) => sum + spent(process), 0);
    const [change] = b.process.selfUndo.plan(null);
    await b.process.undoSelf([change!.seq], OPERATOR);
    expect([...b.runtime.processes.keys()]).toEqual(['agent']);
    expect(spent(b.process)).toBe(all);
    const again = await b.again();
    expect([...again.runtime.processes.keys()]).toEqual(['agent']);
    expect(spent(again.process)).toBe(all);
    expect(await findOrphans(again.journal, again.runtime.processes)).toEqual([]);
    expect(await callOne(again.process, 'spawn_process', { name: 'a', instructions: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('There is, or was'),
    });
  });
});

describe('the budget that they share', () => {
  test('holds each of them where together they would pass the limit of the first, and goes on when it is raised', async () => {
    const b = await openBench(openPlan(), {
      budget: { ...DEFAULT_BUDGET, limits: { max_tool_calls_per_day: 20 } },
    });
    await call(b.process, spawn('a', task([], { work: 12 })), spawn('b', task([], { work: 12 })));
    const children = (): readonly AgentProcess[] =>
      ['agent.a', 'agent.b'].map((name) => b.runtime.process(name));
    const isHeld = ({ snapshot }: AgentProcess): boolean =>
      snapshot.holds.some(({ kind }) => kind === 'budget');
    await waitFor(() => children().some(isHeld) && children().every((one) => isHeld(one) || isIdle(one)), {
      what: 'the limit',
    });
    const used = (): number =>
      [...b.runtime.processes.values()].reduce(
        (sum, { snapshot }) => sum + (snapshot.budget.spent.toolCalls ?? 0),
        0,
      );
    expect(used()).toBe(20);
    expect(children().find(isHeld)!.snapshot.budget.exceeded).toMatchObject({ of: 'agent', max: 20 });
    await b.process.extendBudget({ limit: 'max_tool_calls_per_day', amount: 30, forMs: null }, OPERATOR);
    await waitFor(() => children().every(isIdle) && b.ledger().length === 24, { what: 'the rest' });
    expect(used()).toBeLessThanOrEqual(50);
  });
});

test('an injected order for a thousand processes is contained', async () => {
  const b = await openBench(openPlan({ maxSpawned: 2 }));
  const many = Array.from({ length: 40 }, (_, number) =>
    spawn(`p${number}`, task([spawn('more'), spawn('again')])),
  );
  const told = await call(b.process, ...many);
  expect(told.filter(({ isError }) => !isError)).toHaveLength(2);
  for (const name of ['agent.p0', 'agent.p1']) {
    const child = b.runtime.process(name);
    await waitFor(() => isIdle(child) && child.snapshot.invocationCount > 0, { what: name });
    expect(answersOf(child).every(({ isError }) => isError)).toBe(true);
  }
  expect(b.runtime.processes.size).toBe(3);
});
