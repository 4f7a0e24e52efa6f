// An agent's memory as a console has it: looked at without a trace, changed on record, and shared with whoever has it open.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseDocument } from 'yaml';
import { userOfFork } from '../../core/agent/memory/memory-place.ts';
import { withOwnMemory } from '../../core/host/fork-memory.ts';
import type { MemoryPlan } from '../../core/model/agent-plan.ts';
import { MEMORY_PLAN, memoryOf } from '../support/memories.ts';
import { rememberingWorkspace } from '../support/remembering.ts';
import { command, openConsole, workspaceOf } from '../support/run-host.ts';

async function opened(over: Partial<MemoryPlan> = {}) {
  const remembering = await rememberingWorkspace(over);
  const console = await openConsole(remembering.workspace, null);
  const { journals } = await console.get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: 'clerk' };
  const search = (text: string, max = 50) => console.get('memory.search', { ...target, text, max, skip: 0 });
  const actions = async () => {
    const { rows } = await console.get('timeline.read', { ...target, limit: 100, before: null });
    return rows
      .filter(({ type }) => type === 'operator_action')
      .map(({ dataText }) => JSON.parse(dataText) as Record<string, unknown>)
      .toReversed();
  };
  return { ...remembering, ...console, target, search, actions };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('[P6] what nobody has remembered yet is shown as nothing, and nothing is made for it', async () => {
  const { search, get, target, path } = await opened();
  expect((await get('processes.read', target)).memory).toEqual({
    collection: 'agent_memory',
    userId: 'default',
  });
  expect(await search('tea')).toMatchObject({ provider: 'sqlite', count: 0, records: [] });
  expect(existsSync(dirname(path))).toBe(false);
});

test('[P6] a search shows what is there with score and source, while a worker has it open, and changes no byte', async () => {
  const { search, memory, path, get, target } = await opened();
  await memory(async (open) => {
    await open.add(memoryOf('a', 'Anna drinks tea', { userId: 'default' }));
    await open.add(memoryOf('b', `Ben ${'x'.repeat(5_000)}`, { userId: 'default', isPinned: true }));
    await open.add(memoryOf('c', 'Tea of somebody else', { userId: 'other' }));
    const bytes = () =>
      readdirSync(dirname(path)).map((name) => [name, statSync(`${dirname(path)}/${name}`).mtimeMs]);
    const before = bytes();
    expect(await search('tea')).toMatchObject({
      count: 2,
      records: [
        {
          id: 'a',
          text: 'Anna drinks tea',
          by: 'tool',
          process: 'clerk',
          eventId: 'e1',
          isOwn: true,
          cut: false,
        },
      ],
    });
    expect((await search('tea')).records[0]!.score).toBeGreaterThan(0.5);
    const { records } = await search('');
    expect(records.map(({ id, score, cut, isPinned }) => [id, score, cut, isPinned])).toEqual([
      ['b', null, true, true],
      ['a', null, false, false],
    ]);
    expect((await get('memory.read', { ...target, id: 'b' })).text).toHaveLength(5_004);
    expect(bytes()).toEqual(before);
  });
});

