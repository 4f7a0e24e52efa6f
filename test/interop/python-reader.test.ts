// The format page is enough to write a reader from [P8, J1, J2, S11, S12, S15, S17, S18, S19]: test/interop/reader.py was
// written from it alone, and says of every journal what ours says. 10,000 of them, whole and harmed in every way.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../core/model/json.ts';
import { REPOSITORY, treeHash } from '../support/fixtures.ts';
import { fuzzedJournals, writeFuzzed, type FuzzedJournal } from '../support/fuzzed-journals.ts';
import { writeOurDirectory } from '../support/journal-bytes.ts';
import {
  firstDifference,
  ourAnswer,
  pagedLines,
  READER,
  readerAnswers,
  type Asked,
} from '../support/reader-answers.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const NEEDS = 'Python 3.10 or later is not on the PATH. Install it: apt-get install python3';
const JOURNALS = 10_000;
/** Another one can be asked for, and one that failed again. */
const SEED = Number(process.env['HOLDFAST_SEED'] ?? 20_260_105);

const hasPython = ((): boolean => {
  try {
    execFileSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

interface Case extends Asked {
  readonly journal: FuzzedJournal;
  readonly ours: JsonObject;
  readonly theirs: JsonObject;
}

let root = '';
let before = '';
let cases: readonly Case[] = [];

beforeEach((context) => {
  if (!hasPython) context.skip(NEEDS);
});

/** Ten thousand journals are made, and read twice: a minute here, and far more where others want the processors too. */
const PATIENCE_MS = 600_000;

beforeAll(async () => {
  if (!hasPython) return;
  root = mkdtempSync(join(tmpdir(), 'holdfast-fuzzed-'));
  const made = [...fuzzedJournals(SEED, JOURNALS)].map((journal) => {
    const directory = join(root, String(journal.index));
    writeFuzzed(directory, journal);
    return { directory, process: journal.process, journal };
  });
  before = treeHash(root);
  const oursInTurn = async (): Promise<JsonObject[]> => {
    const answers: JsonObject[] = [];
    for (const each of made) answers.push(await ourAnswer(each));
    return answers;
  };
  const [theirs, ours] = await Promise.all([readerAnswers(made), oursInTurn()]);
  cases = made.map((each, at) => ({ ...each, ours: ours[at]!, theirs: theirs[at]! }));
}, PATIENCE_MS);

afterAll(() => {
  if (root !== '') rmSync(root, { recursive: true, force: true });
});

/** A journal as it can be made and looked at again. */
function told({ index, process, files }: FuzzedJournal, difference: string): string {
  const bytes = Object.entries(files).map(
    ([path, content]) => `${path}: ${JSON.stringify(content.toString('latin1'))}`,
  );
  return [
    `journal ${index} of HOLDFAST_SEED=${SEED}, asked for ${JSON.stringify(process)}`,
    difference,
    ...bytes,
  ].join('\n');
}

test(`[P8] what stands in ${JOURNALS} journals, line by line and recovered: the reader written from the page says what ours says`, () => {
  const wrong = cases.flatMap(({ journal, ours, theirs }) => {
    const difference = firstDifference(ours, theirs);
    return difference === null ? [] : [told(journal, difference)];
  });
  expect(wrong.length === 0, `${wrong.length} differ:\n\n${wrong.slice(0, 3).join('\n\n')}`).toBe(true);
});

test('[J2] read page by page from the end, every line has the number and the verdict that it has from the beginning', async () => {
  const wrong: string[] = [];
  for (const { journal, ours, directory, process } of cases) {
    if (ours['error'] !== undefined) continue;
    const lines = ours['lines'] as [number, string][];
    const read = [
      lines.filter(([, verdict]) => verdict !== 'bad'),
      lines.filter(([, verdict]) => verdict === 'bad'),
    ];
    const paged = await pagedLines({ directory, process }, (journal.index % 7) + 1);
    const difference = firstDifference(paged, read);
    if (difference !== null) wrong.push(told(journal, difference));
  }
  expect(wrong.length === 0, `${wrong.length} differ:\n\n${wrong.slice(0, 3).join('\n\n')}`).toBe(true);
});

test('the journals are what they have to be: whole and harmed, every verdict, refused and recovered', () => {
  const verdicts = new Map<string, number>();
  const count = { whole: 0, sound: 0, refused: 0, open: 0, packed: 0, foreign: 0 };
  for (const { journal, ours, theirs } of cases) {
    for (const [, verdict] of (theirs['lines'] ?? []) as [number, string][])
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    if (journal.isWhole) count.whole += 1;
    const { strict, lenient } = ours as Record<string, JsonObject>;
    if (strict?.['error'] !== undefined) count.refused += 1;
    else if (journal.isWhole) count.sound += 1;
    if (((lenient?.['open'] ?? []) as Json[]).length > 0) count.open += 1;
    const paths = Object.keys(journal.files);
    if (paths.some((path) => path.endsWith('.gz'))) count.packed += 1;
    if (!paths.includes('journal.holdfast')) count.foreign += 1;
  }
  for (const verdict of ['verified', 'unverified', 'checksum', 'link', 'sequence', 'bad'])
    expect(verdicts.get(verdict) ?? 0, verdict).toBeGreaterThan(JOURNALS / 50);
  for (const [what, found] of Object.entries(count)) expect(found, what).toBeGreaterThan(JOURNALS / 50);
});

test('[P6] looking at all of them changed no byte', () => {
  expect(treeHash(root)).toBe(before);
});

test('[J1, J2] the example on the page is what the page says it is, to both', async () => {
  const page = readFileSync(join(REPOSITORY, 'resources/guide/format.md'), 'utf8');
  const [, bytes = ''] = /^### An example\n+```\n(.*?)```$/ms.exec(page) ?? [];
  const [first = '', second = ''] = bytes.split('\n');
  const directory = tempDirectory();
  writeOurDirectory(directory, { 'clerk.jsonl': bytes });
  const asked = { directory, process: 'clerk' };
  const [theirs] = await readerAnswers([asked]);
  expect(await ourAnswer(asked)).toEqual(theirs);
  const recovered = {
    context_state: { city: 'Köln 📦' },
    lifecycle_state: 'running',
    last_entry_type: 'foreign_lines',
    entries_replayed: 4,
  };
  expect(theirs).toMatchObject({
    lines: [
      [1, 'verified'],
      [2, 'verified'],
      [3, 'unverified'],
      [4, 'verified'],
    ],
    strict: recovered,
    lenient: recovered,
  });
  // And what the page tells about it in words.
  const hash = (encoding: 'hex' | 'base64url'): string => createHash('sha256').update(first).digest(encoding);
  expect(page).toContain(`Line 1 has ${first.length} bytes.`);
  expect(page).toContain(`\`${hash('hex').slice(0, 8)}…${hash('hex').slice(-5)}\``);
  expect(second).toContain(`"prev":"${hash('base64url').slice(0, 22)}"`);
});

test('the reader is short enough to be read', () => {
  const lines = readFileSync(READER, 'utf8').split('\n');
  expect(lines.length - 1).toBeLessThanOrEqual(200);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});
