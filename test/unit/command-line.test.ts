// The `holdfast` command as a program: what it says, where, with which exit code, and that looking leaves no trace.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdfast, mapLimited, type Ended } from '../support/child.ts';
import { asNobody, goodJournal, halfHiddenJournal, jsonLines, LOOKING } from '../support/command-journals.ts';
import { treeHash } from '../support/fixtures.ts';
import { heldJournal } from '../support/held-journal.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-command-'));
  chmodSync(root, 0o755);
  const make = (name: string, files: Readonly<Record<string, Buffer | string>> = {}): string => {
    const directory = join(root, name);
    mkdirSync(directory);
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(directory, file), bytes);
    return directory;
  };
  make('empty');
  make('notes', { 'notes.txt': 'x' });
  make('garbage', { 'a.jsonl': 'not a line of a journal\n[1]\n', 'b.jsonl': '\u0000\u0000\n' });
  make('bad-marker', { 'journal.holdfast': '{"half', 'one.jsonl': fileOf(ourLines([update('n', 1)])) });
  mkdirSync(join(make('folder'), 'one.jsonl'));
  if (process.platform !== 'win32')
    execFileSync('bash', ['-c', `mkfifo '${join(make('pipe'), 'one.jsonl')}'`]);
  make('hidden-lines', { 'one.jsonl': `${foreignLine({})}\n` });
  chmodSync(join(root, 'hidden-lines/one.jsonl'), 0);
  make('hidden-marker', { 'journal.holdfast': '{"format":1,"id":"x"}' });
  chmodSync(join(root, 'hidden-marker/journal.holdfast'), 0);
  chmodSync(make('hidden'), 0);
  goodJournal(join(root, 'good'));
  const lines = ourLines([update('n', 1), update('n', 2), update('n', 3)]);
  writeOurDirectory(join(root, 'damaged'), { 'one.jsonl': fileOf([lines[0]!, 'garbage', lines[2]!]) });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('[P6] a path that is no journal: one line that says what and what next, exit code 3, and no trace', () => {
  test.each<[string, string, RegExp]>([
    ['that does not exist', 'nowhere', /does not exist\. Check the path/],
    ['inside a file', 'notes/notes.txt/x', /can't be read: .+ Check the disk/],
    ['of a file', 'notes/notes.txt', /is a file\. Open the directory it lies in/],
    ['of an empty directory', 'empty', /is empty\. Open a directory that/],
    ['of a directory without a journal', 'notes', /holds no journal: .+ Open the directory that has/],
    ['of a directory with other .jsonl files', 'garbage', /2 \.jsonl files, but no line in there is .+ Open/],
    ['of a directory with a folder called .jsonl', 'folder', /holds no journal: .+ Open/],
    ['of a directory with a pipe called .jsonl', 'pipe', /holds no journal: .+ Open/],
    ['of a directory with a broken marker', 'bad-marker', /not a marker that Holdfast wrote\. Restore/],
    ['of a directory that may not be read', 'hidden', /may not be read by this user\. Ask its owner/],
    ['of a directory whose lines may not be read', 'hidden-lines', /one\.jsonl may not be read .+ Ask/],
    [
      'of a directory whose marker may not be read',
      'hidden-marker',
      /journal\.holdfast may not be read .+ Ask/,
    ],
  ])('%s', async (_name, path, message) => {
    const before = treeHash(root);
    const verbs = LOOKING.filter(([verb]) => verb === 'status' || verb === 'tail');
    const results = await mapLimited(verbs, 2, ([, args]) => holdfast(args(join(root, path)), asNobody));
    for (const [at, { code, signal, stdout, stderr }] of results.entries()) {
      expect({ code, signal, stdout }, verbs[at]![0]).toEqual({ code: 3, signal: null, stdout: '' });
      expect(stderr).toMatch(/^holdfast: [^\n]+\n$/);
      expect(stderr).toMatch(message);
    }
    expect(treeHash(root)).toBe(before);
  });

  test('a process that is not there: the ones that are', async () => {
    const results = await mapLimited(LOOKING.slice(1), 2, ([, args]) =>
      holdfast([...args(join(root, 'good')), '--json'].map((arg) => (arg === 'one' ? 'three' : arg))),
    );
    for (const { code, stdout, stderr } of results) {
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toMatch(/has no process "three"/);
    }
    expect(results.some(({ stderr }) => stderr.includes('It has: one, two.'))).toBe(true);
  });
});

describe('wrong usage: one line, exit code 2', () => {
  test.each<[string[], RegExp]>([
    [[], /Say what to do/],
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['--frobnicate'], /unknown option '--frobnicate'/],
    [['show'], /missing required argument 'directory'/],
    [['recover', '.'], /missing required argument 'process'/],
    [['tail', '.', 'one', 'two'], /too many arguments/],
    [['tail', '.', 'one', '-n', '0'], /whole number from 1 to 1000000/],
    [['tail', '.', 'one', '-n', 'many'], /whole number from 1 to 1000000/],
    [['tail', '.', 'one', '-n', '1.5'], /whole number from 1 to 1000000/],
    [['tail', '.', 'one', '-n', '99999999'], /whole number from 1 to 1000000/],
    [['tail', '.', 'one', '-n', '-3'], /argument/],
    [['tail', '.', 'one', '-n', ''], /whole number from 1 to 1000000/],
    [['status', '.', '--follow'], /unknown option '--follow'/],
    [['verify'], /missing required argument 'directory'/],
    [['repair', '.'], /required option '--to <copy>' not specified/],
    [['adopt', '.', '--to'], /argument missing/],
  ])('holdfast %j', async (args, message) => {
    const { code, stdout, stderr } = await holdfast(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^holdfast: [^\n]+"holdfast (?:[a-z-]+ )?--help"[^\n]+\n$/);
    expect(stderr).toMatch(message);
  });

  test('help and version are answers, not errors', async () => {
    const [help, version] = await Promise.all([holdfast(['--help']), holdfast(['--version'])]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const verb of ['run', 'status', 'show', 'tail', 'recover', 'verify', 'repair', 'adopt'])
      expect(help.stdout).toContain(verb);
    expect(help.stdout).toContain('Exit codes');
    // Every verb stands under a heading that says what it is for.
    expect(help.stdout).not.toContain('Others:');
    expect(version).toMatchObject({ code: 0, stderr: '', stdout: '0.1.0\n' });
  });
});

