// S15 Retention drops whole sealed segments, oldest first, and only where somebody asked for it. A tombstone, an entry that
//     says what was dropped and how the chain goes on, is durable before anything is removed. Nothing is dropped while an
//     effect has no certain end, and no spill that the last checkpoint names.

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stateOf } from '../model/checkpoint.ts';
import { isBad } from '../model/entry.ts';
import { numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../model/json.ts';
import { decodeLine } from './codec.ts';
import type { Retention } from '../model/ports.ts';
import type { Disk } from './disk.ts';
import { linesBackwards, linesForwards } from './lines.ts';
import { journalForwards, lastFullCheckpoint } from './read-entries.ts';
import { sealedSegments, Segments, type SealedSegment } from './segments.ts';
import { spillsDirectory, spillsNamedIn } from './spills.ts';

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
  const checkpoint = lastCheckpointState(directory, name);
  if (checkpoint === null || hasUncertainEffect(checkpoint)) return;
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
  for (const { first: number, path } of segments) {
    for (const id of spillsOf(directory, name, number))
      if (!needed.has(id)) disk.remove(join(spillsDirectory(directory, name), id));
    disk.remove(path);
  }
  await disk.syncDirectory(dirname(first.path));
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

/** Announced and without an end, or in doubt: whoever has to decide may want to read how it came to that. */
function hasUncertainEffect(state: JsonObject): boolean {
  const mark = objectAt(state, 'holdfast') ?? {};
  return objectsAt(mark, 'open').some((open) =>
    objectsAt(open, 'effects').some((effect) => {
      const end = objectAt(effect, 'end');
      return end === null || textAt(end, 'kind') === 'in_doubt';
    }),
  );
}

/** What the line with this number, the first of a segment, says of the one before. */
function prevOf(directory: string, name: string, first: number): string | null {
  using segments = Segments.open(directory, name);
  const segment = segments?.at(segments.find(first)) ?? null;
  if (segment === null) return null;
  for (const { bytes } of linesForwards(segment.source, 0, segment.end)) {
    const decoded = decodeLine(bytes);
    return decoded.ok && decoded.fault === null ? (decoded.keys?.prev ?? null) : null;
  }
  return null;
}

const SPILLED = '"spilled"';

/** The spills that the entries of a segment brought. */
function spillsOf(directory: string, name: string, first: number): readonly string[] {
  using segments = Segments.open(directory, name);
  const segment = segments?.at(segments.find(first)) ?? null;
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
