// S15 Retention drops whole sealed segments, oldest first, and only where somebody asked for it. A tombstone, an entry that
//     says what was dropped and how the chain goes on, is durable before anything is removed. Nothing is dropped while an
//     effect has no certain end, and no spill that the last checkpoint names.

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stateOf } from '../model/checkpoint.ts';
import { isBad } from '../model/entry.ts';
import { objectAt, objectsAt, textAt, type JsonObject } from '../model/json.ts';
import { decodeLine } from './codec.ts';
import type { Retention } from '../model/ports.ts';
import type { Disk } from './disk.ts';
import { linesForwards } from './lines.ts';
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
  const { disk, directory, name, retention, nowMs, bury } = options;
  const kept = sealedSegments(directory, name).flatMap((segment) => {
    const stats = statSync(segment.path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ ...segment, sizeBytes: stats.size, sealedAt: stats.mtimeMs }];
  });
  const dropped = droppable(kept, retention, nowMs);
  const [first] = dropped;
  const last = dropped.at(-1);
  if (first === undefined || last === undefined) return;
  const checkpoint = lastCheckpointState(directory, name);
  if (checkpoint === null || hasUncertainEffect(checkpoint)) return;
  const hash = prevOf(directory, name, last.last + 1);
  // A journal with a hole is for a repair, not for retention.
  if (hash === null) return;
  const needed = new Set(spillsNamedIn(checkpoint).map(({ id }) => id));
  const spills = spillsOf(directory, name, dropped.length).filter((id) => !needed.has(id));
  await bury({
    first_seq: first.first,
    last_seq: last.last,
    hash,
    bytes: dropped.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    reason: reasonOf(retention),
  });
  for (const id of spills) disk.remove(join(spillsDirectory(directory, name), id));
  for (const { path } of dropped) disk.remove(path);
  await disk.syncDirectory(dirname(last.path));
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

/** The spills that the oldest `count` segments name. */
function spillsOf(directory: string, name: string, count: number): readonly string[] {
  using segments = Segments.open(directory, name);
  const found: string[] = [];
  for (let at = 0; at < Math.min(count, segments?.sealed.length ?? 0); at += 1) {
    const segment = segments?.at(at) ?? null;
    if (segment === null) continue;
    for (const { bytes } of linesForwards(segment.source, 0, segment.end)) {
      if (!bytes.includes(SPILLED)) continue;
      const decoded = decodeLine(bytes);
      // A checkpoint names what other entries brought.
      if (decoded.ok && decoded.entry.entry_type !== 'checkpoint')
        found.push(...spillsNamedIn(decoded.entry.data).map(({ id }) => id));
    }
  }
  return found;
}
