// S15 Retention drops whole sealed segments, oldest first, and only where somebody asked for it. A tombstone, an entry that
//     says what was dropped and how the chain goes on, is durable before anything is removed. Nothing is dropped while an
//     effect has no certain end, and no spill that the last checkpoint names.

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { stateOf } from '../model/checkpoint.ts';
import { isInDoubt } from '../model/effects.ts';
import { isBad } from '../model/entry.ts';
import { applyEntry } from '../model/fold.ts';
import { numberAt, type JsonObject } from '../model/json.ts';
import { decodeLine } from './codec.ts';
import type { Retention } from '../model/ports.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';
import type { Disk } from './disk.ts';
import { linesBackwards, linesForwards, withFile } from './lines.ts';
import { journalForwards, lastFullCheckpoint, partsForwards } from './read-entries.ts';
import { PACKED_SUFFIX, sealedSegments, Segments, type SealedSegment } from './segments.ts';
import { spillIds, spillsDirectory, spillsNamedIn } from './spills.ts';

const DAY_MS = 86_400_000;

/** Sealed segments with what decides about them. */
export interface Kept extends SealedSegment {
  readonly sizeBytes: number;
  /** When it was sealed or packed, in milliseconds since the epoch. */
  readonly sealedAt: number;
}

/** Those to drop: always the oldest, so that what is kept is one piece. */
export function droppable(kept: readonly Kept[], { maxBytes, maxAgeDays }: Retention, nowMs: number): Kept[] {
  let bytes = kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const dropped: Kept[] = [];
  for (const segment of kept) {
    const isTooMuch = maxBytes !== null && bytes > maxBytes;
    const isTooOld = maxAgeDays !== null && nowMs - segment.sealedAt > maxAgeDays * DAY_MS;
    if (!isTooMuch && !isTooOld) break;
    bytes -= segment.sizeBytes;
    dropped.push(segment);
  }
  return dropped;
}

export interface RetentionOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly name: string;
  readonly retention: Retention;
  readonly nowMs: number;
  /** Resolves when the tombstone is durable. */
  readonly bury: (tombstone: JsonObject) => Promise<unknown>;
}

export async function retain(options: RetentionOptions): Promise<void> {
  const { directory, name, retention, nowMs, bury } = options;
  const kept = sealedSegments(directory, name).flatMap((segment) => {
    const stats = statSync(segment.path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ ...segment, sizeBytes: stats.size, sealedAt: stats.mtimeMs }];
  });
  if (kept.length === 0 || (retention.maxAgeDays === null && retention.maxBytes === null)) return;
  // What a crash left of an earlier time is buried already.
  const buried = buriedUpTo(directory, name);
  await remove(
    options,
    kept.filter(({ last }) => last <= buried),
  );
  const dropped = droppable(
    kept.filter(({ last }) => last > buried),
    retention,
    nowMs,
  );
  const [first] = dropped;
  const last = dropped.at(-1);
  if (first === undefined || last === undefined) return;
  const state = await presentState(directory, name);
  if (state === null || state.open.some(({ effects }) => effects.some(isInDoubt))) return;
  const hash = prevOf(directory, name, last.last + 1);
  // A journal with a hole is for a repair, not for retention.
  if (hash === null) return;
  await bury({
    first_seq: first.first,
    last_seq: last.last,
    hash,
    bytes: dropped.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    reason: reasonOf(retention),
  });
  await remove(options, dropped);
}

/** Oldest first, and the spills of each before itself: what a crash leaves is found again by its name. */
async function remove(
  { disk, directory, name }: RetentionOptions,
  segments: readonly SealedSegment[],
): Promise<void> {
  const [first] = segments;
  if (first === undefined) return;
  const needed = new Set(spillsNamedIn(lastCheckpointState(directory, name) ?? {}).map(({ id }) => id));
  const hasSpills = spillIds(directory, name).length > 0;
  for (const { first: number, path } of segments) {
    // Who else is on this thread gets a turn: a packed segment takes a while.
    await new Promise((resolve) => void setImmediate(resolve));
    for (const id of hasSpills ? spillsOf(directory, name, number) : [])
      if (!needed.has(id)) disk.remove(join(spillsDirectory(directory, name), id));
    // It may lie there both ways: packing removes the one when the other is safe.
    const unpacked = path.endsWith(PACKED_SUFFIX) ? path.slice(0, -PACKED_SUFFIX.length) : path;
    disk.remove(unpacked + PACKED_SUFFIX);
    disk.remove(unpacked);
    // One after the other, or a crash could leave an older one and take a newer.
    await disk.syncDirectory(dirname(first.path));
  }
}

