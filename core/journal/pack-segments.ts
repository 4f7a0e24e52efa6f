// S15 Sealed segments are packed beside themselves, unpacked again and compared, and only then replaced. Whatever comes
//     between, one of the two is there and whole.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { AppError } from '../model/errors.ts';
import { writeAll, type Disk } from './disk.ts';
import { PACKED_SUFFIX, sealedSegments } from './segments.ts';

/** Packs what is sealed and not packed yet, until `isOver`: the rest is for the next time. */
export async function packSegments(
  disk: Disk,
  directory: string,
  name: string,
  isOver: () => boolean,
): Promise<void> {
  for (const { path, isPacked } of sealedSegments(directory, name)) {
    if (isOver()) return;
    if (!isPacked) await pack(disk, path);
  }
}

async function pack(disk: Disk, path: string): Promise<void> {
  const temporary = `${path}${PACKED_SUFFIX}.tmp`;
  const original = createHash('sha256');
  const fd = disk.open(temporary, 'w');
  try {
    await pipeline(
      createReadStream(path),
      async function* hashed(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          original.update(chunk);
          yield chunk;
        }
      },
      createGzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) writeAll(disk, fd, chunk);
      },
    );
    await disk.sync(fd);
  } catch (error) {
    disk.remove(temporary);
    throw error;
  } finally {
    disk.close(fd);
  }
  const packed = createHash('sha256');
  await pipeline(createReadStream(temporary), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) packed.update(chunk);
  });
  if (original.digest('hex') !== packed.digest('hex')) {
    disk.remove(temporary);
    throw new AppError(
      'journal.pack-failed',
      `${path} was packed and came out of it changed, so it is kept as it is. Check the disk and the memory of this machine.`,
      { path },
    );
  }
  disk.rename(temporary, path + PACKED_SUFFIX);
  await disk.syncDirectory(dirname(path));
  disk.remove(path);
}