test('[P7] what an operator adds, edits and forgets is on record before it happens, with what it was', async () => {
  const { search, get, ask, target, actions, memory } = await opened();
  const add = { ...target, ...command('he told me'), id: null, text: 'Anna drinks tea', isPinned: false };
  const first = await get('memory.write', add);
  expect(await get('memory.write', add)).toEqual(first);
  const [record] = (await search('')).records;
  expect(record).toMatchObject({ by: 'operator', process: 'clerk', eventId: null, userId: 'default' });
  const { id } = record!;
  await get('memory.write', {
    ...target,
    ...command('wrong'),
    id,
    text: 'Anna drinks coffee',
    isPinned: true,
  });
  expect((await search('coffee')).records).toMatchObject([
    { id, isPinned: true, updatedAt: expect.any(String) },
  ]);
  expect((await search('tea')).records).toEqual([]);
  await memory((open) => open.add(memoryOf('theirs', 'x', { userId: 'other' })));
  for (const name of [id, 'nobody', 'theirs']) {
    const forget = { ...target, ...command('not so'), id: name, collection: null };
    const result = await ask('memory.forget', forget);
    expect(result.ok || result.error.code).toBe(name === id ? true : 'memory.not-found');
  }
  const known = { collection: 'agent_memory', user_id: 'default' };
  expect(
    (await actions()).map(({ action, operator, reason, memory: about }) => [action, operator, reason, about]),
  ).toEqual([
    ['memory-write', 'tester', 'he told me', { ...known, text: 'Anna drinks tea' }],
    [
      'memory-write',
      'tester',
      'wrong',
      {
        ...known,
        id,
        text: 'Anna drinks coffee',
        before: { sha256: sha256('Anna drinks tea'), characters: 15, pinned: false },
      },
    ],
    [
      'memory-forget',
      'tester',
      'not so',
      { ...known, id, before: { sha256: sha256('Anna drinks coffee'), characters: 18, pinned: true } },
    ],
    ['memory-forget', 'tester', 'not so', { ...known, id: 'nobody', before: { error: 'there is none' } }],
    ['memory-forget', 'tester', 'not so', { ...known, id: 'theirs', before: { error: 'there is none' } }],
  ]);
});

test('all of it is forgotten only where the collection is named, and what is another user’s stays', async () => {
  const { get, ask, target, memory, search } = await opened();
  await memory(async (open) => {
    for (const id of ['a', 'b']) await open.add(memoryOf(id, 'tea', { userId: 'default' }));
    await open.add(memoryOf('c', 'tea', { userId: 'other' }));
  });
  for (const collection of [null, 'agent_memor']) {
    const result = await ask('memory.forget', { ...target, ...command('gone'), id: null, collection });
    expect(result).toMatchObject({ ok: false, error: { code: 'memory.not-confirmed' } });
  }
  const all = { ...target, ...command('gone'), id: null, collection: 'agent_memory' };
  expect((await get('memory.forget', all)).message).toBe(
    '2 records of default in agent_memory are forgotten.',
  );
  expect((await search('')).count).toBe(0);
  expect(await memory((open) => open.count(['other']))).toBe(1);
});

test('a damaged one is said to be so, and repaired on demand: set aside whole, on record', async () => {
  const { get, ask, target, memory, path, actions } = await opened();
  await memory((open) => open.add(memoryOf('a', 'tea', { userId: 'default' })));
  writeFileSync(path, 'no database '.repeat(2_000));
  const asked = { ...target, text: 'tea', max: 5, skip: 0 };
  expect(await ask('memory.search', asked)).toMatchObject({ ok: false, error: { code: 'memory.damaged' } });
  const { message } = await get('memory.repair', { ...target, ...command('broken') });
  expect(message).toMatch(
    /^0 records could be read and are kept, 1 place could not be read\. The damaged file lies, as it was, in /,
  );
  const aside = readdirSync(dirname(path)).find((name) => name.includes('.damaged-'))!;
  expect(readFileSync(`${dirname(path)}/${aside}`, 'utf8')).toContain('no database');
  expect(await get('memory.search', asked)).toMatchObject({ count: 0 });
  expect((await get('memory.repair', { ...target, ...command('again') })).message).toContain('is whole');
  expect((await actions()).map(({ action }) => action)).toEqual(['memory-repair', 'memory-repair']);
});

test('what is remembered in memory goes with the host, at the latest when the next one begins', async () => {
  const remembering = await rememberingWorkspace({ provider: 'in_memory' });
  await remembering.memory((open) =>
    open.add(memoryOf('old', 'of a host that was killed', { userId: 'default' })),
  );
  const { get, host } = await openConsole(remembering.workspace, null);
  const { journals } = await get('fleet.read', {});
  const asked = { journalId: journals[0]!.id, process: 'clerk', text: '', max: 5, skip: 0 };
  expect(await get('memory.search', asked)).toMatchObject({ provider: 'in_memory', count: 0 });
  await remembering.memory((open) => open.add(memoryOf('new', 'tea', { userId: 'default' })));
  expect(await get('memory.search', asked)).toMatchObject({ count: 1 });
  await host.close();
  expect(existsSync(remembering.path)).toBe(false);
});

