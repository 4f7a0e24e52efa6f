// @vitest-environment jsdom
import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProcessDetail, ProcessRow } from '../../core/contract/views.ts';
import {
  before,
  deadLetterOf,
  detailOf,
  effectOf,
  entryOf,
  fleetOf,
  invocationOf,
  lineOf,
  MINUTE,
  NOW,
  rowOf,
  waitOf,
} from './fixtures.ts';
import { memoryHost, ok, refused, type MemoryHost } from './memory-client.ts';
import { settle, show } from './render.tsx';

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const HASH = '#/j-demo/market-watcher';

async function shown(over: Partial<ProcessDetail> = {}, row: ProcessRow = rowOf()): Promise<MemoryHost> {
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf([row])));
  host.answer('processes.read', () => ok(detailOf(row, over)));
  host.answer('output.read', () => ok({ lines: [], before: null }));
  await show(host, HASH);
  return host;
}

const tab = async (name: string | RegExp): Promise<void> => {
  fireEvent.click(screen.getByRole('tab', { name }));
  await settle();
};
const dialog = () => within(screen.getByRole('alertdialog'));
const region = (name: string) => within(screen.getByRole('region', { name }));
const pressed = async (name: string | RegExp, where = screen): Promise<void> => {
  fireEvent.click(where.getByRole('button', { name }));
  await settle();
};
const done = { state: 'running', message: 'Done.' };

// Effects

test('the ledger says of each effect what it was, how it ended and under which key', async () => {
  await shown({
    open: [
      invocationOf({
        effects: [
          effectOf({ effectId: 'a', name: 'fetch', effectClass: 'retry', end: 'done', needsOperator: false }),
          effectOf({ attempts: 3, error: 'timeout' }),
        ],
      }),
    ],
  });
  await tab('Effects (1 in doubt)');
  const grid = within(screen.getByRole('grid', { name: 'Effects' }));
  expect(grid.getAllByRole('row')).toHaveLength(3);
  const row = within(grid.getByRole('row', { name: 'charge_card, In doubt' }));
  expect(row.getByText('ask')).toBeTruthy();
  expect(row.getByText('3')).toBeTruthy();
  expect(row.getByText(/"amount":12900/)).toBeTruthy();
  const key = row.getByText(/…/);
  expect(key.dataset['copy']).toBe(effectOf().key);
  expect(row.getByText('3 m ago').getAttribute('datetime')).toBe(before(3 * MINUTE));
});

test('an effect opens to all of its arguments, its key and its answers', async () => {
  await shown({ open: [invocationOf({ effects: [effectOf()] })] });
  await tab(/Effects/);
  const toggle = screen.getByRole('button', { name: 'Details of charge_card' });
  expect(toggle.getAttribute('aria-expanded')).toBe('false');
  fireEvent.click(toggle);
  expect(toggle.getAttribute('aria-expanded')).toBe('true');
  expect(screen.getByLabelText('Arguments of charge_card').textContent).toContain('"amount": 12900');
  const grid = within(screen.getByRole('grid'));
  expect(grid.getByRole('button', { name: 'Copy the key of charge_card' })).toBeTruthy();
  expect(grid.getByRole('group', { name: 'Answers: charge_card' })).toBeTruthy();
});

test('the filter in doubt leaves those, and an empty one says which filter emptied it', async () => {
  await shown({
    open: [invocationOf({ effects: [effectOf({ end: 'done', needsOperator: false })] })],
  });
  await tab('Effects');
  await pressed('0 in doubt');
  expect(screen.getByText('None of 1 effect fits')).toBeTruthy();
  await pressed('Show all effects');
  expect(screen.getByRole('row', { name: 'charge_card, Done' })).toBeTruthy();
});

test('no effects says why', async () => {
  await shown();
  await tab('Effects');
  expect(screen.getByText(/No invocation is open, and the journal tells of none\./)).toBeTruthy();
});

