// A model agent forked in the middle of a turn: what the turn began with goes along.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { isIdle, OPERATOR } from '../support/runtime.ts';
import { toolServer, turnBench, wireModel } from '../support/turns.ts';
import { waitFor } from '../support/wait-for.ts';
import { call, steps } from '../support/wire-model.ts';

const MAY_IT =
  "approver: async ({ ctx }, offer, args) => { await ctx.promise('may it'); return { isApproved: true, args }; }";

test('[S25] [S40] it keeps its tools, asks for none anew, and pays for no answer that is recorded', async () => {
  const server = await toolServer({ act: () => 'acted' });
  const model = await wireModel(steps({ calls: [call('c1', 'act', {})] }, { text: 'done' }));
  const tools = { act: { class: 'retry', asks: true } } as const;
  const b = await turnBench({ models: [model.name('chat')], server, tools, parts: MAY_IT });
  await b.trigger('go');
  await b.until('the wait', ({ snapshot }) => snapshot.open[0]?.waits.length === 1);
  await b.process.suspend(OPERATOR);
  await b.process.settled();
  const at = (await b.entries()).at(-1)!.seq;
  const definition = { ...b.process.definition, name: 'copy' };
  const order = { from: 'agent', at, set: {} };
  await b.runtime.fork(definition, order, { actor: OPERATOR, keep: () => {} });
  const copy = b.runtime.process('copy');
  await copy.resume(OPERATOR);
  await waitFor(() => copy.snapshot.open[0]?.waits.length === 1, { what: 'its own promise' });
  const { waitId } = copy.snapshot.open[0]!.waits[0]!;
  await copy.desk.settlePromise(waitId, { status: 'resolved', value: true }, OPERATOR);
  await waitFor(() => isIdle(copy), { what: 'its end' });
  await copy.settled();
  const entries = await readFileJournal(join(b.directory, 'journal')).read('copy');
  expect(entries.filter(({ entry_type }) => entry_type === 'tools_listed')).toEqual([]);
  const result = entries.find(({ entry_type }) => entry_type === 'invocation_result');
  expect(result?.data['response']).toBe('done');
  expect(model.asked).toHaveLength(2);
  expect(server.done).toHaveLength(1);
});
