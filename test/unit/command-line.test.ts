// The `holdfast` command as a program: what it says, where, with which exit code, and that looking leaves no trace.

import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fleetTable } from '../../core/cli/describe.ts';
import { entriesFile } from '../../core/journal/process-files.ts';
import { HOLDFAST, holdfast, mapLimited, startNode, type Ended } from '../support/child.ts';
import { treeHash } from '../support/fixtures.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { processRow } from './electron-rows.ts';

/** What must never reach a terminal: controls but the line feed, and marks that turn text around. */
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const isRoot = process.getuid?.() === 0;
/** Permissions don't bind root, so root asks as somebody else. */
const asNobody = isRoot ? { uid: 65_534, gid: 65_534 } : {};

const jsonLines = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

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
  writeOurDirectory(join(root, 'half-hidden'), {
    'one.jsonl': fileOf(ourLines([update('n', 1)])),
    'two.jsonl': fileOf(ourLines([update('n', 1, 'two')])),
  });
  chmodSync(join(root, 'half-hidden/one.jsonl'), 0);
  const lines = ourLines([update('n', 1), update('n', 2), update('n', 3)]);
  writeOurDirectory(join(root, 'good'), {
    'one.jsonl': fileOf(lines),
    'two.jsonl': fileOf(ourLines([update('m', 1, 'two')])),
  });
  writeOurDirectory(join(root, 'damaged'), { 'one.jsonl': fileOf([lines[0]!, 'garbage', lines[2]!]) });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** status and show look at all of a journal, tail and recover at one process of it. */
const VERBS: readonly (readonly [string, (directory: string) => string[]])[] = [
  ['status', (directory) => ['status', directory]],
  ['show', (directory) => ['show', directory, 'one']],
  ['tail', (directory) => ['tail', directory, 'one', '-f', '-n', '3']],
  ['recover', (directory) => ['recover', directory, 'one', '--json']],
];

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
    const verbs = VERBS.filter(([verb]) => verb === 'status' || verb === 'tail');
    const results = await mapLimited(verbs, 2, ([, args]) => holdfast(args(join(root, path)), asNobody));
    for (const [at, { code, signal, stdout, stderr }] of results.entries()) {
      expect({ code, signal, stdout }, verbs[at]![0]).toEqual({ code: 3, signal: null, stdout: '' });
      expect(stderr).toMatch(/^holdfast: [^\n]+\n$/);
      expect(stderr).toMatch(message);
    }
    expect(treeHash(root)).toBe(before);
  });

  test('a process that is not there: the ones that are', async () => {
    const results = await mapLimited(VERBS.slice(1), 2, ([, args]) =>
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
    expect(stderr).toMatch(/^holdfast: [^\n]+"holdfast --help"[^\n]+\n$/);
    expect(stderr).toMatch(message);
  });

  test('help and version are answers, not errors', async () => {
    const [help, version] = await Promise.all([holdfast(['--help']), holdfast(['--version'])]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const verb of ['run', 'status', 'show', 'tail', 'recover', 'verify', 'repair', 'adopt'])
      expect(help.stdout).toContain(verb);
    expect(help.stdout).toContain('Exit codes');
    expect(version).toMatchObject({ code: 0, stderr: '', stdout: '0.1.0\n' });
  });
});

