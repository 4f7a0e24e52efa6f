// A journal that is older than what was last known of it, or that lost what was known beside it [S10, S13, P2]: it is never
// gone on with as if nothing had happened since, and nothing that is in it is lost.

import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFileJournal, readFileJournal, type FileJournal } from '../../core/journal/index.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { AppError } from '../../core/model/errors.ts';
import { FOLD_VERSION } from '../../core/model/fold.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { treeHash } from '../support/fixtures.ts';
import { update } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';

interface Place {
  readonly root: string;
  readonly directory: string;
  /** Of the user, apart from the journal. */
  readonly known: string;
  readonly backup: string;
}

function place(): Place {
  const root = tempDirectory();
  const [directory, known, backup] = ['journal', 'known', 'backup'].map((name) => join(root, name));
  return { root, directory: directory!, known: known!, backup: backup! };
}

const open = ({ directory, known }: Place, isKnown: boolean): FileJournal =>
  openFileJournal(directory, { knownJournals: isKnown ? known : null });

/** A journal with three values, a backup of it as of the second, closed. */
async function withBackup(isKnown: boolean, segmentBytes?: number): Promise<Place> {
  const where = place();
  const options = {
    knownJournals: isKnown ? where.known : null,
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  };
  for (const value of [1, 2, 3]) {
    const journal = openFileJournal(where.directory, options);
    await journal.append(update('n', value));
    if (segmentBytes !== undefined) {
      const snapshot = { ...emptySnapshot(), context: { n: value } };
      await journal.checkpoint('one', snapshotToState(snapshot, FOLD_VERSION));
    }
    await journal.close();
    if (value === 2) cpSync(where.directory, where.backup, { recursive: true });
  }
  return where;
}

/** What opening it for work gives: the reason it is held for, the code it is refused with, or that it just goes on. */
async function opened(
  where: Place,
  isKnown: boolean,
): Promise<{ readonly held: string } | { readonly refused: string } | 'goes on'> {
  const journal = open(where, isKnown);
  onTestFinished(() => journal.close());
  try {
    await journal.claim('one');
  } catch (error) {
    return { refused: error instanceof AppError ? error.code : String(error) };
  }
  const { snapshot } = await new ReplayEngine(journal).recover('one');
  const [hold] = snapshot.holds;
  return hold === undefined ? 'goes on' : { held: `${hold.kind}: ${hold.reason}` };
}

async function contextOf(directory: string): Promise<unknown> {
  return (await new ReplayEngine(readFileJournal(directory)).recover('one')).context_state;
}

const HELD = (what: RegExp) => ({ held: expect.stringMatching(what) as string });

describe('an older copy of the whole directory, put back', () => {
  test.each([
    ['over the newer one', false],
    ['in the place of the newer one', true],
  ])('%s, on a machine that knows better: held, with how far it was and is', async (_how, isRemoved) => {
    const where = await withBackup(true);
    if (isRemoved) rmSync(where.directory, { recursive: true });
    cpSync(where.backup, where.directory, { recursive: true });
    expect(await contextOf(where.directory)).toEqual({ n: 2 });
    expect(await opened(where, true)).toEqual(
      HELD(/^gap: .*ends at entry 4.* up to entry 6.*restored from an older copy/),
    );
    expect(await contextOf(where.directory)).toEqual({ n: 2 });
  });

  test('in the place of the newer one, on a machine that knows nothing: held, since it is another file', async () => {
    const where = await withBackup(false);
    rmSync(where.directory, { recursive: true });
    cpSync(where.backup, where.directory, { recursive: true });
    expect(await opened(where, false)).toEqual(HELD(/^gap: .*moved, copied or restored/));
  });

  test('and resumed: it is not held a second time', async () => {
    const where = await withBackup(true);
    cpSync(where.backup, where.directory, { recursive: true });
    expect(await opened(where, true)).not.toBe('goes on');
    const journal = readFileJournal(where.directory);
    const holds = (await journal.read('one', { entryType: 'hold_placed' })).length;
    expect(holds).toBe(1);
  });

  test('in segments: held, and every segment that is there is read', async () => {
    const where = await withBackup(true, 1);
    rmSync(where.directory, { recursive: true });
    cpSync(where.backup, where.directory, { recursive: true });
    expect(await opened(where, true)).toEqual(HELD(/^gap: .*restored from an older copy/));
    const entries = await readFileJournal(where.directory).read('one', { entryType: 'context_update' });
    expect(entries.map(({ data }) => data['value'])).toEqual([1, 2]);
  });
});

