// A model agent forked and taken back in the middle of a turn, with everything that a turn may have: a list of tools, what it
// remembers, messages from people, and a call that a person has to approve.

import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { WORKSPACE_JOURNAL } from '../../core/journal/layout.ts';
import { textAt } from '../../core/model/json.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import { join } from 'node:path';
import { isIdle, OPERATOR } from '../support/runtime.ts';
import { wireModel } from '../support/turns.ts';
import { waitFor } from '../support/wait-for.ts';
import { AGENT, countingServer, whole, type Whole } from '../support/whole-agents.ts';
import { call, steps } from '../support/wire-model.ts';

const REPLY = 'Green.\nANSWER Q1: seven';

/** In the middle of its second turn: a message is delivered, one call of the model is on record, and a call waits for approval. */
async function inMidTurn() {
  const model = await wireModel((question) =>
    question.system.includes('QUESTION Q1')
      ? steps({ calls: [call('a', 'echo', { text: 'x' })] }, { text: REPLY })(question, 0)
      : { text: 'I remember.' },
  );
  const w = await whole({
    model: model.name('chat'),
    memory: { auto_store: true },
    context: { conversation_history: false },
    servers: { world: countingServer() },
    holdfast: { tools: { echo: { class: 'retry', approve: true } } },
  });
  await w.turn('Anna prefers green tea');
  await w.process.desk.writeInbox(
    { messageId: 'm1', type: 'question', content: 'Which?', priority: 'normal', expiresInMs: null },
    OPERATOR,
  );
  const eventId = await w.process.trigger('Which tea for Anna?');
  await w.until('the approval', () => approvalOf(w.process) !== undefined);
  await w.process.suspend(OPERATOR);
  const at = (await w.entries()).at(-1)!.seq;
  return { w, model, eventId, at };
}

const approvalOf = ({ snapshot }: AgentProcess) =>
  snapshot.open
    .flatMap(({ waits }) => waits)
    .find(({ kind, data, end }) => kind === 'promise' && data !== null && end === null);

async function approve(process: AgentProcess): Promise<void> {
  const wait = await waitFor(() => approvalOf(process), { what: 'the approval' });
  await process.approvals.decide(wait.waitId, { kind: 'approve' }, OPERATOR);
  await waitFor(() => isIdle(process), { what: 'the end of the turn' });
  await process.settled();
}

/** What became of its turn, by its journal. */
async function cameOf({ workspace }: Whole, name: string) {
  const entries = await readFileJournal(join(workspace, WORKSPACE_JOURNAL)).read(name);
  const of = (type: string) => entries.filter(({ entry_type }) => entry_type === type);
  return {
    reply: textAt(of('invocation_result').at(-1)!.data, 'response'),
    answers: of('inbox_answered').map(({ data }) => data['answer']),
    lists: of('tools_listed').length,
    plans: of('agent_planned').length,
  };
}

test('[S25] [S40] a fork goes on with its list of tools, its plan and its message, asks for an approval of its own, and pays for nothing that is recorded', async () => {
  const { w, model, at } = await inMidTurn();
  const { runtime } = w.opened.live;
  const order = { from: AGENT, at, set: {} };
  await runtime.fork({ ...w.process.definition, name: 'copy' }, order, { actor: OPERATOR, keep: () => {} });
  const copy = runtime.process('copy');
  expect(copy.snapshot.open[0]!.plan).toEqual(w.process.snapshot.open[0]!.plan);
  expect(approvalOf(copy)?.waitId).not.toBe(approvalOf(w.process)!.waitId);
  await w.process.resume(OPERATOR);
  await approve(w.process);
  expect(w.calls()).toHaveLength(1);
  // Nothing of that is the fork's.
  expect(copy.snapshot.lifecycle).toBe('suspended');
  await copy.resume(OPERATOR);
  await approve(copy);
  expect(w.calls()).toHaveLength(2);
  expect(model.asked).toHaveLength(4);
  expect(await cameOf(w, AGENT)).toMatchObject({ reply: REPLY, answers: ['seven'], plans: 1 });
  expect(await cameOf(w, 'copy')).toEqual({ reply: REPLY, answers: ['seven'], lists: 0, plans: 0 });
  expect(copy.snapshot.tools.last?.hash).toBe(w.process.snapshot.tools.last?.hash);
  const { system } = model.asked[3]!.question;
  expect(system.replace('copy', AGENT)).toBe(model.asked[2]!.question.system);
  expect(system).toContain('Anna prefers green tea');
});

test('[P2] [S25] [S39] taken back into the middle of a turn that is over, it comes to the same end, and nothing is decided, paid for or done again', async () => {
  const { w, model, eventId, at } = await inMidTurn();
  await w.process.resume(OPERATOR);
  await approve(w.process);
  const before = w.process.snapshot;
  const plan = await w.process.rewinds.apply({ to: at, isHandledAgain: true }, null, OPERATOR);
  expect(plan.undone).toHaveLength(1);
  expect(w.process.snapshot).toMatchObject({
    lifecycle: 'suspended',
    plan: before.plan,
    tools: before.tools,
  });
  expect(w.process.snapshot.open).toMatchObject([{ event: { eventId } }]);
  await w.process.resume(OPERATOR);
  expect(await w.reply(eventId)).toBe(REPLY);
  expect([w.calls().length, model.asked.length]).toEqual([1, 3]);
  expect(w.process.snapshot.conversation).toEqual(before.conversation);
  const { reply, plans } = await cameOf(w, AGENT);
  expect({ reply, plans }).toEqual({ reply: REPLY, plans: 1 });
  // What it remembers of the turn is there once: the next one reads it.
  await w.turn('And for Anna’s mother?');
  const recalled = model.asked.at(-1)!.question.system.match(/Which tea for Anna/g) ?? [];
  expect(recalled.length).toBeLessThanOrEqual(1);
});
