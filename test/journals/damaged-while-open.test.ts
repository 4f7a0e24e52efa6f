// What happens to a journal while it is open: somebody else writes, cuts, replaces or deletes it. The writer stops before
// it mixes anything up, and what follows says what was found [S8, J6, S13]; a reader goes on with what is there [J4, S9].

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lookAtJournal } from '../../core/host/looked-at-journal.ts';
import type { JournalSource } from '../../core/host/journal-source.ts';
import { openFileJournal, readFileJournal, type FileJournal } from '../../core/journal/index.ts';
import { entriesForwards, isBad } from '../../core/journal/read-entries.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { HOLDFAST, startNode } from '../support/child.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const THOUSAND = fileURLToPath(new URL('../support/append-a-thousand.ts', import.meta.url));

interface Writing {
  readonly directory: string;
  readonly path: string;
  readonly journal: FileJournal;
}

/** Two entries behind the writer's own, acknowledged. */
async function writing(): Promise<Writing> {
  const directory = tempDirectory();
  const journal = openFileJournal(directory);
  onTestFinished(() => journal.close().catch(() => {}));
  await journal.append(update('n', 1));
  await journal.append(update('n', 2));
  return { directory, path: journal.pathOf('one'), journal };
}

const said = (path: string): string[] =>
  [...entriesForwards(path)].map((item) =>
    isBad(item)
      ? 'bad'
      : `${item.entry_type}${item.verification === 'verified' ? '' : ` ${item.verification}`}`,
  );

const STRANGER = foreignLine({ data: { key: 'n', value: 7 } });

describe('[S8] a foreign writer between two of our entries', () => {
  test.each(['the same program', 'the next one'])(
    'stops ours at once; %s says which lines are not ours, and goes on behind them',
    async (who) => {
      const { directory, path, journal } = await writing();
      appendFileSync(path, `${STRANGER}\n${STRANGER}\n`);
      const before = readFileSync(path);
      for (let attempt = 0; attempt < 2; attempt += 1) {
        await expect(journal.append(update('n', 3))).rejects.toMatchObject({
          code: 'journal.foreign-writer',
          detail: { path },
        });
      }
      expect(readFileSync(path)).toEqual(before);
      let again = journal;
      if (who === 'the next one') {
        await journal.close();
        again = openFileJournal(directory);
        onTestFinished(() => again.close());
      }
      await again.claim('one');
      await again.append(update('m', 4));
      expect(readFileSync(path).subarray(0, before.length)).toEqual(before);
      expect(said(path)).toEqual([
        'writer_opened',
        'context_update',
        'context_update',
        'context_update unverified',
        'context_update unverified',
        'foreign_lines',
        'writer_opened',
        'context_update',
      ]);
      const [told] = await again.read('one', { entryType: 'foreign_lines' });
      expect(told).toMatchObject({ seq: 6, data: { from: 4, to: 5 } });
      const { context_state, damage } = await new ReplayEngine(readFileJournal(directory)).recover('one');
      expect([context_state, damage]).toEqual([{ n: 7, m: 4 }, []]);
    },
  );

  test('that left half a line: it is set aside byte for byte', async () => {
    const { directory, path, journal } = await writing();
    const half = STRANGER.slice(0, 40);
    appendFileSync(path, half);
    await expect(journal.append(update('n', 3))).rejects.toMatchObject({ code: 'journal.foreign-writer' });
    await journal.claim('one');
    const [repaired] = await journal.read('one', { entryType: 'journal_repaired' });
    expect(repaired!.data).toMatchObject({ kind: 'torn_tail', bytes: half.length });
    expect(readFileSync(join(directory, repaired!.data['file'] as string), 'utf8')).toBe(half);
    expect(said(path)).not.toContain('bad');
  });

  test('that left a half line and then a whole one, which nobody could read: both are set aside', async () => {
    const { directory, path, journal } = await writing();
    const glued = `${STRANGER.slice(0, 40)}${STRANGER}\n`;
    appendFileSync(path, glued);
    await expect(journal.append(update('n', 3))).rejects.toMatchObject({ code: 'journal.foreign-writer' });
    await journal.claim('one');
    const [repaired] = await journal.read('one', { entryType: 'journal_repaired' });
    expect(repaired!.data).toMatchObject({ kind: 'unfinished_batch', bytes: glued.length });
    expect(readFileSync(join(directory, repaired!.data['file'] as string), 'utf8')).toBe(glued);
  });
});