describe('an older copy in segments, put back over the newer one', () => {
  test.each([
    ['on a machine that knows better', true],
    ['on a machine that knows nothing', false],
  ])('%s: what is left of the newer one is never mixed up with it', async (_where, isKnown) => {
    const where = await withBackup(isKnown, 1);
    cpSync(where.backup, where.directory, { recursive: true });
    const before = readFileSync(join(where.directory, 'one.jsonl'));
    const found = await opened(where, isKnown);
    expect(found).not.toBe('goes on');
    expect(readFileSync(join(where.directory, 'one.jsonl')).subarray(0, before.length)).toEqual(before);
  });
});

describe('an older copy of the entries alone, put back', () => {
  test('is refused: its own head knows that there was more', async () => {
    const where = await withBackup(false);
    cpSync(join(where.backup, 'one.jsonl'), join(where.directory, 'one.jsonl'));
    const before = readFileSync(join(where.directory, 'one.jsonl'));
    expect(await opened(where, false)).toEqual({ refused: 'journal.lost-tail' });
    expect(readFileSync(join(where.directory, 'one.jsonl'))).toEqual(before);
    // It can be looked at all the same.
    expect(await contextOf(where.directory)).toEqual({ n: 2 });
  });
});

describe('a deleted .holdfast', () => {
  const forget = ({ directory }: Place): void => rmSync(join(directory, '.holdfast'), { recursive: true });

  test('costs nothing that is in the journal: it goes on, with a higher epoch and an unbroken chain', async () => {
    const where = await withBackup(false);
    forget(where);
    expect(await contextOf(where.directory)).toEqual({ n: 3 });
    expect(await opened(where, false)).toBe('goes on');
    const entries = await readFileJournal(where.directory).read('one');
    expect(
      entries.every(({ verification }, at) => verification === 'verified' && entries[at]!.seq === at + 1),
    ).toBe(true);
    const epochs = entries.flatMap(({ entry_type, data }) =>
      entry_type === 'writer_opened' ? [Number(data['epoch'])] : [],
    );
    expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
    expect(new Set(epochs).size).toBe(4);
  });

  test('with what the user’s folder knows still in place: it goes on where it fits', async () => {
    const where = await withBackup(true);
    forget(where);
    expect(await opened(where, true)).toBe('goes on');
  });

  test('and an older copy: held by what the user’s folder knows', async () => {
    const where = await withBackup(true);
    cpSync(join(where.backup, 'one.jsonl'), join(where.directory, 'one.jsonl'));
    forget(where);
    expect(await opened(where, true)).toEqual(HELD(/^gap: .*restored from an older copy/));
  });

  test('takes sealed segments with it: what is left begins with a full checkpoint and is recovered', async () => {
    const where = await withBackup(false, 1);
    forget(where);
    expect(await contextOf(where.directory)).toEqual({ n: 3 });
    expect(await opened(where, false)).toBe('goes on');
  });
});

test('[P6] looking at any of them changes no byte', async () => {
  const where = await withBackup(true, 1);
  cpSync(where.backup, where.directory, { recursive: true });
  const before = treeHash(where.root);
  const journal = readFileJournal(where.directory);
  await journal.read('one');
  await journal.readLast('one', 2);
  await journal.lastCheckpoint('one');
  await contextOf(where.directory);
  expect(treeHash(where.root)).toBe(before);
});