test('[P6] in a journal that is only looked at it can be read, and not changed', async () => {
  const { workspace, memory, path } = await rememberingWorkspace();
  await memory((open) => open.add(memoryOf('a', 'tea', { userId: 'default' })));
  const before = readdirSync(dirname(path));
  const { get, ask } = await openConsole(null, null);
  const { id } = await get('journals.open', { path: workspace });
  const target = { journalId: id, process: 'clerk' };
  expect((await get('processes.read', target)).memory).toEqual({
    collection: 'agent_memory',
    userId: 'default',
  });
  expect(await get('memory.search', { ...target, text: 'tea', max: 5, skip: 0 })).toMatchObject({ count: 1 });
  expect(await ask('memory.forget', { ...target, ...command(), id: 'a', collection: null })).toMatchObject({
    ok: false,
    error: { code: 'journal.read-only' },
  });
  expect(readdirSync(dirname(path))).toEqual(before);
});

test('[J10] a secret that the host knows is not in what an operator writes', async () => {
  process.env['HF_MEMORY_KEY'] = 'planted-0123456789';
  onTestFinished(() => void delete process.env['HF_MEMORY_KEY']);
  const secrets = 'secrets:\n  secrets: { KEY: "${HF_MEMORY_KEY}" }\n';
  const { workspace, memory } = await rememberingWorkspace({}, secrets);
  const { get } = await openConsole(workspace, null);
  const { journals } = await get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: 'clerk' };
  const text = 'The key is planted-0123456789';
  await get('memory.write', { ...target, ...command(), id: null, text, isPinned: false });
  const [record] = await memory((open) => open.list({ userIds: ['default'], max: 5 }));
  expect(record!.text).toBe('The key is [secret:KEY]');
});

test('a process that remembers nothing is said to be one', async () => {
  const { get, ask } = await openConsole(workspaceOf({ clerk: '' }), null);
  const { journals } = await get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: 'clerk' };
  expect((await get('processes.read', target)).memory).toBeNull();
  for (const result of [
    await ask('memory.search', { ...target, text: '', max: 5, skip: 0 }),
    await ask('memory.write', { ...target, ...command(), id: null, text: 'x', isPinned: false }),
  ]) {
    expect(result).toMatchObject({ ok: false, error: { code: 'memory.not-configured' } });
  }
  const { rows } = await get('timeline.read', { ...target, limit: 100, before: null });
  expect(rows.filter(({ type }) => type === 'operator_action')).toEqual([]);
});

test('[S40] a fork reads what its original remembers and writes under a name of its own, unless another is named', () => {
  const document = parseDocument('name: b\nmemory:\n  provider: sqlite\n  user_id: anna\n');
  expect(withOwnMemory(document, { ...MEMORY_PLAN, userId: 'anna' }, 'b', [])).toBe(true);
  expect(document.getIn(['memory', 'user_id'])).toBe(userOfFork('anna', 'b'));
  const other = parseDocument('name: b\ncontext:\n  memory_provider: sqlite\n');
  expect(withOwnMemory(other, MEMORY_PLAN, 'b', ['memory.user_id'])).toBe(false);
  expect(withOwnMemory(other, null, 'b', [])).toBe(false);
  expect(withOwnMemory(other, MEMORY_PLAN, 'b', ['config.concurrency'])).toBe(true);
  // Said in one place: where the rest of it is.
  expect(other.getIn(['context', 'memory_user_id'])).toBe(userOfFork('default', 'b'));
  expect(other.has('memory')).toBe(false);
});
