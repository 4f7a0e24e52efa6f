// What a manifest says of a model's tools can be changed while it lives: in force for invocations that begin afterwards, on
// record, and back after another start. A model that answers from a script, on a real journal. [S25] [S32] [P7]

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planOf, type AgentPlan } from '../../core/model/agent-plan.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { openLive } from '../support/open-live.ts';
import { OPERATOR } from '../support/runtime.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const MANIFEST = `name: clerk
model: scripted:answers.yaml
config:
  approval: { tools: ["delete_*"], timeout: 60 }
holdfast:
  max_steps: 7
  tools: { send: { class: ask } }
`;

function workspace(): string {
  const directory = tempDirectory();
  writeFileSync(join(directory, 'clerk.agent'), MANIFEST);
  writeFileSync(join(directory, 'answers.yaml'), 'turns:\n  - text: done\n');
  return directory;
}

async function opened(directory: string) {
  const { live, close } = await openLive(directory);
  const process = live.runtime.process('clerk');
  return {
    process,
    close,
    set: (set: JsonObject) => process.governance.changeSettings({ set, undo: [] }, OPERATOR),
    undo: (...undo: string[]) => process.governance.changeSettings({ set: {}, undo }, OPERATOR),
    /** The plan that an invocation begins with. */
    planned: async (): Promise<AgentPlan> => {
      const before = process.snapshot.invocationCount;
      await process.trigger('x');
      await waitFor(() => process.snapshot.invocationCount > before, { what: 'the invocation' });
      return planOf(process.snapshot.plan)!;
    },
  };
}

test('treat this tool as … from now on', async () => {
  const directory = workspace();
  const a = await opened(directory);
  expect((await a.planned()).tools).toEqual({ send: { class: 'ask' } });
  await a.set({ 'holdfast.tools.send.class': 'retry', 'holdfast.tools.drop.disabled': true });
  const plan = await a.planned();
  expect(plan.tools).toEqual({ send: { class: 'retry' }, drop: { isDisabled: true } });
  expect(plan).toMatchObject({ maxSteps: 7, approval: { patterns: ['delete_*'], expiresAfterMs: 60_000 } });
  await a.close();
  const b = await opened(directory);
  expect((await b.planned()).tools).toEqual(plan.tools);
  await b.undo('holdfast.tools.send.class', 'holdfast.tools.drop.disabled');
  expect((await b.planned()).tools).toEqual({ send: { class: 'ask' } });
});

test('who approves, and what the model is given, too; neither takes the other back', async () => {
  const a = await opened(workspace());
  await a.set({ 'config.approval.timeout': 90, 'holdfast.max_steps': 3, 'budget.inject_remaining': false });
  expect(await a.planned()).toMatchObject({
    maxSteps: 3,
    tellsBudget: false,
    approval: { patterns: ['delete_*'], expiresAfterMs: 90_000, onExpiry: 'reject' },
    tools: { send: { class: 'ask' } },
  });
  await a.set({ 'holdfast.approval.irreversible': true });
  expect((await a.planned()).approval).toMatchObject({ asksForIrreversible: true, expiresAfterMs: 90_000 });
});

test.each([
  [{ 'holdfast.tools.send.class': 'maybe' }, 'holdfast.tools.send.class = "maybe"'],
  [{ 'holdfast.tools.send.class': 'idempotent' }, 'a call of a tool carries no key'],
  [{ 'holdfast.durability': 'os' }, 'holdfast has no setting "durability"; there are model_timeout'],
  [{ 'config.concurrency': 2 }, 'config has no setting "concurrency"; there are approval'],
  [
    { 'servers.a.command': 'x' },
    "servers can't be changed while it lives; there are instructions, budget, holdfast, config",
  ],
])('what makes no sense changes nothing: %j', async (set, says) => {
  const a = await opened(workspace());
  await expect(a.set(set as unknown as JsonObject)).rejects.toThrow(says);
  expect(a.process.snapshot.settings).toEqual({});
});
