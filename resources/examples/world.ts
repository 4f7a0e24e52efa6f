// What stands for the world in the examples: a file that remembers everything that was ever done.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Something happens, and stays. Gives it back, since an effect's result has to be something. */
export function act(world: string, line: string): string {
  appendFileSync(world, `${line}\n`);
  return line;
}

/** What happened, one line each. */
export function lookAround(world: string): readonly string[] {
  return existsSync(world) ? readFileSync(world, 'utf8').trimEnd().split('\n') : [];
}
