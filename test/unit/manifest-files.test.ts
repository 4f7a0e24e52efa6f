// Manifests on disk: what is no text of one is not taken for one, whoever reads it; and where one goes that is removed.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  readManifest,
  refuseSecrets,
  trashManifest,
  TRASH,
  writeManifest,
} from '../../core/host/manifest-files.ts';
import { hashOf, ManifestScan } from '../../core/host/manifest-scan.ts';
import { validateManifests } from '../../core/host/validate-manifests.ts';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import { MAX_MANIFEST_BYTES } from '../../core/manifest/manifest-file.ts';
import { SecretVault } from '../../core/governance/secret-vault.ts';
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

describe('what is no text of a manifest', () => {
  test.each([
    ['that is not UTF-8', Buffer.from('name: b\ninstructions: M\u00fcller\n', 'latin1'), 'is not UTF-8'],
    ['of more than a megabyte', Buffer.alloc(MAX_MANIFEST_BYTES + 1, '#'), 'are the most'],
  ])('one %s is refused by whoever reads it, and the others are read', async (_, bytes, why) => {
    const workspace = tempDirectory();
    const path = join(workspace, 'b.agent');
    writeFileSync(join(workspace, 'a.agent'), 'name: a\n');
    writeFileSync(path, bytes);
    const { definitions, problems } = loadWorkspace(workspace);
    expect([definitions.map(({ name }) => name), problems.map(({ message }) => message)]).toEqual([
      ['a'],
      [expect.stringContaining(why)],
    ]);
    const [a, b] = await new ManifestScan(workspace, []).look();
    expect(a!.definition?.name).toBe('a');
    expect(b!.problems).toEqual([{ path: '', line: null, message: expect.stringContaining(why) }]);
    expect(validateManifests(path)[0]!.problems[0]!.message).toContain(why);
    expect(() => readManifest(workspace, 'b.agent')).toThrow(why);
    // So nothing is written over it either.
    expect(() => writeManifest(workspace, 'b.agent', 'name: b\n', hashOf('name: b\n'))).toThrow(why);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test.skipIf(process.platform === 'win32')('a pipe is not waited for', () => {
    const workspace = tempDirectory();
    execFileSync('mkfifo', [join(workspace, 'a.agent')]);
    expect(() => readManifest(workspace, 'a.agent')).toThrow('it is no file');
  });

  test('a byte order mark and the ends of lines stay as they were', () => {
    const workspace = tempDirectory();
    const path = join(workspace, 'a.agent');
    writeFileSync(path, '\ufeffname: a\r\nmodel: openai:a\r\n');
    const { text, hash } = readManifest(workspace, 'a.agent')!;
    writeManifest(workspace, 'a.agent', text.replaceAll('\r\n', '\n').replace('openai:a', 'openai:b'), hash);
    expect(readFileSync(path, 'utf8')).toBe('\ufeffname: a\r\nmodel: openai:b\r\n');
    expect(loadWorkspace(workspace).definitions[0]!.config.agent?.models).toEqual(['openai:b']);
  });
});

test.each([
  ['in its place', 'secrets: { secrets: { A: hunter2-hunter2 } }'],
  ['under config', 'config: { secrets: { secrets: { A: hunter2-hunter2 } } }'],
  ['by a key that is merged in', 'world: &w { A: hunter2-hunter2 }\nsecrets: { secrets: { <<: *w } }'],
  ['in a text with a fault elsewhere', 'secrets: { secrets: { A: hunter2-hunter2 } }\nmodel: a\nmodel: b'],
  ['beside a number that is none', 'world: { a: .inf }\nsecrets: { secrets: { A: hunter2-hunter2 } }'],
  ['as a token', 'servers: { x: { url: "http://x/", bearer_token: hunter2-hunter2 } }'],
  ['as a key', 'servers: { x: { url: "http://x/", api_key: hunter2-hunter2 } }'],
  [
    'as a token, under config',
    'config: { servers: { x: { url: "http://x/", bearer_token: hunter2-hunter2 } } }',
  ],
])('[J10] a secret that stands in a text %s keeps the whole of it from being shown', (_, text) => {
  expect(() => refuseSecrets('a.agent', `name: a\n${text}\n`, new SecretVault())).toThrow('a secret itself');
});
