// The limit of many processes at once: each has a file of its own and appends one line after the other, waiting until it
// is durable. Each measurement is a process of its own: how many threads it has is settled when it starts.

import { execFile } from 'node:child_process';
import { fdatasync, openSync, closeSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LINE_BYTES } from './limits.ts';

const HERE = fileURLToPath(import.meta.url);

export interface RawFiles {
  readonly directory: string;
  readonly files: number;
  /** In each of them. */
  readonly lines: number;
}

/** So many wait at the same time; which is best depends on the machine. */
const THREADS = [4, 8, 16];

/** Lines a second that are written and synced, in all files together, with as many threads as do it best. */
export async function rawFiles(options: RawFiles): Promise<number> {
  let best = 0;
  for (const threads of THREADS) {
    const { stdout } = await promisify(execFile)(process.execPath, [HERE, JSON.stringify(options)], {
      env: { ...process.env, UV_THREADPOOL_SIZE: String(threads) },
    });
    best = Math.max(best, Number(stdout));
  }
  return best;
}

async function measure({ directory, files, lines }: RawFiles): Promise<number> {
  const paths = Array.from({ length: files }, (_, at) => join(directory, `raw-${at}`));
  const start = performance.now();
  await Promise.all(paths.map((path) => append(path, lines)));
  const seconds = (performance.now() - start) / 1000;
  for (const path of paths) {
    const written = statSync(path).size / LINE_BYTES;
    if (written !== lines) throw new Error(`${written} lines were written.`);
    rmSync(path);
  }
  return (files * lines) / seconds;
}

async function append(path: string, lines: number): Promise<void> {
  const bytes = Buffer.from(`${'x'.repeat(LINE_BYTES - 1)}\n`);
  const sync = promisify(fdatasync);
  const fd = openSync(path, 'a');
  try {
    for (let line = 0; line < lines; line += 1) {
      if (writeSync(fd, bytes) !== bytes.length) throw new Error('The disk is full.');
      await sync(fd);
    }
  } finally {
    closeSync(fd);
  }
}

if (process.argv[1] === HERE) {
  process.stdout.write(String(await measure(JSON.parse(process.argv[2]!) as RawFiles)));
}
