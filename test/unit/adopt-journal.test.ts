// `holdfast adopt` [S8]: Promptise's journal stays as it is to the byte and to its times; the copy is ours, has its lines byte
// for byte, and recovers to the same for us and for Promptise [P8].

import fc from 'fast-check';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { adoptJournal, type AdoptReport } from '../../core/journal/adopt-journal.ts';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { codeOf } from '../../core/model/errors.ts';
import { isObject, sameJson, type Json, type JsonObject } from '../../core/model/json.ts';
import { askPromptise, needPromptise } from '../interop/ask-promptise.ts';
import { promptisePython } from '../interop/promptise.ts';
import { PROMPTISE_JOURNALS, promptiseCases, treeHash } from '../support/fixtures.ts';
import { foreignJournal } from '../support/foreign-journals.ts';
import { fileOf, foreignLine } from '../support/journal-bytes.ts';
import { INTENDED } from '../support/promptise-answers.ts';
import { recover } from '../support/recover.ts';
import { tempDirectory } from '../support/temp-directory.ts';

/** Holds NaN, which no journal of ours can. */
const NOT_RECORDABLE = 'text-and-numbers';
const CASES = promptiseCases().filter((name) => name !== NOT_RECORDABLE);
const journalOf = (name: string): string => join(PROMPTISE_JOURNALS, name, 'journal');

/** Adopts, with what every adoption has to keep. */
async function adopt(directory: string, to = join(tempDirectory(), 'copy')): Promise<AdoptReport> {
  const before = treeHash(directory);
  const report = await adoptJournal(directory, to, { recover });
  expect(treeHash(directory), 'the original').toBe(before);
  expect(report).toMatchObject({ directory, copy: to });
  expect((await verifyJournal(to)).isWhole).toBe(true);
  return report;
}

function foreign(files: Readonly<Record<string, Buffer | string>>): string {
  const directory = tempDirectory();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(directory, name), bytes);
  return directory;
}

const put = (key: string, value: Json, process_id = 'one', entry_id = key): string =>
  foreignLine({ entry_id, process_id, data: { key, value } });

describe.each(CASES)('%s', (name) => {
  test('lines byte for byte, the odd ones kept apart, and the same state [S19]', async () => {
    const directory = journalOf(name);
    const { adopted, leftOut, copy } = await adopt(directory);
    expect(leftOut).toEqual([]);
    const original = readFileJournal(directory);
    expect(adopted.map(({ process }) => process)).toEqual(await original.processes());
    for (const { process, lines, skipped } of adopted) {
      const from = readFileSync(original.pathOf(process));
      const kept: Buffer[] = [];
      let at = 0;
      for (const { offset, bytes, file } of skipped) {
        expect(readFileSync(join(copy, file))).toEqual(from.subarray(offset, offset + bytes));
        kept.push(from.subarray(at, offset));
        at = offset + bytes;
      }
      const all = Buffer.concat([...kept, from.subarray(at)]);
      const journal = readFileJournal(copy);
      expect(readFileSync(journal.pathOf(process)).subarray(0, all.length)).toEqual(all);
      const entries = await journal.read(process);
      expect(entries.slice(-3).map(({ entry_type }) => entry_type)).toEqual([
        'writer_opened',
        'journal_adopted',
        'checkpoint',
      ]);
      expect(entries.at(-2)!.data).toEqual({
        format: 'promptise',
        directory: basename(directory),
        lines,
        skipped: skipped.map((each) => ({ ...each })),
      });
      const before = await recover(original, process, { lenient: false });
      const after = await recover(journal, process, { lenient: false });
      for (const key of [
        'context',
        'lifecycle',
        'invocationCount',
        'conversation',
        'queue',
        'open',
        'foreign',
      ] as const)
        expect(after[key]).toEqual(before[key]);
    }
  });
});

test.each([
  ['line-not-json', 'not-json', 7],
  ['line-not-utf8', 'not-utf8', 7],
  ['line-not-an-object', 'not-object', 7],
  ['line-with-bad-time', 'bad-time', 7],
  ['line-without-time', 'no-timestamp', 7],
  ['torn-tail', 'torn-tail', 7],
  ['torn-tail-then-append', 'not-json', 7],
])('%s: the odd line is told with its number and place', async (name, reason, line) => {
  const { adopted } = await adopt(journalOf(name));
  expect(adopted[0]!.skipped).toMatchObject([
    { segment: 'counter.jsonl', line, lines: 1, offset: 1569, reason },
  ]);
});

test('odd lines that stand together are one place, and an incomplete last one is its own', async () => {
  const directory = foreign({
    'one.jsonl': `\n${put('a', 1)}\nnull\n{"half\n\n${put('b', 2)}\n\0\0\n[]\n{"torn`,
  });
  const { adopted } = await adopt(directory);
  expect(adopted).toMatchObject([
    {
      lines: 4,
      skipped: [
        { line: 3, lines: 2, bytes: 12, reason: 'not-object' },
        { line: 7, lines: 2, bytes: 6, reason: 'nul' },
        { line: 9, lines: 1, bytes: 6, reason: 'torn-tail' },
      ],
    },
  ]);
});

