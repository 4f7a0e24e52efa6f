// Where a manifest goes that is removed.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trashManifest, TRASH } from '../../core/host/manifest-files.ts';
import { hashOf } from '../../core/host/manifest-scan.ts';
import { tempDirectory } from '../support/temp-directory.ts';

test('a removed manifest never leaves its workspace by a link that somebody put there', () => {
  const workspace = tempDirectory();
  const elsewhere = tempDirectory();
  const text = 'name: a\n';
  writeFileSync(join(workspace, 'a.agent'), text);
  symlinkSync(elsewhere, join(workspace, TRASH));
  expect(() => trashManifest(workspace, 'a.agent', hashOf(text))).toThrow(/is a link/);
  expect(existsSync(join(workspace, 'a.agent'))).toBe(true);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('it lies in a folder of its workspace', () => {
  const workspace = tempDirectory();
  mkdirSync(join(workspace, TRASH));
  writeFileSync(join(workspace, 'a.agent'), 'name: a\n');
  const kept = trashManifest(workspace, 'a.agent', hashOf('name: a\n'));
  expect(existsSync(join(workspace, kept))).toBe(true);
  expect(existsSync(join(workspace, 'a.agent'))).toBe(false);
});
