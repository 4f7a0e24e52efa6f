// The manifest of a fork, however the one that it comes from is written: its own name and memory, none of its secrets, and what
// was asked for [S40].

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { forkManifest } from '../../core/host/fork-manifest.ts';
import type { Json } from '../../core/model/json.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const TOKEN = 'CRM_TOKEN';
afterEach(() => vi.unstubAllEnvs());

function forked(text: string, changes: Readonly<Record<string, Json>> = {}) {
  const workspace = tempDirectory();
  const path = join(workspace, 'clerk.agent');
  writeFileSync(path, `name: clerk\n${text}`);
  writeFileSync(join(workspace, 'clerk.ts'), '');
  const fork = forkManifest(workspace, path, 'other', changes);
  fork.write();
  return { ...fork.definition, text: readFileSync(fork.path, 'utf8') };
}

test.each([
  ['in their place', 'entrypoint: ./clerk.ts\nsecrets: { secrets: { A: "${CRM_TOKEN}" } }\n'],
  ['under config', 'entrypoint: ./clerk.ts\nconfig: { secrets: { secrets: { A: "${CRM_TOKEN}" } } }\n'],
  ['under config, without code', 'config: { secrets: { secrets: { A: "${CRM_TOKEN}" } } }\n'],
  [
    'named a second time by an alias',
    'secrets: { secrets: { CRM_TOKEN: &t "${CRM_TOKEN}" } }\nservers: { crm: { command: crm, env: { T: *t } } }\n',
  ],
])('[S40] has no secrets where those of its original stand %s', (_, text) => {
  vi.stubEnv(TOKEN, 'crm-token-0123456789');
  const { name, config } = forked(text);
  expect(name).toBe('other');
  expect(config.secrets.sources).toEqual({});
});

test.each([
  ['as a section', { secrets: { secrets: { A: '${CRM_TOKEN}' } } }],
  ['by its place', { 'secrets.secrets.A': '${CRM_TOKEN}' }],
  ['under config', { 'config.secrets': { secrets: { A: '${CRM_TOKEN}' } } }],
])('[S40] has the secrets that it is granted, %s, and no key of a model by itself', (_, changes) => {
  vi.stubEnv(TOKEN, 'crm-token-0123456789');
  vi.stubEnv('OPENAI_API_KEY', 'openai-0123456789');
  for (const code of ['', 'entrypoint: null\n']) {
    const { config } = forked(`model: openai:a\n${code}`, changes);
    expect(Object.keys(config.secrets.sources)).toEqual(['A']);
  }
});

test.each([
  ['memory: {}\n', 'default'],
  ['memory: { user_id: bob }\n', 'bob'],
  ['context: { memory_max: 3 }\n', 'default'],
  ['context: { memory_user_id: bob }\n', 'bob'],
  ['config: { context: { memory_user_id: bob } }\n', 'bob'],
  ['world: { team: &team bob }\nmemory: { user_id: *team }\n', 'bob'],
])('[S40] remembers under a name of its own, said where it was said: %s', (text, user) => {
  expect(forked(text).config.agent?.memory?.userId).toBe(`${user} (fork other)`);
  expect(forked(text, { 'memory.user_id': 'eve' }).config.agent?.memory?.userId).toBe('eve');
});

test('has settings where its original has the section, and where that is empty', () => {
  expect(forked('config:\n', { 'config.concurrency': 2 }).config.concurrency).toBe(2);
  const { config } = forked('config: { budget: { max_runs_per_day: 5 } }\n', {
    'budget.max_runs_per_day': 7,
  });
  expect(config.budget.limits).toEqual({ max_runs_per_day: 7 });
});

test('a text that Promptise would take for something else stands in quotes, and a long one on its line', () => {
  const long = 'Look at what comes in, and file it. '.repeat(10).trim();
  expect(forked(`model: openai:a\ninstructions: ${long}\n`).text).toContain(long);
  expect(forked('', { instructions: 'yes' }).config.instructions).toBe('yes');
});