test('of ten thousand effects those in sight are drawn, and the keys still lead to the last', async () => {
  const effects = Array.from({ length: 10_000 }, (_, at) =>
    effectOf({
      effectId: `e${at}`,
      name: `step-${at}`,
      announcedAt: before(at * 1_000),
      end: 'done',
      needsOperator: false,
    }),
  );
  await shown({ open: [invocationOf({ effects })] });
  await tab('Effects');
  const grid = screen.getByRole('grid');
  expect(grid.getAttribute('aria-rowcount')).toBe('10001');
  expect(within(grid).getAllByRole('row').length).toBeLessThan(100);
  const first = within(grid).getByRole('row', { name: 'step-0, Done' });
  first.focus();
  fireEvent.keyDown(first, { key: 'ArrowDown' });
  expect(document.activeElement?.getAttribute('aria-label')).toBe('step-1, Done');
  fireEvent.keyDown(document.activeElement!, { key: 'End' });
  expect(document.activeElement?.getAttribute('aria-label')).toBe('step-9999, Done');
  expect(document.activeElement?.getAttribute('aria-rowindex')).toBe('10001');
});

test('while somebody points at the effects, new ones wait for him, and ends are told at once', async () => {
  const fetch = effectOf({ effectId: 'a', name: 'fetch', end: 'open', needsOperator: false });
  const host = await shown({ open: [invocationOf({ effects: [fetch] })] });
  await tab('Effects');
  fireEvent.pointerMove(screen.getByRole('grid'));
  const later = effectOf({ effectId: 'b', name: 'later', announcedAt: before(0), needsOperator: false });
  act(() => {
    host.say('process.changed', {
      journalId: 'j-demo',
      process: 'market-watcher',
      detail: detailOf(rowOf(), { open: [invocationOf({ effects: [{ ...fetch, end: 'done' }, later] })] }),
      rows: [],
      gap: false,
    });
  });
  expect(screen.getByRole('row', { name: 'fetch, Done' })).toBeTruthy();
  expect(screen.queryByRole('row', { name: /^later/ })).toBeNull();
  await pressed('1 change · apply');
  expect(screen.getByRole('row', { name: /^later/ })).toBeTruthy();
});

// The desk

test('an effect in doubt has three answers; running it now is said to run it', async () => {
  const host = await shown({ open: [invocationOf({ standing: 'in-doubt', effects: [effectOf()] })] });
  host.answer('effects.resolve', () => ok(done));
  const desk = region('Effects in doubt');
  expect(desk.getByText(/1 attempt · class ask · invocation 41/)).toBeTruthy();
  await pressed('It did not happen: run it now…: charge_card', desk as typeof screen);
  expect(dialog().getByText(/performed again now, with the same arguments and the same key/)).toBeTruthy();
  const confirm = dialog().getByRole<HTMLButtonElement>('button', { name: 'Run charge_card now' });
  expect(confirm.disabled).toBe(true);
  fireEvent.click(dialog().getByRole('button', { name: 'Not found in the other system' }));
  fireEvent.click(confirm);
  await settle();
  expect(host.askedFor('effects.resolve')[0]).toMatchObject({ resolution: { kind: 'did_not_happen' } });
});

test('[S16] an effect that happened and whose value is lost is never offered to run again', async () => {
  const error = 'it happened, and what it gave is lost';
  await shown({
    open: [invocationOf({ standing: 'in-doubt', effects: [effectOf({ error, isValueLost: true })] })],
  });
  const answers = within(screen.getByRole('group', { name: 'Answers: charge_card' }));
  expect(answers.getAllByRole('button').map((button) => button.textContent)).toEqual([
    'It happened…',
    'Skip…',
  ]);
});

test('a promise shows what it is about and until when, and is resolved with checked JSON and a reason', async () => {
  const host = await shown({ open: [invocationOf({ standing: 'waiting', waits: [waitOf()] })] });
  host.answer('promises.settle', () => ok(done));
  const waiting = region('Waiting for somebody');
  expect(waiting.getByText(/"refund":"R-77"/)).toBeTruthy();
  expect(waiting.getByText('in 3 h')).toBeTruthy();
  expect(waiting.getByRole('button', { name: 'Copy the id of approve-refund' })).toBeTruthy();
  await pressed('Resolve…: approve-refund');
  const confirm = dialog().getByRole<HTMLButtonElement>('button', { name: 'Resolve approve-refund' });
  fireEvent.click(dialog().getByRole('button', { name: 'Approved' }));
  fireEvent.change(dialog().getByLabelText('Value, as JSON'), { target: { value: '{' } });
  expect(confirm.disabled).toBe(true);
  fireEvent.change(dialog().getByLabelText('Value, as JSON'), { target: { value: 'true' } });
  fireEvent.click(confirm);
  await settle();
  expect(host.askedFor('promises.settle')[0]).toMatchObject({
    promiseId: waitOf().waitId,
    reason: 'Approved',
    settlement: { kind: 'resolved', valueText: 'true' },
  });
});

