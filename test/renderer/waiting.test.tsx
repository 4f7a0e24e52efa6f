// @vitest-environment jsdom
// What waits for a person, in one place: looked at, decided there, and gone when it is decided.
import { act, fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { WaitingDetail } from '../../core/contract/waiting-view.ts';
import { before, detailOf, fleetOf, HOUR, invocationOf, rowOf, waitingDetail, waitOf } from './fixtures.ts';
import { ok, refused, memoryHost, type MemoryHost } from './memory-client.ts';
import { dialog, done, enter, HASH, pressed, stopClock } from './process-page.ts';
import { settle, show } from './render.tsx';

stopClock();

const row = (count: number, mark = String(count)) => rowOf({ waiting: { count, mark }, state: 'awaiting' });

function hostOf(...details: readonly WaitingDetail[]): MemoryHost & { now: readonly WaitingDetail[] } {
  const host = Object.assign(memoryHost(), { now: details });
  host.answer('fleet.read', () => ok(fleetOf([row(host.now.length)])));
  host.answer('waiting.read', () =>
    ok({ at: before(0), items: host.now.map(({ item }) => item), count: host.now.length }),
  );
  host.answer('waiting.show', ({ id }) => {
    const found = host.now.find(({ item }) => item.id === id);
    return found === undefined
      ? refused({ code: 'waiting.over', message: 'It does not wait for this any more.' })
      : ok(found);
  });
  return host;
}

/** The fleet says that something else waits. */
function changed(host: MemoryHost, count: number): void {
  host.say('fleet.changed', {
    sequence: 8,
    at: before(0),
    upserts: [row(count)],
    removed: [],
    journals: null,
  });
}

const list = () => within(screen.getByRole('list', { name: 'What waits' }));

test('nothing waits: it says so, and what would be here', async () => {
  await show(hostOf(), '#/waiting');
  expect(screen.getByRole('heading', { name: 'Nothing waits for you' })).toBeTruthy();
});

test('the urgent first and then the oldest; keys move through them; counts are in the head', async () => {
  const host = hostOf(
    waitingDetail({ id: 'p_new', title: 'new', since: before(1_000) }),
    waitingDetail({ id: 'p_old', title: 'old', since: before(HOUR) }),
    waitingDetail({ id: 'p_urgent', title: 'question', kind: 'question', isUrgent: true, text: 'Now?' }),
  );
  await show(host, '#/waiting');
  const names = list()
    .getAllByRole('button')
    .map(({ textContent }) => textContent ?? '');
  expect(names.map((name) => /Now\?|old|new/.exec(name)?.[0])).toEqual(['Now?', 'old', 'new']);
  expect(screen.getByRole('navigation', { name: 'Counts' }).textContent).toContain('3 waiting for you');
  fireEvent.keyDown(document.body, { key: 'j' });
  await settle();
  expect(list().getAllByRole('button')[1]?.getAttribute('aria-current')).toBe('true');
  expect(document.activeElement).toBe(list().getAllByRole('button')[1]);
  expect(screen.getByRole('region', { name: 'Approval: old' })).toBeTruthy();
});

test('approved with one press, under one command; what was decided goes, and the focus to what is next', async () => {
  const host = hostOf(
    waitingDetail({ id: 'p_1', title: 'first' }),
    waitingDetail({ id: 'p_2', title: 'second' }),
  );
  host.answer('approvals.decide', () => ok(done));
  await show(host, '#/waiting');
  await pressed('Approve');
  expect(host.askedFor('approvals.decide')).toMatchObject([
    { promiseId: 'p_1', process: 'market-watcher', decision: { kind: 'approve' } },
  ]);
  host.now = host.now.slice(1);
  changed(host, 1);
  await settle();
  expect(screen.getByRole('region', { name: 'Approval: second' })).toBeTruthy();
  expect(list().getAllByRole('button')).toHaveLength(1);
});

test('edited arguments are held against the schema before they go out; what the host refuses is said, and stays', async () => {
  const host = hostOf(waitingDetail());
  host.answer('approvals.decide', () =>
    refused({ code: 'approval.bad-arguments', message: 'The host knows better.' }),
  );
  await show(host, '#/waiting');
  await pressed('Edit and approve…');
  const confirm = dialog().getByRole<HTMLButtonElement>('button', { name: 'Approve write_file' });
  expect(confirm.disabled).toBe(false);
  for (const [text, problem] of [
    ['{"path":', /Not JSON/],
    ['[1]', /are an object/],
    ['{"pth":"x"}', /path is missing/],
  ] as const) {
    enter('Arguments, as JSON', text);
    expect(dialog().getByText(problem)).toBeTruthy();
    expect(confirm.disabled).toBe(true);
  }
  enter('Arguments, as JSON', '{"path":"other.txt"}');
  fireEvent.click(confirm);
  await settle();
  expect(host.askedFor('approvals.decide')).toMatchObject([
    { decision: { kind: 'approve', argsText: '{"path":"other.txt"}' } },
  ]);
  expect(dialog().getByText('The host knows better.')).toBeTruthy();
  expect(dialog().getByLabelText<HTMLTextAreaElement>('Arguments, as JSON').value).toBe(
    '{"path":"other.txt"}',
  );
});

test('a secret among the arguments is told for what it is, and is refused anywhere but where it stood [J10]', async () => {
  const host = hostOf(waitingDetail({}, { argsText: '{"path":"a","content":"key=[secret:KEY]"}' }));
  await show(host, '#/waiting');
  await pressed('Edit and approve…');
  expect(dialog().getByText('[secret:NAME]')).toBeTruthy();
  const confirm = dialog().getByRole<HTMLButtonElement>('button', { name: 'Approve write_file' });
  enter('Arguments, as JSON', '{"path":"[secret:KEY]","content":"key=[secret:KEY]"}');
  expect(dialog().getByText(/\[secret:KEY\] in path stands for a value that nobody sees/)).toBeTruthy();
  expect(confirm.disabled).toBe(true);
  enter('Arguments, as JSON', '{"path":"b","content":"key=[secret:KEY]"}');
  expect(confirm.disabled).toBe(false);
});

test('a rejection needs a reason, which the agent reads', async () => {
  const host = hostOf(waitingDetail());
  host.answer('approvals.decide', () => ok(done));
  await show(host, '#/waiting');
  await pressed('Reject…');
  const confirm = dialog().getByRole<HTMLButtonElement>('button', { name: 'Reject write_file' });
  expect(confirm.disabled).toBe(true);
  fireEvent.click(dialog().getByRole('button', { name: 'Too risky' }));
  fireEvent.click(confirm);
  await settle();
  expect(host.askedFor('approvals.decide')).toMatchObject([
    { reason: 'Too risky', decision: { kind: 'reject' } },
  ]);
});

test('a question is answered with one of its options or in other words', async () => {
  const host = hostOf(
    waitingDetail({ kind: 'question', title: 'question', text: 'Which?' }, { options: ['a', 'b'] }),
  );
  host.answer('approvals.decide', () => ok(done));
  await show(host, '#/waiting');
  await pressed('Answer…');
  fireEvent.click(dialog().getByRole('button', { name: 'b' }));
  expect(dialog().getByLabelText<HTMLTextAreaElement>('Answer').value).toBe('b');
  enter('Answer', 'neither');
  fireEvent.click(dialog().getByRole('button', { name: 'Answer market-watcher' }));
  await settle();
  expect(host.askedFor('approvals.decide')).toMatchObject([
    { decision: { kind: 'answer', text: 'neither' } },
  ]);
});

test('hostile texts are shown for what they are, and large arguments are not edited', async () => {
  const host = hostOf(
    waitingDetail(
      { title: 'rm\u{202e}txt.exe' },
      {
        why: '\u{1b}[2J<img src=x>',
        isWhole: false,
        argsBytes: 2_000_000,
        diffs: [{ title: 'a', text: '@@ -1,1 +1,1 @@\n-a\u{202e}\n+b\n', isCut: true }],
      },
    ),
  );
  await show(host, '#/waiting');
  const text = document.querySelector('main')?.textContent ?? '';
  expect(text).toContain('rm⟨U+202E⟩txt.exe');
  expect(text).toContain('⟨U+001B⟩[2J<img src=x>');
  expect(text).toContain('-a⟨U+202E⟩');
  expect(document.querySelector('main img')).toBeNull();
  const edit = screen.getByRole<HTMLButtonElement>('button', { name: 'Edit and approve…' });
  expect({ disabled: edit.disabled, title: edit.title }).toEqual({
    disabled: true,
    title: 'Too large to be edited here',
  });
});

test('[P6] what is only looked at offers no decision', async () => {
  const host = hostOf(waitingDetail({ live: false }));
  host.answer('fleet.read', () => ok(fleetOf([rowOf({ live: false, waiting: { count: 1, mark: 'x' } })])));
  await show(host, '#/waiting');
  expect(screen.getByText(/only looked at from here/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull();
});

test('decided elsewhere while it was being looked at: it says so', async () => {
  const host = hostOf(waitingDetail());
  host.answer('waiting.show', () =>
    refused({ code: 'waiting.over', message: 'It does not wait for this any more.' }),
  );
  await show(host, '#/waiting');
  expect(screen.getByText('It does not wait for this any more.')).toBeTruthy();
});

test('the page of a process leads to the very thing that it waits for', async () => {
  const first = waitingDetail({ id: 'p_first', title: 'first', since: before(HOUR) });
  const asked = waitingDetail({ id: 'p_asked', title: 'asked', since: before(1_000) });
  const host = hostOf(first, asked);
  const wait = waitOf({ waitId: 'p_asked', name: 'approval:asked' });
  const open = [invocationOf({ standing: 'waiting', waits: [wait] })];
  host.answer('processes.read', () => ok(detailOf(row(2), { open })));
  const console = await show(host, HASH);
  const link = screen.getByRole('link', { name: 'Decide it under Waiting for me' });
  fireEvent.click(link);
  act(() => console.goTo(link.getAttribute('href')!));
  await settle();
  const [current] = list()
    .getAllByRole('button')
    .filter((button) => button.getAttribute('aria-current') === 'true');
  expect(current?.textContent).toContain('asked');
});

test('[P7] a double click approves what was there, and not what takes its place', async () => {
  const host = hostOf(
    waitingDetail({ id: 'p_first', title: 'first', since: before(HOUR) }),
    waitingDetail({ id: 'p_next', title: 'next', since: before(1_000) }),
  );
  host.answer('approvals.decide', () => ok(done));
  await show(host, '#/waiting');
  fireEvent.click(screen.getByRole('button', { name: 'Approve' }), { detail: 1 });
  host.now = host.now.slice(1);
  await settle();
  changed(host, 1);
  await settle();
  fireEvent.click(screen.getByRole('button', { name: 'Approve' }), { detail: 2 });
  await settle();
  expect(host.askedFor('approvals.decide').map(({ promiseId }) => promiseId)).toEqual(['p_first']);
});
