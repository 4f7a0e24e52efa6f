// P8 on damage: what the real Promptise answers to each damaged journal is what lies beside it, so it is known where ours
// reads on and Promptise gives up, and where both see the same.

import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sameJson, showJson, type Json, type JsonObject } from '../../core/model/json.ts';
import { damagedJournals, type ExpectedProcess } from '../support/damaged/expected.ts';
import { asPython, fourOf } from '../support/promptise-answers.ts';
import { askPromptise, needPromptise } from './ask-promptise.ts';
import { promptisePython } from './promptise.ts';

const CASES = damagedJournals().flatMap(({ name, directory, processes }) =>
  Object.entries(processes).map(([process, expected]) => ({ name, directory, process, ...expected })),
);
let answers: readonly JsonObject[] = [];

beforeEach(needPromptise);

beforeAll(async () => {
  if (promptisePython() === null) return;
  answers = await askPromptise(
    'recover.py',
    CASES.map(({ directory, process }) => [directory, process] as const),
  );
});

/** The four values, or the class of the error. */
function shortOf(answer: JsonObject): Json {
  const error = answer['error'];
  return typeof error === 'string' ? error.replace(/:.*/s, '') : fourOf(answer);
}

/** What is right; several where it depends on the version of Python. */
function rightOf({ promptise, lenient }: ExpectedProcess): readonly Json[] {
  if (promptise === 'lenient') return [asPython(lenient)];
  return 'error' in promptise ? promptise.error.split(' or ') : [promptise];
}

test.each(CASES.map(({ name, process }, at) => [name, process, at] as const))(
  '[P8] %s, %s',
  (_name, _process, at) => {
    const found = shortOf(answers[at]!);
    const right = rightOf(CASES[at]!);
    const isRight = right.some((each) => sameJson(each, found));
    expect(isRight, `${showJson(found, 1)} is none of ${showJson(right, 1)}`).toBe(true);
  },
);
