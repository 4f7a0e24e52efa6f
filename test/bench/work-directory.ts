import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface WorkDirectory extends Disposable {
  readonly path: string;
}

const open = new Set<string>();
let isWatching = false;

/** A new directory where temporary files lie, which has to be a real disk. Gone at the end, also when it is called off. */
export function workDirectory(): WorkDirectory {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  open.add(path);
  removeAtTheEnd();
  return {
    path,
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true, force: true });
      open.delete(path);
    },
  };
}

function removeAtTheEnd(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const path of open) rmSync(path, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
}
