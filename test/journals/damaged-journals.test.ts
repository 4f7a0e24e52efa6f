// Every kind of bad input, by the right answers that lie beside the damaged journals [J4, J6, S11, S12, P8]: nothing that
// is good is lost, everything that is bad is named with its place, and looking changes no byte.

import { cpSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lookAtJournal } from '../../core/host/looked-at-journal.ts';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { entriesForwards } from '../../core/journal/read-entries.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { AppError } from '../../core/model/errors.ts';
import { sameJson, showJson, type Json, type JsonObject } from '../../core/model/json.ts';
import type { Cursor } from '../../core/model/ports.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import {
  asExpected,
  DAMAGED_JOURNALS,
  damagedJournals,
  isRefused,
  type DamagedJournal,
  type ExpectedClaim,
  type ExpectedProcess,
} from '../support/damaged/expected.ts';
import { treeHash } from '../support/fixtures.ts';
import { fourOf } from '../support/promptise-answers.ts';
import { tempDirectory } from '../support/temp-directory.ts';

let before = '';
beforeAll(() => (before = treeHash(DAMAGED_JOURNALS)));
afterAll(() => expect(treeHash(DAMAGED_JOURNALS), 'reading changes no byte').toBe(before));

type Case = readonly [name: string, process: string, journal: DamagedJournal, expected: ExpectedProcess];
const CASES: readonly Case[] = damagedJournals().flatMap((journal) =>
  Object.entries(journal.processes).map(
    ([process, expected]) => [journal.name, process, journal, expected] as const,
  ),
);

/** As `toEqual`, with numbers that are kept as they were written. */
function expectSame(found: Json, expected: Json): void {
  expect(showJson(sameJson(found, expected) ? expected : found, 1)).toBe(showJson(expected, 1));
}

const recover = async (directory: string, process: string, lenient: boolean) => {
  const recovered = await new ReplayEngine(readFileJournal(directory)).recover(process, { lenient });
  return { four: fourOf(recovered as unknown as JsonObject), damage: recovered.damage };
};

describe('[J4, S12] read', () => {
  test.each(CASES)(
    '%s, %s: every line from the beginning, each bad one with its place',
    (_name, _process, journal, expected) => {
      const path = join(journal.directory, expected.file);
      const items = [...entriesForwards(path)];
      expectSame(items.map(asExpected), expected.lines as unknown as Json);
      const bytes = readFileSync(path);
      // What is named is where it is named, to the byte.
      for (const { offset, sizeBytes } of items) {
        expect([offset === 0 ? 10 : bytes[offset - 1], bytes[offset + sizeBytes - 1]]).toEqual([10, 10]);
      }
    },
  );

  test.each(CASES)(
    '%s, %s: the same lines from the end, page by page of every size',
    async (_name, process, journal, expected) => {
      for (const limit of [1, 2, 3, 100]) {
        const found: Json[] = [];
        let cursor: Cursor | null | undefined;
        while (cursor !== null) {
          const page = await readFileJournal(journal.directory).readLast(process, limit, cursor);
          const items = [...page.entries, ...page.badLines].sort((a, b) => a.offset - b.offset);
          found.unshift(...items.map(asExpected));
          cursor = page.before;
        }
        expectSame(found, expected.lines as unknown as Json);
      }
    },
  );

  test.each(CASES)(
    '%s, %s: no entry that is there is left out by a plain read',
    async (_name, process, journal, expected) => {
      const entries = await readFileJournal(journal.directory).read(process);
      expect(entries.map((entry) => entry.entry_id)).toEqual(
        expected.lines.flatMap(({ entry_id }) => (entry_id === null ? [] : [entry_id])),
      );
    },
  );
});

const REFUSED = CASES.filter(([, , , { strict }]) => isRefused(strict));
const RECOVERED = CASES.filter(([, , , { strict }]) => !isRefused(strict));

describe('[S12, P8] recovered', () => {
  test.each(RECOVERED)('%s, %s: the right state', async (_name, process, { directory }, { strict }) => {
    expectSame((await recover(directory, process, false)).four, strict as unknown as Json);
  });

  test.each(REFUSED)(
    '%s, %s: refused, with every place that is in the way',
    async (_name, process, { directory }, { strict }) => {
      const error = await recover(directory, process, false).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(AppError);
      const { code, message, detail } = error as AppError;
      const lines = (detail['lines'] ?? []) as readonly JsonObject[];
      expect({ error: code, lines: lines.map(({ seq }) => seq) }).toEqual(strict);
      expect(message).toMatch(/line \d+ at byte \d+/);
    },
  );

  test.each(CASES)(
    '%s, %s: shown all the same, with what is wrong beside it',
    async (_name, process, { directory, format }, { lenient, strict, lines }) => {
      const { four, damage } = await recover(directory, process, true);
      expectSame(four, lenient as unknown as Json);
      // A journal that is not ours is read from its beginning, so all of its damage is told of.
      const all = lines.filter((line) => line.damage !== null).map(({ seq }) => seq);
      const told = isRefused(strict) ? strict.lines : format === 'promptise' ? all : [];
      expect(damage.map(({ seq }) => seq)).toEqual(told);
    },
  );

  test.each(CASES)(
    '[P6] %s, %s: the console shows each line once, and throws nothing',
    async (_name, process, journal, { lines }) => {
      const source = await lookAtJournal(journal.directory, () => {}).catch(
        (error: unknown) => error as AppError,
      );
      if (source instanceof AppError) {
        // Not one line says whose journal it is.
        expect([source.code, lines.some(({ entry_id }) => entry_id !== null)]).toEqual([
          'journal.not-a-journal',
          false,
        ]);
        return;
      }
      try {
        // A file that two names lead to is shown under the one that its first line gives.
        const [shown] = source.rows().map((row) => row.name);
        expect(Object.keys(journal.processes)).toContain(shown);
        const seqs: number[] = [];
        let cursor: Cursor | null = null;
        do {
          const page = await source.timeline(process, 3, cursor);
          seqs.push(...page.rows.map((row) => row.seq));
          cursor = page.before as Cursor | null;
        } while (cursor !== null);
        const byNumber = (one: number, other: number): number => one - other;
        expect(seqs.toSorted(byNumber)).toEqual(lines.map(({ seq }) => seq).toSorted(byNumber));
      } finally {
        await source.close();
      }
    },
  );
});

