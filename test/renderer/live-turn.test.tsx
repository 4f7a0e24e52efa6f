// @vitest-environment jsdom
import { act, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import { before, detailOf, effectOf, invocationOf, rowOf } from './fixtures.ts';
import type { MemoryHost } from './memory-client.ts';
import { region, shown, stopClock, tab } from './process-page.ts';

stopClock();

type Saying = NonNullable<ProcessDetail['saying']>;
const sayingOf = (over: Partial<Saying> = {}): Saying => ({
  text: 'A note about',
  waitText: null,
  waitUntil: null,
  model: 'openai:gpt-5-mini',
  since: before(3_000),
  ...over,
});
const toolOf = (over: Parameters<typeof effectOf>[0]) =>
  effectOf({ needsOperator: false, end: 'done', ...over });
const MODEL = toolOf({ effectId: 'ev-41/model#0', name: 'model', end: 'open' });

const says = (host: MemoryHost, over: Partial<ProcessDetail>): void => {
  const detail = detailOf(rowOf(), over);
  act(() => {
    host.say('process.changed', {
      journalId: 'j-demo',
      process: 'market-watcher',
      detail,
      rows: [],
      gap: false,
    });
  });
};
const underWay = () => region('Turn under way');
const status = () => underWay().getByRole('status').textContent;

test('an answer is seen as it comes, said aloud is only that the model is asked', async () => {
  const host = await shown({ open: [invocationOf({ effects: [MODEL] })], saying: sayingOf() });
  await tab('Conversation');
  expect(status()).toBe('Asking openai:gpt-5-mini');
  const line = underWay().getByRole('status').parentElement!;
  expect(line.textContent).toBe('Asking openai:gpt-5-minifor 3 s');
  expect(underWay().getByRole('status').querySelector('time')).toBeNull();
  const told = underWay().getByRole('status').firstChild;
  says(host, {
    open: [invocationOf({ effects: [MODEL] })],
    saying: sayingOf({ text: 'A note about two \u{202e}lines' }),
  });
  expect(underWay().getByText(/A note about two ⟨U\+202E⟩lines|A note about two .*lines/)).toBeTruthy();
  // The very text that was there: nothing is announced again.
  expect(underWay().getByRole('status').firstChild).toBe(told);
  expect(status()).toBe('Asking openai:gpt-5-mini');
});

test('who writes to the agent is not pushed about by a turn that grows: it stands below', async () => {
  await shown({ open: [invocationOf({ effects: [MODEL] })], saying: sayingOf() });
  await tab('Conversation');
  const field = screen.getByRole('textbox', { name: 'Write to the agent' });
  const turn = screen.getByRole('region', { name: 'Turn under way' });
  expect(field.compareDocumentPosition(turn)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

test('why nothing comes is said, and how long it takes stands beside it', async () => {
  await shown({
    open: [invocationOf({ effects: [MODEL] })],
    saying: sayingOf({ text: '', waitText: 'rate limited: retry 2/5', waitUntil: before(-32_000) }),
  });
  await tab('Conversation');
  expect(status()).toBe('rate limited: retry 2/5');
  expect(underWay().getByText('in 32 s').tagName).toBe('TIME');
});

test('calls of tools appear as they happen, and all of it is gone with the end of the turn', async () => {
  const host = await shown({ open: [invocationOf({ effects: [MODEL] })], saying: sayingOf() });
  await tab('Conversation');
  const read = toolOf({ effectId: 'ev-41/read_text_file#0', name: 'read_text_file', end: 'open' });
  says(host, { open: [invocationOf({ effects: [{ ...MODEL, end: 'done' }, read] })] });
  expect(status()).toBe('Performing read_text_file');
  const list = within(underWay().getByRole('list', { name: /^Effects of invocation/ }));
  expect(list.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'modelDone',
    'read_text_fileUnder way',
  ]);
  expect(underWay().queryByText(/A note about/)).toBeNull();
  says(host, { open: [] });
  expect(screen.queryByRole('region', { name: 'Turn under way' })).toBeNull();
});

test('[S33] a call that may have been paid is marked, in the turn and in the ledger, where it is explained', async () => {
  await shown({ open: [invocationOf({ effects: [{ ...MODEL, maybePaid: 1 }] })], saying: null });
  await tab('Conversation');
  expect(underWay().getByText(/maybe paid/)).toBeTruthy();
  await tab('Effects');
  const row = screen.getByRole('row', { name: 'model, Under way' });
  expect(within(row).getByText(/maybe paid/)).toBeTruthy();
  act(() => within(row).getByRole('button', { name: 'Details of model' }).click());
  expect(screen.getByText(/1 call of the model gave nothing, .* stays reserved/)).toBeTruthy();
});
