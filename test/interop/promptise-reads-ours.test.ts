// P8 the other way round: the real Promptise reads and recovers what we write, and both agree on random journals.

import fc from 'fast-check';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { parseLossless } from '../../core/journal/lossless.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import type { NewEntry } from '../../core/model/entry.ts';
import { FOLD_VERSION, foldEntries, type FoldedEntry } from '../../core/model/fold.ts';
import { RawNumber, sameJson, showJson, type Json, type JsonObject } from '../../core/model/json.ts';
import { LIFECYCLE_STATES } from '../../core/model/lifecycle.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { holdfast, mapLimited, startNode } from '../support/child.ts';
import { REPOSITORY, treeHash } from '../support/fixtures.ts';
import { fileOf, fixedEntry, ourLines, writeOurDirectory } from '../support/journal-bytes.ts';
import { anyJson, anyObject, anyText, hostileKey } from '../support/json-arbitraries.ts';
import { fourOf, INTENDED, promptiseAnswers } from '../support/promptise-answers.ts';
import { runCommand } from '../support/run-command.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { promptisePython, runPython } from './promptise.ts';
import { pythonJson } from './python-json.ts';

const NEEDS = 'needs Promptise 1.10.1: node test/interop/promptise.ts install';

beforeEach((context) => {
  if (promptisePython() === null) context.skip(NEEDS);
});

async function ask(script: 'read.py' | 'recover.py', asked: readonly (readonly [string, string])[]): Promise<Json[]> {
  const input = asked.map(([directory, key]) => `${directory}\t${key}\n`).join('');
  const output = await runPython(script, ['--batch'], { input });
  return output.trimEnd().split('\n').map(parseLossless);
}

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

describe('what FileJournal writes', () => {
  test('[P8] is read entry by entry, without our keys, and recovered to the same four values', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    const append = (process_id: string, entry_type: string, data: JsonObject) =>
      journal.append({ process_id, entry_type, data });
    for (const name of ['clerk', 'team/a b', 'Größe 📦']) {
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

    const names = await journal.processes();
    expect(names).toEqual(['Größe 📦', 'clerk', 'team/a b']);
    const asked = names.map((name) => [directory, name] as const);
    const [read, recovered] = await Promise.all([ask('read.py', asked), ask('recover.py', asked)]);
    const reader = readFileJournal(directory);
    for (const [at, name] of names.entries()) {
      const ours = (await reader.read(name)).map(({ entry_id, process_id, timestamp, entry_type, data }) => ({
        entry_id,
        process_id,
        // Python writes the same moment with six digits.
        timestamp: timestamp.replace(/\.(\d{3})\+/, '.$1000+').replace('.000000', ''),
        entry_type,
        data,
      }));
      expectSame(read[at]!, ours, name);
      const four = fourOf((await new ReplayEngine(reader).recover(name)) as unknown as JsonObject);
      expectSame(fourOf(recovered[at] as JsonObject), four, name);
    }
  });

  test('is read by Promptise through the checkpoint file too, hand-made and full', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    await journal.checkpoint('one', { context_state: { n: 1 } });
    await journal.append({ process_id: 'one', entry_type: 'context_update', data: { key: 'm', value: 2 } });
    await journal.close();
    const [answer] = await ask('recover.py', [[directory, 'one']]);
    expect(answer).toEqual({
      context_state: { n: 1, m: 2 },
      lifecycle_state: 'running',
      last_entry_type: 'context_update',
      entries_replayed: 1,
    });
  });
});

function expectSame(theirs: Json, ours: Json, what: string): void {
  if (!sameJson(theirs, ours)) expect(showJson(theirs), what).toEqual(showJson(ours));
}

