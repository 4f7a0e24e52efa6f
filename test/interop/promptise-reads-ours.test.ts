// P8 the other way round: the real Promptise reads and recovers what we write.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { parseLossless } from '../../core/journal/lossless.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { FOLD_VERSION, foldEntries } from '../../core/model/fold.ts';
import { RawNumber, sameJson, showJson, type Json, type JsonObject } from '../../core/model/json.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { startNode, type Ended } from '../support/child.ts';
import { REPOSITORY, treeHash } from '../support/fixtures.ts';
import { fourOf, type Four } from '../support/promptise-answers.ts';
import { runCommand } from '../support/run-command.ts';
import { askPromptise, needPromptise } from './ask-promptise.ts';
import { promptisePython } from './promptise.ts';

// Importing Promptise takes seconds, so everything is made first and asked about once.

let root = '';
let read: ReadonlyMap<string, Json> = new Map();
let recovered: ReadonlyMap<string, Json> = new Map();
let example: Ended | null = null;

beforeEach(needPromptise);

beforeAll(async () => {
  if (promptisePython() === null) return;
  root = mkdtempSync(join(tmpdir(), 'holdfast-interop-'));
  await writeOwn(join(root, 'own'));
  await writeFileOnly(join(root, 'file-only'));
  example = await startNode(EXAMPLE, [join(root, 'example')]).ended;
  const own = OWN_NAMES.map((name) => ['own', name] as const);
  [read, recovered] = await Promise.all([
    ask('read.py', own),
    ask('recover.py', [...own, ['file-only', 'one'], ['example', 'market-watcher']]),
  ]);
});

afterAll(() => {
  if (root !== '') rmSync(root, { recursive: true, force: true });
});

/** Their answers by directory and process. */
async function ask(
  script: 'read.py' | 'recover.py',
  asked: readonly (readonly [string, string])[],
): Promise<ReadonlyMap<string, Json>> {
  const answers = await askPromptise(
    script,
    asked.map(([directory, key]) => [join(root, directory), key] as const),
  );
  return new Map(asked.map(([directory, key], at) => [`${directory} ${key}`, answers[at]!]));
}

const theirs = (directory: string, process: string): JsonObject => {
  const answer = recovered.get(`${directory} ${process}`) as JsonObject;
  expect(answer['error']).toBeUndefined();
  return answer;
};

const mine = async (directory: string, process: string): Promise<Four> =>
  fourOf(
    (await new ReplayEngine(readFileJournal(join(root, directory))).recover(
      process,
    )) as unknown as JsonObject,
  );

const EXAMPLE = join(REPOSITORY, 'resources/examples/crash-recovery.ts');

const UNICODE = {
  'clé 鍵 🔑': ['São Tomé', '📦👨‍👩‍👧', '\u202eabc', '\u0000\u001b\u007f\u0085\u2028\ufeff', '\ud83d', ''],
};
const NUMBERS = [
  new RawNumber('9007199254740993'),
  new RawNumber('-18446744073709551617'),
  new RawNumber('1'.repeat(400)),
  5e-324,
  1.7976931348623157e308,
  0.1 + 0.2,
  1e22,
  -1,
];

const OWN_NAMES = ['Größe 📦', 'clerk', 'team/a b'];

async function writeOwn(directory: string): Promise<void> {
  const journal = openFileJournal(directory);
  const append = (process_id: string, entry_type: string, data: JsonObject) =>
    journal.append({ process_id, entry_type, data });
  for (const name of OWN_NAMES) {
    await append(name, 'state_transition', { from_state: 'created', to_state: 'starting', reason: 'start' });
    await append(name, 'context_update', { key: 'text', value: UNICODE });
    await append(name, 'context_update', { key: 'numbers', value: NUMBERS });
    await append(name, 'state_transition', { from_state: 'starting', to_state: 'running' });
    if (name === 'clerk') {
      await journal.checkpoint(name, { context_state: { text: UNICODE, n: 12 }, lifecycle_state: 'running' });
    }
    if (name === 'team/a b') {
      const entries = await journal.read(name);
      await journal.checkpoint(name, snapshotToState(foldEntries(entries), FOLD_VERSION));
    }
    await append(name, 'context_update', { key: '__proto__', value: { n: 1 } });
    await append(name, 'log', { level: 'info', text: 'x'.repeat(10_000) });
  }
  await journal.close();
}

async function writeFileOnly(directory: string): Promise<void> {
  const journal = openFileJournal(directory);
  await journal.checkpoint('one', { context_state: { n: 1 } });
  await journal.append({ process_id: 'one', entry_type: 'context_update', data: { key: 'm', value: 2 } });
  await journal.close();
}

describe('what FileJournal writes', () => {
  test.each(OWN_NAMES)(
    '[P8] %s: read entry by entry without our keys, recovered to the same four values',
    async (name) => {
      const reader = readFileJournal(join(root, 'own'));
      const ours = (await reader.read(name)).map(({ entry_id, process_id, timestamp, entry_type, data }) => ({
        entry_id,
        process_id,
        // Python writes the same moment with six digits, or with none.
        timestamp: timestamp.replace(/\.(\d{3})\+/, '.$1000+').replace('.000000', ''),
        entry_type,
        data,
      }));
      expectSame(read.get(`own ${name}`)!, ours, name);
      expectSame(fourOf(theirs('own', name)), await mine('own', name), name);
    },
  );

  test('[J8] the checkpoint file lets Promptise skip what is before the line', async () => {
    expect(theirs('file-only', 'one')).toMatchObject({
      context_state: { n: 1, m: 2 },
      lifecycle_state: 'running',
      last_entry_type: 'context_update',
      entries_replayed: 1,
      checkpoint: { context_state: { n: 1 } },
    });
  });
});

function expectSame(theirs: Json, ours: Json, what: string): void {
  const texts = { theirs: showJson(theirs), ours: showJson(ours) };
  expect({ what, same: sameJson(theirs, ours), ...texts }).toMatchObject({ same: true });
}

test('`npm run -s holdfast -- recover` on the journal of the crash-recovery example answers as Promptise does', async () => {
  expect(example).toEqual({
    code: 0,
    signal: null,
    stdout: 'running\n{"reports_written":13}\n1\n',
    stderr: '',
  });
  const directory = join(root, 'example');
  const before = treeHash(directory);
  const npm = process.env['npm_execpath'] ?? 'npm';
  const args = ['run', '-s', 'holdfast', '--', 'recover', directory, 'market-watcher', '--json'];
  const ended = await runCommand(npm, args);
  expect(ended.stderr).toBe('');
  const four = {
    context_state: { reports_written: 13 },
    lifecycle_state: 'running',
    last_entry_type: 'context_update',
    entries_replayed: 1,
  };
  expect(fourOf(parseLossless(ended.stdout) as JsonObject)).toEqual(four);
  expect(fourOf(theirs('example', 'market-watcher'))).toEqual(four);
  expect(treeHash(directory)).toBe(before);
});
