// What happened to a file, as the difference of what was last told and what is there: everything between the two leaves
// no trace. Pure.

import { createHash } from 'node:crypto';
import type { FileEvent } from '../model/trigger-config.ts';

/** One state of one file. */
export interface Print {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** 0 where the file system does not say. */
  readonly birthtimeMs: number;
}

/** The net change of a file, `print` being what is there, or what was there of one that is gone. */
export interface FileChange {
  readonly event: FileEvent;
  readonly path: string;
  readonly print: Print;
  /** Where a moved one was. */
  readonly oldPath: string | null;
  /** What was seen of it since it was last told of, in that order: the event itself is among them. */
  readonly events: readonly FileEvent[];
}

/**
 * `trustsInodes`: false on file systems that give the same file another number now and then, where that is no change.
 */
export function isSame(a: Print | null, b: Print | null, trustsInodes: boolean): boolean {
  if (a === null || b === null) return a === b;
  return a.size === b.size && a.mtimeMs === b.mtimeMs && (!trustsInodes || a.ino === b.ino);
}

/** Null where nothing is to be told. */
export function netEvent(
  told: Print | null,
  seen: Print | null,
  trustsInodes: boolean,
): Exclude<FileEvent, 'moved'> | null {
  if (isSame(told, seen, trustsInodes)) return null;
  return told === null ? 'created' : seen === null ? 'deleted' : 'modified';
}

/** What two states share if they may be of one file. */
export function identityOf({ dev, ino, size }: Print): string {
  return `${dev}:${ino}:${size}`;
}

/**
 * Whether what is gone in one place is what appeared in another. The number of a file that was deleted is given to the
 * next one at once, which may well be as long: its age tells them apart.
 */
export function isMoved(gone: Print, appeared: Print): boolean {
  if (identityOf(gone) !== identityOf(appeared)) return false;
  return (
    gone.mtimeMs === appeared.mtimeMs || (gone.birthtimeMs !== 0 && gone.birthtimeMs === appeared.birthtimeMs)
  );
}

/**
 * The same for the same change, told again. The time of the last change of the file's own record is in it, because what
 * is moved away and back again has the rest unchanged, and that was news each time.
 */
export function keyOfChange({ event, path, oldPath, print }: FileChange): string {
  const { mtimeMs, ctimeMs, size, ino } = print;
  const facts = JSON.stringify([path, event, oldPath, mtimeMs, size, ino, ctimeMs]);
  return createHash('sha256').update(facts).digest('hex');
}
