// `holdfast tail` as a program: the newest lines, following, and readers that go or have no room.

import { execFileSync } from 'node:child_process';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOLDFAST, holdfast, startNode } from '../support/child.ts';
import { goodJournal, jsonLines } from '../support/command-journals.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { treeHash } from '../support/fixtures.ts';
import { fileOf, foreignLine } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

describe('tail', () => {
  const texts = (stdout: string): unknown[] =>
    jsonLines(stdout).map((item) => (item as { data?: { value?: unknown } }).data?.value);

  test('-n gives the newest, as many as asked for, also where they are large and where blank lines lie between', async () => {
    const directory = tempDirectory();
    const large = 'x'.repeat(700_000);
    const lines = Array.from({ length: 12 }, (_, n) =>
      foreignLine({ data: { key: 'n', value: n, text: large } }),
    );
    writeFileSync(join(directory, 'one.jsonl'), fileOf(lines.flatMap((line) => [line, '', '  '])));
    const { stdout, stderr } = await holdfast(['tail', directory, 'one', '-n', '10', '--json']);
    expect(stderr).toBe('');
    expect(texts(stdout)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('-f follows whole lines, each once, from where it was; a cut file is said; SIGINT ends it well', async () => {
    const directory = tempDirectory();
    const path = join(directory, 'one.jsonl');
    const line = (n: number): string => `${foreignLine({ data: { key: 'n', value: n } })}\n`;
    writeFileSync(path, `${line(1)}${line(2)}\n`);
    const before = treeHash(directory);
    const child = startNode(HOLDFAST, ['tail', directory, 'one', '-n', '1', '-f', '--json']);
    endsWithTest(child);
    const seen = async (...values: number[]): Promise<void> => {
      await waitFor(() => child.stdout().split('\n').length > values.length, { what: values.join(' ') });
      expect(texts(child.stdout())).toEqual(values);
    };
    await seen(2);
    expect(treeHash(directory)).toBe(before);
    appendFileSync(path, line(3) + line(4) + line(5).slice(0, 40));
    await seen(2, 3, 4);
    appendFileSync(path, line(5).slice(40));
    await seen(2, 3, 4, 5);
    truncateSync(path, 0);
    appendFileSync(path, line(6));
    await seen(2, 3, 4, 5, 6);
    child.process.kill('SIGINT');
    const ended = await child.ended;
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(ended.stderr).toMatch(/^holdfast: the journal of one was cut or replaced; [^\n]+\n$/);
  });

  test('a reader that has gone ends it without a word', async () => {
    const directory = tempDirectory();
    writeFileSync(
      join(directory, 'one.jsonl'),
      fileOf(Array.from({ length: 5_000 }, (_, n) => foreignLine({ data: { key: 'n', value: n } }))),
    );
    const command = `"${process.execPath}" --disable-warning=ExperimentalWarning "${HOLDFAST}" tail "${directory}" one -n 5000`;
    for (const script of [`${command} | head -n 1`, `${command} --json 2>&1 | head -n 1`]) {
      const output = execFileSync('bash', ['-c', `set -o pipefail; ${script}; echo "code $?"`], {
        encoding: 'utf8',
      });
      expect(output).toMatch(/^[^\n]+\ncode 0\n$/);
    }
  });

  test('a disk that is full where the output goes is said in one line', async () => {
    if (process.platform !== 'linux') return;
    const command = `"${process.execPath}" --disable-warning=ExperimentalWarning "${HOLDFAST}" tail "${goodJournal()}" one`;
    const output = execFileSync('bash', ['-c', `${command} 2>&1 >/dev/full; echo "code $?"`], {
      encoding: 'utf8',
    });
    expect(output).toMatch(/^holdfast: ENOSPC[^\n]+\ncode 1\n$/);
  });
});
