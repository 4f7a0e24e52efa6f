// A tool that needs an approval waits for it as a durable promise: over every restart, once, on record [P1, P2, P7].

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WaitingItem } from '../../core/contract/waiting-view.ts';
import { isObject } from '../../core/model/json.ts';
import { approvingAgent, askingAgent } from '../support/approving-agent.ts';
import { command, openConsole, runHost, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

/** The id of the promise that is open. */
async function asked(b: Bench): Promise<string> {
  await b.until('the question', ({ snapshot }) => openPromise(snapshot) !== undefined);
  return openPromise(b.process.snapshot)!.waitId;
}

const openPromise = ({ open }: Bench['process']['snapshot']) =>
  open.flatMap(({ waits }) => waits).find(({ kind, end }) => kind === 'promise' && end === null);

const lastResponse = async (b: Bench): Promise<unknown> =>
  (await b.entries()).findLast(({ entry_type }) => entry_type === 'invocation_result')?.data['response'];

test('approved, it is called once with what was asked for, and who approved is on record [P7]', async () => {
  const b = await bench(approvingAgent());
  await b.trigger();
  const id = await asked(b);
  expect(openPromise(b.process.snapshot)?.data).toMatchObject({
    kind: 'approval',
    tool: 'write_file',
    source: 'mcp:files',
    class: 'ask',
    args: { path: 'report.txt', content: 'new\n' },
    why: 'the report is due',
    on_expiry: 'reject',
  });
  const decided = await b.process.approvals.decide(id, { kind: 'approve' }, OPERATOR);
  expect(decided).toMatchObject({ isFirst: true, end: 'approved', by: 'operator:tester' });
  await b.until('the end', isIdle);
  expect(await lastResponse(b)).toBe('written');
  const settled = (await b.entries()).find(({ entry_type }) => entry_type === 'promise_settled');
  expect(settled?.data).toMatchObject({ by: 'operator:tester', reason: 'test', status: 'resolved' });
  expect(await folded(b)).toEqual(b.process.snapshot);
});

test('edited and approved, it is called with the other arguments; those that the tool does not take decide nothing', async () => {
  const b = await bench(approvingAgent());
  await b.trigger();
  const id = await asked(b);
  const approve = (args: never) => b.process.approvals.decide(id, { kind: 'approve', args }, OPERATOR);
  await expect(approve({ path: 'x' } as never)).rejects.toMatchObject({
    code: 'approval.bad-arguments',
    message: expect.stringContaining('content is missing'),
  });
  await expect(approve([] as never)).rejects.toMatchObject({ code: 'approval.bad-arguments' });
  expect(openPromise(b.process.snapshot)?.waitId).toBe(id);
  await approve({ path: 'other.txt', content: 'less' } as never);
  await b.until('the end', isIdle);
  const lines = readFileSync(join(b.directory, 'written.txt'), 'utf8');
  expect(lines).toBe('{"path":"other.txt","content":"less"}\n');
});

test('rejected, it is not called, and the agent reads why; without a reason nothing is rejected', async () => {
  const b = await bench(approvingAgent());
  await b.trigger();
  const id = await asked(b);
  const nobody = { name: 'operator:tester', reason: '' };
  await expect(b.process.approvals.decide(id, { kind: 'reject' }, nobody)).rejects.toMatchObject({
    code: 'approval.no-reason',
  });
  await b.process.approvals.decide(id, { kind: 'reject' }, { ...OPERATOR, reason: 'not on a Sunday' });
  await b.until('the end', isIdle);
  expect(await lastResponse(b)).toBe('not: A person rejected it: not on a Sunday');
  expect(existsSync(join(b.directory, 'written.txt'))).toBe(false);
});

test('settled past the console with something that is no decision, it asks again and says why', async () => {
  const b = await bench(approvingAgent());
  await b.trigger();
  const first = await asked(b);
  await b.process.desk.settlePromise(first, { status: 'resolved', value: 'yes' }, OPERATOR);
  await b.until('the second question', ({ snapshot }) => {
    const open = openPromise(snapshot);
    return open !== undefined && open.waitId !== first;
  });
  const second = openPromise(b.process.snapshot)!;
  expect(isObject(second.data) && second.data['problem']).toContain('neither');
  const bad = { verdict: 'approve', args: { path: 1, content: '' } };
  await b.process.desk.settlePromise(second.waitId, { status: 'resolved', value: bad }, OPERATOR);
  await b.until('the third question', ({ snapshot }) => {
    const open = openPromise(snapshot);
    return open !== undefined && open.waitId !== second.waitId;
  });
  const third = openPromise(b.process.snapshot)!;
  expect(isObject(third.data) && third.data['problem']).toContain('path must be a text');
  // The same again after all the workers are gone: recorded answers stay [S24].
  const again = await b.again();
  await again.until('the third question', ({ snapshot }) => openPromise(snapshot)?.waitId === third.waitId);
  await again.process.approvals.decide(third.waitId, { kind: 'approve' }, OPERATOR);
  await again.until('the end', isIdle);
  expect(await lastResponse(again)).toBe('written');
  const started = (await again.entries()).filter(({ entry_type }) => entry_type === 'promise_created');
  expect(started.length).toBeLessThanOrEqual(3);
});

test('the diff shows the file inside of a root as it is; what lies outside is not read', async () => {
  const plan = `{ servers: { files: { kind: 'stdio', command: 'x', args: [], env: {}, cwd: '', isTrusted: false, roots: ['docs'], timeoutMs: 1, maxResultBytes: 1 } } }`;
  const directory = tempDirectory();
  mkdirSync(join(directory, 'docs'), { recursive: true });
  writeFileSync(join(directory, 'docs', 'a.txt'), 'one\ntwo\n');
  writeFileSync(join(directory, 'secret.txt'), 'nobody reads this\n');
  const b = await bench(approvingAgent({ args: 'event.payload', plan }), { concurrency: 4 }, directory);
  const diffOf = async (payload: object): Promise<string> => {
    const eventId = await b.process.trigger(payload as never);
    const find = () => b.process.snapshot.open.find(({ event }) => event.eventId === eventId)?.waits[0];
    await b.until('the question', () => find() !== undefined);
    return JSON.stringify(find()!.data);
  };
  const inside = await diffOf({ path: 'docs/a.txt', content: 'one\n2\n' });
  expect(inside).toContain('@@ -1,2 +1,2 @@\\n one\\n-two\\n+2\\n');
  const edits = await diffOf({ path: 'a.txt', edits: [{ oldText: 'two', newText: 'zwei' }] });
  expect(edits).toContain('-two\\n+zwei');
  const unread = await diffOf({ path: 'b.txt', edits: [{ oldText: 'two', newText: 'zwei' }] });
  expect(unread).toContain('-two\\n+zwei\\n"');
  const outside = await diffOf({ path: 'docs/../secret.txt', content: 'x\n' });
  expect(outside).not.toContain('nobody reads this');
});

test.each([
  ['reject', 'not: Nobody decided about it in time, so it was not done.'],
  ['approve', 'written'],
])('nobody decides in time, while the host is down: %s [P4]', async (onExpiry, response) => {
  const plan = `{ approval: { asksForIrreversible: false, expiresAfterMs: 3000, onExpiry: '${onExpiry}' } }`;
  const b = await bench(approvingAgent({ plan }));
  await b.trigger();
  const id = await asked(b);
  const { dueAt } = openPromise(b.process.snapshot)!;
  await b.quit();
  await waitFor(() => Date.now() > dueAt!, { what: 'the expiry' });
  const next = await b.again();
  await next.until('the end', isIdle);
  expect(await lastResponse(next)).toBe(response);
  const late = await next.process.approvals.decide(id, { kind: 'approve' }, OPERATOR);
  expect(late).toMatchObject({ isFirst: false, end: 'expired' });
});

/** What waits, once something does. */
async function waitingAt(
  host: Awaited<ReturnType<typeof runHost>>,
  workspace: string,
): Promise<readonly WaitingItem[]> {
  return waitFor(
    async () => {
      const { stdout } = await host.command('waiting', workspace, '--json');
      const items = JSON.parse(stdout) as readonly WaitingItem[];
      return items.length > 0 ? items : null;
    },
    { what: 'something that waits' },
  );
}

test('it waits over kill -9 of its host, and is decided at the command line of the next [P1]', async () => {
  const workspace = workspaceOf({ agent: approvingAgent() });
  const host = await runHost(workspace);
  await host.command('trigger', workspace, 'agent');
  const [before] = await waitingAt(host, workspace);
  await host.kill();
  const next = await runHost(workspace, host.data);
  const [after] = await waitingAt(next, workspace);
  expect(after!.id).toBe(before!.id);
  const whole = await next.command('waiting', workspace, after!.id);
  expect(whole.stdout).toMatch(/^approval write_file .*\n[^]*\nto let it be called: .* approve /);
  const unknown = await next.command('waiting', workspace, 'p_nobody');
  expect(unknown).toMatchObject({ code: 3, stdout: '' });
  expect(unknown.stderr).toContain('Nothing waits under the id p_nobody');
  const bad = await next.command('approve', workspace, after!.id, '--args', '{"path":"x"}');
  expect(bad.code).toBe(2);
  const refused = await next.command('reject', workspace, after!.id);
  expect(refused.stderr).toContain('needs --reason');
  const good = await next.command('approve', workspace, after!.id, '--args', '{"path":"x","content":"y"}');
  expect(good.stdout).toContain('The call of write_file is approved.');
  // A file is there before what is written into it.
  const written = join(workspace, 'written.txt');
  await waitFor(() => existsSync(written) && readFileSync(written, 'utf8').endsWith('\n'), {
    what: 'the file',
  });
  expect(readFileSync(written, 'utf8')).toBe('{"path":"x","content":"y"}\n');
  const empty = await next.command('waiting', workspace);
  expect(empty.stdout.trim()).toBe('Nothing waits for a person.');
});

test('two consoles decide at once: one of them does, and the other is told how it stands', async () => {
  const data = tempDirectory();
  const workspace = workspaceOf({ agent: approvingAgent() });
  const one = await openConsole(workspace, data);
  const other = await openConsole(workspace, data);
  const { journals } = await one.get('fleet.read', {});
  const journalId = journals[0]!.id;
  await one.get('processes.trigger', { journalId, process: 'agent', ...command() });
  const [item] = await waitingIn(one, journalId);
  const decide = (console: TestConsole, decision: 'approve' | 'reject') =>
    console.get('approvals.decide', {
      journalId,
      process: null,
      promiseId: item!.id,
      decision: { kind: decision },
      ...command(decision),
    });
  const answers = await Promise.all([decide(one, 'approve'), decide(other, 'reject')]);
  // Once its invocation is over, who decided stands in the journal alone.
  const late = / before( by operator:tester)?, and stays so/;
  const first = answers.filter(({ message }) => !late.test(message));
  expect(first).toHaveLength(1);
  const { items, count } = await one.get('waiting.read', { journalId });
  expect({ items, count }).toEqual({ items: [], count: 0 });
  const gone = await one.ask('waiting.show', { journalId, process: 'agent', kind: 'approval', id: item!.id });
  expect(gone).toMatchObject({ ok: false, error: { code: 'waiting.over' } });
});

async function waitingIn(console: TestConsole, journalId: string): Promise<readonly WaitingItem[]> {
  return waitFor(
    async () => {
      const { items } = await console.get('waiting.read', { journalId });
      return items.length > 0 ? items : null;
    },
    { what: 'something that waits' },
  );
}

test('the row of its process counts what waits, and changes with it', async () => {
  const workspace = workspaceOf({ agent: `await ctx.promise('which account?', { data: 'a or b' });` });
  const console = await openConsole(workspace, tempDirectory());
  const { journals } = await console.get('fleet.read', {});
  const journalId = journals[0]!.id;
  await console.get('processes.trigger', { journalId, process: 'agent', ...command() });
  const [item] = await waitingIn(console, journalId);
  expect(item).toMatchObject({ kind: 'promise', title: 'which account?', onExpiry: 'fail' });
  const count = () => console.host.fleet().processes[0]!.waiting.count;
  await waitFor(() => count() === 1, { what: 'the count' });
  const shown = await console.get('waiting.show', {
    journalId,
    process: 'agent',
    kind: 'promise',
    id: item!.id,
  });
  expect(shown.argsText).toBe('"a or b"');
  await console.get('promises.settle', {
    journalId,
    process: null,
    promiseId: item!.id,
    settlement: { kind: 'resolved', valueText: '"a"' },
    ...command(),
  });
  await waitFor(() => count() === 0, { what: 'the count' });
});

test('hostile arguments: a megabyte, control characters, and an edit that is nested too deep', async () => {
  const args = `{ path: '\\u001b[2J\\u202e.txt', content: 'x'.repeat(1_000_000) }`;
  const b = await bench(approvingAgent({ args }));
  await b.trigger();
  const id = await asked(b);
  const { data } = openPromise(b.process.snapshot)!;
  expect(isObject(data) && data['args']).toBe(undefined);
  expect(JSON.stringify(data).length).toBeLessThan(64 * 1024);
  let deep: unknown = 'x';
  for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
  const order = { kind: 'approve', args: { path: 'x', content: deep } } as never;
  await expect(b.process.approvals.decide(id, order, OPERATOR)).rejects.toMatchObject({
    code: 'json.not-recordable',
  });
  await b.process.approvals.decide(id, { kind: 'approve' }, OPERATOR);
  await b.until('the end', isIdle);
  expect(readFileSync(join(b.directory, 'written.txt'), 'utf8').length).toBeGreaterThan(1_000_000);
});

test('a question is answered with a text, which its tool gives; it can be declined, and expires', async () => {
  const b = await bench(askingAgent("{ question: 'Which one?', options: ['a', 'b'], urgent: true }"));
  await b.trigger();
  const id = await asked(b);
  await expect(b.process.approvals.decide(id, { kind: 'approve' }, OPERATOR)).rejects.toMatchObject({
    code: 'approval.bad-decision',
  });
  await b.process.approvals.decide(id, { kind: 'answer', text: ' b ' }, OPERATOR);
  await b.until('the end', isIdle);
  expect(await lastResponse(b)).toBe('{"text":"b","isError":false}');
  await b.trigger();
  const second = await asked(b);
  await b.process.approvals.decide(second, { kind: 'reject' }, { ...OPERATOR, reason: 'ask ann' });
  await b.until('the end', isIdle);
  expect(await lastResponse(b)).toContain('ask ann');
});

test('whoever is responsible is told once, without more than a part of the arguments, until it is decided', async () => {
  const escalation = {
    target: { webhookUrl: null, eventType: 'approval.wanted' },
    secret: null,
    allowPrivate: false,
  };
  const b = await bench(approvingAgent({ args: "{ path: 'a', content: 'y'.repeat(50_000) }" }), {
    escalation,
  });
  await b.trigger();
  const id = await asked(b);
  const causes = () => b.process.snapshot.escalations;
  await b.until('the cause', () => causes().length > 0);
  expect(causes()).toMatchObject([{ key: `approval/${id}`, kind: 'approval', overAt: null }]);
  const raised = (await b.entries()).find(({ entry_type }) => entry_type === 'escalation_raised');
  expect(raised?.data['detail']).toMatchObject({ promise_id: id, tool: 'write_file' });
  expect(JSON.stringify(raised?.data).length).toBeLessThan(5_000);
  await b.process.approvals.decide(id, { kind: 'approve' }, OPERATOR);
  await b.until('its end', () => causes().every(({ overAt }) => overAt !== null));
  expect(causes()).toHaveLength(1);
});
