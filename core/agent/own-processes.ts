// Everything a worker starts carries the worker's mark in its environment, and hands it on: so it is found when it has
// left the worker's group, or when the worker, whose child it was, is gone. On Linux, where environments can be read.

import { readdirSync, readFileSync } from 'node:fs';

const MARK = 'HOLDFAST_WORKER';
const BEGINNING = `${MARK}=`;

/** Of a worker by its pid and start time: no two of one run of the machine share it. */
export function markOf(worker: { readonly pid: number; readonly startTime: string }): string {
  return `${worker.pid}.${worker.startTime}`;
}

/** From now on, whatever this process starts carries its mark. */
export function markOwnProcesses(): void {
  const mark = ownMark();
  if (mark !== null) process.env[MARK] = mark;
}

/** The mark of this process; null where there are none. */
export function ownMark(): string | null {
  if (process.platform !== 'linux') return null;
  const startTime = startTimeOf(process.pid);
  return startTime === null ? null : markOf({ pid: process.pid, startTime });
}

/** Ends everything that carries the mark, at once, and gives how many there were. */
export function killMarked(mark: string): number {
  return killAllMarked([mark]).get(mark) ?? 0;
}

/** The same for several, with one look at what runs on the machine. */
export function killAllMarked(marks: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { pid, mark } of markedProcesses(new Set(marks))) {
    try {
      process.kill(pid, 'SIGKILL');
      counts.set(mark, (counts.get(mark) ?? 0) + 1);
    } catch {
      // It has just ended by itself.
    }
  }
  return counts;
}

/** The living ones. The worker itself is not among them: its own environment was made before it had a mark. */
function markedProcesses(
  marks: ReadonlySet<string>,
): readonly { readonly pid: number; readonly mark: string }[] {
  if (process.platform !== 'linux') return [];
  const earliest = Math.min(...[...marks].map((mark) => Number(mark.split('.')[1])));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .flatMap((pid) => {
      // Reading environments is what costs; who was there before the worker can't be one of its own.
      const startTime = startTimeOf(pid);
      if (startTime === null || Number(startTime) < earliest) return [];
      const mark = environment(pid)
        .find((variable) => variable.startsWith(BEGINNING))
        ?.slice(BEGINNING.length);
      return mark !== undefined && marks.has(mark) ? [{ pid, mark }] : [];
    });
}

/** In clock ticks since the machine came up; null for what has ended. */
function startTimeOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything, so fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

/** Of a process that has ended, or that is somebody else's, there is none. */
function environment(pid: number): readonly string[] {
  return read(`/proc/${pid}/environ`).split('\0');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
