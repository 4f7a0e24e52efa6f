// What a writer has to know about a file before it appends to it.

import { isFullCheckpoint, stateOf } from '../model/checkpoint.ts';
import { codeOf } from '../model/errors.ts';
import { numberAt, objectAt } from '../model/json.ts';
import type { Cursor } from '../model/ports.ts';
import type { FilePosition } from './append-file.ts';
import { FIRST_PREV, hashLine } from './codec.ts';
import { committedEnd, fileSource, linesBackwards } from './lines.ts';
import { entriesForwards, isBad, numberBefore, pageBackwards } from './read-entries.ts';
import { lastHashOf, ownFirstSeq, type SealedSegment } from './segments.ts';

/** The process that the first readable line names; null in a file without one, or one that may not be read. */
export function ownerOf(path: string): string | null {
  try {
    for (const item of entriesForwards(path)) {
      if (!isBad(item) && item.process_id !== '') return item.process_id;
    }
  } catch (error) {
    // Whoever reads its entries is told; its name alone must not hide the other files.
    if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EPERM' && codeOf(error) !== 'ENOENT') throw error;
  }
  return null;
}

/** Where the committed lines of an active segment end: the number and the hash that the next line goes on from. */
export function positionOf(fd: number, sealed: SealedSegment | null): FilePosition {
  const source = fileSource(fd);
  const sizeBytes = committedEnd(source);
  const first = ownFirstSeq(source, sizeBytes) ?? (sealed === null ? 1 : sealed.last + 1);
  const seq = numberBefore(source, sizeBytes, first);
  for (const { bytes } of linesBackwards(source, sizeBytes))
    return { seq, prev: hashLine(bytes), sizeBytes, first };
  const prev = sealed === null ? FIRST_PREV : (lastHashOf(sealed) ?? FIRST_PREV);
  return { seq, prev, sizeBytes, first };
}

/** The epoch of the journal's last writer; at most as far back as the last full checkpoint, which carries it. */
export function lastEpoch(directory: string, name: string): number {
  let cursor: Cursor | null | undefined;
  while (cursor !== null) {
    const page = pageBackwards(directory, name, 200, cursor);
    for (const { entry_type, data } of page.entries.toReversed()) {
      if (entry_type === 'writer_opened') return numberAt(data, 'epoch');
      if (entry_type === 'checkpoint' && isFullCheckpoint(data)) {
        const writer = objectAt(objectAt(stateOf(data), 'holdfast') ?? {}, 'writer');
        return writer === null ? 0 : numberAt(writer, 'epoch');
      }
    }
    cursor = page.before;
  }
  return 0;
}
