// A file with a certain content: written beside its place, synced, and put there as a whole.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../model/errors.ts';
import type { ReconcileCall, Reconciled } from '../define-agent.ts';
import { DidNotHappen } from '../effect-errors.ts';
import {
  reconciledEffect,
  tokenOf,
  type ReconciledEffect,
  type ReconcilerOptions,
} from './reconciled-effect.ts';

export interface FileContentOptions extends ReconcilerOptions {
  /** Absolute, in a directory that is there. */
  readonly path: string;
  readonly content: string | Uint8Array;
  /**
   * The SHA-256 of what is there before, as {@link fileHash} tells it, or null for nothing. It is what makes *did not happen*
   * certain, and what somebody else puts there meanwhile is not overwritten.
   */
  readonly before?: string | null;
  /** Of a new file; 0o666 less the umask unless given. */
  readonly mode?: number;
}

export type FileContentArgs = {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
};

/** Read in pieces, and no more than that. */
const MAX_READ_BYTES = 16 * 1024 ** 3;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Puts `content` at `path`: a temporary file beside it, synced, renamed, its directory synced. Its result is what its arguments
 * are: the path, the SHA-256 in hexadecimal digits, and the bytes.
 *
 * It happened where the target has that SHA-256. It did not where the temporary file of this key is still there, whole or not,
 * since its place is taken by renaming it; or where the target is what it was `before`. Anything else at the target was put
 * there by somebody else, before or after: nobody can tell, and an operator is asked.
 */
export function fileContent(options: FileContentOptions): ReconciledEffect<FileContentArgs, FileContentArgs> {
  const { path, before, mode = 0o666 } = options;
  const content = typeof options.content === 'string' ? Buffer.from(options.content) : options.content;
  const sha256 = createHash('sha256').update(content).digest('hex');
  return reconciledEffect<FileContentArgs, FileContentArgs>(options, {
    args: { path, sha256, bytes: content.byteLength },
    perform: async ({ args, key, signal }) => {
      const temporary = temporaryOf(path, key);
      try {
        await rm(temporary, { force: true });
        const there = await fileHash(path, signal);
        if (before !== undefined && there !== before && there !== sha256) {
          throw new Error(`${path} is no longer what it was before`);
        }
        const file = await open(temporary, 'wx', mode);
        try {
          await file.writeFile(content, { signal });
          await file.sync();
        } finally {
          await file.close();
        }
        // What comes too late is given up: nobody may be told that it did not happen, and then it does.
        signal.throwIfAborted();
      } catch (error) {
        // One that comes too late leaves it: the next attempt may have its own there.
        if (!signal.aborted) await rm(temporary, { force: true });
        throw new DidNotHappen(error instanceof Error ? error.message : String(error), { cause: error });
      }
      await rename(temporary, path);
      await syncDirectory(path);
      return args;
    },
    reconcile: (call) => whatIsThere(call, before),
  });
}

async function whatIsThere(
  { args, key, signal }: ReconcileCall<FileContentArgs>,
  before: string | null | undefined,
): Promise<Reconciled<FileContentArgs>> {
  const { path, sha256 } = args;
  const temporary = temporaryOf(path, key);
  const found = await fileHash(path, signal);
  const isLeft = await isThere(temporary);
  if (found === sha256) {
    // It may have been renamed and not be on the disk.
    await syncDirectory(path);
    if (isLeft) await rm(temporary, { force: true });
    return { happened: true, result: args };
  }
  if (isLeft || (before !== undefined && found === before)) return { happened: false };
  const what = found === null ? 'nothing' : `something with the SHA-256 ${found}`;
  const why =
    before === undefined
      ? `${path} has ${what}, and nobody said what was there before`
      : `${path} has ${what}, which is neither what was there before nor what was written`;
  return { happened: 'unknown', why };
}

/** One for each key, so that one that is left says whose it is. */
function temporaryOf(path: string, key: string): string {
  return join(dirname(path), `.${basename(path).slice(0, 100)}.${tokenOf(key)}.tmp`);
}

/**
 * The SHA-256 of a file, in hexadecimal digits; null where there is none.
 * @throws Error for what is no file, like a link or a directory, or can't be read
 */
export async function fileHash(path: string, signal?: AbortSignal): Promise<string | null> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is no file`);
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let total = 0; ;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return hash.digest('hex');
      total += bytesRead;
      if (total > MAX_READ_BYTES) throw new Error(`${path} has more than ${MAX_READ_BYTES} bytes`);
      hash.update(chunk.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  // Windows has no such thing, and renames durably or not at all.
  if (process.platform === 'win32') return;
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
