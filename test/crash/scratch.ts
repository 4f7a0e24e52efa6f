import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrashState } from './crash-states.ts';
import type { Recording } from './operations.ts';
import { writeTree } from './trees.ts';

/** In memory where there is such a place: thousands of states are put there, and none has to last. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export interface Scratch extends Disposable {
  readonly directory: string;
}

export function scratch(): Scratch {
  const directory = mkdtempSync(join(PLACE, 'holdfast-crash-'));
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}

/**
 * Puts a state on the disk. Files keep their numbers over a crash and get new ones here, so where the journal wrote down
 * a number, it is given the new one.
 */
export function restore(directory: string, { tree, names }: CrashState, { inodes }: Recording): void {
  writeTree(directory, tree);
  const heads = [...tree.keys()].filter((path) => path.endsWith('.head'));
  if (heads.length === 0) return;
  const pathOf = new Map([...names].flatMap(([path, file]) => (file === null ? [] : [[file, path]])));
  for (const head of heads) {
    const path = join(directory, head);
    const text = readFileSync(path, 'latin1');
    const moved = text.replace(/"inode":(\d+)/, (same, old: string) => {
      const now = pathOf.get(inodes.get(Number(old)) ?? -1);
      return now === undefined ? same : `"inode":${statSync(join(directory, now)).ino}`;
    });
    if (moved !== text) writeFileSync(path, `${moved.trimEnd().padEnd(text.length - 1)}\n`, 'latin1');
  }
}
