// What waits for a person in the scenes: one of each kind, and in the long night what is as bad as it can be.

import type { WaitingDetail, WaitingItem, WaitingView } from '../../../core/contract/waiting-view.ts';
import { before, DAY, HOUR, MINUTE, waitingDetail } from '../fixtures.ts';
import { LONG_NAME, LONG_TEXT } from './night.ts';

const EDIT = `@@ -1,5 +1,5 @@
 # Rates
-hotel: 120
+hotel: 140
 meals: 45
-travel: second class
+travel: first class
 # End
`;

const FULL: readonly WaitingDetail[] = [
  waitingDetail(
    {
      title: 'edit_file',
      process: 'nightly-report',
      text: 'The rates for next year were decided, and the report uses them from tonight on.',
      since: before(20 * MINUTE),
      expiresAt: before(-100 * MINUTE),
    },
    {
      diffs: [{ title: 'docs/rates.yaml', text: EDIT, isCut: false }],
      argsText: JSON.stringify(
        {
          path: 'docs/rates.yaml',
          edits: [
            { oldText: 'hotel: 120', newText: 'hotel: 140' },
            { oldText: 'travel: second class', newText: 'travel: first class' },
          ],
        },
        null,
        2,
      ),
    },
  ),
  waitingDetail(
    {
      kind: 'question',
      id: 'p_question',
      title: 'question',
      process: 'nightly-report',
      text: 'Which account should the transfer go to?',
      effectClass: '',
      isUrgent: true,
      onExpiry: 'fail',
      since: before(4 * MINUTE),
    },
    {
      why: 'Which account should the transfer go to? Two of them have the name of the supplier.',
      options: ['4711, the old one', '4712, opened in May'],
      argsText: null,
      isWhole: false,
      schemaText: null,
    },
  ),
  waitingDetail(
    {
      kind: 'doubt',
      id: 'ev-42/charge_card#0',
      title: 'charge_card',
      process: 'invoice-clerk',
      text: 'timeout of 30 s exceeded',
      onExpiry: 'fail',
      since: before(HOUR),
    },
    {
      why: '',
      argsText: '{"invoice":4711,"amount":1200}',
      isWhole: false,
      effectKey: 'j-demo/invoice-clerk/41',
    },
  ),
  waitingDetail(
    {
      kind: 'budget',
      id: 'max_cost_per_day',
      title: 'max_cost_per_day',
      process: 'ad-buyer',
      text: 'cost of a day: 40 of 40 used, and 2.5 more is asked for',
      effectClass: '',
      onExpiry: 'fail',
      since: before(2 * HOUR),
    },
    { why: '', argsText: null, isWhole: false },
  ),
  waitingDetail(
    {
      kind: 'promise',
      id: 'p_plain',
      title: 'countersign',
      process: 'nightly-report',
      text: '{"contract":"c-18"}',
      effectClass: '',
      onExpiry: 'fail',
      since: before(2 * DAY),
    },
    { why: '', argsText: '{\n  "contract": "c-18"\n}' },
  ),
];

const WORST: readonly WaitingDetail[] = [
  waitingDetail(
    {
      title: 'write_file',
      process: LONG_NAME,
      text: `\u{202e}${LONG_TEXT}`,
      isUrgent: true,
      since: before(30 * DAY),
      expiresAt: before(-MINUTE),
      onExpiry: 'approve',
    },
    {
      why: `\u{1b}[2J\u{202e}<b onclick=alert(1)>${LONG_TEXT}`,
      source: `mcp:${'x'.repeat(150)}`,
      problem: LONG_TEXT,
      isWhole: false,
      argsBytes: 104_857_600,
      argsText: `{"path":"\u{202e}txt.exe","content":"${'x'.repeat(8_000)}`,
      diffs: [
        {
          title: `/${'deep/'.repeat(60)}\u{202e}txt.exe`,
          text: `@@ -1,1 +1,1 @@\n-${'old'.repeat(2_000)}\n+\u{1b}[31m${'new'.repeat(2_000)}\n`,
          isCut: true,
        },
        { title: 'nothing', text: '', isCut: false },
      ],
    },
  ),
  ...Array.from({ length: 40 }, (_, at) =>
    waitingDetail({
      id: `p_${String(at)}`,
      title: 'x'.repeat(190),
      process: LONG_NAME,
      text: LONG_TEXT,
      since: before(at * HOUR),
    }),
  ),
];

export function waitingIn(journalId: string, isNight: boolean): WaitingView {
  const items: readonly WaitingItem[] = (isNight ? WORST : FULL)
    .map(({ item }) => item)
    .filter((item) => item.journalId === journalId);
  return { at: before(0), items: [...items], count: isNight ? 612 : items.length };
}

export function waitingDetailOf(id: string, isNight: boolean): WaitingDetail | null {
  return (isNight ? WORST : FULL).find(({ item }) => item.id === id) ?? null;
}