describe('[S9, S11, S12] checked', () => {
  test.each(CASES)(
    '%s, %s: what is damage and what is worth a note, each once',
    async (_name, process, journal, { verify }) => {
      const directory = settledCopy(journal.directory);
      const before = treeHash(directory);
      const names = await readFileJournal(directory).processes();
      const { processes } = await verifyJournal(directory, {
        process: names.includes(process) ? process : names[0]!,
      });
      const { damage, notes } = processes[0]!;
      const found = damage.map(({ kind, seq, offset }) => ({ kind, seq, offset }));
      expect({ damage: found, notes: [...new Set(notes.map(({ kind }) => kind))].sort() }).toEqual(verify);
      expect(treeHash(directory)).toBe(before);
    },
  );
});

/** A copy that nobody has written to for long: what changed just now may be being written. */
function settledCopy(directory: string): string {
  const copy = join(tempDirectory(), 'journal');
  cpSync(directory, copy, { recursive: true });
  for (const name of readdirSync(copy, { recursive: true, encoding: 'utf8' }))
    utimesSync(join(copy, name), LONG_AGO, LONG_AGO);
  return copy;
}
const LONG_AGO = new Date('2026-01-05T09:00:00Z');

const OURS = CASES.filter(([, , , { claim }]) => claim !== null);

describe('[J6, S8, S11, S13] taken for writing', () => {
  test.each(OURS)(
    '%s, %s: cut only where nobody was told, and never in silence',
    async (_name, process, journal, { claim, file }) => {
      const directory = join(tempDirectory(), 'journal');
      cpSync(journal.directory, directory, { recursive: true });
      const original = readFileSync(join(directory, file));
      const found = await claimed(directory, process, original);
      expect(found).toEqual(claim);
      // Whatever was not refused can be worked on.
      const isTaken = found.does !== 'refuse';
      const after = recover(directory, process, false).then(
        ({ damage }) => damage.length === 0,
        () => false,
      );
      expect(isTaken && !(await after)).toBe(false);
    },
  );
});

/** What a claim did, by what it says in the journal, and that it kept every byte that it does not speak of. */
async function claimed(directory: string, process: string, original: Buffer): Promise<ExpectedClaim> {
  const writer = openFileJournal(directory);
  const path = writer.pathOf(process);
  try {
    await writer.claim(process);
  } catch (error) {
    expect(readFileSync(path).equals(original), 'what is refused is left as it is').toBe(true);
    return { does: 'refuse', error: (error as AppError).code };
  } finally {
    await writer.close();
  }
  const bytes = readFileSync(path);
  const said = saidSince(path, bytes, original);
  expect(said.at(-1)?.entry_type).toBe('writer_opened');
  expect(said.every(({ verification }) => verification === 'verified')).toBe(true);
  const [first] = said;
  if (first?.entry_type === 'journal_repaired') {
    const {
      kind,
      offset,
      bytes: sizeBytes,
      file,
    } = first.data as { kind: 'torn_tail'; offset: number; bytes: number; file: string };
    expect(bytes.subarray(0, offset).equals(original.subarray(0, offset))).toBe(true);
    expect(readFileSync(join(directory, file)).equals(original.subarray(offset)), 'byte for byte').toBe(true);
    return { does: kind, offset, bytes: sizeBytes };
  }
  expect(bytes.subarray(0, original.length).equals(original)).toBe(true);
  if (first?.entry_type !== 'foreign_lines') return { does: 'nothing' };
  const { from, to } = first.data as { from: number; to: number };
  return { does: 'foreign_lines', from, to };
}

function saidSince(path: string, bytes: Buffer, original: Buffer): StoredEntry[] {
  let same = 0;
  while (same < original.length && bytes[same] === original[same]) same += 1;
  return [...entriesForwards(path)].filter(
    (item): item is StoredEntry => 'entry_type' in item && item.offset + item.sizeBytes > same,
  );
}
