// `holdfast verify`: what there is, nothing is changed, and somebody who writes meanwhile is not taken for damage.

import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFileJournal, readFileJournal, type WriteOptions } from '../../core/journal/index.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { startNode } from '../support/child.ts';
import { PROMPTISE_JOURNALS, promptiseCases, REPOSITORY, treeHash } from '../support/fixtures.ts';
import { fileOf, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { age, entry, journalOf, kinds, sealed, verifyOne, writeSegments } from '../support/verified.ts';
import { waitFor } from '../support/wait-for.ts';

const APPEND = join(REPOSITORY, 'test/support/append-until-killed.ts');

/** Of this process; where the system does not say, always the same. */
const openFiles = (): number => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);

test('a whole journal: what there is, no damage, no note, no trace, and no lock taken', async () => {
  const directory = tempDirectory();
  await writeSegments(directory, 40);
  const segments = sealed(directory).length + 1;
  expect(segments).toBeGreaterThan(3);
  const open = openFiles();
  const report = await verifyJournal(directory);
  expect(openFiles()).toBe(open);
  expect(report).toMatchObject({
    directory,
    format: 'holdfast',
    journalId: readFileJournal(directory).marker!.id,
    isWhole: true,
    totals: { processes: 1, segments, lines: 49, verified: 49, unverified: 0, damage: 0, notes: 0 },
  });
  const one = await verifyOne(directory);
  expect(one).toMatchObject({
    process: 'one',
    firstSeq: 1,
    lastSeq: 49,
    durableSeq: 49,
    damage: [],
    notes: [],
  });
  // Written on by the one who has it: the lock is his, and he is not disturbed.
  const writer = openFileJournal(directory);
  await writer.append(update('n', 41));
  expect((await verifyOne(directory)).damageCount).toBe(0);
  await writer.append(update('n', 42));
  await writer.close();
  const after = await verifyOne(directory);
  expect(after).toMatchObject({ lastSeq: 52, damage: [] });
  expect(after.head).not.toBe(one.head);
});

describe('[S9] somebody who writes is not taken for damage', () => {
  test('an incomplete end is being written until it has been left alone for five seconds', async () => {
    const directory = journalOf(ourLines([update('n', 1)]), '{"half');
    expect(await verifyOne(directory)).toMatchObject({
      damage: [],
      notes: [{ kind: 'torn-tail', seq: 2, sizeBytes: 6 }],
      lastSeq: 1,
    });
    appendFileSync(join(directory, 'one.jsonl'), ' a line');
    expect(await verifyOne(directory)).toMatchObject({ damage: [], notes: [{ kind: 'being-written' }] });
  });

  test('so is the checkpoint file', async () => {
    const directory = journalOf(ourLines([entry('checkpoint', { state: { context_state: {} } })]));
    const file = join(directory, 'one.checkpoint.json');
    writeFileSync(file, '{"context_sta');
    expect(kinds((await verifyOne(directory)).notes)).toEqual(['being-written']);
    age(file);
    expect(kinds((await verifyOne(directory)).notes)).toEqual(['checkpoint-file']);
  });

  test('a host at full speed that seals, packs and drops segments: no damage, whenever one looks', async () => {
    const directory = tempDirectory();
    const options: WriteOptions = {
      segmentBytes: 20_000,
      durability: 'os',
      retention: { maxAgeDays: null, maxBytes: 20_000 },
    };
    const child = startNode(APPEND, [directory, JSON.stringify(options)]);
    onTestFinished(() => {
      child.process.kill('SIGKILL');
    });
    let looks = 0;
    await waitFor(
      async () => {
        if (!existsSync(join(directory, 'journal.holdfast'))) return false;
        const { processes } = await verifyJournal(directory);
        expect(processes.flatMap(({ damage }) => damage)).toEqual([]);
        looks += 1;
        const isDropping = processes.some(({ notes }) => kinds(notes).includes('dropped-segments'));
        return looks >= 20 && isDropping;
      },
      { what: 'a look at a journal that drops segments', patienceMs: 40_000 },
    );
    child.process.kill('SIGKILL');
    await child.ended;
    expect((await verifyJournal(directory)).processes.flatMap(({ damage }) => damage)).toEqual([]);
  });
});

test.each(promptiseCases())(
  '[P8, P6] a Promptise journal, %s: odd lines are damage, and nothing else is',
  async (name) => {
    const directory = join(PROMPTISE_JOURNALS, name, 'journal');
    const before = treeHash(directory);
    const { format, isWhole, processes } = await verifyJournal(directory);
    expect(treeHash(directory)).toBe(before);
    const odd: Readonly<Record<string, string>> = {
      'line-not-an-object': 'not-object',
      'line-not-json': 'not-json',
      'line-not-utf8': 'not-utf8',
      'line-with-bad-time': 'bad-time',
      'line-without-time': 'no-timestamp',
      'torn-tail-then-append': 'not-json',
    };
    const expected = odd[name] === undefined ? [] : [odd[name]];
    expect({ format, isWhole, kinds: kinds(processes.flatMap(({ damage }) => damage)) }).toEqual({
      format: 'promptise',
      isWhole: expected.length === 0,
      kinds: expected,
    });
    expect(processes.every(({ verified, head }) => verified === 0 && head !== undefined)).toBe(true);
  },
);

test('one process of many, and one that is not there', async () => {
  const directory = tempDirectory();
  writeOurDirectory(directory, {
    'one.jsonl': fileOf(ourLines([update('n', 1)])),
    'two.jsonl': fileOf(['garbage', ...ourLines([update('n', 1, 'two')])]),
  });
  expect((await verifyJournal(directory, { process: 'one' })).isWhole).toBe(true);
  expect((await verifyJournal(directory)).processes.map(({ process }) => process)).toEqual(['one', 'two']);
  await expect(verifyJournal(directory, { process: 'three' })).rejects.toMatchObject({
    code: 'process.not-found',
    message: expect.stringContaining('It has: one, two.') as string,
  });
  await expect(verifyJournal(join(directory, 'nowhere'))).rejects.toMatchObject({
    code: 'journal.not-found',
  });
});

test('others on this thread get their turn, and memory does not grow with the journal', async () => {
  const directory = tempDirectory();
  const lines = ourLines(Array.from({ length: 60_000 }, (_, n) => update('n', 'x'.repeat(400 + (n % 3)))));
  writeOurDirectory(directory, { 'one.jsonl': fileOf(lines) });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const report = await verifyJournal(directory);
  clearInterval(timer);
  expect(report.totals).toMatchObject({ lines: 60_000, verified: 60_000, damage: 0 });
  expect(turns).toBeGreaterThan(20);
});
