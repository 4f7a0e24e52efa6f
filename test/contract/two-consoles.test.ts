// Two consoles on one host, the second over its local socket, that answer, write and remember at the same time: each act is done
// once, both see the same, and who comes too late is told.

import { expect, test } from 'vitest';
import type { RequestName, RequestOf } from '../../core/contract/requests.ts';
import { askingAgent } from '../support/approving-agent.ts';
import { rememberingWorkspace } from '../support/remembering.ts';
import { command, openConsole, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

async function two(workspace: string, process: string) {
  const data = tempDirectory();
  const one = await openConsole(workspace, data);
  const other = await openConsole(workspace, data);
  const { journals } = await one.get('fleet.read', {});
  await waitFor(() => other.notices().includes('host.attached'), { what: 'the other to be attached' });
  const of = { journalId: journals[0]!.id, process };
  /** The same from both at once: what each of them is told. */
  const both = async <N extends RequestName>(name: N, request: RequestOf<N>): Promise<readonly string[]> => {
    const results = await Promise.all([one, other].map((console) => console.ask(name, request)));
    return results.map((result) => (result.ok ? 'done' : result.error.code));
  };
  const acts = async (): Promise<readonly string[]> => {
    const { rows } = await one.get('timeline.read', { ...of, limit: 200, before: null });
    return rows.filter(({ type }) => type === 'operator_action').map(({ summary }) => summary);
  };
  return { one, other, of, both, acts };
}

test('[P7] a question is answered by one of them, and the other is told what was answered', async () => {
  const { one, other, of } = await two(
    workspaceOf({ agent: askingAgent("{ question: 'Which?' }") }),
    'agent',
  );
  await one.get('processes.trigger', { ...of, ...command() });
  const item = await waitFor(
    async () => (await other.get('waiting.read', { journalId: of.journalId })).items[0] ?? null,
    { what: 'the question' },
  );
  const answer = (console: TestConsole, text: string) =>
    console.get('approvals.decide', {
      journalId: of.journalId,
      process: null,
      promiseId: item.id,
      decision: { kind: 'answer', text },
      ...command(),
    });
  const told = await Promise.all([answer(one, 'A'), answer(other, 'B')]);
  expect(
    told.filter(({ message }) => / answered before( by operator:tester)?, and stays so/.test(message)),
  ).toHaveLength(1);
  for (const console of [one, other]) {
    expect(await console.get('waiting.read', { journalId: of.journalId })).toMatchObject({
      items: [],
      count: 0,
    });
  }
});

test('[P1] [P7] messages of both are all there, each once, and both see them in one order', async () => {
  const { one, other, of, both } = await two(workspaceOf({ agent: '' }), 'agent');
  await one.get('processes.suspend', { ...of, ...command() });
  const message = (content: string) =>
    ({
      ...of,
      messageType: 'context',
      content,
      priority: 'normal',
      expiresInSeconds: null,
      ...command(),
    }) as const;
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => [
      one.get('inbox.write', message(`one ${n}`)),
      other.get('inbox.write', message(`other ${n}`)),
    ]).flat(),
  );
  // One command that both send is one message.
  expect(await both('inbox.write', message('the same'))).toEqual(['done', 'done']);
  const seen = await Promise.all(
    [one, other].map(async (console) =>
      (await console.get('processes.read', of)).inbox.map(({ content }) => content),
    ),
  );
  expect(seen[0]).toEqual(seen[1]);
  expect(new Set(seen[0]).size).toBe(seen[0]!.length);
  expect(seen[0]).toHaveLength(21);
});

test('[P7] what both remember, change and forget at once is done once, and on record', async () => {
  const remembering = await rememberingWorkspace();
  const { one, other, of, both, acts } = await two(remembering.workspace, 'clerk');
  const records = async (console: TestConsole) =>
    (await console.get('memory.search', { ...of, text: '', max: 50, skip: 0 })).records;
  const add = { ...of, ...command('told'), id: null, text: 'Anna drinks tea', isPinned: false };
  expect(await both('memory.write', add)).toEqual(['done', 'done']);
  const [record] = await records(other);
  const { id } = record!;
  await Promise.all(
    [one, other].map((console, at) =>
      console.get('memory.write', {
        ...of,
        ...command('changed'),
        id,
        text: `changed by ${at}`,
        isPinned: false,
      }),
    ),
  );
  const after = await Promise.all([records(one), records(other)]);
  expect(after[0]).toEqual(after[1]);
  expect(after[0]).toMatchObject([{ id, text: expect.stringMatching(/^changed by [01]$/) }]);
  const forgotten = await Promise.all(
    [one, other].map((console) =>
      console.get('memory.forget', { ...of, ...command('enough'), id, collection: null }),
    ),
  );
  expect(forgotten.map(({ message }) => message).toSorted()).toEqual([
    `${id} is forgotten.`,
    `${id} was forgotten before.`,
  ]);
  expect([await records(one), await records(other)]).toEqual([[], []]);
  // What changed nothing is on record too, with the reason that it was asked for.
  expect(await acts()).toHaveLength(5);
});
