// Model agents from their manifests to real servers of tools: what the parts do together.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { textAt } from '../../core/model/json.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import { command, openConsole } from '../support/run-host.ts';
import { OPERATOR } from '../support/runtime.ts';
import { wireModel } from '../support/turns.ts';
import { waitFor } from '../support/wait-for.ts';
import { AGENT, countingServer, dataOf, whole, writeWhole } from '../support/whole-agents.ts';
import { call, steps, stepOf } from '../support/wire-model.ts';
import type { WireQuestion } from '../support/wire-forms.ts';

const SLOW = { timeout: 120_000 };
const RETRIED = { class: 'retry' };

const resultsIn = ({ turns }: WireQuestion): readonly string[] =>
  turns.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : []));
const lastUser = ({ turns }: WireQuestion): string => {
  const said = turns.findLast(({ role }) => role === 'user');
  return said?.role === 'user' ? said.text : '';
};

test(
  'a trigger, calls of tools of server-filesystem, and a reply; the next turn sees this one [S23]',
  SLOW,
  async () => {
    const model = await wireModel((question) =>
      lastUser(question).includes('again')
        ? { text: 'As before.' }
        : steps(
            { text: 'I look.', calls: [call('a', 'list_directory', { path: '.' })] },
            {
              calls: [
                call('b', 'read_text_file', { path: 'order.txt' }),
                call('c', 'write_file', { path: 'answer.txt', content: 'seven reams' }),
              ],
            },
            { text: `It says: ${resultsIn(question)[1]}` },
          )(question, 0),
    );
    const w = await whole(
      {
        model: model.name('chat'),
        instructions: 'File what arrives.',
        servers: {
          files: { command: 'node', args: ['package:@modelcontextprotocol/server-filesystem', 'inbox'] },
        },
        holdfast: {
          servers: { files: { trusted: true, roots: ['inbox'] } },
          tools: { write_file: RETRIED },
        },
      },
      { 'inbox/order.txt': 'order: paper' },
    );
    expect(await w.turn({ file: 'order.txt' })).toContain('It says: order: paper');
    expect(readFileSync(join(w.workspace, 'inbox/answer.txt'), 'utf8')).toBe('seven reams');
    const begun = (await dataOf(w, 'effect_started')).map((data) => [textAt(data, 'name'), data['class']]);
    expect(begun.filter(([name]) => name !== 'model' && name !== 'tools')).toEqual([
      ['list_directory', 'retry'],
      ['read_text_file', 'retry'],
      ['write_file', 'retry'],
    ]);
    expect(model.asked[0]!.question.system).toContain('File what arrives.');
    expect(await w.turn('again')).toBe('As before.');
    const { turns } = model.asked.at(-1)!.question;
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(turns[1]).toMatchObject({ text: expect.stringContaining('order: paper') });
    // The same from the journal, in another host.
    const again = await w.again();
    expect(again.process.snapshot.conversation).toHaveLength(4);
    expect(await again.turn('again')).toBe('As before.');
    expect(model.asked.at(-1)!.question.turns).toHaveLength(5);
  },
);

test(
  'a call of a tool past the budget does not reach its server; extended, the turn goes on and nothing is asked again [S33]',
  SLOW,
  async () => {
    const model = await wireModel(
      steps(
        { calls: [call('a', 'echo', { text: 'one' }), call('b', 'echo', { text: 'two' })] },
        { calls: [call('c', 'echo', { text: 'three' })] },
        { text: 'All three.' },
      ),
    );
    const w = await whole({
      model: model.name('chat'),
      servers: { world: countingServer() },
      budget: { max_tool_calls_per_run: 2 },
      holdfast: { tools: { echo: RETRIED } },
    });
    const eventId = await w.process.trigger('go');
    await w.until('the hold', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'budget'));
    expect(w.calls()).toEqual(['echo {"text":"one"}', 'echo {"text":"two"}']);
    // Nor after a restart.
    const again = await w.again();
    await again.until('the hold', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'budget'));
    expect(again.calls()).toHaveLength(2);
    await again.process.governance.extendBudget(
      { limit: 'max_tool_calls_per_run', amount: 1, forMs: null },
      OPERATOR,
    );
    expect(await again.reply(eventId)).toBe('All three.');
    expect(again.calls()).toHaveLength(3);
    expect(model.counts()).toEqual([1, 1, 1]);
    expect(again.process.snapshot.budget.spent.toolCalls).toBe(3);
  },
);

