// J9  Process names map to files by Promptise's rule. A name that collides with another's file, or that the platform
//     can't hold, is refused and never mixed.

import { AppError } from '../model/errors.ts';

export const ENTRIES_SUFFIX = '.jsonl';
export const CHECKPOINT_SUFFIX = '.checkpoint.json';

const MAX_CHARACTERS = 200;
const MAX_FILE_NAME_BYTES = 255;
const WINDOWS_RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|[<>:"|?*]|[. ]$/i;

/** The file name, without suffix, that holds a process's journal. */
export function safeName(processId: string): string {
  // Code points, as Python counts characters.
  return Array.from(processId.replaceAll(/[/\\]/g, '_')).slice(0, MAX_CHARACTERS).join('');
}

/** Throws `journal.name-unsupported` for a name that can't be a file here. */
export function checkName(processId: string, platform: string = process.platform): void {
  const name = nameToRead(processId);
  if (Buffer.byteLength(name) + CHECKPOINT_SUFFIX.length > MAX_FILE_NAME_BYTES) {
    throw unsupported(processId, `needs a file name of more than ${MAX_FILE_NAME_BYTES} bytes`);
  }
  if (name === '.' || name === '..') throw unsupported(processId, 'is not a name that a folder can have');
  if (platform === 'win32' && WINDOWS_RESERVED.test(name)) {
    throw unsupported(processId, 'is not a file name that Windows can hold');
  }
}

/**
 * The file name of a process, for a reader: others may hold names that we would not write.
 * @throws `journal.name-unsupported` for what no file can be called
 */
export function nameToRead(processId: string): string {
  const name = safeName(processId);
  if (name === '') throw unsupported(processId, 'is empty');
  if (name.includes('\0')) throw unsupported(processId, 'holds a NUL character');
  return name;
}

function unsupported(processId: string, why: string): AppError {
  return new AppError(
    'journal.name-unsupported',
    `The process name ${JSON.stringify(processId)} ${why}. Choose another name.`,
    { process: processId },
  );
}

export function entriesFile(processId: string): string {
  return safeName(processId) + ENTRIES_SUFFIX;
}

export function checkpointFile(processId: string): string {
  return safeName(processId) + CHECKPOINT_SUFFIX;
}

/** The error for a file that belongs to another process. */
export function nameCollision(processId: string, file: string, owner: string): AppError {
  return new AppError(
    'journal.name-collision',
    `${JSON.stringify(processId)} would share the file ${file} with the process ${JSON.stringify(owner)}. Rename one of them.`,
    { process: processId, owner, file },
  );
}
