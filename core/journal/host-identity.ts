import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { VERSION } from '../model/version.ts';
import { osProcessStartTime } from './process-start-time.ts';

/** Who writes a journal: enough to tell this run of this program on this machine from any other. */
export interface HostIdentity {
  readonly hostId: string;
  readonly pid: number;
  /** As the operating system tells it, so that a later process with the same pid is known for another. */
  readonly startTime: string;
  readonly bootId: string;
  /** The machine, in a form that tells it from others and nothing about it; empty where the system does not say. */
  readonly machine: string;
  readonly build: string;
}

/** Of this process, once. */
let own: HostIdentity | null = null;

export function hostIdentity(): HostIdentity {
  own ??= {
    hostId: crypto.randomUUID(),
    pid: process.pid,
    startTime: osProcessStartTime(process.pid) ?? '',
    bootId: readBootId(),
    machine: machineOf(),
    build: VERSION,
  };
  return own;
}

/** Names the boot of a Linux machine; elsewhere the machine, which is the next best thing. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return hostname();
  }
}

/** Never the host's name: containers get another one each time, and some systems one from each network. */
function machineOf(): string {
  try {
    const id = readFileSync('/etc/machine-id', 'utf8').trim();
    return id === '' ? '' : createHash('sha256').update(`holdfast:${id}`).digest('hex').slice(0, 16);
  } catch {
    return '';
  }
}
