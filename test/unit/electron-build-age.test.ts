import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isBuildStale } from '../../core/cli/build-age.ts';

const BUILT = [
  'main/main.js',
  'worker/worker.js',
  'preload/preload.cjs',
  'renderer/index.html',
  'tray/ok.png',
];
let root = '';

/** A file, last changed at that second. */
function put(path: string, second: number): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  utimesSync(file, second, second);
  for (let directory = dirname(file); directory !== root; directory = dirname(directory)) {
    utimesSync(directory, second, second);
  }
}
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-build-'));
  put('core/model/entry.ts', 100);
  put('renderer/app.tsx', 100);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const build = (second: number): void => BUILT.forEach((file) => put(`dist/${file}`, second));

test('without a build it is stale', () => {
  expect(isBuildStale(root)).toBe(true);
});

test('a build after the last change is good', () => {
  build(200);
  expect(isBuildStale(root)).toBe(false);
});

test.each([
  ['core/model/entry.ts'],
  ['renderer/deep/new.tsx'],
  ['resources/tray/ok.svg'],
  ['package-lock.json'],
])('a change of %s makes it stale', (path) => {
  build(200);
  put(path, 300);
  expect(isBuildStale(root)).toBe(true);
});

test('one part that is missing or old makes it stale', () => {
  build(200);
  put('dist/preload/preload.cjs', 50);
  expect(isBuildStale(root)).toBe(true);
  rmSync(join(root, 'dist/preload'), { recursive: true });
  expect(isBuildStale(root)).toBe(true);
});
