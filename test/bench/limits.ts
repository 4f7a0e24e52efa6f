// What this machine can do at best: the same bytes without any of the work. Everything is written to be read again, so
// each checks the size of what it made.

import { closeSync, fdatasyncSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Of the lines that limits write, and about that of the entries that are compared with them. */
export const LINE_BYTES = 300;

/**
 * Lines a second that are written in batches, each followed by fdatasync where asked.
 * D1 is one line a batch with fdatasync, N1 one line a batch without.
 */
export function rawAppend(
  directory: string,
  { lines, batch, isSynced }: { readonly lines: number; readonly batch: number; readonly isSynced: boolean },
): number {
  const path = join(directory, 'raw');
  const bytes = Buffer.from(`${'x'.repeat(LINE_BYTES - 1)}\n`.repeat(batch));
  const fd = openSync(path, 'a');
  try {
    const start = performance.now();
    for (let done = 0; done < lines; done += batch) {
      if (writeSync(fd, bytes) !== bytes.length) throw new Error('The disk is full.');
      if (isSynced) fdatasyncSync(fd);
    }
    const seconds = (performance.now() - start) / 1000;
    const written = statSync(path).size / LINE_BYTES;
    if (written !== Math.ceil(lines / batch) * batch) throw new Error(`${written} lines were written.`);
    return written / seconds;
  } finally {
    closeSync(fd);
    rmSync(path);
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** P1: lines a second that are read, made texts and parsed, one after the other, and nothing else. */
export function rawParse(path: string, expectedLines: number): number {
  const fd = openSync(path, 'r');
  try {
    const start = performance.now();
    let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let held = 0;
    let lines = 0;
    for (;;) {
      if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
      const count = readSync(fd, buffer, held, buffer.length - held, null);
      if (count === 0) break;
      const end = held + count;
      let from = 0;
      for (
        let at = buffer.indexOf(LINE_FEED, held);
        at >= 0 && at < end;
        at = buffer.indexOf(LINE_FEED, from)
      ) {
        JSON.parse(buffer.toString('utf8', from, at));
        lines += 1;
        from = at + 1;
      }
      buffer.copyWithin(0, from, end);
      held = end - from;
    }
    const seconds = (performance.now() - start) / 1000;
    if (lines !== expectedLines) throw new Error(`${lines} lines were parsed, and ${expectedLines} written.`);
    return lines / seconds;
  } finally {
    closeSync(fd);
  }
}

const LINE_FEED = 10;
