// People in the loop of a model agent, from its manifest to a real server of tools: approvals and questions [P1, P2, P7].

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../../core/model/json.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import { runHost } from '../support/run-host.ts';
import { OPERATOR } from '../support/runtime.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { wireModel } from '../support/turns.ts';
import { waitFor } from '../support/wait-for.ts';
import { AGENT, countingServer, startWhole, whole, writeWhole } from '../support/whole-agents.ts';
import type { WireModel } from '../support/wire-model.ts';
import { call, steps } from '../support/wire-model.ts';

const SLOW = { timeout: 120_000 };
const ARGS = { text: 'ten boxes' };

const asking = (): Promise<WireModel> =>
  wireModel(
    steps({ text: 'The shelf is empty.', calls: [call('a', 'echo', ARGS)] }, { text: 'That is it.' }),
  );

const manifest = (model: WireModel, more = {}) => ({
  model: model.name('chat'),
  servers: { world: countingServer() },
  holdfast: { tools: { echo: { class: 'retry', approve: true } }, ...more },
});

const waiting = ({ snapshot }: AgentProcess) =>
  snapshot.open.flatMap(({ waits }) => waits).find(({ kind, end }) => kind === 'promise' && end === null);

/** What the model read of its call. */
const result = (model: WireModel): string => {
  const { turns } = model.asked[1]!.question;
  return turns.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : [])).join();
};

type Decision = Parameters<AgentProcess['approvals']['decide']>[1];

/** Decides once it waits, with no worker, and gives what it replied. */
async function decided(model: WireModel, decision: Decision, reason: string) {
  const w = await whole(manifest(model));
  const eventId = await w.process.trigger('go');
  await w.until('the approval', waiting);
  expect(w.calls()).toEqual([]);
  expect(waiting(w.process)!.data).toMatchObject({ why: 'The shelf is empty.', args: ARGS, tool: 'echo' });
  await w.process.approvals.decide(waiting(w.process)!.waitId, decision, { ...OPERATOR, reason });
  expect(await w.reply(eventId)).toBe('That is it.');
  return w;
}

test('approved, the call reaches its server once, as it was asked for', SLOW, async () => {
  const model = await asking();
  const w = await decided(model, { kind: 'approve' }, 'fine');
  expect(w.calls()).toEqual(['echo {"text":"ten boxes"}']);
  expect(result(model)).toBe('{"text":"ten boxes"}');
});

test('edited and approved, the other arguments reach the server, and the model is told', SLOW, async () => {
  const model = await asking();
  const w = await decided(model, { kind: 'approve', args: { text: 'one box' } as Json }, 'too many');
  expect(w.calls()).toEqual(['echo {"text":"one box"}']);
  expect(result(model)).toContain('{"text":"one box"}');
  expect(result(model)).toMatch(/A person changed the arguments before it was called/);
});

test('rejected, nothing reaches the server, and the model reads why', SLOW, async () => {
  const model = await asking();
  const w = await decided(model, { kind: 'reject' }, 'not on a Sunday');
  expect(w.calls()).toEqual([]);
  expect(result(model)).toContain('not on a Sunday');
});

test('that nobody decided in time is not done, and the model reads that', SLOW, async () => {
  const model = await asking();
  const w = await whole(manifest(model, { approval: { expires_after: 0.3 } }));
  expect(await w.turn()).toBe('That is it.');
  expect(w.calls()).toEqual([]);
  expect(result(model)).toContain('Nobody decided about it in time');
});

test(
  'kill -9 of the host while it waits: approved at the command line afterwards it is called once, and the model is not asked again',
  SLOW,
  async () => {
    const model = await asking();
    const workspace = writeWhole(manifest(model));
    const data = tempDirectory();
    const first = await runHost(workspace, data);
    expect(await first.command('trigger', workspace, AGENT)).toMatchObject({ code: 0 });
    const promise = await waitFor(async () => promiseIn((await first.command('waiting', workspace)).stdout), {
      what: 'the approval',
    });
    await first.kill();
    const second = await runHost(workspace, data);
    const shown = await waitFor(async () => promiseIn((await second.command('waiting', workspace)).stdout), {
      what: 'the approval',
    });
    expect(shown).toBe(promise);
    const ended = await second.command('approve', workspace, promise, '--reason', 'fine');
    expect(ended).toMatchObject({ code: 0 });
    await waitFor(() => model.asked[1]?.isAnswered, { what: 'the end of the turn' });
    expect(readFileSync(join(workspace, 'calls.txt'), 'utf8')).toBe('echo {"text":"ten boxes"}\n');
    expect(model.counts()).toEqual([1, 1]);
  },
);

const promiseIn = (text: string): string | null => /p_[A-Za-z0-9_-]+/.exec(text)?.[0] ?? null;

test('ask_human waits over a restart, and the answer is the result of the call', SLOW, async () => {
  const model = await wireModel(
    steps({ calls: [call('a', 'ask_human', { question: 'Which account?' })] }, { text: 'That is it.' }),
  );
  const w = await startWhole(writeWhole({ model: model.name('chat'), instructions: 'Ask.' }));
  const eventId = await w.process.trigger('go');
  await w.until('the question', waiting);
  const again = await w.again();
  await again.until('the question', waiting);
  const id = waiting(again.process)!.waitId;
  await again.process.approvals.decide(id, { kind: 'answer', text: 'the second' }, OPERATOR);
  expect(await again.reply(eventId)).toBe('That is it.');
  expect(result(model)).toBe('the second');
  expect(model.counts()).toEqual([1, 1]);
  expect(existsSync(join(w.workspace, 'calls.txt'))).toBe(false);
});
