import { codeOf } from '../../core/model/errors.ts';

/** Kills a process at once, or sends it something else; false where there is none, or none any more: one that has ended may still be on the books. */
export function killProcess(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}