describe('[S8, S13] a journal that is taken away under its writer', () => {
  test.each<[string, (path: string) => void, string]>([
    ['cut in a line', (path) => truncateSync(path, readFileSync(path).length - 20), 'journal.lost-tail'],
    [
      'cut at a line feed',
      (path) => truncateSync(path, readFileSync(path).indexOf(10) + 1),
      'journal.lost-tail',
    ],
    ['emptied', (path) => truncateSync(path, 0), 'journal.lost-tail'],
    ['deleted', (path) => rmSync(path), 'journal.lost-tail'],
    [
      'deleted and begun anew',
      (path) => writeAnew(path, fileOf(ourLines([update('n', 9)]))),
      'journal.lost-tail',
    ],
    [
      'replaced by another as long',
      (path) =>
        writeAnew(
          path,
          readFileSync(path).map((byte) => byte ^ 1),
        ),
      'journal.lost-tail',
    ],
  ])('%s: writing stops, and nobody goes on as if nothing were lost', async (_name, harm, code) => {
    const { directory, path, journal } = await writing();
    harm(path);
    const before = existing(path);
    await expect(journal.append(update('n', 3))).rejects.toMatchObject({ code: 'journal.foreign-writer' });
    await expect(journal.append(update('n', 3))).rejects.toMatchObject({ code: 'journal.foreign-writer' });
    await journal.close().catch(() => {});
    const again = openFileJournal(directory);
    onTestFinished(() => again.close());
    await expect(again.claim('one')).rejects.toMatchObject({ code, detail: { process: 'one', expected: 3 } });
    await expect(again.append(update('n', 3))).rejects.toMatchObject({ code });
    expect(existing(path), 'what is refused is left as it is').toEqual(before);
  });

  test('replaced by a copy of itself: nothing is lost, and it is held until somebody has looked', async () => {
    const { directory, path, journal } = await writing();
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    await expect(journal.append(update('n', 3))).rejects.toMatchObject({ code: 'journal.foreign-writer' });
    await journal.close().catch(() => {});
    const again = openFileJournal(directory);
    onTestFinished(() => again.close());
    await again.claim('one');
    const { snapshot } = await new ReplayEngine(again).recover('one');
    expect(snapshot.holds.map(({ kind }) => kind)).toEqual(['gap']);
    expect(snapshot.context).toEqual({ n: 2 });
  });
});

function writeAnew(path: string, bytes: Uint8Array): void {
  rmSync(path);
  writeFileSync(path, bytes);
}

/** Null where there is no file. */
function existing(path: string): Buffer | null {
  return existsSync(path) ? readFileSync(path) : null;
}

test('[J5] two programs with a thousand entries each: one at a time, every entry once, no number twice', async () => {
  const directory = tempDirectory();
  const ended = await Promise.all(['a', 'b'].map((who) => startNode(THOUSAND, [directory, who]).ended));
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  const entries = await readFileJournal(directory).read('one');
  expect(
    entries.every(({ verification }, at) => verification === 'verified' && entries[at]!.seq === at + 1),
  ).toBe(true);
  for (const who of ['a', 'b']) {
    const values = entries.flatMap(({ data }) => (data['key'] === who ? [data['value']] : []));
    expect(values).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  }
});

