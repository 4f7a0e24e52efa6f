// @vitest-environment jsdom
import { act, fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import type { TimelineRow } from '../../core/contract/timeline-views.ts';
import { detailOf, entryOf, fleetOf, forkPlanOf, rewindPlanOf, rowOf } from './fixtures.ts';
import { memoryHost, ok, refused, type MemoryHost, type TestConsole } from './memory-client.ts';
import { dialog, enter, HASH, hostOf, pressed } from './process-page.ts';
import { settle, show } from './render.tsx';

const done = { state: 'suspended', message: 'Done.' };

interface Shown {
  readonly host: MemoryHost;
  readonly console: TestConsole;
}

async function shown(
  over: Partial<ProcessDetail> = {},
  row: ProcessRow = rowOf(),
  rows: TimelineRow[] = [entryOf(1204), entryOf(1202)],
): Promise<Shown> {
  const host = hostOf(row, over);
  host.answer('timeline.read', () => ok({ rows, before: null }));
  host.answer('rewind.plan', ({ to, isHandledAgain }) => {
    const plan = rewindPlanOf({ isHandledAgain });
    return ok({ ...plan, target: { ...plan.target, seq: to } });
  });
  host.answer('fork.plan', ({ at, name }) => ok(forkPlanOf({ at, name })));
  host.answer('rewind.apply', () => ok(done));
  host.answer('fork.apply', () => ok(done));
  return { host, console: await show(host, HASH) };
}

/** Until what was typed has rested. */
const rested = async ({ testClock }: TestConsole): Promise<void> => {
  act(() => testClock.advance(400));
  await settle();
};
const from = async (name: string): Promise<void> => {
  fireEvent.click(screen.getByRole('button', { name: /entry 1202/ }));
  await pressed(name);
};
const confirmed = (name: string) => dialog().getByRole<HTMLButtonElement>('button', { name });

test('each entry leads to its rewind, and its plan comes from the host before anything is done', async () => {
  const { host } = await shown();
  await from('Rewind to here…');
  expect(host.askedFor('rewind.plan').at(-1)).toEqual({
    journalId: 'j-demo',
    process: 'market-watcher',
    to: 1202,
    isHandledAgain: true,
  });
  expect(document.activeElement?.textContent).toBe('Cancel');
  expect(dialog().getByRole('heading', { name: 'Rewind market-watcher to entry 1202?' })).toBeTruthy();
  const rows = (name: string) =>
    within(dialog().getByRole('region', { name }))
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent);
  expect(rows('State')).toEqual(['last_price184.20181.05', 'alerts["AAPL"]not there']);
  expect(rows('Invocations')[0]).toMatch(/ev-40.*had ended.*handled again2 effects on record are given back/);
  expect(rows('Invocations')[1]).toMatch(
    /ev-41.*under way.*begun before.*handled again1 effect on record is given/,
  );
  expect(dialog().getByText('Conversation:', { exact: false }).textContent).toBe(
    'Conversation: 12 messages now → 8 afterwards.',
  );
  expect(host.askedFor('rewind.apply')).toEqual([]);
});

test('[P2] what was done to the world stands first, is called done, and what nobody knows is called that', async () => {
  await shown();
  await from('Rewind to here…');
  const stays = within(dialog().getByRole('region', { name: 'What stays done' }));
  expect(stays.getByText('3 effects after entry 1202 stay as they are.')).toBeTruthy();
  const items = stays.getAllByRole('listitem').map((item) => item.textContent);
  expect(items[0]).toMatch(/^happenedcharge_card \{"amount":12900\}entry 1204, event ev-40/);
  expect(items[1]).toMatch(/^outcome unknownsend_mail/);
  expect(items[2]).toMatch(/^did not happenlook_up/);
  const sections = dialog()
    .getAllByRole('region')
    .map((section) => section.getAttribute('aria-label'));
  expect(sections.indexOf('What stays done')).toBeLessThan(sections.indexOf('State'));
  expect(dialog().getByText('1 decision')).toBeTruthy();
  expect(dialog().getByText('1 event accepted')).toBeTruthy();
});

test('a list that is cut says so', async () => {
  const { host } = await shown();
  host.answer('rewind.plan', () =>
    ok(
      rewindPlanOf({
        undoneCount: 812,
        contextChanges: 300,
        factCount: { effect: 900, message: 0, promise: 0, timer: 0, event: 50, decision: 1 },
      }),
    ),
  );
  await from('Rewind to here…');
  for (const text of [
    'Showing 2 of 812 invocations.',
    'Showing 2 of 300 changed keys.',
    'Showing 3 of 900 effects.',
    'Showing 1 of 50 events accepted.',
  ]) {
    expect(dialog().getByText(text)).toBeTruthy();
  }
});

