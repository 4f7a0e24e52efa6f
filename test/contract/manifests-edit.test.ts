// Manifests edited from a console: read, tried, saved and thrown away.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TRASH } from '../../core/host/manifest-files.ts';
import { editing, type Edited } from '../support/manifests.ts';
import { command, workspaceOf } from '../support/run-host.ts';

const refusal = async (
  answer: Promise<{ readonly ok: boolean; readonly error?: { readonly code: string } }>,
) => {
  const { ok, error } = await answer;
  return ok ? 'ok' : error!.code;
};

const write = (b: Edited, file: string, text: string, expected: string | null, isApplied = false) =>
  b.ask('manifests.write', {
    journalId: b.journalId,
    ...command('by hand'),
    file,
    text,
    expected,
    isApplied,
  });

const readOf = (b: Edited, process: string) =>
  b.get('manifests.read', { journalId: b.journalId, of: { process } });

test('a text is read with its hash, tried without being saved, saved, and put in force where that is asked for', async () => {
  const b = await editing(workspaceOf({ clerk: '' }, '# why it is so\ninstructions: old\n'));
  const { file, text, hash, isInForce } = await readOf(b, 'clerk');
  expect([file, isInForce]).toEqual(['clerk.agent', true]);
  expect(text).toContain('# why it is so');

  const next = text.replace('old', 'new');
  const plan = await b.get('manifests.plan', { journalId: b.journalId, file, text: next });
  expect(plan).toMatchObject({ process: 'clerk', hash, problems: [], change: { kind: 'changed' } });
  expect(plan.lines).toEqual([
    { path: 'instructions', fromText: '"old"', toText: '"new"', acts: 'next_invocation' },
  ]);
  expect(plan.remarks).toEqual([
    { path: '', line: 1, message: expect.stringContaining('there are no triggers') as string },
  ]);
  expect(b.text(file)).toBe(text);

  const saved = await write(b, file, next, hash);
  expect(saved).toMatchObject({ ok: true, value: { reload: null, message: 'clerk.agent was saved.' } });
  expect(b.text(file)).toBe(next);
  expect(await readOf(b, 'clerk')).toMatchObject({ isInForce: false });
  const now = await readOf(b, 'clerk');
  const applied = await write(b, file, next.replace('new', 'newer'), now.hash, true);
  expect(applied).toMatchObject({ ok: true, value: { reload: { done: [{ ok: true, kind: 'changed' }] } } });
  expect(await readOf(b, 'clerk')).toMatchObject({ isInForce: true });
  const asked = (await b.entries('clerk')).filter(({ entry_type: type }) => type === 'operator_action');
  expect(asked.map(({ data }) => data['action'])).toEqual(['edit-manifest', 'edit-manifest', 'reload']);
  for (const { data } of asked) expect(data).toMatchObject({ operator: 'tester', reason: 'by hand' });
});