describe('a journal', () => {
  test('that is damaged: recover refuses with 4 and the place, the others show it', async () => {
    const directory = join(root, 'damaged');
    const before = treeHash(directory);
    const [status, show, tail, recover] = (await mapLimited(VERBS, 2, ([, args]) =>
      holdfast(args(directory).filter((arg) => arg !== '-f')),
    )) as [Ended, Ended, Ended, Ended];
    expect(recover).toMatchObject({ code: 4, stdout: '' });
    expect(recover.stderr).toMatch(/line 2 at byte \d+: .+restore the journal from a backup/);
    for (const ended of [status, show, tail]) expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(tail.stdout).toMatch(/^2 ! {2}unreadable line of 8 bytes at \d+: not JSON/m);
    expect(treeHash(directory)).toBe(before);
  });

  test('[P5] of which one file may not be read: the rest is shown, and that one says why', async () => {
    const { code, stdout, stderr } = await holdfast(
      ['status', join(root, 'half-hidden'), '--json'],
      asNobody,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [{ processes }] = jsonLines(stdout) as [{ processes: { name: string; entries: number }[] }];
    expect(processes.map(({ name }) => name)).toEqual(['one', 'two']);
    const recover = await holdfast(['recover', join(root, 'half-hidden'), 'one'], asNobody);
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
    const child = startNode(fileURLToPath(new URL('../support/hold-journal.ts', import.meta.url)), [
      directory,
    ]);
    onTestFinished(() => {
      child.process.kill('SIGKILL');
    });
    await waitFor(() => child.stdout().includes('held'), { what: 'the holder' });
    const before = treeHash(workspace);
    const [run, status, tail] = await Promise.all([
      holdfast(['run', workspace]),
      holdfast(['status', directory]),
      holdfast(['tail', directory, 'held', '--json']),
    ]);
    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toMatch(new RegExp(`^holdfast: [^\\n]*process ${child.process.pid}[^\\n]*\\n$`));
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toContain(`Being written by process ${child.process.pid}`);
    expect(jsonLines(tail.stdout)).toHaveLength(2);
    expect(treeHash(workspace)).toBe(before);
  });
});

describe('a workspace', () => {
  const unrun = (name: string): string => {
    const workspace = join(tempDirectory(), name);
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'clerk.agent'), 'version: "1.0"\nname: clerk\n');
    return workspace;
  };
  const npm = (INIT_CWD: string): { env: NodeJS.ProcessEnv } => ({
    env: { ...process.env, npm_lifecycle_event: 'holdfast', INIT_CWD },
  });

  test('that was never run is early, not wrong: how to run it, exit code 3, and no trace', async () => {
    const workspace = unrun('agents');
    const before = treeHash(workspace);
    for (const { code, stdout, stderr } of await mapLimited(VERBS, 2, ([, args]) =>
      holdfast(args(workspace)),
    )) {
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toBe(
        `holdfast: ${workspace} is a workspace that has not been run yet. To run it: holdfast run ${workspace}\n`,
      );
    }
    expect(treeHash(workspace)).toBe(before);
  });

  test('under npm, where it was typed counts, and the line to type is the one that works there', async () => {
    const workspace = unrun("ana's agents");
    const [here, named, elsewhere] = await Promise.all([
      holdfast(['status'], npm(workspace)),
      holdfast(['status', "ana's agents"], npm(join(workspace, '..'))),
      holdfast(['status', 'nowhere'], npm(workspace)),
    ]);
    const line = `To run it: npm run -s holdfast -- run '${workspace.replace("'", String.raw`'\''`)}'\n`;
    for (const { code, stderr } of [here, named]) {
      expect(code).toBe(3);
      expect(stderr.endsWith(line), stderr).toBe(true);
    }
    expect(elsewhere.stderr).toContain(join(workspace, 'nowhere'));
  });

  test('is not to be run once more while somebody runs it', async () => {
    const workspace = unrun('agents');
    const child = startNode(fileURLToPath(new URL('../support/hold-journal.ts', import.meta.url)), [
      join(workspace, '.holdfast-journal'),
    ]);
    onTestFinished(() => {
      child.process.kill('SIGKILL');
    });
    await waitFor(() => child.stdout().includes('held'), { what: 'the holder' });
    const held = await holdfast(['status', workspace]);
    expect(held).toMatchObject({ code: 0, stderr: '' });
    expect(held.stdout).not.toContain('To run it');
    child.process.kill('SIGKILL');
    await child.ended;
    expect((await holdfast(['status', workspace])).stdout).toContain(
      `To run it: holdfast run ${workspace}\n`,
    );
  });
});

