import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './fixtures.ts';
import { tempDirectory } from './temp-directory.ts';

/** A copy of the demo workspace that ends with the test. */
export function demoWorkspace(directory: string = join(tempDirectory(), 'demo')): string {
  cpSync(join(REPOSITORY, 'resources/demo'), directory, { recursive: true });
  return directory;
}

/** The keys of the lines that the invoice clerk booked. */
export function bookedKeys(workspace: string): string[] {
  const ledger = join(workspace, 'ledger.jsonl');
  if (!existsSync(ledger)) return [];
  return readFileSync(ledger, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { key: string }).key);
}