test('afterwards it is a journal of ours: it can be written, and the workspace around it is its own', async () => {
  const workspace = tempDirectory();
  const { copy } = await adopt(journalOf('name-with-slash'), join(workspace, '.holdfast-journal'));
  expect(readFileJournal(copy).marker).toMatchObject({ workspace: '..', copiedFrom: null });
  const journal = openFileJournal(copy);
  await journal.append({ process_id: 'team/a b', entry_type: 'log', data: {} });
  await journal.close();
  expect((await verifyJournal(copy)).isWhole).toBe(true);
  const { copy: elsewhere } = await adopt(journalOf('article'));
  expect(readFileJournal(elsewhere).marker!.workspace).toBeNull();
});

test('a file of which no line can be read is left out, and its bytes are kept', async () => {
  const directory = foreign({ 'notes.jsonl': 'nothing of a journal\n', 'one.jsonl': `${put('n', 1)}\n` });
  const { adopted, leftOut, copy } = await adopt(directory);
  expect(adopted.map(({ process }) => process)).toEqual(['one']);
  expect(leftOut).toMatchObject([
    { file: 'notes.jsonl', skipped: [{ segment: 'notes.jsonl', line: 1, lines: 1, bytes: 21 }] },
  ]);
  expect(existsSync(join(copy, 'notes.jsonl'))).toBe(false);
  const { file } = leftOut[0]!.skipped[0]!;
  expect(readFileSync(join(copy, file), 'utf8')).toBe('nothing of a journal\n');
});

test('[S19] a checkpoint file without lines is a process too', async () => {
  const directory = foreign({
    'one.jsonl': `${put('n', 1)}\n`,
    'two.checkpoint.json': '{"context_state":{"n":7},"lifecycle_state":"stopped"}',
  });
  const { adopted, copy } = await adopt(directory);
  expect(adopted.map(({ process }) => process)).toEqual(['one', 'two']);
  expect(await recover(readFileJournal(copy), 'two', { lenient: false })).toMatchObject({
    context: { n: 7 },
    lifecycle: 'stopped',
  });
});

describe('refused, with the original and the target as they were', () => {
  const refusal = async (
    directory: string,
    to = join(tempDirectory(), 'new/copy'),
    disk: Disk = LOCAL_DISK,
  ): Promise<{ code: string; message: string }> => {
    const error = await adoptJournal(directory, to, { recover, disk }).then(
      () => ({ code: '', message: '' }),
      (thrown: unknown) => thrown as { code: string; message: string },
    );
    expect(
      existsSync(join(to, '..')) && readdirSync(join(to, '..')).some((name) => name.endsWith('.partial')),
    ).toBe(false);
    return error;
  };

  test('a journal of ours, with its marker and without', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    await journal.append({ process_id: 'one', entry_type: 'log', data: {} });
    await journal.close();
    expect(await refusal(directory)).toMatchObject({ code: 'adopt.already-ours' });
    rmSync(join(directory, 'journal.holdfast'));
    const { code, message } = await refusal(directory);
    expect(code).toBe('adopt.already-ours');
    expect(message).toContain('Put journal.holdfast back there');
  });

  test('a path that is no journal', async () => {
    expect(await refusal(join(tempDirectory(), 'nowhere'))).toMatchObject({ code: 'journal.not-found' });
    expect(await refusal(tempDirectory())).toMatchObject({ code: 'journal.empty' });
    expect(await refusal(foreign({ 'notes.txt': '' }))).toMatchObject({ code: 'journal.none-here' });
  });

  test('a target that is there, or inside', async () => {
    const directory = foreign({ 'one.jsonl': `${put('n', 1)}\n` });
    expect(await refusal(directory, foreign({ file: '' }))).toMatchObject({ code: 'adopt.target-exists' });
    expect(await refusal(directory, join(directory, 'copy'))).toMatchObject({ code: 'adopt.target-inside' });
    const link = join(tempDirectory(), 'link');
    symlinkSync(directory, link);
    expect(await refusal(link, join(directory, 'copy'))).toMatchObject({ code: 'adopt.target-inside' });
    expect(readdirSync(directory)).toEqual(['one.jsonl']);
  });

  test('[J9] two processes that share a file, by both names', async () => {
    const shared = foreign({ 'a_b.jsonl': fileOf([put('n', 1, 'a/b'), put('m', 1, 'a_b')]) });
    expect(await refusal(shared)).toMatchObject({
      code: 'adopt.name-collision',
      message: expect.stringContaining('"a/b" and "a_b" would share the file a_b.jsonl') as string,
    });
    const twins = foreign({ 'one.jsonl': `${put('n', 1)}\n`, 'One.jsonl': `${put('n', 1, 'One')}\n` });
    expect(await refusal(twins)).toMatchObject({
      code: 'adopt.name-collision',
      message: expect.stringContaining('"One" and "one"') as string,
    });
  });

  test('a state that holds what JSON can not, with the place', async () => {
    const { code, message } = await refusal(journalOf(NOT_RECORDABLE));
    expect(code).toBe('adopt.not-recordable');
    expect(message).toContain('context_state.numbers.not_a_number is NaN');
  });

  test('a journal that Promptise writes meanwhile', async () => {
    const directory = foreign({ 'one.jsonl': `${put('n', 1)}\n` });
    const disk: Disk = {
      ...LOCAL_DISK,
      rename: (from, to) => {
        appendFileSync(join(directory, 'one.jsonl'), `${put('n', 2)}\n`);
        LOCAL_DISK.rename(from, to);
      },
    };
    expect(await refusal(directory, undefined, disk)).toMatchObject({ code: 'adopt.source-changed' });
  });

  test('on a disk that fails, with nothing left behind', async () => {
    const directory = foreign({ 'one.jsonl': `${put('n', 1)}\nodd\n` });
    const before = treeHash(directory);
    const parent = tempDirectory();
    for (let failAt = 1; failAt < 12; failAt += 1) {
      let syncs = 0;
      const disk: Disk = {
        ...LOCAL_DISK,
        sync: async (fd) => {
          syncs += 1;
          if (syncs === failAt) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
          await LOCAL_DISK.sync(fd);
        },
      };
      const error = await refusal(directory, join(parent, 'copy'), disk);
      if (error.code === '') break;
      expect(error.message).toContain(`is removed, and ${directory} is as it was.`);
      expect(readdirSync(parent)).toEqual([]);
    }
    expect(readdirSync(parent)).toEqual(['copy']);
    expect(treeHash(directory)).toBe(before);
  });
});

