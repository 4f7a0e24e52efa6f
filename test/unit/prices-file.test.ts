// A workspace's own prices: used whole or not at all, and what is wrong is said with its line.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { workspaceOf } from '../support/run-host.ts';

const GOOD = `version: ours-2026-11
currency: EUR
models:
  openai:gpt-5-mini:
    input: 0.25
    cached_read: 0.025
    output: 2
    max_input_tokens: 272000
    max_output_tokens: 128000
  local:llama: { input: 0, output: 0 }
`;

function load(prices: string | null, file = './prices.yaml') {
  const directory = workspaceOf({ clerk: '' }, `budget: { holdfast: { prices: ${file} } }\n`);
  writeFileSync(join(directory, 'other.agent'), 'name: other\nentrypoint: ./clerk.ts\n');
  if (prices !== null) writeFileSync(join(directory, 'prices.yaml'), prices);
  return { directory, ...loadWorkspace(directory) };
}

test('take the place of those that come with Holdfast, and the configuration is another one with them', () => {
  const { definitions, problems } = load(GOOD);
  expect(problems).toEqual([]);
  const clerk = definitions.find(({ name }) => name === 'clerk')!;
  expect(clerk.config.budget.prices).toEqual({
    version: 'ours-2026-11',
    currency: 'EUR',
    models: {
      'openai:gpt-5-mini': {
        input: 0.25,
        cachedRead: 0.025,
        cachedWrite: null,
        output: 2,
        maxInput: 272_000,
        maxOutput: 128_000,
      },
      'local:llama': {
        input: 0,
        cachedRead: null,
        cachedWrite: null,
        output: 0,
        maxInput: null,
        maxOutput: null,
      },
    },
  });
  const dearer = load(GOOD.replace('output: 2', 'output: 3')).definitions.find(
    ({ name }) => name === 'clerk',
  )!;
  expect(dearer.configHash).not.toBe(clerk.configHash);
});

test.each([
  ['no YAML', 'version: [', 'prices.invalid', /prices\.yaml can't be used for prices.*line 1: /],
  ['nothing', '', 'prices.invalid', /line 1: the file: /],
  [
    'not a number',
    GOOD.replace('0.25', '.nan'),
    'prices.invalid',
    /line 5: models\.openai:gpt-5-mini\.input: .*NaN/,
  ],
  ['less than nothing', GOOD.replace('0.25', '-1'), 'prices.invalid', /line 5: models\..*input: .*>=0/],
  ['a text', GOOD.replace('0.25', '"0.25"'), 'prices.invalid', /line 5: models\..*input: .*number/],
  ['far too much', GOOD.replace('0.25', '1e7'), 'prices.invalid', /line 5: models\..*input: .*<=1000000/],
  ['no end', GOOD.replace('0.25', '.inf'), 'prices.invalid', /line 5: models\..*input: /],
  [
    'a price twice',
    `${GOOD}  local:llama: { input: 1, output: 1 }\n`,
    'prices.invalid',
    /line 11: Map keys must be unique/,
  ],
  [
    'half a price',
    GOOD.replace('    output: 2\n', ''),
    'prices.invalid',
    /line 5: models\.openai:gpt-5-mini\.output: /,
  ],
  [
    'an unknown key',
    GOOD.replace('cached_read', 'cached'),
    'prices.invalid',
    /line 5: .*"cached", which is not a setting; there are input, cached_read, /,
  ],
  [
    'a currency of its own',
    GOOD.replace('EUR', 'euro'),
    'prices.invalid',
    /line 2: currency: must be three capital letters/,
  ],
  [
    'the name of those that it replaces',
    GOOD.replace('ours-2026-11', 'known-2025-11'),
    'prices.invalid',
    /line 1: version: is the name of the prices that come with Holdfast/,
  ],
  ['a missing file', null, 'prices.unreadable', /names the prices \.\/prices\.yaml, which can't be read/],
] as const)('%s: one clear error, and only that manifest is not run', (_, prices, code, message) => {
  const { definitions, problems } = load(prices);
  expect(definitions.map(({ name }) => name)).toEqual(['other']);
  expect(problems.map((problem) => problem.code)).toEqual([code]);
  expect(problems[0]!.message).toMatch(message);
});

test('prices outside of the workspace are not read, also not by a link, and a folder is no file', () => {
  const elsewhere = tempDirectory();
  writeFileSync(join(elsewhere, 'secret.yaml'), 'password: hunter2');
  const { problems } = load(null, join(elsewhere, 'secret.yaml'));
  expect(problems.map(({ code }) => code)).toEqual(['prices.outside-workspace']);
  expect(problems[0]!.message).not.toContain('hunter2');
  const directory = workspaceOf({ clerk: '' }, `budget: { holdfast: { prices: ./link.yaml } }\n`);
  symlinkSync(join(elsewhere, 'secret.yaml'), join(directory, 'link.yaml'));
  expect(loadWorkspace(directory).problems.map(({ code }) => code)).toEqual(['prices.outside-workspace']);
  const folder = workspaceOf({ clerk: '' }, `budget: { holdfast: { prices: ./folder } }\n`);
  mkdirSync(join(folder, 'folder'));
  expect(loadWorkspace(folder).problems[0]!.message).toMatch(/it is no file/);
});
