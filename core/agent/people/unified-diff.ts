// What a text becomes, line by line, as a person reads it. Bounded in work and in length, whatever the texts are.

import type { TextDiff } from '../../model/approval.ts';

/** Lines of the one times lines of the other, between what both begin and end with; beyond it all of it is another. */
const MAX_WORK = 1_000_000;
const MAX_TEXT = 32 * 1024;
const CONTEXT = 3;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

export function unifiedDiff(title: string, before: string, after: string): TextDiff {
  if (before === after) return { title, text: '', isCut: false };
  const lines = compared(linesOf(before), linesOf(after));
  let text = '';
  for (const hunk of hunksOf(lines)) {
    text += hunk;
    if (text.length > MAX_TEXT) return { title, text: whole(text.slice(0, MAX_TEXT)), isCut: true };
  }
  return { title, text, isCut: false };
}

/** Without half of a pair at its end. */
function whole(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1).toWellFormed();
}

/** A missing line feed at the end is a difference that is seen. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') return lines.slice(0, -1);
  return [...lines.slice(0, -1), `${lines.at(-1)!}\n\\ No newline at end`];
}

function compared(a: readonly string[], b: readonly string[]): readonly Line[] {
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from += 1;
  let same = 0;
  while (same < a.length - from && same < b.length - from && a.at(-1 - same) === b.at(-1 - same)) same += 1;
  const marked = (mark: Line['mark'], lines: readonly string[]): readonly Line[] =>
    lines.map((text) => ({ mark, text }));
  return [
    ...marked(' ', a.slice(0, from)),
    ...between(a.slice(from, a.length - same), b.slice(from, b.length - same), marked),
    ...marked(' ', a.slice(a.length - same)),
  ];
}

function between(
  a: readonly string[],
  b: readonly string[],
  marked: (mark: Line['mark'], lines: readonly string[]) => readonly Line[],
): readonly Line[] {
  if (a.length * b.length > MAX_WORK) return [...marked('-', a), ...marked('+', b)];
  const width = b.length + 1;
  /** The longest common subsequence of what is left of both. */
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const down = common[(i + 1) * width + j]!;
      const right = common[i * width + j + 1]!;
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1]! + 1 : Math.max(down, right);
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const isSame = i < a.length && j < b.length && a[i] === b[j];
    const takesOld =
      i < a.length && (j >= b.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!);
    if (isSame) {
      lines.push({ mark: ' ', text: a[i]! });
      i += 1;
      j += 1;
    } else if (takesOld) {
      lines.push({ mark: '-', text: a[i]! });
      i += 1;
    } else {
      lines.push({ mark: '+', text: b[j]! });
      j += 1;
    }
  }
  return lines;
}

/** Changes with a few lines around them; those that would touch are one. */
function* hunksOf(lines: readonly Line[]): Generator<string> {
  let old = 1;
  let now = 1;
  let at = 0;
  while (at < lines.length) {
    const changed = lines.findIndex(({ mark }, index) => index >= at && mark !== ' ');
    if (changed === -1) return;
    const start = Math.max(at, changed - CONTEXT);
    let end = changed;
    for (let next = changed; next < lines.length && next <= end + 2 * CONTEXT + 1; next += 1) {
      if (lines[next]!.mark !== ' ') end = next;
    }
    const stop = Math.min(lines.length, end + CONTEXT + 1);
    old += start - at;
    now += start - at;
    const hunk = lines.slice(start, stop);
    const oldCount = hunk.filter(({ mark }) => mark !== '+').length;
    const newCount = hunk.filter(({ mark }) => mark !== '-').length;
    yield `@@ -${oldCount === 0 ? old - 1 : old},${oldCount} +${newCount === 0 ? now - 1 : now},${newCount} @@\n`;
    yield* hunk.map(({ mark, text }) => `${mark}${text}\n`);
    old += oldCount;
    now += newCount;
    at = stop;
  }
}
