// Processes that an agent begins: they inherit what bounds it, share its budget, follow it, and are begun again from journals
// alone.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_BUDGET } from '../../core/model/budget.ts';
import { standing } from '../../core/model/self-change.ts';
import { findOrphans } from '../../core/host/orphans.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import type { AgentRuntime } from '../../core/runtime/agent-runtime.ts';
import { childDefinition } from '../../core/runtime/child-definition.ts';
import { httpServer, stdioServer } from '../support/mcp.ts';
import { MEMORY_PLAN } from '../support/memories.ts';
import { mission } from '../support/missions.ts';
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

  test('has the keys of its models, of the one that its memory is searched with too', async () => {
    const sources = {
      OPENAI_API_KEY: { kind: 'literal', value: 'openai-key-1' },
      MISTRAL_API_KEY: { kind: 'literal', value: 'mistral-key-1' },
      KEPT: { kind: 'literal', value: 'kept-value-22' },
    } as const;
    const memory = { ...MEMORY_PLAN, embeddingModel: 'mistral:mistral-embed' };
    const b = await openBench(openPlan({}, { models: ['openai:gpt-5-mini'], memory }), {
      secrets: { sources, ttlsMs: {}, revokeOnStop: true, withheld: [] },
      initialState: { of: 'its parent' },
    });
    const spawned = { name: 'agent.a', instructions: 'x', triggers: [], secrets: [], task: '' };
    const { config } = childDefinition(b.process.definition, spawned, 1);
    expect(Object.keys(config.secrets.sources)).toEqual(['OPENAI_API_KEY', 'MISTRAL_API_KEY']);
    // A memory of its own, and nothing of what its parent is after or began with.
    expect(config.agent?.memory?.collection).toBe('agent_memory.a');
    const ofParent = { ...b.process.definition, config: { ...b.process.definition.config, ...mission() } };
    const of = childDefinition(ofParent, spawned, 1).config;
    expect([of.mission, of.initialState]).toEqual([null, {}]);
    const maySpawn = [1, 2, 3].map(
      (depth) => childDefinition(ofParent, spawned, depth).config.agent!.open!.maySpawn,
    );
    expect(maySpawn).toEqual([true, true, false]);
  });

  test('[J10] has no server of tools whose settings name a secret that was not granted', async () => {
    const servers = {
      plain: stdioServer('tools', []),
      granted: stdioServer('tools', [], { env: { T: 'a ${GRANTED} b' } }),
      kept: stdioServer('tools', [], { env: { PATH: '/bin', T: '${GRANTED} ${KEPT}' } }),
      web: httpServer('https://tools.example/', { headers: { Authorization: 'Bearer ${KEPT}' } }),
    };
    const b = await openBench(openPlan({}, { servers }));
    const spawned = { name: 'agent.a', instructions: 'x', triggers: [], secrets: ['GRANTED'], task: '' };
    const { agent } = childDefinition(b.process.definition, spawned, 1).config;
    expect(Object.keys(agent!.servers)).toEqual(['plain', 'granted']);
  });

  test('that is stopped counts for no limit, and its parent reads so', async () => {
    const b = await openBench(openPlan({ maxSpawned: 1 }));
    await call(b.process, spawn('a'));
    const may = async (): Promise<string> => (await callOne(b.process, 'list_capabilities')).text;
    expect(await may()).toContain('begin processes: 1 of 1 begun');
    await (await untilThere(b.runtime, 'agent.a')).stop(OPERATOR);
    expect(await may()).toContain('begin processes: 0 of 1 begun');
    expect(await call(b.process, spawn('b'))).toMatchObject([{ isError: false }]);
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
    for (const one of [b.runtime.process('agent.a'), grandchild]) {
      await waitFor(() => one.snapshot.invocationCount > 0 && isIdle(one), { what: 'its task' });
    }
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
    const isOver = (): boolean => isIdle(b.runtime.process('agent.a')) && isIdle(grandchild);
    await waitFor(() => b.ledger().length === 7 && isOver(), { what: 'their work' });
    const spent = (process: AgentProcess): number => process.snapshot.budget.spent.toolCalls ?? 0;
    const all = [...b.runtime.processes.values()].reduce((sum, process) => sum + spent(process), 0);
    const [change] = standing(b.process.snapshot.self);
    await b.process.governance.undoSelf([change!.seq], OPERATOR);
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
    await b.process.governance.extendBudget(
      { limit: 'max_tool_calls_per_day', amount: 30, forMs: null },
      OPERATOR,
    );
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

test('undone by an operator and by its agent at once, a process is discarded once, and what it used counts once [P4]', async () => {
  const b = await openBench();
  await call(b.process, spawn('a', task([], { work: 3 })), spawn('b', task([])));
  const [a] = [await untilThere(b.runtime, 'agent.a'), await untilThere(b.runtime, 'agent.b')];
  await waitFor(() => b.ledger().length === 3 && isIdle(a), { what: 'its work' });
  const spent = (process: AgentProcess): number => process.snapshot.budget.spent.toolCalls ?? 0;
  const all = [...b.runtime.processes.values()].reduce((sum, process) => sum + spent(process), 0);
  const undo = { tool: 'undo_change', args: { change: 'all' } };
  await Promise.all([call(b.process, undo), b.process.governance.undoSelf(null, OPERATOR)]);
  expect([...b.runtime.processes.keys()]).toEqual(['agent']);
  // The undoing is a call of the agent, too.
  expect(spent(b.process)).toBe(all + 1);
  const discarded = (await b.entries()).filter(({ entry_type: type }) => type === 'process_discarded');
  expect(discarded).toHaveLength(2);
  expect(b.process.live.trouble).toBeNull();
});

test('a name that differs from another’s in its capitals alone is refused before anything is on record', async () => {
  const b = await openBench();
  await b.journal.append({ process_id: 'AGENT.One', entry_type: 'trigger_event', data: {} });
  const told = await call(b.process, spawn('one'), spawn('two'));
  expect(told).toMatchObject([
    { isError: true, text: expect.stringContaining('a process AGENT.One') },
    { isError: false },
  ]);
  expect(b.process.snapshot.self.spawned.map(({ name }) => name)).toEqual(['agent.two']);
});

test('one whose journal can not be read is taken back all the same, by the word of its parent', async () => {
  const b = await openBench();
  await call(b.process, spawn('a'), spawn('b'));
  await untilThere(b.runtime, 'agent.a');
  await b.quit();
  const path = join(b.directory, 'journal', 'agent.a.jsonl');
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, lines.with(1, '{"damaged').join('\n'));
  const again = await b.again();
  const child = again.runtime.process('agent.a');
  expect(child.live.trouble).not.toBeNull();
  expect((await callOne(again.process, 'list_processes')).text).toMatch(
    /agent\.a, begun by agent: can't go on: /,
  );
  // It is let go of and comes again with its parent, as the others do.
  const { family } = again.runtime;
  await family.letGo(again.process);
  expect([...again.runtime.processes.keys()]).toEqual(['agent']);
  for (const one of await family.recover([again.process])) one.begin();
  expect(family.problemOf('agent.a')).toBeNull();
  const change = again.process.snapshot.self.changes.find(({ what }) => what === 'agent.a')!;
  expect(await again.process.governance.undoSelf([change.seq], OPERATOR)).toHaveLength(1);
  expect(again.process.snapshot.self.spawned.map(({ name }) => name)).toEqual(['agent.b']);
  expect(again.runtime.processes.has('agent.a')).toBe(false);
  // What can be read of it stays as it was.
  expect(readFileSync(path, 'utf8')).toContain('{"damaged');
});
