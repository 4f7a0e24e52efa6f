// A model agent is loaded anew in the middle of a turn, with other instructions and another model: what is recorded is neither
// lost nor asked for again, and the turn ends with what it began with.

import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../core/host/system-clock.ts';
import type { Clock } from '../../core/model/ports.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import { textAt } from '../../core/model/json.ts';
import { isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { startToolServer } from '../support/tool-server.ts';
import { effectsIn, toolServer, turnBench, wireModel } from '../support/turns.ts';
import { waitFor } from '../support/wait-for.ts';
import { call, stepOf, steps, type WireModel } from '../support/wire-model.ts';

const NEVER = new Promise<never>(() => {});
const PLAN = { maxOutputTokens: 100 };
const OLD = { instructions: 'The old way.' };

/** Something that lasts until it is let go. */
function held(): { readonly over: Promise<void>; readonly letGo: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { over: promise, letGo: resolve };
}

/** By which the moment that what is under way has to end is a long one, whatever else the machine has to do. */
function patientClock(): Clock {
  const clock = systemClock();
  return { ...clock, monotonic: () => clock.monotonic() / 20 };
}

/** What is in force after it has another model and other instructions. */
async function reloaded(b: Bench, model: WireModel, meanwhile: () => void = () => {}): Promise<AgentProcess> {
  const { definition } = b.process;
  const { agent } = definition.config;
  const config = {
    ...definition.config,
    instructions: 'The new way.',
    agent: { ...agent!, models: [model.name('chat')] },
  };
  const reloading = b.runtime.reload({ ...definition, config, configHash: 'other' }, OPERATOR);
  await b.until('it to be held', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'quit'));
  meanwhile();
  await reloading;
  return b.runtime.process('agent');
}

async function replyOf(b: Bench, process: AgentProcess, eventId: string): Promise<string> {
  await waitFor(() => isIdle(process), { what: 'the end of the turn' });
  await process.settled();
  const results = (await b.entries()).filter(({ entry_type }) => entry_type === 'invocation_result');
  expect(results.map(({ data }) => data['event_id'])).toContain(eventId);
  return textAt(results.at(-1)!.data, 'response');
}

it('[P1] [P2] [S25] a call of the model that ends in time is on record, and the next turn is in the new way', async () => {
  const { over, letGo } = held();
  const server = await toolServer({ look: () => 'warm' });
  const answers = steps({ calls: [call('c1', 'look')] }, { text: 'done' });
  const model = await wireModel(async (question, asked) => {
    if (stepOf(question) === 1) await over;
    return answers(question, asked);
  });
  const other = await wireModel(steps({ text: 'anew' }));
  const tools = { look: { class: 'ask' } } as const;
  const clock = patientClock();
  const setting = { models: [model.name('chat')], server, tools, plan: PLAN, config: OLD, clock };
  const b = await turnBench(setting);
  const first = await b.trigger('go');
  await waitFor(() => model.asked.length === 2, { what: 'the second call' });
  const process = await reloaded(b, other, letGo);
  expect(await replyOf(b, process, first)).toBe('done');
  expect([model.counts(), server.done.length, other.asked.length]).toEqual([[1, 1], 1, 0]);
  expect(process.snapshot.budget).toMatchObject({ spent: { modelTurns: 2, toolCalls: 1 }, reserved: {} });
  const second = await process.trigger('once more');
  expect(await replyOf(b, process, second)).toBe('anew');
  expect(other.asked[0]!.question.system).toContain('The new way.');
  expect(model.asked.every(({ question }) => question.system.includes('The old way.'))).toBe(true);
});

it('[P2] [S25] [S33] one that does not is paid once more at most, by the model that it began with, and stays counted', async () => {
  const server = await toolServer({ look: () => 'warm' });
  const answers = steps({ calls: [call('c1', 'look')] }, { text: 'done' });
  const model = await wireModel((question, asked) =>
    stepOf(question) === 1 && asked === 0 ? NEVER : answers(question, asked),
  );
  const other = await wireModel(steps({ text: 'anew' }));
  const tools = { look: { class: 'ask' } } as const;
  const b = await turnBench({ models: [model.name('chat')], server, tools, plan: PLAN, config: OLD });
  const eventId = await b.trigger('go');
  await waitFor(() => model.asked.length === 2, { what: 'the second call' });
  const process = await reloaded(b, other);
  expect(await replyOf(b, process, eventId)).toBe('done');
  expect([model.counts(), server.done.length, other.asked.length]).toEqual([[1, 2], 1, 0]);
  const { spent, reserved } = process.snapshot.budget;
  expect((spent.modelTurns ?? 0) + (reserved.modelTurns ?? 0)).toBe(3);
  expect(effectsIn(await b.entries()).filter((line) => line === 'model#0 begins')).toHaveLength(1);
});

it('[P2] [S28] of calls of tools under way each follows its class, and their results keep their order', async () => {
  const begun = new Set<string>();
  // Done, and its answer never comes; the first time.
  const server = await startToolServer(
    { again: () => 'acted', asked: () => 'acted', doubt: () => 'acted' },
    (phase, { tool }) => {
      if (phase === 'before' || begun.has(tool)) return Promise.resolve();
      begun.add(tool);
      return NEVER;
    },
  );
  onTestFinished(() => server.close());
  const calls = ['again', 'asked', 'doubt'].map((name) => call(name, name));
  const model = await wireModel(steps({ calls }, { text: 'done' }));
  const other = await wireModel(steps({ text: 'anew' }));
  const b = await turnBench({
    models: [model.name('chat')],
    server,
    tools: { again: { class: 'retry' }, asked: { class: 'reconcile' }, doubt: { class: 'ask' } },
  });
  const eventId = await b.trigger('go');
  await waitFor(() => begun.size === 3, { what: 'the three calls' });
  const process = await reloaded(b, other);
  const doubt = await waitFor(
    () =>
      process.snapshot.holds.some(({ kind }) => kind === 'in_doubt') &&
      process.snapshot.open[0]?.effects.find(({ name, end }) => name === 'doubt' && end?.kind !== 'done'),
    { what: 'the doubt' },
  );
  await process.desk.resolveEffect(
    doubt.effectId,
    { kind: 'happened', result: { text: 'as they say', isError: false } },
    OPERATOR,
  );
  expect(await replyOf(b, process, eventId)).toBe('done');
  const times = (name: string): number => server.done.filter(({ tool }) => tool === name).length;
  expect([times('again'), times('asked'), times('doubt')]).toEqual([2, 1, 1]);
  expect(new Set(server.done.map(({ key }) => key)).size).toBe(3);
  const { turns } = model.asked[1]!.question;
  expect(turns.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : []))).toEqual([
    'acted',
    'acted',
    'as they say',
  ]);
  expect([model.asked.length, other.asked.length]).toEqual([2, 0]);
});
