import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dataDirectory } from '../../core/host/data-directory.ts';
import { tempDirectory } from '../support/temp-directory.ts';

let directory = '';
beforeEach(() => {
  directory = tempDirectory();
});
afterEach(() => void vi.unstubAllEnvs());

const at = (path: string): string => {
  vi.stubEnv('HOLDFAST_DATA', path);
  return dataDirectory();
};

test('what is missing is made, for the user alone [J10]', () => {
  const deep = join(directory, 'a/b/c');
  expect(at(deep)).toBe(deep);
  expect(at(deep)).toBe(deep);
  if (process.platform === 'win32') return;
  for (const made of ['a', 'a/b', 'a/b/c']) expect(statSync(join(directory, made)).mode & 0o777).toBe(0o700);
});

test('a relative path is one below the working directory, and said as an absolute one', () => {
  expect(() => at('package.json')).toThrow(`HOLDFAST_DATA is ${join(process.cwd(), 'package.json')}, which`);
});

describe('what can not be used: one sentence that names HOLDFAST_DATA, and what to do', () => {
  test('a file', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const message = `HOLDFAST_DATA is ${file}, which is a file. Name a directory that can be written.`;
    expect(() => at(file)).toThrow(expect.objectContaining({ code: 'data.unusable', message }));
  });

  test('below a file', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(() => at(join(file, 'a/b'))).toThrow(`but ${file} is a file. Name`);
  });

  test('a link to nowhere', () => {
    const link = join(directory, 'link');
    symlinkSync(join(directory, 'nowhere'), link);
    expect(() => at(link)).toThrow(`HOLDFAST_DATA is ${link}, which can't be made (EEXIST). Name`);
  });

  test.runIf(existsSync('/proc/self'))(
    'a place where the system makes no directories, which hung Node for ever',
    () => {
      expect(() => at('/proc/nope/demo')).toThrow(
        "HOLDFAST_DATA is /proc/nope/demo, but /proc/nope can't be made or looked into (ENOENT). Name",
      );
    },
  );

  test('the usual folder: the variable that names another', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    vi.stubEnv('HOLDFAST_DATA', '');
    vi.stubEnv('XDG_DATA_HOME', file);
    if (process.platform !== 'linux') return;
    expect(() => dataDirectory()).toThrow(/^The data folder is .+ is a file\. Set HOLDFAST_DATA to/);
  });
});
