// What waits for a person at the command line: one of it with all that a decision needs, and the line to type next.

import { expect, test } from 'vitest';
import { PEOPLE_VERBS } from '../../core/cli/people-verbs.ts';
import { waitingDetailLines, waitLine } from '../../core/cli/waiting-lines.ts';
import type { WaitingView } from '../../core/contract/waiting-view.ts';
import { waitOf, waitingDetail, waitingItem } from '../renderer/fixtures.ts';

const waiting = PEOPLE_VERBS.find(({ usage }) => usage.startsWith('waiting '))!;
const view = (over: Partial<WaitingView> = {}): WaitingView => ({
  at: '',
  items: [waitingItem()],
  count: 1,
  ...over,
});
const further = (answer: WaitingView, ...words: string[]) =>
  waiting.further!(answer, { directory: '.', words, given: {} });

test('[P7] a call is shown with its reason, its change and its arguments, and with what decides it', () => {
  const detail = waitingDetail(
    { onExpiry: 'reject', expiresAt: '2026-12-01T09:00:00.000+00:00', isUrgent: true },
    {
      why: 'The report is due.',
      diffs: [{ title: 'a.txt', text: '@@ -1,1 +1,1 @@\n-one\n+two\n', isCut: true }],
      argsText: '{\n  "path": "a.txt"\n}',
      problem: 'path must be a text',
    },
  );
  const [head, ...lines] = waitingDetailLines('my agents', detail);
  expect(head).toMatch(
    /^approval write_file \(ask\), of .*, asked for by market-watcher since .*, until 2026-12-01.* \(then it is rejected\), urgent$/,
  );
  expect(lines).toEqual([
    'asked again:',
    '  path must be a text',
    'why:',
    '  The report is due.',
    'would change a.txt:',
    '  @@ -1,1 +1,1 @@',
    '  -one',
    '  +two',
    '  … (cut)',
    'arguments:',
    '  {',
    '    "path": "a.txt"',
    '  }',
    "to let it be called: holdfast approve 'my agents' p_approval [--args '<json>']",
    "to refuse it: holdfast reject 'my agents' p_approval --reason <text>",
  ]);
});

test('what is too large to be whole says so, and is not offered to be edited', () => {
  const detail = waitingDetail({}, { argsText: '{"a":', isWhole: false, argsBytes: 100_000, diffs: [] });
  const lines = waitingDetailLines('.', detail);
  expect(lines).toContain("  … of 100000 bytes, which can't be edited");
  expect(lines).toContain('to let it be called: holdfast approve . p_approval');
});

test.each([
  ['question', /^to answer it: holdfast answer \. p_approval <text>$/m],
  ['doubt', /^to decide it: holdfast resolve \. market-watcher p_approval --reason <text>, with --happened/m],
  ['budget', /^to allow more: holdfast extend \. market-watcher p_approval <amount> --reason <text>$/m],
  ['promise', /^to settle it: holdfast resolve-promise \. p_approval, with --resolved/m],
] as const)('a %s says how it is decided', (kind, line) => {
  expect(waitingDetailLines('.', waitingDetail({ kind })).join('\n')).toMatch(line);
});

test('an id leads to all about it; one under which nothing waits is refused with what to do', () => {
  expect(further(view())).toBeNull();
  expect(further(view(), 'p_approval')).toMatchObject({
    asks: 'waiting.show',
    fields: { process: 'market-watcher', kind: 'approval', id: 'p_approval' },
  });
  expect(() => further(view(), 'nope')).toThrow(/Nothing waits under the id nope: .* is listed\./);
  expect(() => further(view({ count: 600 }), 'nope')).toThrow(/nope is not among the oldest 1 of 600/);
});

test('a process that waits for a person names the line that shows what for, and not all of its data', () => {
  const wait = waitOf({ waitId: 'p_1', name: 'approval:move_file', dueAt: null, dataText: '{"schema":{}}' });
  expect(waitLine('.', wait)).toBe(
    'waits for: approval of move_file · p_1 · to look at it: holdfast waiting . p_1',
  );
  expect(waitLine('.', { ...wait, name: 'question' })).toContain('waits for: an answer · p_1 · to look');
  expect(waitLine('.', { ...wait, name: 'countersign' })).toBe(
    'waits for: promise countersign · p_1 · {"schema":{}}',
  );
  expect(waitLine('.', { ...wait, kind: 'timer', name: '' })).not.toContain('p_1');
});
