// A name or a setting that can't be is refused when a fork is planned, in the same words as when it is made, and nothing is
// written for it.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { command, openConsole, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

interface Waiting {
  readonly workspace: string;
  readonly console: TestConsole;
  readonly of: { readonly journalId: string; readonly process: string };
  readonly at: number;
}

async function started(): Promise<Waiting> {
  const workspace = workspaceOf({ clerk: '', a_b: '' }, 'instructions: Waits.\nconfig:\n  concurrency: 1\n');
  const console = await openConsole(workspace, tempDirectory());
  const { journals } = await console.get('fleet.read', {});
  const of = { journalId: journals[0]!.id, process: 'clerk' };
  const at = await waitFor(async () => {
    const { row } = await console.get('processes.read', of);
    const entries = await readFileJournal(join(workspace, '.holdfast-journal')).read('clerk');
    return row.state === 'running' && (entries.at(-1)?.seq ?? null);
  });
  return { workspace, console, of, at };
}

const filesOf = (workspace: string): readonly string[] =>
  readdirSync(workspace, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.agent') || name.endsWith('.jsonl') || name.endsWith('.part'))
    .sort();

interface Other {
  readonly name?: string;
  readonly configure?: Readonly<Record<string, string>>;
  readonly set?: Readonly<Record<string, string>>;
}

async function refusedBoth(
  { workspace, console, of, at }: Waiting,
  { name = 'other', configure = {}, set = {} }: Other,
): Promise<{ readonly code: string; readonly message: string }> {
  const before = filesOf(workspace);
  const asked = { ...of, at, name, configure, set };
  const plan = await console.ask('fork.plan', asked);
  const apply = await console.ask('fork.apply', { ...asked, ...command() });
  if (plan.ok || apply.ok) throw new Error('it was not refused');
  expect({ ...apply.error, detail: null }).toEqual({ ...plan.error, detail: null });
  expect(filesOf(workspace)).toEqual(before);
  const { processes } = await console.get('fleet.read', {});
  expect(processes.map((row) => row.name).sort()).toEqual(['a_b', 'clerk']);
  return plan.error;
}

test('[J9] [S40] a name that no journal could have, or that another has but for its case, is refused beforehand', async () => {
  const waiting = await started();
  for (const [name, code] of [
    ['Clerk', 'journal.name-collision'],
    ['CLERK', 'journal.name-collision'],
    ['a/b', 'journal.name-collision'],
    ['clerk', 'fork.name-taken'],
    ['..', 'journal.name-unsupported'],
    ['\u00e9'.repeat(200), 'journal.name-unsupported'],
    ['nul\0l', 'journal.name-unsupported'],
  ] as const) {
    expect(await refusedBoth(waiting, { name }), name).toMatchObject({ code });
  }
});

test.each(['\u7d75\u6587\u5b57 \ud83e\udd8a', 'with/slash', '.hidden', 'two\nlines', '123', 'x'.repeat(200)])(
  '[S40] a fork may be called %j',
  async (name) => {
    const { workspace, console, of, at } = await started();
    const asked = { ...of, at, name, configure: {}, set: {} };
    expect(await console.get('fork.plan', asked)).toMatchObject({ name });
    await console.get('fork.apply', { ...asked, ...command() });
    expect(await console.get('processes.read', { ...of, process: name })).toMatchObject({
      row: { name, state: 'suspended' },
      lineage: { process: 'clerk', seq: at },
    });
    await console.host.close();
    // The next host finds it by its manifest.
    const next = await openConsole(workspace, tempDirectory());
    const { row } = await next.get('processes.read', { ...of, process: name });
    expect(row).toMatchObject({ name, state: 'suspended', live: true });
  },
);

test('[S40] the name is no setting, nor can a setting have a number that a manifest would change', async () => {
  const waiting = await started();
  expect(await refusedBoth(waiting, { configure: { name: '"elsewhere"' } })).toMatchObject({
    code: 'fork.bad-setting',
    message: 'The name of a fork is the one that it is forked as, and no setting. Leave it out.',
  });
  const tooLong = { 'context.initial_state': '{"id": [12345678901234567890]}' };
  expect(await refusedBoth(waiting, { configure: tooLong })).toMatchObject({
    code: 'fork.bad-setting',
    message: expect.stringContaining('has a number of more digits than a setting can have') as string,
  });
  for (const text of ['NaN', '-Infinity', '[1,]', '']) {
    expect(await refusedBoth(waiting, { set: { id: text } })).toMatchObject({ code: 'request.not-json' });
  }
});

test('[S40] a number of any length begins in its state as it was typed', async () => {
  const { workspace, console, of, at } = await started();
  const set = { id: '{"order": 12345678901234567890, "price": 0.1000, "more": [1e400]}' };
  await console.get('fork.apply', { ...of, at, name: 'other', configure: {}, set, ...command() });
  const { context } = await console.get('processes.read', { ...of, process: 'other' });
  expect(context).toMatchObject([{ key: 'id' }]);
  expect(JSON.stringify(context)).toContain('12345678901234567890');
  const lines = readFileSync(join(workspace, '.holdfast-journal', 'other.jsonl'), 'utf8');
  expect(lines).toContain('{"id":{"order":12345678901234567890,"price":0.1,"more":[1e400]}}');
});

test.runIf(process.platform !== 'win32')(
  '[J10] [S40] who may not read the manifest that a fork is made from may not read its own',
  async () => {
    const { workspace, console, of, at } = await started();
    chmodSync(join(workspace, 'clerk.agent'), 0o600);
    // What a crash left of another try.
    writeFileSync(join(workspace, 'other.agent.part'), 'name: oth', { mode: 0o666 });
    await console.get('fork.apply', { ...of, at, name: 'other', configure: {}, set: {}, ...command() });
    expect(statSync(join(workspace, 'other.agent')).mode & 0o777).toBe(0o600);
    expect(existsSync(join(workspace, 'other.agent.part'))).toBe(false);
  },
);

test('[S40] a manifest that can’t be written leaves nothing that runs, and says what to do; then it is finished', async () => {
  const { workspace, console, of, at } = await started();
  const asked = { ...of, at, name: 'other', configure: {}, set: {} };
  // Where it would be written first lies something that can't be replaced.
  mkdirSync(join(workspace, 'other.agent.part', 'in the way'), { recursive: true });
  const failed = await console.ask('fork.apply', { ...asked, ...command() });
  expect(failed).toMatchObject({
    ok: false,
    error: { code: 'fork.no-manifest', message: expect.stringContaining('fork again') as string },
  });
  const { processes } = await console.get('fleet.read', {});
  expect(processes.map(({ name }) => name)).not.toContain('other');
  rmdirSync(join(workspace, 'other.agent.part', 'in the way'));
  rmdirSync(join(workspace, 'other.agent.part'));
  await console.get('fork.apply', { ...asked, ...command() });
  const { lineage } = await console.get('processes.read', { ...of, process: 'other' });
  expect(lineage).toMatchObject({ process: 'clerk', seq: at });
});
