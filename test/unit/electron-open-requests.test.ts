import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  journalAt,
  parseCommandLine,
  parseHandover,
  parseOpenFile,
} from '../../electron/main/open-requests.ts';

const cwd = resolve('/home/ana');
const appPath = resolve('/opt/holdfast');
const parse = (...argv: readonly string[]) => parseCommandLine({ argv: ['electron', ...argv], cwd, appPath });

describe('the command line', () => {
  test('nothing asked: nothing to open, no workspace named', () => {
    expect(parse(appPath)).toEqual({ workspace: null, open: [] });
  });

  test('a path is read from where the command was typed', () => {
    expect(parse(appPath, 'journal', '../bo/journal').open).toEqual([
      resolve('/home/ana/journal'),
      resolve('/home/bo/journal'),
    ]);
  });

  test('the application’s own directory is not a journal, however it is written', () => {
    expect(parseCommandLine({ argv: ['electron', '.'], cwd: appPath, appPath }).open).toEqual([]);
  });

  test('a double-clicked marker opens the directory that it lies in', () => {
    expect(parse('/data/night/journal.holdfast').open).toEqual([resolve('/data/night')]);
  });

  test.each([[['--workspace', 'agents']], [['--workspace=agents']]])('a workspace: %j', (words) => {
    expect(parse(appPath, ...words)).toEqual({ workspace: resolve('/home/ana/agents'), open: [] });
  });

  test('switches of Chromium, of Node and of a debugger are nobody’s journal', () => {
    const words = [
      '--inspect=0',
      '--remote-debugging-port=0',
      '-r',
      '/loader.js',
      appPath,
      '--no-sandbox',
      '-psn_0_1',
    ];
    expect(parse(...words)).toEqual({ workspace: null, open: [] });
  });

  test('an address of some scheme is not taken for a path', () => {
    expect(parse(appPath, 'holdfast://x/y/1', 'https://example.com/a', 'file:///etc').open).toEqual([]);
  });

  test('junk is dropped: empty words, a zero byte, a path without end', () => {
    expect(parse(appPath, '', '/a\0b', `/${'a'.repeat(5000)}`).open).toEqual([]);
  });

  test('the same journal twice is one, and a flood is cut', () => {
    expect(parse(appPath, '/a', '/a/', '/a/journal.holdfast').open).toEqual([resolve('/a')]);
    expect(parse(appPath, ...Array.from({ length: 200 }, (_, n) => `/j${String(n)}`)).open).toHaveLength(32);
  });
});

describe('what another instance hands over is untrusted', () => {
  test('absolute paths get through', () => {
    const open = [resolve('/a'), resolve('/b/journal.holdfast')];
    expect(parseHandover({ workspace: resolve('/agents'), open })).toEqual({
      workspace: resolve('/agents'),
      open: [resolve('/a'), resolve('/b')],
    });
  });

  test.each([
    [undefined],
    [null],
    ['open'],
    [42],
    [[]],
    [{}],
    [{ open: '/a' }],
    [{ workspace: 'agents' }],
    [{ workspace: ['/agents'], open: null }],
    [{ workspace: '/agents\0' }],
    [{ open: [1, null, {}, ['/a'], 'relative', './here', '--workspace', '/zero\0byte'] }],
  ])('%j asks for nothing', (data) => {
    expect(parseHandover(data)).toEqual({ workspace: null, open: [] });
  });
});

test('a path that the system asks to open has to be absolute', () => {
  expect(parseOpenFile(resolve('/a/journal.holdfast'))).toEqual([resolve('/a')]);
  expect(parseOpenFile('a/journal.holdfast')).toEqual([]);
});

test('only the marker’s exact name stands for its directory', () => {
  expect(journalAt(resolve('/a/journal.holdfast'))).toBe(resolve('/a'));
  expect(journalAt(resolve('/a/night.holdfast'))).toBe(resolve('/a/night.holdfast'));
});
