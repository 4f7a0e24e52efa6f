import { killMarked, ownMark } from './own-processes.ts';

/** Ends this worker and everything it started, whatever any of them is doing [S30]. */
export function endWithEverything(): void {
  const mark = ownMark();
  if (mark !== null) killMarked(mark);
  try {
    if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL');
  } catch {
    // Under Electron it leads no group.
  }
  process.kill(process.pid, 'SIGKILL');
}

/** A pipe that nobody reads any more means that the host is gone; writing on would only spin. */
export function endWhenOutputBreaks(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') endWithEverything();
    });
  }
}