test(
  'what people wrote stands in the prompt of one turn, and its question is answered by the reply, on record [P1]',
  SLOW,
  async () => {
    const model = await wireModel((question) => ({
      text: question.system.includes('QUESTION Q1') ? 'Done.\nANSWER Q1: seven' : 'Nothing new.',
    }));
    const w = await whole({ model: model.name('chat'), instructions: 'Count.' });
    const note = { priority: 'normal', expiresInMs: null } as const;
    await w.process.desk.writeInbox(
      { ...note, messageId: 'm1', type: 'directive', content: 'Count ink only.' },
      OPERATOR,
    );
    await w.process.desk.writeInbox(
      { ...note, messageId: 'm2', type: 'question', content: 'How many?' },
      OPERATOR,
    );
    expect(await w.turn()).toBe('Done.\nANSWER Q1: seven');
    expect(model.asked[0]!.question.system).toContain('    Count ink only.');
    expect(await dataOf(w, 'inbox_answered')).toMatchObject([{ message_id: 'm2', answer: 'seven' }]);
    expect(await w.turn()).toBe('Nothing new.');
    expect(model.asked[1]!.question.system).not.toContain('Count ink only.');
  },
);

test(
  'what was said is remembered over a restart and recalled in the prompt, and a re-run builds the same one [S25]',
  SLOW,
  async () => {
    const model = await wireModel((question) =>
      lastUser(question).includes('Which')
        ? steps({ calls: [call('a', 'echo', { text: 'x' })] }, { text: 'Green.' })(question, 0)
        : { text: 'I remember.' },
    );
    const w = await whole({
      model: model.name('chat'),
      memory: { auto_store: true },
      context: { conversation_history: false },
      servers: { world: countingServer() },
      // What is remembered by itself is no call of a tool.
      budget: { max_tool_calls_per_run: 1 },
      holdfast: { tools: { echo: { ...RETRIED, approve: true } } },
    });
    await w.turn('Anna prefers green tea');
    const again = await w.again();
    const eventId = await again.process.trigger('Which tea for Anna?');
    await again.until('the approval', ({ snapshot }) => waiting(snapshot) !== undefined);
    const third = await again.again();
    await third.until('the approval', ({ snapshot }) => waiting(snapshot) !== undefined);
    await third.process.approvals.decide(
      waiting(third.process.snapshot)!.waitId,
      { kind: 'approve' },
      OPERATOR,
    );
    expect(await third.reply(eventId)).toBe('Green.');
    const asked = model.asked.slice(1).map(({ question }) => question.system);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('Anna prefers green tea');
    expect(asked[1]).toBe(asked[0]);
    expect(third.calls()).toEqual(['echo {"text":"x"}']);
    expect(third.process.snapshot.budget.spent.toolCalls).toBe(1);
  },
);

const waiting = ({ open }: Readonly<ProcessSnapshot>) =>
  open.flatMap(({ waits }) => waits).find(({ kind, end }) => kind === 'promise' && end === null);

test(
  'the first model is out of calls for more than a minute: the second answers, why is shown, and it is booked to the second',
  SLOW,
  async () => {
    const first = await wireModel(() => ({ fault: 'status', status: 429, retryAfter: '3600' }));
    const second = await wireModel(async (question) => {
      if (stepOf(question) > 0) await gate.promise;
      return steps({ calls: [call('a', 'echo', { text: 'x' })] }, { text: 'From the second.' })(question, 0);
    });
    const gate = Promise.withResolvers<void>();
    const [model, other] = [first.name('chat'), second.name('messages').replace(':m@', ':claude-haiku-4-5@')];
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-test-0001-0002');
    onTestFinished(() => void vi.unstubAllEnvs());
    const w = await whole({
      model,
      servers: { world: countingServer() },
      holdfast: { fallback_models: [other], tools: { echo: RETRIED } },
    });
    const eventId = await w.process.trigger('go');
    await w.until('why', ({ live }) => JSON.stringify(live).includes('is asked instead'));
    gate.resolve();
    expect(await w.reply(eventId)).toBe('From the second.');
    const ends = await dataOf(w, 'effect_finished');
    const paid = ends.filter(({ used }) => used !== undefined);
    // Each at the price of the one that answered; the first has none.
    expect(paid).toHaveLength(2);
    for (const { used, result } of paid) {
      expect(used).toMatchObject({ modelTurns: 1, tokensIn: 20, money: expect.anything() });
      expect(used).not.toHaveProperty('unpriced');
      expect(result).toMatchObject({
        answer: { model: other, passedOver: [{ model, code: 'model.rate-limited' }] },
      });
    }
  },
);

