// What workers start under Electron outlives a console that is killed: a utility process ends with it, but leads no group,
// and has no time to end anything. A shell that waits for the console's end ends those by their mark. On Linux; elsewhere,
// and where there is no such shell, the next host ends them when it takes their process over [S30].

import { spawn } from 'node:child_process';
import { osProcessStartTime } from './os-process.ts';

const MARK = 'HOLDFAST_HOST';
/** Reads until the host's end of the pipe is gone; whatever is started meanwhile is met in the next round. */
const SCRIPT = `
cat > /dev/null
for round in 1 2 3 4 5; do
  files=$(grep -lzxFs "$0" /proc/[0-9]*/environ)
  [ -n "$files" ] || exit 0
  for file in $files; do pid=\${file#/proc/}; kill -9 "\${pid%/environ}"; done
done`;

/**
 * Gives what has to be in the environment of everything that is to end with this host. The guard is started for the first
 * who asks.
 */
export function orphanGuard(): () => Readonly<Record<string, string>> {
  let environment: Readonly<Record<string, string>> | null = null;
  return () => {
    environment ??= startGuard();
    return environment;
  };
}

function startGuard(): Readonly<Record<string, string>> {
  const startTime = process.platform === 'linux' ? osProcessStartTime(process.pid) : null;
  if (startTime === null) return {};
  const value = `${process.pid}.${startTime}`;
  const guard = spawn('/bin/sh', ['-c', SCRIPT, `${MARK}=${value}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // What ends the console's group is not to end this first.
    detached: true,
  });
  // Without it nothing is worse than it was; see above who ends them then.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return { [MARK]: value };
}