describe('[P8] Promptise recovers from the copy what it did from the original', () => {
  let root = '';
  let answers: ReadonlyMap<string, Json> = new Map();
  beforeEach(needPromptise);
  beforeAll(async () => {
    if (promptisePython() === null) return;
    root = mkdtempSync(join(tmpdir(), 'holdfast-adopted-'));
    const asked: (readonly [string, string])[] = [];
    for (const name of CASES) {
      const { adopted } = await adopt(journalOf(name), join(root, name));
      for (const { process } of adopted)
        for (const directory of [journalOf(name), join(root, name)]) asked.push([directory, process]);
    }
    const answered = await askPromptise('recover.py', asked);
    answers = new Map(answered.map((answer, at) => [asked[at]!.join(' '), answer]));
    return () => rmSync(root, { recursive: true, force: true });
  });

  /** Where it recovers something else from the original than ours does, or nothing at all, the copy has ours. */
  const DIFFERENT = new Set(Object.keys(INTENDED));

  test.each(CASES)('%s', async (name) => {
    for (const process of await readFileJournal(join(root, name)).processes()) {
      const [before, after] = [journalOf(name), join(root, name)].map((directory) =>
        stateIn(answers.get(`${directory} ${process}`)!),
      );
      const { context, lifecycle } = await recover(readFileJournal(join(root, name)), process, {
        lenient: false,
      });
      expect(after).toEqual({ context_state: context, lifecycle_state: lifecycle });
      expect(DIFFERENT.has(name) ? after : before).toEqual(after);
    }
  });

  function stateIn(answer: Json): JsonObject {
    const found: JsonObject = isObject(answer) ? answer : {};
    return {
      context_state: found['context_state'] ?? null,
      lifecycle_state: found['lifecycle_state'] ?? null,
    };
  }
});

const RUNS = 60;

test(`${RUNS} journals in Promptise's spelling, odd and damaged at random: the same state, and every byte kept or told [P8]`, async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(foreignJournal, async ({ files }) => {
      const root = mkdtempSync(join(tmpdir(), 'holdfast-adopt-'));
      try {
        const directory = join(root, 'journal');
        mkdirSync(directory);
        if (files.entries !== null) writeFileSync(join(directory, 'one.jsonl'), files.entries);
        if (files.checkpoint !== null)
          writeFileSync(join(directory, 'one.checkpoint.json'), files.checkpoint);
        const copy = join(root, 'copy');
        const report = await adopt(directory, copy).catch((error: unknown) => codeOf(error));
        // Some hold nothing that could be adopted, and some hold what JSON can't.
        fc.pre(
          typeof report !== 'string' ||
            !/^(journal\.(not-a-journal|none-here|empty)|adopt\.not-recordable)$/.test(report),
        );
        const [one] = (report as AdoptReport).adopted;
        const dropped = one!.skipped.reduce((sum, { bytes }) => sum + bytes, 0);
        const kept = (files.entries?.length ?? 0) - dropped;
        const lines = readFileSync(join(copy, 'one.jsonl'));
        expect(lines.subarray(kept, kept + 12).toString()).toBe('{"entry_id":');
        const [before, after] = await Promise.all(
          [directory, copy].map((each) => recover(readFileJournal(each), 'one', { lenient: false })),
        );
        expect(sameJson(after!.context, before!.context)).toBe(true);
        expect(after!.lifecycle).toBe(before!.lifecycle);
        count += 1;
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 40_000, maxSkipsPerRun: 10_000 },
  );
  expect(count).toBeGreaterThan(0);
});
