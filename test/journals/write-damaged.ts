// Writes the damaged journals under test/journals/damaged anew: `npx node test/journals/write-damaged.ts`.
// Two runs write the same bytes. What they are and what the right answers are is said in test/support/damaged.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bytesOf, expectedOf, expectedText, type DamagedCase } from '../support/damaged/case.ts';
import { DAMAGED_JOURNALS } from '../support/damaged/expected.ts';
import { FOREIGN_CHECKPOINT_FILES, FOREIGN_FORMS } from '../support/damaged/foreign-files.ts';
import { FOREIGN_ENDS, FOREIGN_ODD_LINES } from '../support/damaged/foreign-lines.ts';
import { OUR_ENDS, OUR_FORMS } from '../support/damaged/our-files.ts';
import { OUR_CHAINS, OUR_ODD_LINES } from '../support/damaged/our-lines.ts';

const CASES: Readonly<Record<string, DamagedCase>> = {
  ...OUR_ODD_LINES,
  ...OUR_CHAINS,
  ...OUR_ENDS,
  ...OUR_FORMS,
  ...FOREIGN_ODD_LINES,
  ...FOREIGN_ENDS,
  ...FOREIGN_FORMS,
  ...FOREIGN_CHECKPOINT_FILES,
};

function write(directory: string, given: DamagedCase): void {
  const expected = expectedOf(given);
  const files = new Map<string, Buffer | string | null>(Object.entries(given.otherFiles));
  for (const [name, { file }] of Object.entries(expected.processes)) {
    files.set(file, bytesOf(given.processes[name]!.pieces));
  }
  for (const [name, bytes] of files) {
    if (bytes === null) continue;
    const path = join(directory, 'journal', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  writeFileSync(join(directory, 'expected.json'), expectedText(expected));
}

rmSync(DAMAGED_JOURNALS, { recursive: true, force: true });
for (const [name, given] of Object.entries(CASES)) {
  write(join(DAMAGED_JOURNALS, name), given);
}
