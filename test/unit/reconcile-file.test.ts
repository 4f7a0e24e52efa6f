// A file with a certain content, and everything that a death can leave of it.

import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileContent, fileHash } from '../../core/agent/reconcilers/file-content.ts';
import { tokenOf } from '../../core/agent/reconcilers/reconciled-effect.ts';
import { byHand, failureOf, KEY } from '../support/by-hand.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const NEW = 'new\n'.repeat(1_000);

function place() {
  const directory = tempDirectory();
  const path = join(directory, 'price.txt');
  return { directory, path, temporary: join(directory, `.price.txt.${tokenOf(KEY)}.tmp`) };
}

test('it is there as a whole, and nothing beside it', async () => {
  const { directory, path } = place();
  const effect = byHand(fileContent({ path, content: NEW, before: null }));
  expect(await effect.ask()).toEqual({ happened: false });
  const result = await effect.perform();
  expect(result).toEqual({ path, sha256: await fileHash(path), bytes: 4_000 });
  expect(readFileSync(path, 'utf8')).toBe(NEW);
  expect(readdirSync(directory)).toEqual(['price.txt']);
  expect(await effect.ask()).toEqual({ happened: true, result });
});

test.each([0, 4, NEW.length])(
  'a temporary file that is left, with %i bytes of it, is not taken for done: it was not renamed',
  async (bytes) => {
    const { directory, path, temporary } = place();
    writeFileSync(path, 'old');
    writeFileSync(temporary, NEW.slice(0, bytes));
    const effect = byHand(fileContent({ path, content: NEW }));
    expect(await effect.ask()).toEqual({ happened: false });
    await effect.perform();
    expect(readFileSync(path, 'utf8')).toBe(NEW);
    expect(readdirSync(directory)).toEqual(['price.txt']);
  },
);

test('what was there before says that it did not happen, where its author has told', async () => {
  const { path } = place();
  writeFileSync(path, 'old');
  const before = await fileHash(path);
  expect(await byHand(fileContent({ path, content: NEW, before })).ask()).toEqual({ happened: false });
  // Without that it may have been there, and somebody has put the old one back.
  const answer = await byHand(fileContent({ path, content: NEW })).ask();
  expect(answer).toMatchObject({ happened: 'unknown', why: expect.stringContaining('nobody said') });
  expect(answer).not.toHaveProperty('retryAfterMs');
});

test('what is neither old nor new was put there by somebody else: nobody can tell, and it is not overwritten', async () => {
  const { directory, path } = place();
  writeFileSync(path, 'old');
  const before = await fileHash(path);
  const effect = byHand(fileContent({ path, content: NEW, before }));
  writeFileSync(path, "somebody else's");
  expect(await effect.ask()).toMatchObject({ happened: 'unknown', why: expect.stringContaining('neither') });
  expect(await failureOf(effect.perform())).toMatchObject({ code: 'effect.did-not-happen' });
  rmSync(path);
  expect(await effect.ask()).toMatchObject({ happened: 'unknown', why: expect.stringContaining('nothing') });
  expect(readdirSync(directory)).toEqual([]);
});

test('two effects with one target do not take each other’s temporary file for their own', async () => {
  const { path } = place();
  const [first, second] = ['key 1', 'key 2'].map((key) => byHand(fileContent({ path, content: NEW }), key));
  writeFileSync(join(path, '..', `.price.txt.${tokenOf('key 1')}.tmp`), '');
  expect(await first!.ask()).toEqual({ happened: false });
  expect(await second!.ask()).toMatchObject({ happened: 'unknown' });
});

test('a link, a directory and a place without a directory are refused before anything happens', async () => {
  const { directory, path } = place();
  writeFileSync(join(directory, 'other'), 'old');
  symlinkSync('other', path);
  const effect = byHand(fileContent({ path, content: NEW }));
  expect(await failureOf(effect.perform())).toMatchObject({ code: 'effect.did-not-happen' });
  expect(await effect.ask()).toMatchObject({ happened: 'unknown' });
  expect(readFileSync(join(directory, 'other'), 'utf8')).toBe('old');
  rmSync(path);
  mkdirSync(path);
  expect(await failureOf(effect.perform())).toMatchObject({ code: 'effect.did-not-happen' });
  const nowhere = byHand(fileContent({ path: join(directory, 'none', 'file'), content: NEW }));
  expect(await failureOf(nowhere.perform())).toMatchObject({ code: 'effect.did-not-happen' });
});

test('one that is given up is not put in its place afterwards', async () => {
  const { path } = place();
  const effect = byHand(fileContent({ path, content: NEW }));
  expect(await failureOf(effect.perform(AbortSignal.abort()))).toMatchObject({
    code: 'effect.did-not-happen',
  });
  expect(await fileHash(path)).toBeNull();
});
