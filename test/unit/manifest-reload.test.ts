// A manifest that changes is shown first, and is in force when somebody has put it there: its process is restarted from its
// journal, and nothing else is.

import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editing } from '../support/manifests.ts';
import { command, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const manifest = (name: string, more = ''): string => `name: ${name}\nentrypoint: ./${name}.ts\n${more}`;
const VERSIONED = `ctx.state.set('says', ctx.instructions);`;

test('a changed manifest is shown with what is otherwise, and is in force once it is loaded [P7]', async () => {
  const b = await editing(
    workspaceOf({ clerk: VERSIONED }, 'instructions: old\nconfig:\n  concurrency: 1\n'),
  );
  expect(await b.changes()).toEqual([]);

  b.save('clerk.agent', manifest('clerk', '# a word\ninstructions: old\nconfig: { concurrency: 1 }\n'));
  expect(await b.changes()).toEqual([]);

  b.save('clerk.agent', manifest('clerk', 'instructions: new\nconfig:\n  concurrency: 2\n'));
  const [change] = await b.changes();
  expect(change).toMatchObject({ kind: 'changed', process: 'clerk', file: 'clerk.agent', problems: [] });
  expect(change!.lines).toEqual([
    { path: 'instructions', fromText: '"old"', toText: '"new"', acts: 'next_invocation' },
    { path: 'config.concurrency', fromText: '1', toText: '2', acts: 'at_once' },
  ]);
  const of = { journalId: b.journalId, process: 'clerk' };
  await b.get('processes.trigger', { ...of, ...command() });
  const says = async (): Promise<string | undefined> =>
    (await b.get('processes.read', of)).context.find(({ key }) => key === 'says')?.text;
  await waitFor(async () => (await says()) === '"old"', { what: 'the old instructions' });

  expect(await b.reload(['clerk'])).toMatchObject({
    done: [{ process: 'clerk', kind: 'changed', ok: true }],
  });
  expect(await b.changes()).toEqual([]);
  await b.get('processes.trigger', { ...of, ...command() });
  await waitFor(async () => (await says()) === '"new"', { what: 'the new instructions' });

  const entries = await b.entries('clerk');
  const types = entries.map(({ entry_type: type }) => type);
  const asked = entries.find(
    ({ entry_type: type, data }) => type === 'operator_action' && data['action'] === 'reload',
  );
  expect(asked?.data).toMatchObject({ operator: 'tester', reason: 'edited' });
  expect(types.lastIndexOf('configured')).toBeGreaterThan(entries.indexOf(asked!));
  expect(types.filter((type) => type === 'configured')).toHaveLength(2);
});

test('changed code is a change, and runs once it is loaded', async () => {
  const b = await editing(workspaceOf({ clerk: `ctx.state.set('by', 1);` }));
  writeFileSync(b.path('clerk.ts'), b.text('clerk.ts').replace('1', '2'));
  const [change] = await b.changes();
  expect(change).toMatchObject({ kind: 'changed', lines: [] });
  expect(change!.notes[0]).toBe('Its code changed.');
  await b.reload();
  const of = { journalId: b.journalId, process: 'clerk' };
  await b.get('processes.trigger', { ...of, ...command() });
  await waitFor(async () => (await b.get('processes.read', of)).context.some(({ text }) => text === '2'), {
    what: 'the new code',
  });
});

test('a faulty manifest changes nothing, says why and where, and can be mended', async () => {
  const b = await editing(workspaceOf({ clerk: '', other: '' }));
  b.save('clerk.agent', manifest('clerk', 'budgt: {}\nconfig:\n  concurrency: 0\n'));
  const [change] = await b.changes();
  expect(change).toMatchObject({ kind: 'faulty', process: 'clerk' });
  expect(change!.problems.map(({ path, line }) => [path, line])).toEqual(
    expect.arrayContaining([
      ['config.concurrency', 5],
      ['budgt', 3],
    ]),
  );
  const refused = await b.reload(['clerk']);
  expect(refused.done).toMatchObject([{ ok: false }]);
  expect((await b.get('processes.read', { journalId: b.journalId, process: 'clerk' })).row.state).toBe(
    'running',
  );
  b.save('clerk.agent', manifest('clerk'));
  expect(await b.changes()).toEqual([]);
});

test('a manifest that comes adds a process, one that goes leaves its journal as an orphan, and it can be put back [S37]', async () => {
  const b = await editing(workspaceOf({ clerk: `ctx.state.set('count', 1);` }));
  writeFileSync(b.path('late.ts'), b.text('clerk.ts'));
  b.save('late.agent', manifest('late'));
  expect(await b.changes()).toMatchObject([{ kind: 'added', process: 'late' }]);
  expect(await b.reload(['late'])).toMatchObject({ done: [{ ok: true }] });
  const of = { journalId: b.journalId, process: 'late' };
  await b.get('processes.trigger', { ...of, ...command() });
  await waitFor(async () => (await b.get('processes.read', of)).context.length > 0, { what: 'its work' });
  const [first] = await b.entries('late');
  expect(first!.entry_type).toBe('writer_opened');
  expect(
    (await b.entries('late')).find(({ entry_type: type }) => type === 'operator_action')?.data,
  ).toMatchObject({ action: 'add' });

  const text = b.text('late.agent');
  rmSync(b.path('late.agent'));
  const [gone] = await b.changes();
  expect(gone).toMatchObject({ kind: 'removed', process: 'late' });
  expect(
    await b.ask('workspace.reload', {
      journalId: b.journalId,
      ...command(),
      changes: [{ of: 'late', id: gone!.id }],
      isRemoving: false,
    }),
  ).toMatchObject({ ok: false, error: { code: 'reload.removes' } });
  // All that can be loaded is not what is to be removed.
  expect(await b.reload(null)).toMatchObject({ done: [] });
  expect((await b.get('processes.read', of)).row.state).toBe('running');
  await b.reload(['late'], true);
  const orphaned = await b.get('processes.read', of);
  expect(orphaned.row).toMatchObject({ live: false, state: 'stopped' });
  expect(orphaned.row.why).toContain('orphaned');
  expect(await b.ask('processes.start', { ...of, ...command() })).toMatchObject({
    ok: false,
    error: { code: 'process.not-found' },
  });

  b.save('late.agent', text);
  const [back] = await b.changes();
  expect(back!.notes.join(' ')).toContain('goes on with the journal that is there');
  await b.reload(['late']);
  await b.get('processes.start', { ...of, ...command() });
  expect((await b.get('processes.read', of)).row).toMatchObject({ live: true, state: 'running' });
});

test('another name in the same file is a removal and an addition, and is said to be', async () => {
  const b = await editing(workspaceOf({ clerk: '' }));
  b.save('clerk.agent', b.text('clerk.agent').replace('name: clerk', 'name: scribe'));
  const changes = await b.changes();
  expect(changes.map(({ kind, process }) => `${kind} ${process}`).sort()).toEqual([
    'added scribe',
    'removed clerk',
  ]);
  for (const { notes } of changes)
    expect(notes[0]).toContain('clerk.agent defined clerk and defines scribe now');
  await b.reload(null, true);
  const { processes } = await b.get('fleet.read', {});
  expect(processes.map(({ name, live }) => `${name} ${live}`).toSorted()).toEqual([
    'clerk false',
    'scribe true',
  ]);
});

test('what was seen is what is put in force: a change behind the back is refused', async () => {
  const b = await editing(workspaceOf({ clerk: '' }));
  b.save('clerk.agent', manifest('clerk', 'instructions: seen\n'));
  const [seen] = await b.changes();
  b.save('clerk.agent', manifest('clerk', 'instructions: other\n'));
  const order = { journalId: b.journalId, ...command(), isRemoving: false };
  expect(
    await b.ask('workspace.reload', { ...order, changes: [{ of: 'clerk', id: seen!.id }] }),
  ).toMatchObject({ ok: false, error: { code: 'reload.changed-since' } });
  expect(await b.changes()).toHaveLength(1);
});

test('a manifest that became a link out of the workspace is not read, and its process goes on', async () => {
  const b = await editing(workspaceOf({ clerk: '' }));
  const outside = join(tempDirectory(), 'other.agent');
  writeFileSync(outside, manifest('clerk', 'instructions: from outside\n'));
  rmSync(b.path('clerk.agent'));
  symlinkSync(outside, b.path('clerk.agent'));
  const [change] = await b.changes();
  expect(change).toMatchObject({ kind: 'faulty', process: 'clerk', lines: [] });
  expect(change!.problems[0]!.message).toContain('a link out of the workspace');
  expect(await b.ask('manifests.read', { journalId: b.journalId, of: { process: 'clerk' } })).toMatchObject({
    ok: false,
    error: { code: 'manifest.is-link' },
  });
  expect(readFileSync(outside, 'utf8')).toContain('from outside');
  expect(existsSync(outside)).toBe(true);
});

test('a hundred manifests that change at once are loaded together, each once', async () => {
  const names = Array.from({ length: 100 }, (_, at) => `agent-${at}`);
  const b = await editing(workspaceOf(Object.fromEntries(names.map((name) => [name, '']))));
  for (const name of names) b.save(`${name}.agent`, manifest(name, 'instructions: new\n'));
  await waitFor(async () => (await b.get('fleet.read', {})).journals[0]!.manifests?.pending === 100, {
    what: 'the notice',
  });
  expect(await b.changes()).toHaveLength(100);
  const { done, message } = await b.reload();
  expect(message).toBe('100 changes put in force.');
  expect(done.every(({ ok }) => ok)).toBe(true);
  expect((await b.get('fleet.read', {})).journals[0]!.manifests).toMatchObject({ pending: 0, faulty: 0 });
  expect(
    (await b.get('fleet.read', {})).processes.every(({ state, live }) => live && state === 'running'),
  ).toBe(true);
});