test('a promise is rejected with words', async () => {
  const host = await shown({
    open: [invocationOf({ standing: 'waiting', waits: [waitOf({ dueAt: null })] })],
  });
  host.answer('promises.settle', () => ok(done));
  await pressed('Reject…: approve-refund');
  fireEvent.change(dialog().getByLabelText('Error'), { target: { value: 'Too much.' } });
  fireEvent.click(dialog().getByRole('button', { name: 'Not approved' }));
  fireEvent.click(dialog().getByRole('button', { name: 'Reject approve-refund' }));
  await settle();
  expect(host.askedFor('promises.settle')[0]).toMatchObject({
    settlement: { kind: 'rejected', error: 'Too much.' },
  });
});

test('promises that are settled, and timers, wait for nobody', async () => {
  const waits = [waitOf({ status: 'resolved' }), waitOf({ waitId: 't', kind: 'timer' })];
  await shown({ open: [invocationOf({ standing: 'waiting', waits })] });
  expect(screen.queryByRole('region', { name: 'Waiting for somebody' })).toBeNull();
});

test('a signal goes to what is open, with a name and a payload that is checked', async () => {
  const host = await shown({ open: [invocationOf()] });
  host.answer('processes.signal', () => ok(done));
  await tab(/queue/);
  await pressed('Send a signal…');
  const confirm = dialog().getByRole<HTMLButtonElement>('button', {
    name: 'Send the signal to market-watcher',
  });
  fireEvent.change(dialog().getByLabelText('Payload, as JSON'), { target: { value: '{"n":' } });
  fireEvent.change(dialog().getByLabelText('Name'), { target: { value: 'wake' } });
  expect(confirm.disabled).toBe(true);
  fireEvent.change(dialog().getByLabelText('Payload, as JSON'), { target: { value: '{"n":1}' } });
  fireEvent.click(confirm);
  await settle();
  expect(host.askedFor('processes.signal')[0]).toMatchObject({ name: 'wake', payloadText: '{"n":1}' });
});

