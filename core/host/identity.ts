import { readBootId, type HostIdentity } from '../journal/host-identity.ts';
import { osProcessStartTime } from './os-process.ts';

/** Who this run of the host is, for locks and journals. */
export function hostIdentity(build: string): HostIdentity {
  return {
    hostId: crypto.randomUUID(),
    pid: process.pid,
    startTime: osProcessStartTime(process.pid) ?? '',
    bootId: readBootId(),
    build,
  };
}
