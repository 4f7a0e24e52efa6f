import { execFile } from 'node:child_process';
import { REPOSITORY } from './fixtures.ts';

/** Any command, in the repository, to its end. */
export function runCommand(
  command: string,
  args: readonly string[],
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const isScript = command.endsWith('.js') || command.endsWith('.cjs');
  return new Promise((resolve) => {
    execFile(
      isScript ? process.execPath : command,
      isScript ? [command, ...args] : [...args],
      { cwd: REPOSITORY, encoding: 'utf8' },
      (_error, stdout, stderr) => resolve({ stdout, stderr }),
    );
  });
}
