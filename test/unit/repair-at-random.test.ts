// `holdfast repair` [S14] after damage of every kind at random: the longer the run, the rarer the mix. HOLDFAST_RUNS asks for
// another number of journals, HOLDFAST_SEED for those of a run that failed.

import fc from 'fast-check';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { repairJournal, type RepairReport } from '../../core/journal/repair-journal.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { treeHash } from '../support/fixtures.ts';
import {
  journalPlan,
  linesOf,
  mutate,
  mutation,
  PROCESS,
  segmentFiles,
  unpacked,
  writePlanned,
  type Mutation,
} from '../support/random-damage.ts';
import { recover } from '../support/recover.ts';

const RUNS = Number(process.env['HOLDFAST_RUNS'] ?? 60);
const SEED = process.env['HOLDFAST_SEED'];

/** Nobody pulls the plug here, and waiting for the disk is most of the time otherwise. */
const UNSYNCED: Disk = {
  ...LOCAL_DISK,
  sync: async () => undefined,
  syncNow: () => undefined,
  syncDirectory: async () => undefined,
};

test(
  `${RUNS} journals with damage at random: every good line is in the copy once and in order, every other byte beside it, and nothing is damaged any more [S11, S12, S14]`,
  async () => {
    const seen = { whole: 0, held: 0, free: 0 };
    await fc.assert(
      fc.asyncProperty(journalPlan, fc.array(mutation, { maxLength: 4 }), async (plan, mutations) => {
        const root = tempRoot();
        try {
          const directory = join(root, 'journal');
          await writePlanned(directory, plan, UNSYNCED);
          seen[await check(directory, join(root, 'copy'), mutations)] += 1;
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      }),
      { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  },
  60_000 + RUNS * 1_000,
);

/** In memory where Linux has such a disk: the lock of each of the many writers waits for it too. */
function tempRoot(): string {
  const memory = '/dev/shm';
  return mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'holdfast-repair-'));
}

const has = (mutations: readonly Mutation[], does: Mutation['does']): boolean =>
  mutations.some((mutation) => mutation.does === does);

async function check(
  directory: string,
  copy: string,
  mutations: readonly Mutation[],
): Promise<'whole' | 'held' | 'free'> {
  const good = textsOf(directory);
  const { context_state } = await new ReplayEngine(readFileJournal(directory)).recover(PROCESS);
  for (const each of mutations) mutate(directory, each);
  const before = treeHash(directory);
  const { isWhole } = await verifyJournal(directory);
  const report = await repairJournal(directory, copy, { recover, disk: UNSYNCED });
  expect(treeHash(directory)).toBe(before);
  expect(report.copy === null).toBe(isWhole);
  expect(existsSync(copy)).toBe(!isWhole);
  if (isWhole) {
    await expectWritable(directory, `${copy}-twin`);
    return 'whole';
  }
  const one = report.repaired[0]!;
  const unfinished = expectAllKept(directory, copy, one);
  // Of lines that changed places one has its place, and which one is anybody's guess. So it is with one that is whole only
  // where it does not belong.
  const isMoved =
    has(mutations, 'swap lines') ||
    (mutations.length > 1 && (has(mutations, 'put in an old line') || has(mutations, 'repeat lines')));
  // What is somebody else's has its place by the lines of ours around it, which more than one harm may take away.
  const written = mutations.length > 1 ? good.filter(isOurs) : good;
  expectOnce(copy, directory, new Set(written), isMoved ? null : unfinished);
  const numbers = (await readFileJournal(copy).read(PROCESS)).map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect((await verifyJournal(copy)).processes.flatMap(({ damage }) => damage)).toEqual([]);
  const recovered = await new ReplayEngine(readFileJournal(copy)).recover(PROCESS);
  expect(recovered.snapshot.holds.some(({ kind }) => kind === 'gap')).toBe(one.held);
  // Whoever is not held has lost nothing that counts; without a head an end can be lost without a trace.
  const isSure = !one.held && unfinished.size === 0 && !has(mutations, 'remove the head');
  expect(isSure ? recovered.context_state : context_state).toEqual(context_state);
  await expectWritable(copy, `${copy}-twin`);
  return one.held ? 'held' : 'free';
}

/** Every line that was written and is still there is in the copy, once; null: at most once. */
function expectOnce(
  copy: string,
  directory: string,
  written: ReadonlySet<string>,
  unfinished: ReadonlySet<string> | null,
): void {
  const left = new Set(textsOf(directory));
  const there = textsOf(copy).filter((text) => written.has(text));
  // Nothing tells two equal lines of somebody else's apart.
  const ours = there.filter(isOurs);
  expect(new Set(ours).size).toBe(ours.length);
  const due = [...written].filter((text) => unfinished !== null && left.has(text) && !unfinished.has(text));
  expect(due.filter((text) => !there.includes(text))).toEqual([]);
}

const isOurs = (text: string): boolean => text.includes('"crc":"');

/** All whole lines of all segments that can be unpacked. */
function textsOf(directory: string): string[] {
  return segmentFiles(directory)
    .flatMap((path) => linesOf(unpackedOrNone(path)))
    .map((line) => line.toString('latin1'))
    .filter((text) => text.endsWith('\n'));
}

function unpackedOrNone(path: string): Buffer {
  try {
    return unpacked(path);
  } catch {
    return Buffer.alloc(0); // What can't be unpacked has no lines.
  }
}

/** Kept and left out are together all that there was, byte for byte and in order. Gives the lines of an unfinished batch. */
function expectAllKept(
  directory: string,
  copy: string,
  { gaps, keptBytes, droppedBytes }: RepairReport['repaired'][number],
): ReadonlySet<string> {
  const kept: Buffer[] = [];
  const unfinished = new Set<string>();
  let left = 0;
  for (const path of segmentFiles(directory)) {
    const mine = gaps.filter(({ segment, bytes }) => bytes > 0 && join(directory, segment) === path);
    const isUnreadable = mine.some(({ reason }) => reason === 'segment-unreadable');
    const bytes = isUnreadable ? readFileSync(path) : unpacked(path);
    let at = 0;
    for (const { offset, bytes: length, file, reason } of mine) {
      const part = bytes.subarray(offset, offset + length);
      expect(readFileSync(join(copy, file!)).equals(part)).toBe(true);
      kept.push(bytes.subarray(at, offset));
      at = offset + length;
      left += length;
      if (reason === 'unfinished-batch')
        for (const line of linesOf(part)) unfinished.add(line.toString('latin1'));
    }
    kept.push(bytes.subarray(at));
  }
  const all = Buffer.concat(kept);
  const there = Buffer.concat(segmentFiles(copy).map(unpacked));
  expect({ keptBytes, droppedBytes }).toEqual({ keptBytes: all.length, droppedBytes: left });
  expect(there.subarray(0, all.length).equals(all)).toBe(true);
  return unfinished;
}

/** Whoever runs it can go on, and leaves nothing damaged. */
async function expectWritable(directory: string, twin: string): Promise<void> {
  cpSync(directory, twin, { recursive: true });
  const journal = openFileJournal(twin, { disk: UNSYNCED });
  try {
    await journal.append({ process_id: PROCESS, entry_type: 'log', data: {} });
    await journal.settled();
  } finally {
    await journal.close();
  }
  expect((await verifyJournal(twin)).processes.flatMap((process) => process.damage)).toEqual([]);
}
