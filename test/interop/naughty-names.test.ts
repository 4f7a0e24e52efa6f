// J9 against the real Promptise: every name leads both to the same file, and to the same state.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { update } from '../support/journal-bytes.ts';
import { NAUGHTY_NAMES } from '../support/naughty-names.ts';
import { fourOf } from '../support/promptise-answers.ts';
import { answersIn, needPromptise } from './ask-promptise.ts';
import { promptisePython, runPython } from './promptise.ts';

let root = '';
let answers: readonly JsonObject[] = [];

beforeEach(needPromptise);

beforeAll(async () => {
  if (promptisePython() === null) return;
  root = mkdtempSync(join(tmpdir(), 'holdfast-names-'));
  const journal = openFileJournal(join(root, 'journal'), { durability: 'os' });
  for (const [at, name] of NAUGHTY_NAMES.entries()) {
    await journal.checkpoint(name, { context_state: { saved: at }, lifecycle_state: 'running' });
    await journal.append(update('mine', at, name));
  }
  await journal.close();
  const input = NAUGHTY_NAMES.map(
    (process) => `${JSON.stringify({ directory: journal.directory, process })}\n`,
  );
  const output = await runPython('write_and_recover.py', [], { input: input.join('') });
  answers = answersIn(output);
});

afterAll(() => {
  if (root !== '') rmSync(root, { recursive: true, force: true });
});

test.each(NAUGHTY_NAMES.map((name, at) => [JSON.stringify(name).slice(0, 40), at] as const))(
  '[P8] %s',
  async (_name, at) => {
    const journal = readFileJournal(join(root, 'journal'));
    const ours = await new ReplayEngine(journal).recover(NAUGHTY_NAMES[at]!);
    expect(fourOf(answers[at]!)).toEqual(fourOf(ours as unknown as JsonObject));
    expect(ours.context_state).toEqual({ saved: at, mine: at });
  },
);