describe('[J4, S9] a journal that is looked at', () => {
  const ours = (...values: number[]): Buffer => fileOf(ourLines(values.map((value) => update('n', value))));

  async function looked(
    bytes: Buffer | string,
  ): Promise<{ path: string; source: JournalSource; shows: () => string }> {
    const directory = tempDirectory();
    writeOurDirectory(directory, { 'one.jsonl': bytes });
    const source = await lookAtJournal(directory, () => {});
    onTestFinished(() => source.close());
    return {
      path: join(directory, 'one.jsonl'),
      source,
      shows: () =>
        source
          .detail('one')
          .context.map(({ key, text }) => `${key}=${text}`)
          .join(),
    };
  }

  test('and gets half a line is not damaged: the line is there once it is whole, and there once', async () => {
    const { path, source, shows } = await looked(ours(1));
    const whole = ours(1, 2);
    const added = whole.subarray(ours(1).length);
    appendFileSync(path, added.subarray(0, 60));
    await waitFor(() => source.view().sizeBytes === ours(1).length + 60, { what: 'the half line' });
    expect([shows(), source.view().badLines]).toEqual(['n=1', 0]);
    appendFileSync(path, added.subarray(60));
    await waitFor(() => shows() === 'n=2', { what: 'the whole line' });
    expect((await source.timeline('one', 9, null)).rows.map(({ seq }) => seq)).toEqual([2, 1]);
    expect(source.view().badLines).toBe(0);
  });

  test.each<[string, (path: string) => void]>([
    ['cut', (path) => truncateSync(path, ours(1, 2).length)],
    ['replaced by a shorter one', (path) => writeAnew(path, ours(1, 2))],
    ['replaced by a longer one', (path) => writeAnew(path, ours(9, 9, 9, 9, 9, 2))],
    ['emptied and filled again beyond where it was', (path) => writeFileSync(path, ours(9, 9, 9, 9, 9, 2))],
  ])('and is %s shows what is there now', async (_name, harm) => {
    const { path, source, shows } = await looked(ours(1, 2, 3));
    expect(shows()).toBe('n=3');
    harm(path);
    await waitFor(() => shows() === 'n=2', { what: 'what is there now' });
    expect(source.view()).toMatchObject({ badLines: 0, sizeBytes: readFileSync(path).length });
  });

  test('and grows for long gives no false alarm', async () => {
    const { path, source, shows } = await looked(ours(0));
    const values = Array.from({ length: 300 }, (_, n) => n);
    const whole = ours(...values);
    for (let at = ours(0).length; at < whole.length; at += 997) {
      appendFileSync(path, whole.subarray(at, at + 997));
      if (at % 5 === 0) await new Promise((resolve) => void setImmediate(resolve));
    }
    await waitFor(() => shows() === 'n=299', { what: 'the last entry' });
    expect(source.view()).toMatchObject({ badLines: 0, sizeBytes: whole.length });
  });
});

test('[J4] `tail -f` of a journal that is emptied and filled again beyond where it was begins anew, and says so', async () => {
  const directory = tempDirectory();
  const path = join(directory, 'one.jsonl');
  const lines = (from: number, count: number): Buffer =>
    fileOf(
      Array.from({ length: count }, (_, n) =>
        foreignLine({ entry_id: `e-${from + n}`, data: { n: from + n } }),
      ),
    );
  writeFileSync(path, lines(1, 3));
  const tail = startNode(HOLDFAST, ['tail', directory, 'one', '--follow', '--json']);
  endsWithTest(tail);
  const ids = (): unknown[] =>
    tail
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as Record<string, unknown>)['entry_id']);
  await waitFor(() => ids().length === 3, { what: 'the first three' });
  writeFileSync(path, lines(101, 6));
  await waitFor(() => ids().includes('e-106'), { what: 'the new lines' });
  expect(ids().slice(3)).toEqual([101, 102, 103, 104, 105, 106].map((n) => `e-${n}`));
  await waitFor(() => tail.stderr().includes('was cut or replaced'), { what: 'what it says of it' });
});
