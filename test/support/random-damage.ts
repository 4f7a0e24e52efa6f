// Journals as the real writer leaves them, and damage of every kind done to them, at random.

import fc from 'fast-check';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal } from '../../core/journal/index.ts';
import { sealedSegments } from '../../core/journal/segments.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { FOLD_VERSION } from '../../core/model/fold.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { foreignLine } from './journal-bytes.ts';

export interface JournalPlan {
  /** What is appended: entries that go out together, or a full checkpoint. */
  readonly steps: readonly (number | 'checkpoint' | 'restart' | 'foreign')[];
  readonly segmentBytes: number;
  readonly durability: 'always' | 'os';
}

export const journalPlan: fc.Arbitrary<JournalPlan> = fc.record({
  steps: fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }) },
      { weight: 3, arbitrary: fc.constant('checkpoint' as const) },
      { weight: 1, arbitrary: fc.constantFrom('restart' as const, 'foreign' as const) },
    ),
    { minLength: 1, maxLength: 14, size: 'max' },
  ),
  segmentBytes: fc.constantFrom(1, 1_500, 64 * 1024 * 1024),
  durability: fc.constantFrom('always', 'os'),
});

export const PROCESS = 'one';

export async function writePlanned(
  directory: string,
  plan: JournalPlan,
  disk: Disk = LOCAL_DISK,
): Promise<void> {
  const { steps, segmentBytes, durability } = plan;
  const open = () => openFileJournal(directory, { segmentBytes, durability, disk });
  let journal = open();
  let n = 0;
  await journal.claim(PROCESS);
  for (const step of steps) {
    if (step === 'restart' || step === 'foreign') {
      await journal.close();
      // What somebody else appends while nobody of ours looks.
      if (step === 'foreign')
        writeFileSync(journal.pathOf(PROCESS), `${foreignLine({ entry_id: `x${(n += 1)}` })}\n`, {
          flag: 'a',
        });
      journal = open();
      await journal.claim(PROCESS);
    } else if (step === 'checkpoint') {
      const { snapshot } = await new ReplayEngine(journal).recover(PROCESS);
      await journal.checkpoint(PROCESS, snapshotToState(snapshot, FOLD_VERSION));
    } else {
      await Promise.all(
        Array.from({ length: step }, () =>
          journal.append({
            process_id: PROCESS,
            entry_type: 'context_update',
            data: { key: `k${(n += 1) % 3}`, value: n },
          }),
        ),
      );
    }
  }
  await journal.settled();
  await journal.close();
}

export const MUTATIONS = [
  'flip a byte',
  'delete a line',
  'repeat lines',
  'swap lines',
  'put in garbage',
  'put in a foreign line',
  'put in a blank line',
  'put in an old line',
  'zero a stretch',
  'cut at a byte',
  'cut at a line',
  'remove a segment',
  'break a packed segment',
  'remove the head',
] as const;

export interface Mutation {
  readonly does: (typeof MUTATIONS)[number];
  /** Which segment, and where in it, as shares of what there is. */
  readonly segment: number;
  readonly at: number;
  readonly count: number;
}

const share = fc.nat(9_999).map((n) => n / 10_000);
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  does: fc.constantFrom(...MUTATIONS),
  segment: share,
  at: share,
  count: fc.integer({ min: 1, max: 4 }),
});

/** The files of the process's segments, oldest first. */
export function segmentFiles(directory: string): string[] {
  const active = join(directory, `${PROCESS}.jsonl`);
  const sealed = sealedSegments(directory, PROCESS).map(({ path }) => path);
  return statSync(active, { throwIfNoEntry: false }) === undefined ? sealed : [...sealed, active];
}

export function unpacked(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** Lines with their line feeds; the last may have none. */
export function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const at = bytes.indexOf(10, from);
    const end = at < 0 ? bytes.length : at + 1;
    lines.push(bytes.subarray(from, end));
    from = end;
  }
  return lines;
}

export function mutate(directory: string, { does, segment, at, count }: Mutation): void {
  const files = segmentFiles(directory);
  if (files.length === 0) return;
  const pick = (share: number, of: number): number => Math.floor(share * of);
  const path = files[pick(segment, files.length)]!;
  const isActive = path.endsWith(`${PROCESS}.jsonl`);
  if (does === 'remove the head') {
    rmSync(join(directory, '.holdfast/heads', `${PROCESS}.head`), { force: true });
    return;
  }
  if (does === 'remove a segment') {
    if (!isActive) rmSync(path);
    return;
  }
  if (does === 'break a packed segment') {
    if (!path.endsWith('.gz')) return;
    const bytes = readFileSync(path);
    bytes[pick(at, bytes.length)]! ^= 0x55;
    writeFileSync(path, bytes);
    return;
  }
  let bytes: Buffer;
  try {
    bytes = unpacked(path);
  } catch {
    return; // Broken already, as a whole.
  }
  const lines = linesOf(bytes);
  const n = pick(at, lines.length);
  const rebuilt = changed(does, bytes, lines, n, at, count);
  writeFileSync(path, path.endsWith('.gz') ? gzipSync(rebuilt) : rebuilt);
}

function changed(
  does: Mutation['does'],
  bytes: Buffer,
  lines: Buffer[],
  n: number,
  at: number,
  count: number,
): Buffer {
  const byte = Math.floor(at * bytes.length);
  const insert = (line: string | Buffer): Buffer =>
    Buffer.concat([...lines.slice(0, n), Buffer.from(line), ...lines.slice(n)]);
  switch (does) {
    case 'flip a byte': {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[byte]! ^= 1 << (count - 1);
      return copy;
    }
    case 'delete a line':
      return Buffer.concat(lines.toSpliced(n, count));
    case 'repeat lines':
      return Buffer.concat([
        ...lines.slice(0, n + count),
        ...lines.slice(n, n + count),
        ...lines.slice(n + count),
      ]);
    case 'swap lines': {
      const [one, two] = [lines[n], lines[n + 1]];
      return one === undefined || two === undefined ? bytes : Buffer.concat(lines.toSpliced(n, 2, two, one));
    }
    case 'put in garbage':
      return insert('{"half a line\n');
    case 'put in a foreign line':
      return insert(`${foreignLine({ entry_id: `y${n}` })}\n`);
    case 'put in a blank line':
      return insert('\n');
    case 'put in an old line':
      return insert(lines[0] ?? '');
    case 'zero a stretch': {
      const copy = Buffer.from(bytes);
      return copy.fill(0, byte, Math.min(copy.length, byte + 40 * count));
    }
    case 'cut at a byte':
      return bytes.subarray(0, byte);
    case 'cut at a line':
      return Buffer.concat(lines.slice(0, n));
    case 'remove a segment':
    case 'break a packed segment':
    case 'remove the head':
      return bytes;
  }
}
