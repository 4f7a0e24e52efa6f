// One bad file in a workspace is one problem, with its path; everything else in there runs.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateManifests } from '../../core/host/validate-manifests.ts';
import { isWorkspace, loadWorkspace, type LoadedWorkspace } from '../../core/manifest/load-workspace.ts';
import { tempDirectory } from '../support/temp-directory.ts';

function workspace(files: Readonly<Record<string, string>> = {}): string {
  const directory = tempDirectory();
  const all = { 'a.ts': '', 'a.agent': 'name: a\nentrypoint: ./a.ts\n', ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(directory, name), text);
  return directory;
}

const names = ({ definitions }: LoadedWorkspace): string[] => definitions.map(({ name }) => name);
const codes = ({ problems }: LoadedWorkspace): string[] => problems.map(({ code }) => code);

describe('entries that are no manifest', () => {
  test('a directory called x.agent is none', () => {
    const directory = workspace();
    mkdirSync(join(directory, 'old.agent'));
    const loaded = loadWorkspace(directory);
    expect([names(loaded), codes(loaded)]).toEqual([['a'], []]);
  });

  test('the dangling lock of an editor and other dot files are none', () => {
    const directory = workspace({ '.hidden.agent': 'name: hidden\nentrypoint: ./a.ts\n' });
    symlinkSync('somebody@machine.123:456', join(directory, '.#a.agent'));
    const loaded = loadWorkspace(directory);
    expect([names(loaded), codes(loaded)]).toEqual([['a'], []]);
  });

  test.skipIf(process.platform === 'win32')('a pipe, which would never end, is none', () => {
    const directory = workspace();
    execFileSync('mkfifo', [join(directory, 'pipe.agent')]);
    expect(names(loadWorkspace(directory))).toEqual(['a']);
  });

  test('a directory of nothing else is no workspace', () => {
    const directory = tempDirectory();
    mkdirSync(join(directory, 'old.agent'));
    expect(isWorkspace(directory)).toBe(false);
    expect(() => loadWorkspace(directory)).toThrow(expect.objectContaining({ code: 'workspace.empty' }));
  });
});

test.each(['nowhere.txt', 'b.agent'])('a manifest that links to %s is a problem with its path', (target) => {
  const directory = workspace();
  symlinkSync(target, join(directory, 'b.agent'));
  const loaded = loadWorkspace(directory);
  expect(names(loaded)).toEqual(['a']);
  expect(codes(loaded)).toEqual(['manifest.unreadable']);
  expect(loaded.problems[0]!.message).toContain(join(directory, 'b.agent'));
});

test('of two manifests with one name the first runs, and the problem names both', () => {
  const directory = workspace({ 'b.agent': 'name: a\nentrypoint: ./a.ts\n', 'c.ts': '' });
  writeFileSync(join(directory, 'c.agent'), 'name: c\nentrypoint: ./c.ts\n');
  const loaded = loadWorkspace(directory);
  expect(names(loaded)).toEqual(['a', 'c']);
  expect(codes(loaded)).toEqual(['manifest.duplicate-name']);
  expect(loaded.problems[0]!.message).toContain(join(directory, 'a.agent'));
  expect(loaded.problems[0]!.message).toContain(join(directory, 'b.agent'));
});

test('two names that differ in capital letters alone are one, as a disk may have it', () => {
  const directory = workspace({ 'b.agent': 'name: A\nentrypoint: ./a.ts\n' });
  const { definitions, problems } = loadWorkspace(directory);
  expect(definitions.map(({ name }) => name)).toEqual(['a']);
  expect(problems[0]!.message).toMatch(
    /b\.agent is called "A", which but for capital letters is the "a" of .*a\.agent/,
  );
  const second = validateManifests(directory).find(({ file }) => file.endsWith('b.agent'));
  expect(second).toMatchObject({ isValid: false, problems: [{ path: 'name' }] });
});

describe('what a manifest says in vain', () => {
  test.each([
    ['', 'is empty'],
    ['# nothing but a comment\n', 'is empty'],
    ['- name: b\n', 'no list of settings'],
    ['just a text', 'no list of settings'],
  ])('%j', (text, says) => {
    const { problems } = loadWorkspace(workspace({ 'b.agent': text }));
    expect(problems.map(({ code }) => code)).toEqual(['manifest.invalid']);
    expect(problems[0]!.message).toContain(says);
  });

  test.each(['heartbeat_interval', 'idle_timeout', 'worker_idle', 'restart_backoff'])(
    'a %s that no timer holds is refused with the limit; a year is not',
    (key) => {
      const withValue = (value: string): LoadedWorkspace =>
        loadWorkspace(workspace({ 'b.agent': `name: b\nentrypoint: ./a.ts\nconfig:\n  ${key}: ${value}\n` }));
      expect(names(withValue('31536000'))).toEqual(['a', 'b']);
      for (const value of ['31536001', '1e300', '.inf']) {
        expect(codes(withValue(value))).toEqual(['manifest.invalid']);
      }
      expect(withValue('31536001').problems[0]!.message).toContain(
        'a year at most, which is 31536000 seconds',
      );
    },
  );
});

describe('[S1] a module outside its workspace is refused', () => {
  const entrypoint = (directory: string, path: string): LoadedWorkspace => {
    writeFileSync(join(directory, 'b.agent'), `name: b\nentrypoint: ${path}\n`);
    return loadWorkspace(directory);
  };

  test.each(['../b.ts', '/etc/hostname', '..', './x/../../b.ts'])('named as %s', (path) => {
    expect(codes(entrypoint(workspace(), path))).toEqual(['manifest.outside-workspace']);
  });

  test('reached by a link', () => {
    const directory = workspace();
    const elsewhere = workspace();
    symlinkSync(join(elsewhere, 'a.ts'), join(directory, 'out.ts'));
    symlinkSync(elsewhere, join(directory, 'folder'));
    expect(codes(entrypoint(directory, './out.ts'))).toEqual(['manifest.outside-workspace']);
    expect(codes(entrypoint(directory, './folder/a.ts'))).toEqual(['manifest.outside-workspace']);
  });

  test('and one inside is not, whatever its name begins with and however the workspace is reached', () => {
    const directory = workspace({ '..x.ts': '' });
    symlinkSync('a.ts', join(directory, 'inside.ts'));
    const link = join(tempDirectory(), 'link');
    symlinkSync(directory, link);
    expect(names(entrypoint(directory, './..x.ts'))).toEqual(['a', 'b']);
    expect(names(entrypoint(link, './inside.ts'))).toEqual(['a', 'b']);
  });

  test('a module that is not there, or no file, is said to be that', () => {
    expect(codes(entrypoint(workspace(), './nothing.ts'))).toEqual(['manifest.no-module']);
    expect(codes(entrypoint(workspace(), '.'))).toEqual(['manifest.no-module']);
    expect(codes(entrypoint(workspace(), '"a\\0b"'))).toEqual(['manifest.no-module']);
  });
});