test(
  'a manifest that is changed and taken in the middle of a turn: the turn keeps the plan that it began with [S25]',
  SLOW,
  async () => {
    const model = await wireModel(steps({ calls: [call('a', 'echo', { text: 'x' })] }, { text: 'Done.' }));
    const base = { model: model.name('chat'), servers: { world: countingServer() } };
    const before = { ...base, instructions: 'The old ones.' };
    const workspace = writeWhole({ ...before, holdfast: { tools: { echo: { ...RETRIED, approve: true } } } });
    const console = await openConsole(workspace, null);
    const { journals } = await console.get('fleet.read', {});
    const journalId = journals[0]!.id;
    const trigger = (payload: string) =>
      console.get('processes.trigger', {
        journalId,
        process: AGENT,
        payloadText: JSON.stringify(payload),
        ...command(),
      });
    await trigger('first');
    const item = await waitFor(
      async () =>
        (await console.get('waiting.read', { journalId })).items.find(({ kind }) => kind === 'approval'),
      { what: 'the approval' },
    );
    const after = { ...base, instructions: 'The new ones.' };
    writeWhole({ ...after, holdfast: { tools: { echo: { disabled: true } } } }, {}, workspace);
    const reload = { journalId, ...command('edited'), changes: null, isRemoving: false };
    expect(await console.get('workspace.reload', reload)).toMatchObject({});
    await console.get('approvals.decide', {
      journalId,
      process: AGENT,
      ...command(),
      promiseId: item.id,
      decision: { kind: 'approve' },
    } as never);
    await waitFor(() => model.asked[1]?.isAnswered, { what: 'the end of the turn' });
    await trigger('second');
    await waitFor(() => model.asked[2]?.isAnswered, { what: 'the next turn' });
    const [one, two, three] = model.asked.map(({ question }) => question);
    expect([one, two].map((question) => question!.system.includes('The old ones.'))).toEqual([true, true]);
    expect(two!.tools).toContain('echo');
    expect(resultsIn(two!)).toEqual(['{"text":"x"}']);
    expect(three!.system).toContain('The new ones.');
    expect(three!.tools).not.toContain('echo');
  },
);

test(
  'tools of every source are offered side by side, and what one turn stored the next one finds',
  SLOW,
  async () => {
    const model = await wireModel((question) =>
      lastUser(question).includes('store')
        ? steps(
            { calls: [call('a', 'store_memory', { text: 'Anna drinks green tea' })] },
            { text: 'Stored.' },
          )(question, 0)
        : steps(
            { calls: [call('b', 'search_memory', { query: 'tea' }), call('c', 'check_budget')] },
            { text: resultsIn(question).join(' | ') },
          )(question, 0),
    );
    const w = await whole({
      model: model.name('chat'),
      memory: { provider: 'in_memory' },
      execution_mode: 'open',
      servers: { world: countingServer() },
      holdfast: { tools: { die: { disabled: true } } },
    });
    expect(await w.turn('store')).toBe('Stored.');
    expect(await w.turn('find')).toContain('Anna drinks green tea');
    const { tools } = model.asked[0]!.question;
    expect(tools).toEqual(expect.arrayContaining(['echo', 'store_memory', 'ask_human', 'check_budget']));
    expect(tools).not.toContain('die');
    expect(tools).not.toContain('spawn_process');
  },
);
