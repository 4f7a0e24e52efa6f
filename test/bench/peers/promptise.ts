// Promptise, in its own Python, timed in there: starting Python and importing Promptise is not counted.

import { join } from 'node:path';
import { promptisePython, runPython } from '../../interop/promptise.ts';
import { leaveOut } from '../rounds.ts';

const SCRIPT = join(import.meta.dirname, 'promptise_times.py');

export interface Promptise {
  /** Appends that many entries to a new journal; gives the seconds that it took. */
  append(directory: string, count: number, text: string): Promise<number>;
  /** Recovers a process; gives the seconds that it took, and what was recovered. */
  recover(
    directory: string,
    process: string,
  ): Promise<{ readonly seconds: number; readonly entries: number; readonly keys: number }>;
}

/** Null, having said why, where it is not installed. */
export function findPromptise(): Promptise | null {
  if (promptisePython() === null) {
    leaveOut('Promptise is left out: it is not installed. Run: node test/interop/promptise.ts install');
    return null;
  }
  return {
    append: async (directory, count, text) => {
      const { seconds } = await times<{ seconds: number }>('append', directory, String(count), text);
      return seconds;
    },
    recover: (directory, process) => times('recover', directory, process),
  };
}

async function times<T>(...args: string[]): Promise<T> {
  return JSON.parse(await runPython(SCRIPT, args)) as T;
}
