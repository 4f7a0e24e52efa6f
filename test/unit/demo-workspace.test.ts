import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { prepareDemo } from '../../core/host/demo-workspace.ts';
import { tempDirectory } from '../support/temp-directory.ts';

let directory = '';
let source = '';
beforeEach(() => {
  directory = tempDirectory();
  source = join(directory, 'shipped');
  write(source, { 'clerk.agent': 'first', 'desk/read-me.txt': 'drop it' });
});

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const prepared = () => prepareDemo(join(directory, 'data'), source);
const textOf = (root: string, path: string): string => readFileSync(join(root, path), 'utf8');

test('what was put there is brought up to date, and what somebody dropped there stays', async () => {
  const workspace = await prepared();
  expect(textOf(workspace, 'desk/read-me.txt')).toBe('drop it');
  write(workspace, { 'desk/inbox/mine.txt': 'mine', 'ledger.jsonl': '{}' });
  write(source, { 'clerk.agent': 'second' });
  await prepared();
  expect(textOf(workspace, 'clerk.agent')).toBe('second');
  expect(textOf(workspace, 'desk/inbox/mine.txt')).toBe('mine');
  expect(textOf(workspace, 'ledger.jsonl')).toBe('{}');
});

test('an agent that somebody changed is never put back, nor is one that was removed', async () => {
  const workspace = await prepared();
  write(workspace, { 'clerk.agent': 'with a real model' });
  rmSync(join(workspace, 'desk/read-me.txt'));
  write(source, { 'clerk.agent': 'second', 'desk/read-me.txt': 'drop it here' });
  await prepared();
  await prepared();
  expect(textOf(workspace, 'clerk.agent')).toBe('with a real model');
  expect(existsSync(join(workspace, 'desk/read-me.txt'))).toBe(false);
});

test('a file of the same name that was there before is somebody’s, and so is a folder in its place', async () => {
  const workspace = join(directory, 'data/demo');
  write(workspace, { 'clerk.agent': 'theirs', 'desk/read-me.txt/inside': 'theirs too' });
  await prepared();
  await prepared();
  expect(textOf(workspace, 'clerk.agent')).toBe('theirs');
  expect(textOf(workspace, 'desk/read-me.txt/inside')).toBe('theirs too');
});

test('a start that was cut short, or a record that no parser takes, loses nothing', async () => {
  const workspace = await prepared();
  writeFileSync(join(workspace, '.holdfast-demo.json'), '{"clerk');
  write(workspace, { 'clerk.agent': 'changed' });
  rmSync(join(workspace, 'desk/read-me.txt'));
  await prepared();
  expect(textOf(workspace, 'clerk.agent')).toBe('changed');
  expect(textOf(workspace, 'desk/read-me.txt')).toBe('drop it');
  write(source, { 'desk/read-me.txt': 'anew' });
  await prepared();
  expect(textOf(workspace, 'desk/read-me.txt')).toBe('anew');
});
