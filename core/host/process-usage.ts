// What a process takes of the machine, as the system tells it when asked.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { WorkerFacts } from '../model/ports.ts';

export interface ProcessUsage {
  readonly rssBytes: number;
  /** Of all processors together, since its start. */
  readonly cpuMs: number;
}

/** What the kernel counts in for programs, whatever it counts in itself. */
const MS_PER_TICK = 10;
const SAMPLE_MS = 1_000;

/** Null where there is no such process, or where the system does not tell. */
export function usageOf(pid: number): ProcessUsage | null {
  try {
    if (process.platform === 'linux') return fromProc(pid);
    if (process.platform === 'darwin') return fromPs(pid);
    return null;
  } catch {
    return null; // It has ended.
  }
}

function fromProc(pid: number): ProcessUsage | null {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in parentheses may hold anything, so fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (kilobytes === undefined) return null;
  return {
    rssBytes: Number(kilobytes) * 1_024,
    cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK,
  };
}

function fromPs(pid: number): ProcessUsage | null {
  const said = execFileSync('ps', ['-o', 'rss=,time=', '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return parsePs(said);
}

/** Kilobytes, then days-hours:minutes:seconds of which only the last two have to be there. */
export function parsePs(text: string): ProcessUsage | null {
  const found = /^\s*(\d+)\s+(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)\s*$/.exec(text);
  if (found === null) return null;
  const [, kilobytes, days = '0', hours = '0', minutes, seconds] = found;
  const totalMinutes = (Number(days) * 24 + Number(hours)) * 60 + Number(minutes);
  return {
    rssBytes: Number(kilobytes) * 1_024,
    cpuMs: Math.round((totalMinutes * 60 + Number(seconds)) * 1_000),
  };
}

/** Facts about one process from its start on, looked up at most once a second, and only when somebody asks. */
export function factsOf(
  pid: () => number,
  generation: number,
  usage = usageOf,
  clock: { now(): number } = performance,
): () => WorkerFacts {
  const startedAt = Date.now();
  let since = clock.now();
  let cpuMs = 0;
  let last: WorkerFacts | null = null;
  return () => {
    const passedMs = clock.now() - since;
    if (last !== null && passedMs < SAMPLE_MS) return last;
    const now = usage(pid());
    const cpuPercent =
      now === null || passedMs <= 0 ? null : Math.round(((now.cpuMs - cpuMs) / passedMs) * 1_000) / 10;
    last = { pid: pid(), generation, startedAt, rssBytes: now?.rssBytes ?? null, cpuPercent };
    since += passedMs;
    cpuMs = now?.cpuMs ?? cpuMs;
    return last;
  };
}