test('a change behind the back is not written over', async () => {
  const b = await editing(workspaceOf({ clerk: '' }));
  const { file, text, hash } = await readOf(b, 'clerk');
  b.save(file, `${text}instructions: by somebody else\n`);
  expect(await refusal(write(b, file, `${text}instructions: mine\n`, hash))).toBe('manifest.changed-since');
  expect(b.text(file)).toContain('by somebody else');
  expect(await refusal(write(b, file, text, null))).toBe('manifest.changed-since');
  expect(await refusal(write(b, 'gone.agent', text.replace('name: clerk', 'name: gone'), hash))).toBe(
    'manifest.changed-since',
  );
  expect(readdirSync(b.workspace).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('two edits of the same text at once: one is saved, the other is told', async () => {
  const b = await editing(workspaceOf({ clerk: '' }));
  const { file, text, hash } = await readOf(b, 'clerk');
  const answers = await Promise.all(
    ['one', 'two'].map((word) => write(b, file, `${text}instructions: ${word}\n`, hash, true)),
  );
  expect(answers.map(({ ok }) => ok)).toEqual([true, false]);
  expect(b.text(file)).toContain('instructions: one');
  expect(await b.changes()).toEqual([]);
});

test.each([
  ['a faulty text', 'name: clerk\nentrypoint: ./clerk.ts\nfoo: 1\n', 'manifest.invalid'],
  ['no YAML', 'name: [', 'manifest.invalid'],
  ['an empty text', '', 'manifest.invalid'],
  ["another's name", 'name: scribe\nentrypoint: ./clerk.ts\n', 'manifest.invalid'],
  [
    'a secret itself',
    'name: clerk\nentrypoint: ./clerk.ts\nsecrets:\n  holdfast: { allow_literals: true }\n  secrets: { KEY: sk-1234567890 }\n',
    'manifest.holds-secret',
  ],
])('%s is not saved', async (_, text, code) => {
  const b = await editing(workspaceOf({ clerk: '', scribe: '' }));
  const before = await readOf(b, 'clerk');
  expect(await refusal(write(b, 'clerk.agent', text, before.hash))).toBe(code);
  expect(b.text('clerk.agent')).toBe(before.text);
});

test('[J10] a manifest that holds a secret is neither shown nor edited from here, and its diff does not show it', async () => {
  const more = 'secrets:\n  holdfast: { allow_literals: true }\n  secrets: { KEY: sk-first-0123456789 }\n';
  const b = await editing(workspaceOf({ clerk: '' }, more));
  const answer = await b.ask('manifests.read', { journalId: b.journalId, of: { process: 'clerk' } });
  expect(answer).toMatchObject({ ok: false, error: { code: 'manifest.holds-secret' } });
  expect(JSON.stringify(answer)).toContain('secrets.secrets.KEY');
  b.save('clerk.agent', b.text('clerk.agent').replace('sk-first', 'sk-second'));
  const changes = await b.changes();
  expect(changes[0]!.lines).toEqual([
    { path: 'secrets.secrets.KEY', fromText: '"**********"', toText: '"**********"', acts: 'at_once' },
  ]);
  expect(JSON.stringify([answer, changes])).not.toMatch(/sk-(first|second)/);
});

test('[J10] the value of a secret that stands elsewhere in a text is neither shown nor saved as taken out', async () => {
  process.env['EDIT_TEST_KEY'] = 'known-to-the-host-0815';
  const b = await editing(workspaceOf({ clerk: '' }, 'secrets:\n  secrets: { KEY: "${EDIT_TEST_KEY}" }\n'));
  const { file, text, hash } = await readOf(b, 'clerk');
  const next = `${text}instructions: use known-to-the-host-0815\n`;
  expect(await refusal(write(b, file, next, hash))).toBe('manifest.holds-secret');
  expect(await refusal(b.ask('manifests.plan', { journalId: b.journalId, file, text: next }))).toBe(
    'manifest.holds-secret',
  );
  expect(b.text(file)).toBe(text);
});

test('a new agent is written and begins; one that is removed goes into the trash, and its journal stays', async () => {
  const b = await editing(workspaceOf({ clerk: '' }));
  writeFileSync(b.path('new.ts'), b.text('clerk.ts'));
  const text = 'name: new one\nentrypoint: ./new.ts\n';
  const plan = await b.get('manifests.plan', { journalId: b.journalId, file: 'new.agent', text });
  expect(plan).toMatchObject({ hash: null, process: 'new one', change: { kind: 'added' } });
  const made = await write(b, 'new.agent', text, null, true);
  expect(made).toMatchObject({ ok: true, value: { reload: { done: [{ kind: 'added', ok: true }] } } });
  const of = { journalId: b.journalId, process: 'new one' };
  expect((await b.get('processes.read', of)).row).toMatchObject({ live: true, state: 'running' });

  const { hash } = await readOf(b, 'new one');
  const remove = (typed: string, expected = hash) =>
    b.ask('manifests.remove', {
      journalId: b.journalId,
      ...command('not needed'),
      file: 'new.agent',
      expected,
      typed,
      isApplied: true,
    });
  expect(await refusal(remove('new'))).toBe('manifest.not-confirmed');
  expect(await refusal(remove('new one', 'f'.repeat(64)))).toBe('manifest.changed-since');
  const removed = await remove('new one');
  expect(removed).toMatchObject({
    ok: true,
    value: { hash: null, reload: { done: [{ kind: 'removed', ok: true }] } },
  });
  const [kept] = readdirSync(join(b.workspace, TRASH));
  expect(readFileSync(join(b.workspace, TRASH, kept!), 'utf8')).toBe(text);
  expect((await b.get('processes.read', of)).row).toMatchObject({ live: false, state: 'stopped' });
  expect(await b.changes()).toEqual([]);
});

test('a new name in a file that runs is saved, and not put in force in one step', async () => {
  const b = await editing(workspaceOf({ clerk: '' }));
  const { file, text, hash } = await readOf(b, 'clerk');
  const next = text.replace('name: clerk', 'name: scribe');
  expect(await refusal(write(b, file, next, hash, true))).toBe('manifest.renamed');
  expect(await refusal(write(b, file, next, hash))).toBe('ok');
  expect((await b.changes()).map(({ kind }) => kind).sort()).toEqual(['added', 'removed']);
});

test('line ends and rights of a file stay as they were', async () => {
  const b = await editing(workspaceOf({ clerk: '' }));
  const windows = 'name: clerk\r\nentrypoint: ./clerk.ts\r\n';
  writeFileSync(b.path('clerk.agent'), windows, { mode: 0o600 });
  const { mode } = statSync(b.path('clerk.agent'));
  const { file, text, hash } = await readOf(b, 'clerk');
  await write(b, file, `${text.replaceAll('\r\n', '\n')}instructions: more\n`, hash);
  expect(b.text(file)).toBe(`${windows}instructions: more\r\n`);
  expect(statSync(b.path(file)).mode).toBe(mode);
});

test.each(['../clerk.agent', '/etc/clerk.agent', '.clerk.agent', 'clerk.yaml', 'a/b.agent', 'a\\b.agent'])(
  'no manifest is %s',
  async (file) => {
    const b = await editing(workspaceOf({ clerk: '' }));
    expect(await refusal(write(b, file, 'name: x\n', null))).toBe('request.invalid');
  },
);

test('what may stand in a manifest is told as JSON Schema, with templates', async () => {
  const b = await editing(workspaceOf({ clerk: '' }));
  const { schemaText, templates } = await b.get('manifests.schema', {});
  expect(JSON.parse(schemaText)).toMatchObject({ type: 'object', properties: { name: { type: 'string' } } });
  expect(templates.length).toBeGreaterThan(0);
});
