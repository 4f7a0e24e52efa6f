// `holdfast recover --json` on every journal that Promptise wrote: what Promptise recorded there, save the table.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseLossless } from '../../core/journal/lossless.ts';
import { isObject, RawNumber, sameJson, showJson, type Json, type JsonObject } from '../../core/model/json.ts';
import { holdfast, mapLimited } from '../support/child.ts';
import { treeHash } from '../support/fixtures.ts';
import { fourOf, INTENDED, promptiseAnswers } from '../support/promptise-answers.ts';
import { tempDirectory } from '../support/temp-directory.ts';

/** Names that no line of the journal knows: Promptise makes something up for them, the command says so. */
const UNKNOWN_HERE = new Set(['article/nobody', 'name-with-slash/team_a b', 'name-with-slash/team\\a b']);

/** Undoes what makes the output JSON for everybody. */
function untagged(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => untagged(item));
  if (!isObject(value)) return value;
  if (typeof value['$number'] === 'string') return new RawNumber(value['$number']);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, untagged(item)]));
}

test('[P8, P6] the command answers for every golden as Promptise does, and leaves no trace', async () => {
  const root = tempDirectory();
  const answers = promptiseAnswers();
  for (const { name, directory } of answers) cpSync(directory, join(root, name), { recursive: true });
  const before = treeHash(root);
  const found = await mapLimited(answers, 2, ({ name, process }) =>
    holdfast(['recover', join(root, name), process, '--json']),
  );
  for (const [at, { name, process, theirs }] of answers.entries()) {
    const { stdout, stderr, code } = found[at]!;
    const what = `${name}/${process}`;
    if (UNKNOWN_HERE.has(what)) {
      expect({ code, stdout }, what).toEqual({ code: 3, stdout: '' });
      expect(stderr).toContain('has no process');
      continue;
    }
    expect({ code, stderr }, what).toEqual({ code: 0, stderr: '' });
    const four = fourOf(untagged(parseLossless(stdout)) as JsonObject);
    const expected = INTENDED[name]?.ours ?? theirs!;
    if (!sameJson(four, expected)) expect(showJson(four), what).toBe(showJson(expected));
  }
  expect(treeHash(root)).toBe(before);
});
