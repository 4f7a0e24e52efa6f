// What the figures were measured on. No names and no paths: results are published.

import { readFileSync, realpathSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem, type } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  /** Of the directory for temporary files, where everything is written. */
  readonly fileSystem: string;
  readonly node: string;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    kernel: `${type()} ${release()}`,
    fileSystem: fileSystemOf(tmpdir()),
    node: process.versions.node,
  };
}

/** A disk in memory makes everything durable at once, and every figure about durability worthless. */
export function isInMemory({ fileSystem }: Machine): boolean {
  return fileSystem === 'tmpfs' || fileSystem === 'ramfs';
}

function fileSystemOf(directory: string): string {
  if (process.platform !== 'linux') return 'unknown';
  const path = realpathSync(directory);
  let longest = '';
  let found = 'unknown';
  for (const line of readFileSync('/proc/self/mounts', 'utf8').split('\n')) {
    const [, point = '', fileSystem = ''] = line.split(' ');
    const isAbove = point === '/' || path === point || path.startsWith(`${point}/`);
    if (isAbove && point.length >= longest.length) [longest, found] = [point, fileSystem];
  }
  return found;
}