describe('a journal', () => {
  test('that is damaged: recover refuses with 4 and the place, the others show it', async () => {
    const directory = join(root, 'damaged');
    const before = treeHash(directory);
    const [status, show, tail, recover] = (await mapLimited(LOOKING, 2, ([, args]) =>
      holdfast(args(directory).filter((arg) => arg !== '-f')),
    )) as [Ended, Ended, Ended, Ended];
    expect(recover).toMatchObject({ code: 4, stdout: '' });
    expect(recover.stderr).toMatch(/line 2 at byte \d+: .+restore the journal from a backup/);
    for (const ended of [status, show, tail]) expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(tail.stdout).toMatch(/^2 ! {2}unreadable line of 8 bytes at \d+: not JSON/m);
    expect(treeHash(directory)).toBe(before);
  });

  test('[P5] of which one file may not be read: the rest is shown, and that one says why', async () => {
    const directory = halfHiddenJournal();
    const { code, stdout, stderr } = await holdfast(['status', directory, '--json'], asNobody);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [{ processes }] = jsonLines(stdout) as [{ processes: { name: string; entries: number }[] }];
    expect(processes.map(({ name }) => name)).toEqual(['one', 'two']);
    const recover = await holdfast(['recover', directory, 'one'], asNobody);
    expect(recover.code).toBe(3);
    expect(recover.stderr).toMatch(/one\.jsonl may not be read by this user\. Ask/);
  });

  test('that another process is writing: it can be looked at, and running it is refused with 5 and the pid', async () => {
    const workspace = tempDirectory();
    const demo = fileURLToPath(new URL('../../resources/demo/', import.meta.url));
    for (const file of ['mail-triage.agent', 'mail-triage.ts']) {
      execFileSync('cp', [join(demo, file), workspace]);
    }
    const directory = join(workspace, '.holdfast-journal');
    const holder = await heldJournal(directory);
    const before = treeHash(workspace);
    const [run, status, tail] = await Promise.all([
      holdfast(['run', workspace]),
      holdfast(['status', directory]),
      holdfast(['tail', directory, 'held', '--json']),
    ]);
    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toMatch(new RegExp(`^holdfast: [^\\n]*process ${holder.process.pid}[^\\n]*\\n$`));
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toContain(`Being written by process ${holder.process.pid}`);
    expect(jsonLines(tail.stdout)).toHaveLength(2);
    expect(treeHash(workspace)).toBe(before);
  });
});

describe('--json', () => {
  test('is one JSON value on every line, and nothing else', async () => {
    const directory = join(root, 'good');
    const [status, show, tail, recover] = (await mapLimited(LOOKING, 2, ([, args]) =>
      holdfast([...args(directory).filter((arg) => arg !== '-f' && arg !== '--json'), '--json']),
    )) as [Ended, Ended, Ended, Ended];
    for (const ended of [status, show, tail, recover]) expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(jsonLines(status.stdout)).toMatchObject([
      { journal: { format: 'holdfast' }, processes: [{}, {}] },
    ]);
    expect(jsonLines(show.stdout)).toMatchObject([{ row: { name: 'one' }, timeline: [{}, {}, {}] }]);
    expect(jsonLines(tail.stdout)).toMatchObject([1, 2, 3].map((seq) => ({ seq, verification: 'verified' })));
    expect(jsonLines(recover.stdout)).toMatchObject([
      { context_state: { n: 3 }, entries_replayed: 3, process_id: 'one', skipped_lines: [] },
    ]);
  });

  test('writes numbers as they are in the journal, and those that JSON has no word for as JSON', async () => {
    const directory = tempDirectory();
    const line = foreignLine({ data: { key: 'n', value: '@' } });
    writeFileSync(
      join(directory, 'one.jsonl'),
      `${line.replace('"@"', '[NaN, -Infinity, 12345678901234567890, 1e400]')}\n`,
    );
    const { stdout } = await holdfast(['recover', directory, 'one', '--json']);
    expect(stdout).toContain('[{"$number":"NaN"},{"$number":"-Infinity"},12345678901234567890,1e400]');
    expect(jsonLines(stdout)).toHaveLength(1);
    const shown = await holdfast(['recover', directory, 'one']);
    expect(shown.stdout).toContain('{"n":[NaN,-Infinity,12345678901234567890,1e400]}');
  });
});