describe('random journals', () => {
  const state = fc.record({
    context_state: anyObject,
    lifecycle_state: fc.constantFrom<Json>(...LIFECYCLE_STATES),
    invocation_count: fc.nat(9),
    conversation: fc.array(fc.record({ role: fc.constant('user'), content: anyText }), { maxLength: 2 }),
    budget: anyObject,
  });
  const drafts: fc.Arbitrary<readonly [string, JsonObject]> = fc.oneof(
    fc.tuple(
      fc.constant('state_transition'),
      fc.record({
        from_state: anyText,
        to_state: fc.constantFrom(...LIFECYCLE_STATES, '', 'a state of tomorrow'),
        reason: anyText,
      }),
    ),
    fc.tuple(
      fc.constant('context_update'),
      fc.oneof(
        { weight: 8, arbitrary: fc.record({ key: hostileKey, value: anyJson }) },
        { weight: 1, arbitrary: fc.record({ key: fc.oneof(hostileKey, fc.constant(null), fc.nat(9)) }) },
        { weight: 1, arbitrary: fc.constant({ value: 1 }) },
      ),
    ),
    fc.tuple(
      fc.constant('checkpoint'),
      fc
        .tuple(state, fc.subarray(['context_state', 'lifecycle_state', 'conversation'], { minLength: 0 }))
        .map(([whole, dropped]) => {
          const kept = Object.entries(whole).filter(([key]) => !dropped.includes(key) || key === 'context_state');
          return { state: Object.fromEntries(kept) } as JsonObject;
        }),
    ),
    fc.tuple(fc.constantFrom('trigger_event', 'invocation_start', 'tool_call', 'tool_result', 'error'), anyObject),
    fc.tuple(anyText, anyObject),
  );
  const times = fc.constantFrom(
    '2026-01-05T09:00:00+00:00',
    '2026-01-05T09:00:00.125+00:00',
    '2026-01-05T08:59:59.125001+00:00',
  );
  const entries: fc.Arbitrary<NewEntry[]> = fc.array(
    fc
      .tuple(drafts, times, anyText)
      .map(([[entry_type, data], timestamp, entry_id]) => ({ process_id: 'one', entry_type, data, timestamp, entry_id })),
    { maxLength: 14, size: 'max' },
  );
  const SKIPPED = ['', '   ', '{"half', 'nonsense', '{"entry_type": "log", "data": {}}', '{"timestamp": "20'];

  interface Made {
    readonly directory: string;
    readonly text: string;
  }

  function lastState(list: readonly NewEntry[]): Json | undefined {
    return list.findLast((entry) => entry.entry_type === 'checkpoint')?.data['state'];
  }

  /** As Promptise would have written it, with lines in it that its reader skips. */
  function foreign(directory: string, list: readonly NewEntry[], skipped: readonly number[]): void {
    mkdirSync(directory, { recursive: true });
    const lines = list.map((entry) => pythonJson(fixedEntry(entry) as unknown as JsonObject));
    for (const at of skipped) lines.splice(at % (lines.length + 1), 0, SKIPPED[at % SKIPPED.length]!);
    writeFileSync(join(directory, 'one.jsonl'), fileOf(lines));
    const last = lastState(list);
    if (last !== undefined) writeFileSync(join(directory, 'one.checkpoint.json'), pythonJson(last));
  }

  /** As we would have written it; every other checkpoint holds everything. */
  function ours(directory: string, list: readonly NewEntry[]): NewEntry[] {
    const written: NewEntry[] = [];
    let full = false;
    for (const entry of list) {
      if (entry.entry_type === 'checkpoint' && (full = !full)) {
        const folded = written.map((each, at): FoldedEntry => ({ ...fixedEntry(each), seq: at + 1 }));
        written.push({ ...entry, data: { state: snapshotToState(foldEntries(folded), FOLD_VERSION) } });
      } else {
        written.push(entry);
      }
    }
    const last = lastState(written);
    writeOurDirectory(directory, {
      'one.jsonl': fileOf(ourLines(written)),
      ...(last === undefined ? {} : { 'one.checkpoint.json': JSON.stringify(last) }),
    });
    return written;
  }

  test('[P8] are recovered alike by both, in its spelling and in ours, 150 of them', async () => {
    const root = tempDirectory();
    const made: Made[] = [];
    const samples = fc.sample(
      fc.tuple(entries, fc.boolean(), fc.array(fc.nat(99), { maxLength: 3 })),
      { numRuns: 150 },
    );
    for (const [at, [list, isOurs, skipped]] of samples.entries()) {
      const directory = join(root, String(at));
      if (isOurs) ours(directory, list);
      else foreign(directory, list, skipped);
      made.push({ directory, text: JSON.stringify(list) });
    }
    const theirs = await ask(
      'recover.py',
      made.map(({ directory }) => [directory, 'one'] as const),
    );
    for (const [at, { directory, text }] of made.entries()) {
      const answer = theirs[at] as JsonObject;
      expect(answer['error'], text).toBeUndefined();
      const recovered = await new ReplayEngine(readFileJournal(directory)).recover('one');
      expectSame(fourOf(answer), fourOf(recovered as unknown as JsonObject), `${directory}: ${text}`);
    }
  });
});

