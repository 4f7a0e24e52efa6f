// What a worker starts by itself: where it says so, and whether it is gone.

import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { killGroup, osProcessStartTime } from '../../core/host/os-process.ts';
import { waitFor } from './wait-for.ts';

/** Starts one that stays in the worker's group and one that leaves it, and writes their pids. */
export const grandchildren = (file: string): string => `
  import { spawn } from 'node:child_process';
  import { writeFileSync, renameSync } from 'node:fs';
  const pids = [false, true].map((detached) => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached, stdio: 'ignore' });
    child.unref();
    return child.pid;
  });
  writeFileSync(${JSON.stringify(`${file}.part`)}, JSON.stringify(pids));
  renameSync(${JSON.stringify(`${file}.part`)}, ${JSON.stringify(file)});
`;
/** Whatever the test finds, they are gone after it. */
export function pidsIn(file: string): readonly number[] {
  const pids = JSON.parse(readFileSync(file, 'utf8')) as number[];
  onTestFinished(() => pids.forEach(killGroup));
  return pids;
}
export const areGone = (pids: readonly number[]): boolean =>
  pids.every((pid) => osProcessStartTime(pid) === null);

/**
 * Whether any of them can still do something. A killed process gives up its memory first, and with it its mark; a busy
 * machine may take a while longer to put it away, and until then it is listed as running. On Linux.
 */
const canAct = (pids: readonly number[]): boolean =>
  pids.some((pid) => osProcessStartTime(pid) !== null && memoryOf(pid) > 0);

/** In bytes; 0 when there is no such process. */
function memoryOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything; counted from behind it, the size is the 21st.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[20]);
  } catch {
    return 0; // It went between the two looks.
  }
}

/** None of them acts from now on, and none is left behind. */
export async function expectGone(pids: readonly number[]): Promise<void> {
  expect(canAct(pids)).toBe(false);
  await waitFor(() => areGone(pids), { what: 'their end' });
}