describe('the table', () => {
  const long = processRow({
    name: `invoice-${'x'.repeat(300)}-north`,
    state: 'y'.repeat(300),
    why: `because ${'z'.repeat(300)}`,
  });
  const rows = [processRow({ name: 'clerk', why: 'idle' }), long];

  test('one long cell pushes nothing out of sight', () => {
    const [head, short, cut] = fleetTable(rows, 0, null) as [string, string, string];
    expect(head.indexOf('STATE')).toBe(34);
    expect(short.indexOf('idle')).toBe(head.indexOf('WHY'));
    expect(cut.slice(0, 32)).toMatch(/^invoice-x+…x+-north$/);
    expect(cut.slice(head.indexOf('WHY'))).toMatch(/^because z+…$/);
    expect(cut.length - head.indexOf('WHY')).toBe(160);
  });

  test('no line is wider than the terminal', () => {
    for (const line of fleetTable(rows, 0, 80)) expect(line.length).toBeLessThanOrEqual(80);
    expect(fleetTable(rows, 0, 80)[2]).toMatch(/…$/);
    expect(fleetTable(rows, 0, 1_000)[2]).toContain(long.why);
  });

  test('no character is cut in halves', () => {
    const faces = processRow({ name: '😀'.repeat(40), why: '😀'.repeat(200) });
    for (const width of [null, 60, 61]) expect(fleetTable([faces], 0, width)[1]?.isWellFormed()).toBe(true);
  });
});

