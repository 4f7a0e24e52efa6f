// The real Promptise, asked about processes of journals: all at once, since it takes seconds to start.

import type { TestContext } from 'vitest';
import { parseLossless } from '../../core/journal/lossless.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { promptisePython, runPython } from './promptise.ts';

/** Skips a test where Promptise is not installed. */
export function needPromptise(context: TestContext): void {
  if (promptisePython() === null)
    context.skip('Promptise 1.10.1 is not here. Install it: npx node test/interop/promptise.ts install');
}

/** What it reads or recovers of each, in the order of the questions. */
export async function askPromptise(
  script: 'read.py' | 'recover.py',
  asked: readonly (readonly [directory: string, process: string])[],
): Promise<readonly JsonObject[]> {
  const input = asked.map(([directory, process]) => `${directory}\t${process}\n`).join('');
  return answersIn(await runPython(script, ['--batch'], { input }));
}

/** One on each line. */
export function answersIn(output: string): readonly JsonObject[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => parseLossless(line) as JsonObject);
}
