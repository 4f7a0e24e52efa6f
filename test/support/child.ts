import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { REPOSITORY } from './fixtures.ts';

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  /** What it wrote so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
}

const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];

/** Runs a TypeScript file of the repository on the Node that runs the tests. */
export function startNode(file: string, args: readonly string[], options: SpawnOptions = {}): Running {
  const child = spawn(process.execPath, [...NODE_FLAGS, file, ...args], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    stdout,
    stderr,
  }));
  return { process: child, stdout: () => stdout, stderr: () => stderr, ended };
}

export const HOLDFAST = join(REPOSITORY, 'core/cli/bin.ts');

/** The `holdfast` command, to its end. */
export function holdfast(args: readonly string[], options: SpawnOptions = {}): Promise<Ended> {
  return startNode(HOLDFAST, args, options).ended;
}

/** For a test of dozens of programs, one after the other, each of which takes seconds on a busy machine. */
export const MANY_PROGRAMS = { testTimeout: 300_000 };

/** At most `limit` at a time, in order of the items. */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length });
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await map(items[at]!);
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}