test('an invocation is asked, again if need be, and answers where it was asked; no reason is wanted', async () => {
  const host = await shown({
    open: [invocationOf(), invocationOf({ eventId: 'ev-43', invocation: 43 })],
  });
  host.answer('processes.query', () => refused({ code: 'query.unknown', message: 'It answers to: basket.' }));
  await tab(/queue/);
  await pressed('Ask it…');
  expect(dialog().queryByLabelText('Reason')).toBeNull();
  const confirm = dialog().getByRole<HTMLButtonElement>('button', { name: 'Ask market-watcher' });
  expect(confirm.disabled).toBe(true);
  fireEvent.change(dialog().getByLabelText('Name'), { target: { value: 'bsket' } });
  fireEvent.click(confirm);
  await settle();
  expect(dialog().getByText('It answers to: basket.')).toBeTruthy();
  host.answer('processes.query', () => ok({ valueText: '["tea",12345678901234567890]' }));
  fireEvent.change(dialog().getByLabelText('Name'), { target: { value: 'basket' } });
  fireEvent.change(dialog().getByLabelText('Invocation'), { target: { value: 'ev-43' } });
  fireEvent.change(dialog().getByLabelText('Arguments, as JSON'), { target: { value: '{"n":1}' } });
  fireEvent.click(confirm);
  await settle();
  expect(dialog().getByText(/12345678901234567890/)).toBeTruthy();
  expect(dialog().queryByText('It answers to: basket.')).toBeNull();
  expect(host.askedFor('processes.query')).toEqual([
    { journalId: 'j-demo', process: 'market-watcher', name: 'bsket', eventId: 'ev-41' },
    {
      journalId: 'j-demo',
      process: 'market-watcher',
      name: 'basket',
      eventId: 'ev-43',
      argsText: '{"n":1}',
    },
  ]);
  await pressed('Close', dialog() as typeof screen);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

// Queue

test('each invocation says where it stands and what it waits for until when', async () => {
  await shown({
    open: [
      invocationOf({ eventId: 'a', standing: 'running' }),
      invocationOf({ eventId: 'b', standing: 'backing-off', attempt: 2, retryAt: before(-95_000) }),
      invocationOf({
        eventId: 'c',
        standing: 'waiting',
        waits: [waitOf({ kind: 'timer', name: '', dueAt: before(-10 * MINUTE) })],
      }),
      invocationOf({ eventId: 'd', standing: 'waiting' }),
      invocationOf({ eventId: 'e', standing: 'in-doubt', effects: [effectOf()] }),
      invocationOf({ eventId: 'f', standing: 'ready' }),
    ],
  });
  await tab(/queue/);
  const [, ...rows] = region('Invocations').getAllByRole('row');
  expect(
    rows.map((row) =>
      within(row)
        .getAllByRole('cell')
        .slice(0, 2)
        .map((cell) => cell.textContent),
    ),
  ).toEqual([
    ['Running', 'nothing'],
    ['Backing off', 'attempt 3 begins in 1 m 35 s'],
    ['Waiting', 'timer · due in 10 m'],
    ['Waiting', 'a signal'],
    ['In doubt', 'you, for 1 effect in doubt'],
    ['Ready', 'its turn'],
  ]);
});

test('a dead letter says why, and is redelivered, done all over again, or dropped', async () => {
  const host = await shown({ deadLetters: [deadLetterOf()], deadLettersLost: 1 });
  for (const name of ['deadletters.redeliver', 'deadletters.drop'] as const)
    host.answer(name, () => ok(done));
  await tab(/queue/);
  const letters = region('Dead letters');
  expect(letters.getByText('the last of 4 attempts failed')).toBeTruthy();
  expect(letters.getByText('the warehouse answered 503')).toBeTruthy();
  expect(letters.getByText(/4 attempts · 2 of its effects done, and not done again/)).toBeTruthy();
  expect(letters.getByText(/1 older one gave way/)).toBeTruthy();
  await pressed('Redeliver');
  expect(host.askedFor('deadletters.redeliver')).toMatchObject([{ eventId: 'ev-17', asNew: false }]);
  await pressed('As a new event…');
  expect(dialog().getByText(/2 effects of it are done already, and would be done twice/)).toBeTruthy();
  fireEvent.click(dialog().getByRole('button', { name: 'Its cause is repaired' }));
  fireEvent.click(dialog().getByRole('button', { name: 'Deliver it as a new event' }));
  await settle();
  expect(host.askedFor('deadletters.redeliver').at(-1)).toMatchObject({ asNew: true });
  await pressed('Drop…');
  const drop = dialog().getByRole<HTMLButtonElement>('button', { name: 'Drop the dead letter' });
  expect(drop.disabled).toBe(true);
  fireEvent.click(dialog().getByRole('button', { name: 'Bad input' }));
  fireEvent.click(drop);
  await settle();
  expect(host.askedFor('deadletters.drop')[0]).toMatchObject({ eventId: 'ev-17', reason: 'Bad input' });
});

test('what is written to the agent goes out once; what was refused stays in the field', async () => {
  const host = await shown();
  host.answer('inbox.write', () => refused({ code: 'inbox.full', message: 'Fifty messages wait.' }));
  await tab(/queue/);
  const form = within(screen.getByRole('form', { name: 'Write to the agent' }));
  const field = form.getByLabelText<HTMLTextAreaElement>('Write to the agent');
  const send = form.getByRole<HTMLButtonElement>('button', { name: 'Write to market-watcher' });
  expect(send.disabled).toBe(true);
  fireEvent.change(field, { target: { value: 'Leave Saturdays out.' } });
  fireEvent.change(form.getByLabelText('Kind'), { target: { value: 'correction' } });
  fireEvent.change(form.getByLabelText('Priority'), { target: { value: 'high' } });
  fireEvent.change(form.getByLabelText('Expiry'), { target: { value: '1' } });
  fireEvent.click(send);
  await settle();
  expect(field.value).toBe('Leave Saturdays out.');
  host.answer('inbox.write', () => ok(done));
  fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
  await settle();
  expect(field.value).toBe('');
  expect(host.askedFor('inbox.write').at(-1)).toMatchObject({
    content: 'Leave Saturdays out.',
    messageType: 'correction',
    priority: 'high',
    expiresInSeconds: 3_600,
  });
});

test('[P6] a journal that is only looked at offers no answer and no form', async () => {
  await shown(
    {
      open: [invocationOf({ effects: [effectOf()], waits: [waitOf()] })],
      deadLetters: [deadLetterOf()],
    },
    rowOf({ live: false, actions: [], worker: null }),
  );
  await tab(/queue/);
  expect(screen.queryByRole('form')).toBeNull();
  const names = [/^It happened/, /^Resolve/, /^Redeliver/, /^Drop/, /^Send a signal/, /^Ask it/];
  const off = names.flatMap((name) => screen.getAllByRole<HTMLButtonElement>('button', { name }));
  expect(off.length).toBeGreaterThanOrEqual(names.length);
  expect(off.every(({ disabled }) => disabled)).toBe(true);
});

// Worker

const fact = (name: string): string | null =>
  region('Worker').getByText(name).parentElement?.querySelector('dd')?.textContent ?? null;

test('[P5] what the system does not tell of a worker is unknown, never 0', async () => {
  await shown({
    workerDetail: {
      pid: 4112,
      generation: 3,
      startedAt: before(3 * MINUTE),
      rssBytes: null,
      cpuPercent: null,
      isAnswering: false,
    },
  });
  await tab('Worker');
  expect(fact('Process id')).toBe('4112');
  expect(fact('Started')).toBe('3 m ago');
  expect(fact('Memory')).toBe('unknown');
  expect(fact('CPU')).toBe('unknown');
  expect(fact('Heartbeat')).toBe('does not answer');
});

test('[P5] of a worker in a journal that is only looked at nobody knows, wherever it is told', async () => {
  await shown({}, rowOf({ live: false, actions: [], worker: null }));
  const atAGlance = within(screen.getByRole('complementary', { name: 'At a glance' }));
  expect(atAGlance.getByText('Worker').parentElement?.textContent).toBe('Workerunknown');
  await tab('Worker');
  expect(fact('Process id')).toMatch(/^unknown/);
});

test('workers that keep dying say how, how often and when the next one starts', async () => {
  await shown(
    { workerDeaths: 4, lastWorkerDeath: 'killed by SIGKILL after 3 s', respawnsAt: before(-24_000) },
    rowOf({ worker: null, restarts: 2 }),
  );
  await tab('Worker');
  const loop = region('Crash loop');
  expect(loop.getByText('4 workers died in a row, without progress.')).toBeTruthy();
  expect(loop.getByText('killed by SIGKILL after 3 s')).toBeTruthy();
  expect(loop.getByText('in 24 s')).toBeTruthy();
});

test('the worker is killed from its tab, with the question of before', async () => {
  await shown();
  await tab('Worker');
  await pressed('Kill worker of market-watcher…');
  expect(dialog().getByRole('button', { name: 'Kill the worker of market-watcher' })).toBeTruthy();
});

test('output is text, with what would hide or reorder made visible, and older lines on demand', async () => {
  const host = await shown();
  host.answer('output.read', ({ before: cursor }) =>
    ok(
      cursor === null
        ? { lines: [lineOf(2, { text: '<b>\u{1b}[31mred\u{202e}' })], before: 'c' }
        : { lines: [lineOf(1)], before: null },
    ),
  );
  await tab('Worker');
  expect(screen.getByText('<b>⟨U+001B⟩[31mred⟨U+202E⟩')).toBeTruthy();
  await pressed('Load older');
  expect(screen.getByText('line 1')).toBeTruthy();
  expect(screen.getByText('That is the oldest line that is kept.')).toBeTruthy();
});

test('output that can’t be read says why and can be asked for again', async () => {
  const host = await shown();
  host.answer('output.read', () =>
    refused({ code: 'output.unreadable', message: 'The folder can not be read.' }),
  );
  await tab('Worker');
  expect(screen.getByText(/The folder can not be read\./)).toBeTruthy();
  host.answer('output.read', () => ok({ lines: [lineOf(1)], before: null }));
  await pressed('Try again');
  expect(screen.getByText('line 1')).toBeTruthy();
  expect(screen.queryByText(/could not be read/)).toBeNull();
});

test('an effect of an invocation that ended is known from the timeline', async () => {
  const row = rowOf();
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf([row])));
  host.answer('processes.read', () => ok(detailOf(row)));
  host.answer('timeline.read', () =>
    ok({
      rows: [
        entryOf(9, {
          type: 'effect_finished',
          dataText: '{"effect_id":"ev-1/notify#0","end":"done","result":1}',
        }),
      ],
      before: 'c',
    }),
  );
  await show(host, HASH);
  await tab('Effects');
  expect(screen.getByRole('row', { name: 'notify, Done' })).toBeTruthy();
  expect(screen.getByText(/the newest 1 entry of the journal/)).toBeTruthy();
});
