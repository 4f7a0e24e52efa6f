import { onTestFinished } from 'vitest';
import type { Running } from './child.ts';

/** It is killed when the test ends, and gone before the directories that it writes in are removed. */
export function endsWithTest({ process: child, ended }: Running): void {
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
}
