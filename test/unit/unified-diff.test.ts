// What somebody approves by is what would happen: a diff, applied to what is there, gives what it says, for all texts.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../core/agent/people/unified-diff.ts';

/** As `patch` would, strictly. */
function applied(before: string, diff: string): string {
  const old = before.split('\n').slice(0, -1);
  const out: string[] = [];
  let at = 0;
  let wrong = false;
  const lines = diff === '' ? [] : diff.split('\n').slice(0, -1);
  for (const line of lines) {
    const head = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line);
    if (head !== null) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      while (at < start) out.push(old[at++]!);
      wrong ||= out.length !== Number(head[3]) - (head[4] === '0' ? 0 : 1);
      continue;
    }
    const text = line.slice(1);
    if (line.startsWith('+')) out.push(text);
    else {
      wrong ||= old[at] !== text;
      at += 1;
      if (line.startsWith(' ')) out.push(text);
    }
  }
  if (wrong) return 'the diff belongs to another text';
  return [...out, ...old.slice(at)].map((line) => `${line}\n`).join('');
}

test('applied to what is there, it gives what it says', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { text: diff, isCut } = unifiedDiff('x', before, after);
      expect(isCut).toBe(false);
      expect(applied(before, diff)).toBe(after);
    }),
    { numRuns: 2_000 },
  );
});

test('a missing line feed at the end is a difference', () => {
  const { text } = unifiedDiff('x', 'a\n', 'a');
  expect(text).toContain('-a\n+a\n\\ No newline at end');
});

test('what is too long is cut, and what is too different is not compared for ever', () => {
  const lines = (word: string): string =>
    Array.from({ length: 60_000 }, (_, at) => `${word} ${at}\n`).join('');
  const began = performance.now();
  const { text, isCut } = unifiedDiff('x', lines('old'), lines('new'));
  expect(isCut).toBe(true);
  expect(text.length).toBeLessThanOrEqual(32 * 1024);
  expect(performance.now() - began).toBeLessThan(5_000);
});
