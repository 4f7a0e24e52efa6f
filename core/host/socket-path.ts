// Where a host can be reached: a socket in the user's data folder, called after the journal, so that whoever knows the
// journal's directory finds it, and in a directory where nobody else may go. Node can't ask who is at the other end of a
// socket: owner and mode of the directory are what keeps others out, and what tells a client that it is this user's.

import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PRIVATE_DIRECTORY } from '../journal/layout.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';

const OTHERS = 0o077;

/** What the system has room for in a socket's address, without the zero at its end. */
export function longestSocketPath(platform: NodeJS.Platform): number {
  return platform === 'linux' ? 107 : 103;
}

/**
 * The address for the host of a journal; on Windows a named pipe, which only its maker's account may write to.
 * @throws `socket.path-too-long`
 */
export function socketPath(data: string, journalId: string, platform = process.platform): string {
  if (platform === 'win32') return String.raw`\\.\pipe\holdfast-${hashOf(`${data}\n${journalId}`)}`;
  const path = join(data, 'sockets', `${hashOf(journalId)}.sock`);
  const sizeBytes = Buffer.byteLength(path);
  const most = longestSocketPath(platform);
  if (sizeBytes <= most) return path;
  throw new AppError(
    'socket.path-too-long',
    `The data folder ${data} lies so deep that no other console and no command can reach this one: the address of its socket has ${sizeBytes} bytes, and this system takes ${most}. Set HOLDFAST_DATA to a shorter path.`,
    { data, sizeBytes, most },
  );
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/**
 * Makes the directory of a socket, or makes it private.
 * @throws `socket.not-private` where it is somebody else's, or no directory
 */
export function makeSocketDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = dirname(path);
  try {
    mkdirSync(directory, { mode: PRIVATE_DIRECTORY });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw notPrivate(directory, messageOf(error), error);
  }
  const stats = lstatSync(directory);
  if (!stats.isDirectory()) throw notPrivate(directory, 'it is no directory');
  if (stats.uid !== process.getuid?.()) throw notPrivate(directory, `it belongs to user ${stats.uid}`);
  if ((stats.mode & OTHERS) !== 0) chmodSync(directory, PRIVATE_DIRECTORY);
}

/**
 * That what is behind the path can only be this user's.
 * @throws `socket.not-private`; `socket.none` where there is nothing
 */
export function checkSocket(path: string): void {
  if (process.platform === 'win32') return;
  const directory = dirname(path);
  const around = lstatSync(directory, { throwIfNoEntry: false });
  const stats = around === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
  if (around === undefined || stats === undefined)
    throw new AppError('socket.none', `No host listens at ${path}.`, { path });
  const own = process.getuid?.();
  if (around.uid !== own) throw notPrivate(directory, `it belongs to user ${around.uid}`);
  if ((around.mode & OTHERS) !== 0) throw notPrivate(directory, 'others may go there');
  if (stats.uid !== own) throw notPrivate(path, `it belongs to user ${stats.uid}`);
}

function notPrivate(path: string, why: string, cause?: unknown): AppError {
  return new AppError(
    'socket.not-private',
    `${path} is not this user's alone: ${why}. Hosts are only talked to where nobody else can listen; remove it, or set HOLDFAST_DATA to a directory of your own.`,
    { path },
    { cause },
  );
}
