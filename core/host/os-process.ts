// Operating system processes, told apart from later ones with the same pid by their start time [S30].

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError, codeOf } from '../model/errors.ts';
import type { OsProcess } from '../model/snapshot.ts';

const REAP_PATIENCE_MS = 5_000;
const POLL_MS = 10;

/** When a process was started, as the system tells it; null when there is no such process, or it is only waited for. */
export function osProcessStartTime(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name in parentheses may hold anything, so fields are counted from behind it: state is the third, start the 22nd.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isZombie = fields[0] === 'Z' || fields[0] === 'X';
  return isZombie ? null : (fields[19] ?? null);
}

function fromPs(pid: number): string | null {
  const [command, args]: readonly [string, readonly string[]] =
    process.platform === 'win32'
      ? ['powershell.exe', ['-NoProfile', '-Command', `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`]]
      : ['ps', ['-o', 'lstart=', '-p', String(pid)]];
  try {
    return (
      execFileSync(command, args, {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim() || null
    );
  } catch {
    return null;
  }
}

/** True while exactly this process lives. A start time that was never known matches whatever has the pid. */
export function isAlive({ pid, startTime }: OsProcess): boolean {
  const found = osProcessStartTime(pid);
  return found !== null && (startTime === '' || found === startTime);
}

/** Ends a process with its whole group, at once. No such process is as good. */
export function killGroup(pid: number): void {
  for (const target of process.platform === 'win32' ? [pid] : [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error;
    }
  }
}

/**
 * Ends what is left of a process, if it still is that process, and resolves when it is gone.
 * @throws `process.undead` when it outlives its end by seconds, as one that hangs in the kernel does
 */
export async function reapOsProcess(target: OsProcess): Promise<void> {
  if (!isAlive(target)) return;
  killGroup(target.pid);
  for (let waited = 0; isAlive(target); waited += POLL_MS) {
    if (waited > REAP_PATIENCE_MS) {
      throw new AppError(
        'process.undead',
        `Process ${target.pid} was killed and is still there. It hangs in the system, probably on a disk or a network drive; nothing it began is touched until it is gone.`,
        { pid: target.pid },
      );
    }
    await delay(POLL_MS);
  }
}
