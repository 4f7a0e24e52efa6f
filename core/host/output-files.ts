// Where the output of a process lies, and what a line of it is.

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { STATE_DIRECTORY } from '../journal/layout.ts';
import { checkName, nameToRead } from '../journal/process-files.ts';
import { codeOf } from '../model/errors.ts';
import type { LogLevel } from '../model/worker-protocol.ts';

const OUTPUT_FILE = /^(\d{1,12})\.jsonl$/;

export type OutputStream = 'out' | 'err' | 'log';

/** One line as it stands in a file. */
export interface OutputLine {
  /** A journal timestamp: when the host heard it. */
  readonly at: string;
  readonly generation: number;
  readonly stream: OutputStream;
  /** Of what came through the agent's log. */
  readonly level?: LogLevel;
  /** Of the trigger event in hand, where it is certain. */
  readonly eventId?: string;
  readonly text: string;
}

/** The folder of a process's output. @throws `journal.name-unsupported` */
export function outputDirectory(directory: string, process: string): string {
  checkName(process);
  return join(directory, STATE_DIRECTORY, 'output', nameToRead(process));
}

/** One of them, by its number. */
export function outputFile(folder: string, number: number): string {
  return join(folder, `${number}.jsonl`);
}

/** The numbers of a folder's files, oldest first; none where there is no folder. */
export function outputFiles(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => OUTPUT_FILE.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((one, other) => one - other);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

export function endsWithLineFeed(path: string, sizeBytes: number): boolean {
  const last = Buffer.alloc(1);
  const fd = openSync(path, 'r');
  try {
    return readSync(fd, last, 0, 1, sizeBytes - 1) === 1 && last[0] === 0x0a;
  } finally {
    closeSync(fd);
  }
}
