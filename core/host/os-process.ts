// Operating system processes and their groups, told apart from later ones with the same pid by their start time [S30].

import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { killAllMarked, markOf } from '../agent/own-processes.ts';
import { osProcessStartTime, statOf } from '../journal/process-start-time.ts';
import { AppError, codeOf } from '../model/errors.ts';
import type { OsProcess } from '../model/snapshot.ts';

// Shells know the host, and not the journal below it.
export { osProcessStartTime };

const REAP_PATIENCE_MS = 5_000;
const POLL_MS = 5;

/** True while exactly this process lives. A start time that was never known matches whatever has the pid. */
export function isAlive({ pid, startTime }: OsProcess): boolean {
  const found = osProcessStartTime(pid);
  return found !== null && (startTime === '' || found === startTime);
}

/** Ends a process with its whole group, at once. No such process is as good. */
export function killGroup(pid: number): void {
  signalGroup(pid, 'SIGKILL');
}

/** Tells a process and its whole group. One that leads no group is told alone. */
export function signalGroup(pid: number, name: NodeJS.Signals): void {
  signal(pid, name);
  if (hasGroups()) signal(-pid, name);
}

/**
 * Whether anything is left of the group that a process leads or led. The number of a group that still has members is
 * given to no new process, so it means the same group even when its leader is gone.
 */
function groupLives(pid: number): boolean {
  if (!hasGroups() || !signal(-pid, 0)) return false;
  // Where nobody collects the dead, as in a container without an init, they still hear signals.
  return process.platform !== 'linux' || liveMembers(pid) > 0;
}

function liveMembers(group: number): number {
  let count = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(Number(name));
    if (stat !== null && stat.group === group && !stat.isDead) count += 1;
  }
  return count;
}

function hasGroups(): boolean {
  return process.platform !== 'win32';
}

/** False when there is nobody to hear it; those that may not be signalled, as zombies on some systems, count as gone. */
function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ESRCH' || codeOf(error) === 'EPERM') return false;
    throw error;
  }
}

/**
 * Ends what is left of a process, of its group and of what else it started, if they still are the same, and resolves when
 * none of them can do anything any more. What had left the group is by then without memory, though a busy system may still
 * list it for a moment.
 * @throws `process.undead` when they outlive their end by seconds, as what hangs in the kernel does
 */
export async function reapOsProcess(target: OsProcess): Promise<void> {
  const { pid, startTime } = target;
  if (!Number.isInteger(pid) || pid <= 1) return;
  // What left the group carries a mark, whoever has the worker's number by now.
  const mark = startTime === '' ? null : markOf(target);
  // Where somebody else has the number, that group is long gone.
  const isReused = osProcessStartTime(pid) !== null && !isAlive(target);
  const killRest = async (): Promise<boolean> => {
    const isThere = !isReused && (isAlive(target) || groupLives(pid));
    if (isThere) killGroup(pid);
    return (mark !== null && (await killMarked(mark)) > 0) || isThere;
  };
  const deadline = performance.now() + REAP_PATIENCE_MS;
  while (await killRest()) {
    if (performance.now() > deadline) {
      throw new AppError(
        'process.undead',
        `Process ${pid} or one that it started was killed and is still there. It hangs in the system, probably on a disk or a network drive; nothing it began is touched until it is gone. Try again then.`,
        { pid },
      );
    }
    await delay(POLL_MS);
  }
}

let asked: { readonly marks: Set<string>; readonly counts: Promise<ReadonlyMap<string, number>> } | null =
  null;

/** A host that starts again reaps a worker for each of its processes: those asked for together share one look at the machine. */
async function killMarked(mark: string): Promise<number> {
  if (asked === null) {
    const marks = new Set<string>();
    const counts = new Promise<ReadonlyMap<string, number>>((resolve) => {
      setImmediate(() => {
        asked = null;
        resolve(killAllMarked([...marks]));
      });
    });
    asked = { marks, counts };
  }
  asked.marks.add(mark);
  return (await asked.counts).get(mark) ?? 0;
}
