import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  electronBinary,
  failedLately,
  fetchElectron,
  type ElectronPlaces,
} from '../../core/cli/fetch-electron.ts';
import { readStartArguments } from '../../core/cli/start-arguments.ts';
import { planStart, type Machine } from '../../core/cli/start-plan.ts';
import { startNode } from '../support/child.ts';

const desktop: Machine = {
  platform: 'linux',
  env: { DISPLAY: ':0' },
  electron: 'absent',
  hasChromium: true,
  installLine: 'apt-get install chromium',
  isTty: true,
  isRoot: false,
};

describe('which shell', () => {
  test.each<[string, Partial<Machine>, string]>([
    ['electron', { electron: 'present' }, 'its binary is here'],
    ['fetch', {}, 'it may be had'],
    ['standin', { electron: 'unreachable' }, 'it can’t be had, and Chromium is here'],
    ['terminal', { electron: 'unreachable', hasChromium: false }, 'neither is here'],
    ['terminal', { electron: 'present', env: {} }, 'no display'],
    [
      'terminal',
      { electron: 'absent', env: { DISPLAY: '' } },
      'no display: nothing is downloaded for nobody',
    ],
    [
      'electron',
      { electron: 'present', env: { WAYLAND_DISPLAY: 'wayland-0' } },
      'a display of the newer kind',
    ],
    ['electron', { electron: 'present', platform: 'darwin', env: {} }, 'macOS has one always'],
    ['electron', { electron: 'present', platform: 'win32', env: {} }, 'and Windows'],
    ['standin', { electron: 'unreachable', platform: 'darwin', env: {} }, 'the stand-in runs on macOS'],
    ['terminal', { electron: 'unreachable', platform: 'win32', env: {} }, 'and not on Windows'],
    ['terminal', { electron: 'unreachable', hasChromium: false, isTty: false }, 'into a pipe it is the same'],
    ['electron', { electron: 'present', env: { HOLDFAST_HOST: 'electron' } }, 'asked for, without a display'],
    ['fetch', { env: { HOLDFAST_HOST: 'electron' } }, 'asked for and not here'],
    ['refuse', { electron: 'unreachable', env: { HOLDFAST_HOST: 'electron' } }, 'asked for in vain'],
    [
      'standin',
      { electron: 'present', env: { HOLDFAST_HOST: 'standin' } },
      'asked for, though Electron is here',
    ],
    ['refuse', { hasChromium: false, env: { HOLDFAST_HOST: 'standin' } }, 'asked for without Chromium'],
    ['terminal', { electron: 'present', env: { DISPLAY: ':0', HOLDFAST_HOST: 'terminal' } }, 'asked for'],
    ['refuse', { env: { HOLDFAST_HOST: 'emacs' } }, 'unknown'],
  ])('%s %j: %s', (outcome, given, _why) => {
    const plan = planStart({ ...desktop, ...given });
    expect(plan.kind === 'start' ? plan.shell : plan.kind).toBe(outcome);
    expect(plan.says.length).toBeGreaterThan(0);
    expect(plan.says.length).toBeLessThanOrEqual(2);
  });

  test('what is missing comes with the line that installs it', () => {
    const without = { ...desktop, electron: 'unreachable', hasChromium: false } as const;
    expect(planStart(without).says.join('\n')).toContain('apt-get install chromium');
    expect(planStart({ ...without, env: {} }).says.join('\n')).toContain('apt-get install chromium');
    expect(planStart({ ...without, env: { HOLDFAST_HOST: 'standin' } }).says.join('\n')).toContain(
      'apt-get install',
    );
  });

  test('the sandbox is off for root alone, and that is said', () => {
    const present = { ...desktop, electron: 'present' } as const;
    expect(planStart(present)).toMatchObject({ flags: [] });
    const root = planStart({ ...present, isRoot: true });
    expect(root).toMatchObject({ flags: ['--no-sandbox'] });
    expect(root.says.join(' ')).toContain('root');
  });

  test('the key that quits is one that can be typed', () => {
    const terminal = { ...desktop, env: { HOLDFAST_HOST: 'terminal' } };
    expect(planStart(terminal).says[0]).toContain('`q` quits');
    expect(planStart({ ...terminal, isTty: false }).says[0]).toContain('Ctrl-C quits');
  });
});