const DROPPED = '"segments_dropped"';

/** The last line that the newest tombstone in the active segment names; 0 where there is none. */
function buriedUpTo(directory: string, name: string): number {
  using segments = Segments.open(directory, name);
  const active = segments?.at(segments.sealed.length) ?? null;
  if (active === null) return 0;
  for (const { bytes } of linesBackwards(active.source, active.end)) {
    if (!bytes.includes(DROPPED)) continue;
    const decoded = decodeLine(bytes);
    if (decoded.ok && decoded.verification === 'verified' && decoded.entry.entry_type === 'segments_dropped')
      return numberAt(decoded.entry.data, 'last_seq');
  }
  return 0;
}

function reasonOf({ maxBytes, maxAgeDays }: Retention): string {
  const limits = [
    ...(maxAgeDays === null ? [] : [`${maxAgeDays} days`]),
    ...(maxBytes === null ? [] : [`${maxBytes} bytes`]),
  ];
  return `sealed segments are kept up to ${limits.join(' and ')}`;
}

function lastCheckpointState(directory: string, name: string): JsonObject | null {
  const place = lastFullCheckpoint(directory, name);
  if (place === null) return null;
  for (const item of journalForwards(directory, name, place)) return isBad(item) ? null : stateOf(item.data);
  return null;
}

/** As of the last line: whoever has to decide about an effect may want to read how it came to that. */
async function presentState(directory: string, name: string): Promise<ProcessSnapshot | null> {
  const place = lastFullCheckpoint(directory, name);
  if (place === null) return null;
  let state = emptySnapshot();
  for await (const { items } of partsForwards(directory, name, place))
    for (const item of items) if (!isBad(item)) state = applyEntry(state, item);
  return state;
}

/** What the line with this number, the first of a segment, says of the one before. */
function prevOf(directory: string, name: string, first: number): string | null {
  const sealed = sealedSegments(directory, name).find((segment) => segment.first === first);
  const line = sealed?.isPacked === true ? firstPackedLine(sealed.path) : null;
  if (line !== null) return prevIn(line);
  using segments = Segments.open(directory, name);
  const segment = segments?.at(segments.find({ first, isActive: false })) ?? null;
  if (segment === null) return null;
  for (const { bytes } of linesForwards(segment.source, 0, segment.end)) return prevIn(bytes);
  return null;
}

function prevIn(line: Buffer): string | null {
  const decoded = decodeLine(line);
  return decoded.ok && decoded.fault === null ? (decoded.keys?.prev ?? null) : null;
}

const FIRST_BYTES = 256 * 1024;

/** Without unpacking all of it; null where the line is longer than what was looked at. */
function firstPackedLine(path: string): Buffer | null {
  const packed = withFile(path, (source) => source.read(0, Math.min(FIRST_BYTES, source.sizeBytes)));
  const bytes = gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH });
  const end = bytes.indexOf(10);
  return end < 0 ? null : bytes.subarray(0, end);
}

const SPILLED = '"spilled"';

/** The spills that the entries of a segment brought. */
function spillsOf(directory: string, name: string, first: number): readonly string[] {
  using segments = Segments.open(directory, name);
  const segment = segments?.at(segments.find({ first, isActive: false })) ?? null;
  const found: string[] = [];
  if (segment === null) return found;
  for (const { bytes } of linesForwards(segment.source, 0, segment.end)) {
    if (!bytes.includes(SPILLED)) continue;
    const decoded = decodeLine(bytes);
    // A checkpoint names what other entries brought.
    if (decoded.ok && decoded.entry.entry_type !== 'checkpoint')
      found.push(...spillsNamedIn(decoded.entry.data).map(({ id }) => id));
  }
  return found;
}
