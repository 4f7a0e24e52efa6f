import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** When a process was started, as the system tells it; null when there is no such process, or it is only waited for. */
export function osProcessStartTime(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (process.platform !== 'linux') return fromPs(pid);
  const stat = statOf(pid);
  return stat === null || stat.isDead ? null : stat.startTime;
}

export interface ProcessStat {
  /** In clock ticks since the machine came up. */
  readonly startTime: string;
  readonly group: number;
  /** Ended, and not yet collected by its parent. */
  readonly isDead: boolean;
}

/** What Linux says of a process; null when there is none. */
export function statOf(pid: number): ProcessStat | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name in parentheses may hold anything, so fields are counted from behind it: state is the third, the group the
  // fifth, start the 22nd.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    isDead: fields[0] === 'Z' || fields[0] === 'X',
    group: Number(fields[2]),
    startTime: fields[19] ?? '',
  };
}

function fromPs(pid: number): string | null {
  const [command, args]: readonly [string, readonly string[]] =
    process.platform === 'win32'
      ? ['powershell.exe', ['-NoProfile', '-Command', `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`]]
      : ['ps', ['-o', 'lstart=', '-p', String(pid)]];
  try {
    const said = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return said.trim() || null;
  } catch {
    return null;
  }
}