describe('the command, beside Promptise', () => {
  test('`npm run -s holdfast -- recover` on the journal of the crash-recovery example', async () => {
    const directory = join(tempDirectory(), 'journal');
    const example = await startNode(join(REPOSITORY, 'resources/examples/crash-recovery.ts'), [directory]).ended;
    expect(example).toEqual({
      code: 0,
      signal: null,
      stdout: 'running\n{"reports_written":13}\n1\n',
      stderr: '',
    });
    const [theirs] = await ask('recover.py', [[directory, 'market-watcher']]);
    expect(theirs).toEqual({
      context_state: { reports_written: 13 },
      lifecycle_state: 'running',
      last_entry_type: 'context_update',
      entries_replayed: 1,
    });
    const before = treeHash(directory);
    const npm = process.env['npm_execpath'] ?? 'npm';
    const ended = await runCommand(npm, ['run', '-s', 'holdfast', '--', 'recover', directory, 'market-watcher', '--json']);
    expect(ended.stderr).toBe('');
    expect(fourOf(parseLossless(ended.stdout) as JsonObject)).toEqual(theirs);
    expect(treeHash(directory)).toBe(before);
  });

  test('recover --json on a copy of every golden equals what Promptise answers there, save the table', async () => {
    const root = tempDirectory();
    const answers = promptiseAnswers();
    for (const { name, directory } of answers) cpSync(directory, join(root, name), { recursive: true });
    const before = treeHash(root);
    const [theirs, mine] = await Promise.all([
      ask(
        'recover.py',
        answers.map(({ name, process }) => [join(root, name), process] as const),
      ),
      mapLimited(answers, 2, ({ name, process }) => holdfast(['recover', join(root, name), process, '--json'])),
    ]);
    for (const [at, { name, process }] of answers.entries()) {
      const { stdout, stderr, code } = mine[at]!;
      if (UNKNOWN_HERE.has(`${name}/${process}`)) {
        expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
        expect(stderr).toContain('has no process');
        continue;
      }
      expect({ code, stderr }, `${name}/${process}`).toEqual({ code: 0, stderr: '' });
      const found = fourOf(untagged(parseLossless(stdout)) as JsonObject);
      const intended = INTENDED[name];
      if (intended === undefined) expectSame(fourOf(theirs[at] as JsonObject), found, `${name}/${process}`);
      else expect(found, intended.reason).toEqual(intended.ours);
    }
    expect(treeHash(root)).toBe(before);
  });

  /** Names that no line of the journal knows: Promptise makes something up for them, the command says so. */
  const UNKNOWN_HERE = new Set(['article/nobody', 'name-with-slash/team_a b', 'name-with-slash/team\\a b']);

  /** Undoes what makes the output JSON for everybody. */
  function untagged(value: Json): Json {
    if (Array.isArray(value)) return value.map((item: Json) => untagged(item));
    if (typeof value !== 'object' || value === null || value instanceof RawNumber) return value;
    const object = value as JsonObject;
    if (typeof object['$number'] === 'string') return new RawNumber(object['$number']);
    return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, untagged(item)]));
  }
});