describe('--json', () => {
  test('is one JSON value on every line, and nothing else', async () => {
    const directory = join(root, 'good');
    const [status, show, tail, recover] = (await mapLimited(VERBS, 2, ([, args]) =>
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

test('nothing in a journal, its names or its path reaches the terminal raw', async () => {
  const evil = '\u001b[31m\u0007\u009b2J\u202egnp\u2066\u200f\u2028\u0085\r\n\tx\u007f';
  const directory = join(tempDirectory(), `evil \u001b[31m\u202e`);
  mkdirSync(directory);
  const name = `name ${evil}`;
  const entry = (entry_type: string, data: Record<string, unknown>): string =>
    foreignLine({ process_id: name, entry_type, data: data as never });
  writeFileSync(
    join(directory, entriesFile(name)),
    fileOf([
      entry('state_transition', { from_state: evil, to_state: evil, reason: evil, actor: evil }),
      entry('hold_placed', { hold: 'operator', reason: evil, actor: evil }),
      entry('trigger_event', { event_id: evil, trigger_id: evil, trigger_type: evil, payload: evil }),
      entry('invocation_start', { event_id: evil, invocation: 1 }),
      entry(evil, { [evil]: evil }),
      entry('context_update', { key: evil, value: { [evil]: [evil] } }),
      entry('error', { event_id: 'x', error_type: evil, error: evil }),
      foreignLine({ process_id: name, timestamp: `soon ${evil}` }),
      `{"entry_id": "\u001b[31m\u202e`,
      `\u001b]0;title\u0007`,
    ]),
  );
  writeFileSync(join(directory, `two ${evil}.jsonl`), '\n');
  const commands: string[][] = [
    ['status', directory],
    ['show', directory, name],
    ['tail', directory, name],
    ['recover', directory, name],
    ['tail', directory, 'nobody'],
    ['show', directory, `nobody ${evil}`],
    ['status', join(directory, `not here ${evil}`)],
    ['verify', directory],
    ['verify', directory, `nobody ${evil}`],
    ['repair', directory, '--to', join(directory, `../copy ${evil}`)],
    ['adopt', directory, '--to', join(directory, `../copy ${evil}`)],
  ];
  const results = await mapLimited(
    commands.flatMap((command) => [command, [...command, '--json']]),
    2,
    (command) => holdfast(command),
  );
  for (const { stdout, stderr } of results) {
    expect(RAW.exec(stdout)?.[0], stdout).toBeUndefined();
    expect(RAW.exec(stderr)?.[0], stderr).toBeUndefined();
    expect(stdout + stderr).not.toBe('');
  }
  for (const { stdout, stderr } of results.filter((_, at) => at % 2 === 1 && at < 8)) {
    expect(stderr).toBe('');
    jsonLines(stdout);
  }
  const [recovered] = jsonLines(results[7]!.stdout) as [{ lifecycle_state: string; process_id: string }];
  expect(recovered.lifecycle_state).toBe(evil);
  expect(recovered.process_id).toBe(name);
});

describe('tail', () => {
  const texts = (stdout: string): unknown[] =>
    jsonLines(stdout).map((item) => (item as { data?: { value?: unknown } }).data?.value);

  test('-n gives the newest, as many as asked for, also where they are large and where blank lines lie between', async () => {
    const directory = tempDirectory();
    const large = 'x'.repeat(700_000);
    const lines = Array.from({ length: 12 }, (_, n) =>
      foreignLine({ data: { key: 'n', value: n, text: large } }),
    );
    writeFileSync(join(directory, 'one.jsonl'), fileOf(lines.flatMap((line) => [line, '', '  '])));
    const { stdout, stderr } = await holdfast(['tail', directory, 'one', '-n', '10', '--json']);
    expect(stderr).toBe('');
    expect(texts(stdout)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('-f follows whole lines, each once, from where it was; a cut file is said; SIGINT ends it well', async () => {
    const directory = tempDirectory();
    const path = join(directory, 'one.jsonl');
    const line = (n: number): string => `${foreignLine({ data: { key: 'n', value: n } })}\n`;
    writeFileSync(path, `${line(1)}${line(2)}\n`);
    const before = treeHash(directory);
    const child = startNode(HOLDFAST, ['tail', directory, 'one', '-n', '1', '-f', '--json']);
    onTestFinished(() => {
      child.process.kill('SIGKILL');
    });
    const seen = async (...values: number[]): Promise<void> => {
      await waitFor(() => child.stdout().split('\n').length > values.length, { what: values.join(' ') });
      expect(texts(child.stdout())).toEqual(values);
    };
    await seen(2);
    expect(treeHash(directory)).toBe(before);
    appendFileSync(path, line(3) + line(4) + line(5).slice(0, 40));
    await seen(2, 3, 4);
    appendFileSync(path, line(5).slice(40));
    await seen(2, 3, 4, 5);
    truncateSync(path, 0);
    appendFileSync(path, line(6));
    await seen(2, 3, 4, 5, 6);
    child.process.kill('SIGINT');
    const ended = await child.ended;
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(ended.stderr).toMatch(/^holdfast: the journal of one was cut or replaced; [^\n]+\n$/);
  });

  test('a reader that has gone ends it without a word', async () => {
    const directory = tempDirectory();
    writeFileSync(
      join(directory, 'one.jsonl'),
      fileOf(Array.from({ length: 5_000 }, (_, n) => foreignLine({ data: { key: 'n', value: n } }))),
    );
    const command = `"${process.execPath}" --disable-warning=ExperimentalWarning "${HOLDFAST}" tail "${directory}" one -n 5000`;
    for (const script of [`${command} | head -n 1`, `${command} --json 2>&1 | head -n 1`]) {
      const output = execFileSync('bash', ['-c', `set -o pipefail; ${script}; echo "code $?"`], {
        encoding: 'utf8',
      });
      expect(output).toMatch(/^[^\n]+\ncode 0\n$/);
    }
  });

  test('a disk that is full where the output goes is said in one line', async () => {
    if (process.platform !== 'linux') return;
    const command = `"${process.execPath}" --disable-warning=ExperimentalWarning "${HOLDFAST}" tail "${join(root, 'good')}" one`;
    const output = execFileSync('bash', ['-c', `${command} 2>&1 >/dev/full; echo "code $?"`], {
      encoding: 'utf8',
    });
    expect(output).toMatch(/^holdfast: ENOSPC[^\n]+\ncode 1\n$/);
  });
});

describe('verify, repair and adopt', () => {
  /** A journal of two processes, one of which has a damaged line that was acknowledged. */
  const damaged = (): string => {
    const directory = join(tempDirectory(), "ana's journal");
    const lines = ourLines([update('n', 1), update('n', 2), update('n', 3)]);
    writeOurDirectory(directory, {
      'one.jsonl': fileOf([lines[0]!, 'garbage', lines[2]!]),
      'two.jsonl': fileOf(ourLines([update('n', 1, 'two')])),
    });
    return directory;
  };
  const copyPath = (): string => join(tempDirectory(), 'copy');

  test('a whole journal is one line for each process, and 0', async () => {
    const directory = join(root, 'good');
    const before = treeHash(directory);
    const [text, json] = await Promise.all([
      holdfast(['verify', directory]),
      holdfast(['verify', directory, '--json']),
    ]);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toBe(
      `${directory} · holdfast · 2 processes, 4 lines in 2 segments\none  whole · 3 lines, up to entry 3\ntwo  whole · 1 line, up to entry 1\n`,
    );
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(jsonLines(json.stdout)).toMatchObject([
      { isWhole: true, totals: { processes: 2, lines: 4, damage: 0 } },
    ]);
    expect(treeHash(directory)).toBe(before);
  });

  test('damage is named with file, line and byte, with what to do next, and 4', async () => {
    const directory = damaged();
    const offset = ourLines([update('n', 1)])[0]!.length + 1;
    const before = treeHash(directory);
    const [text, json, two, three] = (await mapLimited(
      [
        ['verify', directory],
        ['verify', directory, '--json'],
        ['verify', directory, 'two'],
        ['verify', directory, 'three'],
      ],
      2,
      (args) => holdfast(args),
    )) as [Ended, Ended, Ended, Ended];
    expect(text.code).toBe(4);
    expect(text.stdout).toContain('one  damaged in 1 place · 3 lines, up to entry 3\n');
    expect(text.stdout).toMatch(
      new RegExp(`^  one\\.jsonl, line 2 at byte ${offset}, 8 bytes: not JSON: .+ \\(not-json\\)$`, 'm'),
    );
    expect(text.stdout).toContain('two  whole');
    const line = `holdfast repair '${directory.replace("'", String.raw`'\''`)}' --to <copy>`;
    expect(text.stderr).toBe(
      `holdfast: ${directory} is damaged in 1 place. Repair it into a copy, which leaves it as it is: ${line}\n`,
    );
    expect(json).toMatchObject({ code: 4, stderr: text.stderr });
    expect(jsonLines(json.stdout)).toMatchObject([
      {
        isWhole: false,
        processes: [{ process: 'one', damage: [{ kind: 'not-json', seq: 2, offset, sizeBytes: 8 }] }, {}],
      },
    ]);
    expect(two).toMatchObject({ code: 0, stderr: '' });
    expect(two.stdout).not.toContain('one');
    expect(three).toMatchObject({ code: 3, stdout: '' });
    expect(three.stderr).toContain('has no process "three". It has: one, two.');
    expect(treeHash(directory)).toBe(before);
  });

  test('[P5] what can not be read is said, and is no verdict', async () => {
    const { code, stdout, stderr } = await holdfast(['verify', join(root, 'half-hidden')], asNobody);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/one\.jsonl may not be read by this user\. Ask/);
    for (const verb of [['verify'], ['repair', '--to', copyPath()], ['adopt', '--to', copyPath()]]) {
      const ended = await holdfast([...verb, join(root, 'notes')]);
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr).toMatch(/holds no journal/);
    }
  });

  test('repair says what was left out, where it is, what to do next; the copy is whole', async () => {
    const directory = damaged();
    const before = treeHash(directory);
    const [copy, other] = [copyPath(), copyPath()];
    const [text, json] = await Promise.all([
      holdfast(['repair', directory, '--to', copy]),
      holdfast(['repair', directory, '--to', other, '--json']),
    ]);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    const lines = text.stdout.trimEnd().split('\n');
    expect(lines[0]).toBe(`Repaired into ${copy}. ${directory} is as it was.`);
    expect(lines[1]).toBe('one: 2 lines kept, 1 gap, held');
    expect(lines[2]).toMatch(
      /^  between 1 and 3: entries are missing · 8 bytes at byte \d+ of one\.jsonl left out, kept in \.holdfast\/quarantine\/one\.[\d.-]+\.bin \(not-json\)$/,
    );
    expect(lines[3]).toBe('copied as it is: two');
    expect(lines[4]).toBe(`Next: move ${directory} away and the copy to its place, then run it.`);
    expect(lines[5]).toMatch(/^Held until somebody resumes: one\. /);
    expect(jsonLines(json.stdout)).toMatchObject([
      { copy: other, repaired: [{ process: 'one', held: true }], unchanged: ['two'] },
    ]);
    expect((await holdfast(['verify', copy])).code).toBe(0);
    const nothing = await holdfast(['repair', copy, '--to', copyPath()]);
    expect(nothing).toMatchObject({ code: 0, stderr: '' });
    expect(nothing.stdout).toMatch(/^Nothing to repair: /);
    const again = await holdfast(['repair', directory, '--to', copy]);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/is there already, and not empty/);
    expect(treeHash(directory)).toBe(before);
  });

  test('a journal that another process is writing can be verified, and repairing it is refused with 5 and the pid', async () => {
    const directory = tempDirectory();
    const child = startNode(fileURLToPath(new URL('../support/hold-journal.ts', import.meta.url)), [
      directory,
    ]);
    onTestFinished(() => {
      child.process.kill('SIGKILL');
    });
    await waitFor(() => child.stdout().includes('held'), { what: 'the holder' });
    const before = treeHash(directory);
    const [verify, repair] = await Promise.all([
      holdfast(['verify', directory]),
      holdfast(['repair', directory, '--to', copyPath()]),
    ]);
    expect(verify).toMatchObject({ code: 0, stderr: '' });
    expect(repair).toMatchObject({ code: 5, stdout: '' });
    expect(repair.stderr).toContain(`process ${child.process.pid}`);
    expect(treeHash(directory)).toBe(before);
  });

  test("adopt makes a journal of Promptise's that is ours, and says what it left out", async () => {
    const directory = tempDirectory();
    writeFileSync(
      join(directory, 'one.jsonl'),
      fileOf([foreignLine({ data: { key: 'n', value: 1 } }), 'garbage']),
    );
    writeFileSync(join(directory, 'notes.jsonl'), 'nothing\n');
    const verify = await holdfast(['verify', directory]);
    expect(verify.code).toBe(4);
    expect(verify.stderr).toMatch(
      /Adopt what can be read into a copy, which leaves it as it is: holdfast adopt \S+ --to <copy>\n$/,
    );
    const before = treeHash(directory);
    const copy = copyPath();
    const { code, stdout, stderr } = await holdfast(['adopt', directory, '--to', copy]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^one: 1 line, 1 place left out$/m);
    expect(stdout).toMatch(
      /^  line 2 of one\.jsonl: 8 bytes at byte \d+ \(not-json\), kept in \.holdfast\/quarantine\/\S+$/m,
    );
    expect(stdout).toMatch(/^notes\.jsonl: left out, since no line of it can be read$/m);
    expect(stdout).toMatch(/^Next: end the Promptise runtime/m);
    expect(treeHash(directory)).toBe(before);
    const recovered = await holdfast(['recover', copy, 'one', '--json']);
    expect(jsonLines(recovered.stdout)).toMatchObject([{ context_state: { n: 1 } }]);
    const twice = await holdfast(['adopt', copy, '--to', copyPath()]);
    expect(twice).toMatchObject({ code: 1, stdout: '' });
    expect(twice.stderr).toMatch(/nothing to adopt\. Run it as it is\.$/m);
  });
});
