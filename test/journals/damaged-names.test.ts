// Names that break things elsewhere [J9, P5, P8]: each is a process of its own that is written, found, recovered and shown
// under exactly that name, and no file is ever made outside of the journal.

import { lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lookAtJournal } from '../../core/host/looked-at-journal.ts';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { codeOf } from '../../core/model/errors.ts';
import { FOLD_VERSION } from '../../core/model/fold.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { holdfast } from '../support/child.ts';
import { treeHash } from '../support/fixtures.ts';
import { fileOf, foreignLine, update } from '../support/journal-bytes.ts';
import { COLLIDING_NAMES, NAUGHTY_NAMES, NOT_OURS } from '../support/naughty-names.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const canCaseCount = process.platform === 'linux';

/** One journal with all of them, each with a checkpoint, a sealed segment and a value of its own. */
async function written(): Promise<string> {
  const directory = join(tempDirectory(), 'inner', 'journal');
  const journal = openFileJournal(directory, { durability: 'os', segmentBytes: 1 });
  const state = snapshotToState({ ...emptySnapshot(), lifecycle: 'running' }, FOLD_VERSION);
  for (const [at, name] of NAUGHTY_NAMES.entries()) {
    await journal.append(update('before', at, name));
    await journal.checkpoint(name, state);
    await journal.append(update('mine', at, name));
  }
  await journal.close();
  return directory;
}

describe('[J9] every name', () => {
  test('is written, sealed, found again after a restart, and recovered with its own state', async () => {
    const directory = await written();
    // Nothing beside the journal, and nothing but files in it.
    expect(readdirSync(join(directory, '../..'))).toEqual(['inner']);
    expect(readdirSync(dirname(directory))).toEqual(['journal']);
    expect(readdirSync(directory).filter((name) => !lstatSync(join(directory, name)).isFile())).toEqual([
      '.holdfast',
    ]);

    const again = openFileJournal(directory, { durability: 'os', segmentBytes: 1 });
    onTestFinished(() => again.close());
    for (const name of NAUGHTY_NAMES) await again.append(update('again', true, name));
    const before = treeHash(directory);
    const journal = readFileJournal(directory);
    expect(await journal.processes()).toEqual([...NAUGHTY_NAMES].sort());
    for (const [at, name] of NAUGHTY_NAMES.entries()) {
      const entries = await journal.read(name);
      expect(
        entries.map(({ process_id, verification }) => [process_id, verification]),
        name,
      ).toEqual(Array.from({ length: 6 }, () => [name, 'verified']));
      const { context_state, damage } = await new ReplayEngine(journal).recover(name);
      expect([context_state, damage], name).toEqual([{ mine: at, again: true }, []]);
      expect((await journal.readLast(name, 2)).entries.map(({ seq }) => seq)).toEqual([5, 6]);
    }
    expect(treeHash(directory)).toBe(before);
  });

  test('is a row, a detail and a timeline in the console, under exactly that name', async () => {
    const directory = await written();
    const source = await lookAtJournal(directory, () => {});
    onTestFinished(() => source.close());
    expect(
      source
        .rows()
        .map((row) => row.name)
        .sort(),
    ).toEqual([...NAUGHTY_NAMES].sort());
    for (const [at, name] of NAUGHTY_NAMES.entries()) {
      expect(source.detail(name).context, name).toEqual([{ key: 'mine', text: String(at), cut: false }]);
      expect((await source.timeline(name, 9, null)).rows, name).toHaveLength(4);
    }
  });

  test('can be given to the command', async () => {
    const directory = await written();
    for (const name of ['a/b', '../x', '%2F', 'CON', '--help', '\u202Egnp.exe', '📦👨‍👩‍👧', '$HOME `id` $(id)']) {
      const { code, stdout, stderr } = await holdfast(['recover', '--json', directory, '--', name]);
      expect({ code, stderr }, name).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout), name).toMatchObject({
        process_id: name,
        context_state: { mine: NAUGHTY_NAMES.indexOf(name) },
      });
    }
  });

  test('in a foreign journal is read under exactly that name', async () => {
    const directory = tempDirectory();
    const names = [...NAUGHTY_NAMES, ...NOT_OURS];
    for (const [at, name] of names.entries()) {
      const file = name.replaceAll(/[/\\]/g, '_');
      writeFileSync(
        join(directory, `${file}.jsonl`),
        fileOf([foreignLine({ process_id: name, data: { key: 'mine', value: at } })]),
      );
    }
    const journal = readFileJournal(directory);
    expect(await journal.processes()).toEqual(names.toSorted());
    for (const [at, name] of names.entries()) {
      expect((await new ReplayEngine(journal).recover(name)).context_state, name).toEqual({ mine: at });
    }
  });

  test.each(NOT_OURS)('but %j, which is refused before anything is made', async (name) => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    onTestFinished(() => journal.close());
    for (const attempt of [
      journal.append(update('n', 1, name)),
      journal.claim(name),
      journal.checkpoint(name, {}),
    ])
      await expect(attempt).rejects.toMatchObject({ code: 'journal.name-unsupported' });
    expect(await journal.processes()).toEqual([]);
  });
});

describe('[J9] names of which only one can be kept', () => {
  test.each(COLLIDING_NAMES)('%s is kept, %s is refused, and the first is whole', async (kept, refused) => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    onTestFinished(() => journal.close());
    await journal.append(update('n', 1, kept));
    const tries = [
      journal.append(update('n', 2, refused)),
      journal.claim(refused),
      journal.checkpoint(refused, { context_state: {} }),
    ];
    for (const attempt of tries) {
      await expect(attempt).rejects.toMatchObject({
        code: 'journal.name-collision',
        detail: { owner: kept },
      });
    }
    const { context_state, entries_replayed } = await new ReplayEngine(readFileJournal(directory)).recover(
      kept,
    );
    expect([context_state, entries_replayed]).toEqual([{ n: 1 }, 2]);
    const read = await readFileJournal(directory).read(refused).catch(codeOf);
    expect(['journal.name-collision', []]).toContainEqual(read);
  });

  test.runIf(canCaseCount)(
    'that differ in case only, in a foreign journal: two processes, as they lie there',
    async () => {
      const directory = tempDirectory();
      for (const name of ['Clerk', 'clerk']) {
        writeFileSync(
          join(directory, `${name}.jsonl`),
          fileOf([foreignLine({ process_id: name, data: { key: 'whose', value: name } })]),
        );
      }
      const journal = readFileJournal(directory);
      expect(await journal.processes()).toEqual(['Clerk', 'clerk']);
      for (const name of ['Clerk', 'clerk']) {
        expect((await new ReplayEngine(journal).recover(name)).context_state).toEqual({ whose: name });
      }
    },
  );
});