describe('what is asked of it', () => {
  const from = resolve('/home/ana');
  const read = (...args: string[]) => readStartArguments(args, from);

  test('paths are seen from where they were typed', () => {
    expect(read('--workspace', 'agents', 'a', '../b')).toEqual({
      kind: 'start',
      workspace: resolve('/home/ana/agents'),
      journals: [resolve('/home/ana/a'), resolve('/home/b')],
    });
    expect(read()).toEqual({ kind: 'start', workspace: null, journals: [] });
  });

  test('help is a few lines, and no failure', () => {
    const help = read('--help');
    expect(help).toEqual(read('-h'));
    expect(help).toMatchObject({ kind: 'answer', exitCode: 0 });
    expect(help).toHaveProperty('text', expect.stringMatching(/--workspace DIR[^]*HOLDFAST_DATA/));
  });

  test.each([[['--frobnicate']], [['--workspace']], [['--workspace', '--help']], [['--help=yes']]])(
    'wrong usage is one line, exit code 2: %j',
    (args) => {
      expect(readStartArguments(args, from)).toEqual({
        kind: 'answer',
        text: expect.stringMatching(/^[^\n]{10,90}\. "npm start -- --help" says what there is\.$/) as string,
        exitCode: 2,
      });
    },
  );

  const start = resolve(import.meta.dirname, '../../core/cli/start.ts');
  test('help and wrong usage reach the terminal, and nothing starts', async () => {
    const [help, wrong] = await Promise.all(
      [['--help'], ['--frobnicate']].map((args) => startNode(start, args).ended),
    );
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Usage: npm start/) });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
  });

  test('a data folder that can not be used is one sentence, and the end', async () => {
    const env = { ...process.env, HOLDFAST_HOST: 'terminal', HOLDFAST_DATA: start };
    const { code, stdout, stderr } = await startNode(start, [], { env }).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining('terminal'),
      `HOLDFAST_DATA is ${start}, which is a file. Name a directory that can be written.`,
    ]);
  });
});

describe('fetching Electron', () => {
  let directory = '';
  let places: ElectronPlaces = { package: '', cache: '' };
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'holdfast-fetch-'));
    places = { package: join(directory, 'electron'), cache: join(directory, 'cache') };
    mkdirSync(places.package);
    mkdirSync(places.cache);
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** Runs with an installer of our own in place of Electron's. */
  const fetchWith = async (installer: string, firstByteWithinMs = 10_000) => {
    writeFileSync(join(places.package, 'install.js'), installer);
    const pids: number[] = [];
    const progress: number[] = [];
    const reason = await fetchElectron({
      places,
      firstByteWithinMs,
      started: (child) => pids.push(child.pid ?? 0),
      progress: (megabytes) => progress.push(megabytes),
    });
    return { reason, pid: pids[0] ?? 0, progress };
  };

  test('a download that works leaves a binary, however long it takes to arrive', async () => {
    const { reason, progress } = await fetchWith(
      `const fs = require('fs'), os = require('os'), path = require('path');
       const part = path.join(os.tmpdir(), 'part');
       let n = 0;
       fs.writeFileSync(part, Buffer.alloc(2_000_000));
       const more = setInterval(() => {
         fs.appendFileSync(part, Buffer.alloc(2_000_000));
         if (++n < 4) return;
         clearInterval(more);
         fs.mkdirSync(path.join(__dirname, 'dist'));
         fs.writeFileSync(path.join(__dirname, 'dist/electron'), '');
         fs.writeFileSync(path.join(__dirname, 'path.txt'), 'electron');
       }, 1_600);`,
      6_000,
    );
    expect(reason).toBeNull();
    expect(electronBinary(places)).toBe(join(places.package, 'dist/electron'));
    expect(failedLately(places, Date.now())).toBe(false);
    expect(progress.at(-1)).toBeGreaterThanOrEqual(2);
  });

  test('a server that never answers does not hang the start, and nothing is left running', async () => {
    const { reason, pid } = await fetchWith('setInterval(() => {}, 1000)', 300);
    expect(reason).toBe('nothing arrived');
    await expect.poll(() => existsSync(`/proc/${String(pid)}`) && process.platform === 'linux').toBe(false);
    expect(failedLately(places, Date.now())).toBe(true);
  });

  test('a failure is said in the system’s word and remembered for a day', async () => {
    const { reason } = await fetchWith(
      "console.error('Error: getaddrinfo ENOTFOUND example.invalid'); process.exit(1)",
    );
    expect(reason).toBe('ENOTFOUND');
    expect(failedLately(places, Date.now())).toBe(true);
    const yesterday = Date.now() / 1000 - 25 * 60 * 60;
    utimesSync(join(places.cache, 'electron-unreachable'), yesterday, yesterday);
    expect(failedLately(places, Date.now())).toBe(false);
  });

  test('an installer that claims success and leaves nothing is not believed', async () => {
    expect((await fetchWith('')).reason).toBe('the installer left no binary');
  });

  test('a path without its binary is no binary', () => {
    writeFileSync(join(places.package, 'path.txt'), 'electron');
    expect(electronBinary(places)).toBeNull();
  });
});

describe('the check of the Node version', () => {
  const check = resolve(import.meta.dirname, '../../core/cli/node-version.cjs');
  const on = (version: string) =>
    spawnSync(
      process.execPath,
      [
        '-e',
        `Object.defineProperty(process, 'versions', { value: { node: '${version}' } }); require(${JSON.stringify(check)})`,
      ],
      { encoding: 'utf8' },
    );

  test.each(['24.0.0', '24.21.0', '26.1.0'])('%s is fine', (version) => {
    expect(on(version)).toMatchObject({ status: 0, stderr: '' });
  });

  test.each(['0.12.0', '8.17.0', '20.20.2', '23.11.0'])('%s is refused in one sentence', (version) => {
    const { status, stderr } = on(version);
    expect(status).toBe(1);
    expect(stderr).toContain(version);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('npm ci');
  });
});
