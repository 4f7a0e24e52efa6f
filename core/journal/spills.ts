// S16 Large values lie in files of their own. File and directory are synced before the entry that names them is written, so
//     an entry never names what a crash can take. Each belongs to one entry, and goes when that entry's segment goes.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../model/errors.ts';
import { isObject, numberAt, textAt, type Json, type JsonObject } from '../model/json.ts';
import type { SpillReference } from '../model/ports.ts';
import { writeFile, type Disk } from './disk.ts';
import { STATE_DIRECTORY } from './layout.ts';

const ID = /^[0-9a-f-]{36}$/;

export function spillsDirectory(directory: string, name: string): string {
  return join(directory, STATE_DIRECTORY, 'spills', name);
}

export async function writeSpill(
  disk: Disk,
  directory: string,
  name: string,
  bytes: Uint8Array,
): Promise<SpillReference> {
  const folder = spillsDirectory(directory, name);
  disk.makeDirectory(folder);
  await disk.syncDirectory(directory);
  await disk.syncDirectory(dirname(dirname(folder)));
  await disk.syncDirectory(dirname(folder));
  const id = crypto.randomUUID();
  try {
    await writeFile(disk, join(folder, id), bytes);
  } catch (error) {
    // Half of it would lie there for ever: no entry names it.
    disk.remove(join(folder, id));
    throw error;
  }
  await disk.syncDirectory(folder);
  return { id, sha256: sha256(bytes), bytes: bytes.length };
}

export function removeSpill(disk: Disk, directory: string, name: string, { id }: SpillReference): void {
  if (ID.test(id)) disk.remove(join(spillsDirectory(directory, name), id));
}

/** Null where it is missing or not what was written: the outcome is known, and its value is lost. */
export function readSpill(directory: string, name: string, reference: SpillReference): Buffer | null {
  if (!ID.test(reference.id)) return null;
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(spillsDirectory(directory, name), reference.id));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  return sha256(bytes) === reference.sha256 ? bytes : null;
}

export function spillIds(directory: string, name: string): readonly string[] {
  try {
    return readdirSync(spillsDirectory(directory, name)).filter((file) => ID.test(file));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The spills that an entry's data name, at whatever depth: a checkpoint names those of what it holds. */
export function spillsNamedIn(data: JsonObject): readonly SpillReference[] {
  const found: SpillReference[] = [];
  const walk = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (key === 'spilled' && isObject(item) && ID.test(textAt(item, 'id'))) {
          found.push({
            id: textAt(item, 'id'),
            sha256: textAt(item, 'sha256'),
            bytes: numberAt(item, 'bytes'),
          });
        } else walk(item);
      }
    }
  };
  walk(data);
  return found;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
