// Operating system processes, told apart from later ones with the same pid by their start time [S30].

import { setTimeout as delay } from 'node:timers/promises';
import { osProcessStartTime } from '../journal/process-start-time.ts';
import { AppError, codeOf } from '../model/errors.ts';
import type { OsProcess } from '../model/snapshot.ts';

const REAP_PATIENCE_MS = 5_000;
const POLL_MS = 10;

export { osProcessStartTime };

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
