// J8   In our journals the checkpoint line is the truth and the file a convenience for other readers: written first, by
//      rename, and never synced, since losing it costs nothing, and neither does failing to write it.
// S19  In a foreign journal the file is written first too, and no context is journaled: a valid file that equals no
//      checkpoint line is newer than all of them, and wins.

import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stateOf } from '../model/checkpoint.ts';
import { codeOf } from '../model/errors.ts';
import { isObject, sameJson, type JsonObject } from '../model/json.ts';
import type { CheckpointRecord } from '../model/ports.ts';
import { asciiJson, decodeLine, MAX_DEPTH, nestsDeeper } from './codec.ts';
import { writeAll, type Disk } from './disk.ts';
import { STATE_DIRECTORY } from './layout.ts';
import { committedEnd, linesForwards, withFile } from './lines.ts';
import { parseLossless } from './lossless.ts';
import { checkpointFile, CHECKPOINT_SUFFIX } from './process-files.ts';
import { unreadable } from './unreadable.ts';

export function writeCheckpointFile(
  disk: Disk,
  directory: string,
  processId: string,
  state: JsonObject,
): void {
  const text = Buffer.from(`${asciiJson(state)}\n`, 'latin1');
  // One for all: there is one writer, and the name of a process may leave no room for more.
  const temporary = join(directory, STATE_DIRECTORY, 'checkpoint.tmp');
  try {
    const fd = disk.open(temporary, 'w');
    try {
      writeAll(disk, fd, text);
    } finally {
      disk.close(fd);
    }
    disk.rename(temporary, join(directory, checkpointFile(processId)));
  } catch {
    // The line, which is the truth, comes next: it says what is wrong with the disk, or that nothing is.
    removeQuietly(disk, temporary);
  }
}

function removeQuietly(disk: Disk, path: string): void {
  try {
    disk.remove(path);
  } catch {
    // The next one is written over it.
  }
}

/** The state in a checkpoint file; null where it is absent or broken, which is no more than a missing convenience. */
export function readCheckpointFile(directory: string, processId: string): JsonObject | null {
  const path = join(directory, checkpointFile(processId));
  let bytes: Buffer;
  try {
    if (!statSync(path).isFile()) return null;
    bytes = readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENAMETOOLONG') return null;
    throw unreadable(path, error);
  }
  const text = bytes.toString('utf8');
  // As with lines: what can't be read costs nothing but itself.
  if (!isUtf8(bytes) || nestsDeeper(text, MAX_DEPTH)) return null;
  try {
    const parsed = parseLossless(text);
    // Promptise takes `{}` for a checkpoint of nothing; it never writes one.
    return isObject(parsed) && Object.keys(parsed).length > 0 ? parsed : null;
  } catch {
    return null;
  }
}

/** The processes of a foreign directory that have a checkpoint file that can be read. */
export function namesWithCheckpoint(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith(CHECKPOINT_SUFFIX))
    .map((file) => file.slice(0, -CHECKPOINT_SUFFIX.length))
    .filter((name) => name !== '' && readCheckpointFile(directory, name) !== null);
}

const CHECKPOINT = '"checkpoint"';

/** The newest checkpoint of a foreign journal, whose file may be ahead of its lines [S19]. */
export function foreignCheckpoint(
  directory: string,
  processId: string,
  entriesPath: string,
): CheckpointRecord | null {
  const file = readCheckpointFile(directory, processId);
  let newest: CheckpointRecord | null = null;
  let isAhead = file !== null;
  let seq = 0;
  if (!existsSync(entriesPath)) return file === null ? null : { state: file, seq: null };
  withFile(entriesPath, (source) => {
    for (const { bytes } of linesForwards(source, 0, committedEnd(source))) {
      seq += 1;
      if (!bytes.includes(CHECKPOINT)) continue;
      const decoded = decodeLine(bytes);
      if (!decoded.ok || decoded.entry.entry_type !== 'checkpoint') continue;
      newest = { state: stateOf(decoded.entry.data), seq: decoded.keys?.seq ?? seq };
      if (file !== null && sameJson(file, newest.state)) isAhead = false;
    }
  });
  return file !== null && isAhead ? { state: file, seq: null } : newest;
}