test('[P7] a rewind needs a reason, and says how many it was seen to undo', async () => {
  const { host } = await shown();
  await from('Rewind to here…');
  expect(confirmed('Rewind market-watcher').disabled).toBe(true);
  await pressed('Wrong results');
  await pressed('Rewind market-watcher');
  expect(host.askedFor('rewind.apply')).toMatchObject([
    { to: 1202, isHandledAgain: true, undone: 2, reason: 'Wrong results', process: 'market-watcher' },
  ]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(screen.getByText('market-watcher: Suspended')).toBeTruthy();
});

test('what was handled may be left: that is another plan, which is waited for', async () => {
  const { host, console } = await shown();
  await from('Rewind to here…');
  enter('Reason', 'as it was');
  fireEvent.click(dialog().getByLabelText('Handle again what has been handled since'));
  expect(confirmed('Rewind market-watcher').disabled).toBe(true);
  expect(dialog().getByText('Wait for what it would do.')).toBeTruthy();
  expect(dialog().getByText(/This is the one before/)).toBeTruthy();
  await rested(console);
  expect(host.askedFor('rewind.plan').at(-1)).toMatchObject({ to: 1202, isHandledAgain: false });
  expect(dialog().getByText('left as it is')).toBeTruthy();
  // What is under way has no end to be left with.
  expect(dialog().getAllByText('handled again')).toHaveLength(1);
  await pressed('Rewind market-watcher');
  expect(host.askedFor('rewind.apply')).toMatchObject([{ isHandledAgain: false, undone: 2 }]);
});

test('a plan that has changed is refused, and shown anew; what was given stays', async () => {
  const { host } = await shown();
  await from('Rewind to here…');
  enter('Reason', 'bad input');
  host.answer('rewind.apply', () =>
    refused({ code: 'rewind.changed', message: 'market-watcher has moved: 3 would be undone, and not 2.' }),
  );
  host.answer('rewind.plan', () => ok(rewindPlanOf({ undoneCount: 3 })));
  await pressed('Rewind market-watcher');
  expect(dialog().getByRole('alert').textContent).toMatch(
    /Nothing was moved\. The plan above is new\..*has moved/,
  );
  expect(dialog().getByText('Showing 2 of 3 invocations.')).toBeTruthy();
  expect(dialog().getByLabelText<HTMLInputElement>('Reason').value).toBe('bad input');
  host.answer('rewind.apply', () => ok(done));
  await pressed('Rewind market-watcher');
  expect(host.askedFor('rewind.apply').map(({ undone }) => undone)).toEqual([2, 3]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('without a plan nothing can be confirmed, and why there is none is said', async () => {
  const { host } = await shown();
  host.answer('rewind.plan', () => refused({ code: 'rewind.too-far', message: 'Choose a later entry.' }));
  await from('Rewind to here…');
  enter('Reason', 'x');
  expect(dialog().getByRole('alert').textContent).toMatch(/^Not possible\. Choose a later entry\./);
  expect(confirmed('Rewind market-watcher').disabled).toBe(true);
});

test('the menu of the process asks which entry; another number is another plan, once it has rested', async () => {
  const { host, console } = await shown();
  await pressed('More actions');
  fireEvent.click(screen.getByRole('menuitem', { name: 'Rewind to an entry…' }));
  await settle();
  expect(host.askedFor('rewind.plan')).toEqual([]);
  expect(dialog().getByText('Enter the number of an entry first.')).toBeTruthy();
  enter('Entry', '7x');
  expect(dialog().getByText('Entries are numbered from 1 on.')).toBeTruthy();
  enter('Entry', '7');
  await settle();
  enter('Entry', '71');
  enter('Entry', '712');
  await rested(console);
  expect(host.askedFor('rewind.plan').map(({ to }) => to)).toEqual([7, 712]);
  fireEvent.keyDown(document.activeElement!, { key: 'Escape' });
  await settle();
  expect(document.activeElement?.getAttribute('aria-label')).toBe('More actions');
});

test('a fork is asked for a name and what begins otherwise; afterwards the new process is shown', async () => {
  const { host, console } = await shown();
  await from('Fork from here…');
  expect(dialog().getByLabelText<HTMLInputElement>('Name of the new process').value).toBe(
    'market-watcher-fork',
  );
  expect(host.askedFor('fork.plan').at(-1)).toMatchObject({
    at: 1202,
    name: 'market-watcher-fork',
    set: {},
    configure: {},
  });
  expect(
    dialog().getByText('3 keys of the state and 8 messages of the conversation, as of entry 1202'),
  ).toBeTruthy();
  expect(
    dialog().getByText('2 queued events · 1 inbox message · 1 timer, with market-watcher alone'),
  ).toBeTruthy();
  expect(dialog().getByText(/market-watcher goes on with it too/)).toBeTruthy();
  enter('Name of the new process', 'try-1');
  await pressed('Change a key');
  enter('Name of key 1', 'last_price');
  enter('Value of key 1, as JSON', '12345678901234567890x');
  expect(dialog().getByText('The value of last_price is not JSON yet.')).toBeTruthy();
  enter('Value of key 1, as JSON', '12345678901234567890');
  await pressed('Change a setting');
  enter('Name of setting 1', 'config.concurrency');
  enter('Value of setting 1, as JSON', '2');
  await rested(console);
  const order = {
    at: 1202,
    name: 'try-1',
    set: { last_price: '12345678901234567890' },
    configure: { 'config.concurrency': '2' },
  };
  expect(host.askedFor('fork.plan').at(-1)).toMatchObject(order);
  await pressed('An experiment');
  await pressed('Fork as try-1');
  expect(host.askedFor('fork.apply')).toMatchObject([{ ...order, reason: 'An experiment' }]);
  expect(screen.getByText('try-1 was forked')).toBeTruthy();
  expect(console.hash()).toBe('#/j-demo/try-1');
});

test('what a fork is refused for is said in place, and everything typed stays', async () => {
  const { host, console } = await shown();
  host.answer('fork.apply', () =>
    refused({ code: 'fork.name-taken', message: 'There is a journal of it already.' }),
  );
  await from('Fork from here…');
  await pressed('Change a key');
  enter('Name of key 1', 'a');
  enter('Value of key 1, as JSON', '1');
  enter('Reason', 'x');
  await pressed('Fork as market-watcher-fork');
  expect(dialog().getByRole('alert').textContent).toMatch(/^Not forked\. There is a journal of it already\./);
  expect(dialog().getByLabelText<HTMLInputElement>('Value of key 1, as JSON').value).toBe('1');
  expect(console.hash()).toBe(HASH);
  await pressed('Change a key');
  enter('Name of key 2', 'a');
  enter('Value of key 2, as JSON', '2');
  expect(dialog().getByText('The key a is there twice.')).toBeTruthy();
  await pressed('Take key 2 away');
  expect(confirmed('Fork as market-watcher-fork').disabled).toBe(false);
});

test('a fork says where it comes from, and leads there while that is known', async () => {
  const fork = rowOf({ name: 'market-watcher-fork' });
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf([rowOf(), fork])));
  const lineage = { process: 'market-watcher', journalId: 'j-demo', seq: 1202 };
  host.answer('processes.read', () => ok(detailOf(fork, { lineage })));
  await show(host, '#/j-demo/market-watcher-fork');
  expect(screen.getByText(/^Forked from entry 1202 of/).textContent.trim()).toBe(
    'Forked from entry 1202 of market-watcher',
  );
  expect(screen.getByRole('link', { name: 'market-watcher' }).getAttribute('href')).toBe(HASH);
});

test('a fork of what is not open any more names it, and leads nowhere', async () => {
  await shown({ lineage: { process: 'gone', journalId: 'j-gone', seq: 3 } });
  expect(screen.getByText(/^Forked from entry 3 of/)).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'gone' })).toBeNull();
});

test('[P6] a journal that is only looked at goes back to nothing; nor does a line that can’t be read', async () => {
  await shown({}, rowOf({ live: false, actions: [], worker: null }));
  fireEvent.click(screen.getByRole('button', { name: /entry 1202/ }));
  await settle();
  expect(screen.queryByRole('button', { name: 'Rewind to here…' })).toBeNull();
});

test('a line that can’t be read is nothing to go on from', async () => {
  await shown({}, rowOf(), [entryOf(1204, { verification: 'unreadable', summary: 'not JSON' })]);
  fireEvent.click(screen.getByRole('button', { name: /not JSON/ }));
  await settle();
  expect(screen.queryByRole('button', { name: 'Fork from here…' })).toBeNull();
});
