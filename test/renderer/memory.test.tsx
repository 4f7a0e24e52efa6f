// @vitest-environment jsdom
// What an agent remembers, on its page: searched, added to, edited, forgotten and repaired.

import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { entryOf, rowOf } from './fixtures.ts';
import type { MemoryHost } from './memory-client.ts';
import { ok, refused } from './memory-client.ts';
import { pageOf, recordOf } from './memory-fixtures.ts';
import { dialog, done, enter, HASH, hostOf, pressed, region, shown, stopClock, tab } from './process-page.ts';
import { settle, show } from './render.tsx';

stopClock();

const MEMORY = { collection: 'launch_notes', userId: 'anna' };
const process = 'market-watcher';

async function opened(page = pageOf({ records: [recordOf({ process })] })): Promise<MemoryHost> {
  const host = await shown({ memory: MEMORY });
  host.answer('memory.search', () => ok(page));
  await tab('Memory');
  return host;
}
const items = () => region('Memory').getAllByRole('listitem');
const searchFor = async (text: string): Promise<void> => {
  fireEvent.change(screen.getByLabelText('Search what is remembered'), { target: { value: text } });
  fireEvent.submit(screen.getByRole('search'));
  await settle();
};

test('an agent that remembers nothing has no tab for it', async () => {
  await shown();
  expect(screen.queryByRole('tab', { name: 'Memory' })).toBeNull();
});

test('a search shows each record with its score, when it was and where it comes from', async () => {
  const host = await opened();
  expect(items()[0]!.textContent).toContain('3 h ago · from a turnAsked: When is the launch?');
  host.answer('memory.search', () =>
    ok(
      pageOf({
        count: 7,
        records: [
          recordOf({ process, score: 0.82, isPinned: true }),
          recordOf({ id: 'b', isOwn: false, userId: 'ben', score: 0.1 }),
        ],
      }),
    ),
  );
  await searchFor('  launch ');
  expect(host.askedFor('memory.search').at(-1)).toEqual({
    journalId: 'j-demo',
    process,
    text: 'launch',
    max: 50,
    skip: 0,
  });
  expect(screen.getByText('2 records of 7, best first.')).toBeTruthy();
  expect(items()[0]!.textContent).toContain('0.82pinned');
  expect(within(items()[0]!).getByRole<HTMLMeterElement>('meter', { name: 'Score' }).value).toBe(0.82);
  // What is another's is only read.
  expect(items()[1]!.textContent).toContain('of ben, only read');
  expect(within(items()[1]!).getByRole<HTMLButtonElement>('button', { name: 'Forget…' }).disabled).toBe(true);
  fireEvent.change(screen.getByLabelText('Search what is remembered'), { target: { value: '' } });
  await settle();
  expect(host.askedFor('memory.search').at(-1)).toMatchObject({ text: '' });
});

test('what somebody wrote is text, whatever is in it', async () => {
  await opened(pageOf({ records: [recordOf({ text: '<img src=x onerror=alert(1)>\u202etxet\u0000' })] }));
  expect(items()[0]!.innerHTML).not.toContain('<img');
  expect(items()[0]!.textContent).not.toContain('\u202e');
});

test('[P7] a record is added and edited with its whole text, and the list is read anew', async () => {
  const host = await opened();
  host.answer('memory.write', () => ok(done));
  await pressed('Add…');
  const confirm = () => dialog().getByRole<HTMLButtonElement>('button', { name: 'Remember it' });
  expect(confirm().disabled).toBe(true);
  enter('What is remembered', 'Anna decides');
  fireEvent.click(dialog().getByLabelText(/^Pinned/));
  const reads = host.askedFor('memory.search').length;
  await pressed('Remember it');
  expect(host.askedFor('memory.write')).toEqual([
    {
      journalId: 'j-demo',
      process,
      commandId: expect.any(String),
      reason: '',
      id: null,
      text: 'Anna decides',
      isPinned: true,
    },
  ]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(host.askedFor('memory.search').length).toBeGreaterThan(reads);

  host.answer('memory.search', () =>
    ok(pageOf({ records: [recordOf({ process, text: 'The beg', cut: true })] })),
  );
  await pressed('Search');
  host.answer('memory.read', () => ok(recordOf({ process, text: 'The beginning and the end' })));
  await pressed('Edit…');
  await settle();
  expect(dialog().getByLabelText<HTMLTextAreaElement>('What is remembered').value).toBe(
    'The beginning and the end',
  );
  expect(dialog().getByText('Nothing is changed yet.')).toBeTruthy();
  host.answer('memory.write', () => refused({ code: 'memory.busy', message: 'Somebody else writes.' }));
  enter('What is remembered', 'Another end');
  await pressed('It is wrong');
  await pressed('Change it');
  expect(dialog().getByText(/Somebody else writes/)).toBeTruthy();
  expect(host.askedFor('memory.write').at(-1)).toMatchObject({
    id: recordOf().id,
    text: 'Another end',
    reason: 'It is wrong',
  });
});

test('a record whose whole text can’t be read is not edited', async () => {
  const host = await opened(pageOf({ records: [recordOf({ process, cut: true })] }));
  host.answer('memory.read', () => refused({ code: 'memory.not-found', message: 'It is gone.' }));
  await pressed('Edit…');
  await settle();
  expect(dialog().getByText(/It is gone/)).toBeTruthy();
  expect(dialog().getByRole<HTMLButtonElement>('button', { name: 'Change it' }).disabled).toBe(true);
});

test('[P7] one is forgotten with a reason, and all of them only where the name is typed', async () => {
  const host = await opened();
  host.answer('memory.forget', () => ok(done));
  await pressed('Forget…');
  expect(dialog().getByText(/When is the launch/)).toBeTruthy();
  await pressed('It is private');
  await pressed('Forget it');
  expect(host.askedFor('memory.forget')).toMatchObject([
    { id: recordOf().id, collection: null, reason: 'It is private' },
  ]);
  await pressed('Forget all…');
  await pressed('It is out of date');
  const confirm = () => dialog().getByRole<HTMLButtonElement>('button', { name: 'Forget everything' });
  for (const name of ['', 'launch_note', 'Launch_notes']) {
    enter('Name of the collection', name);
    expect(confirm().disabled).toBe(true);
  }
  enter('Name of the collection', 'launch_notes');
  await pressed('Forget everything');
  expect(host.askedFor('memory.forget').at(-1)).toMatchObject({ id: null, collection: 'launch_notes' });
});

test('[P5] a damaged memory is said to be one, never shown as empty, and can be repaired', async () => {
  const host = await shown({ memory: MEMORY });
  host.answer('memory.search', () => refused({ code: 'memory.damaged', message: 'It is damaged.' }));
  host.answer('memory.repair', () => ok(done));
  await tab('Memory');
  expect(screen.getByRole('alert').textContent).toContain('It is damaged.');
  expect(region('Memory').queryByText(/Nothing is remembered/)).toBeNull();
  await pressed('Repair…');
  await pressed('It is damaged');
  await pressed('Repair it');
  expect(host.askedFor('memory.repair')).toHaveLength(1);
});

test('a record leads to its invocation in the timeline, through older entries where it has to', async () => {
  const host = hostOf(rowOf(), { memory: MEMORY });
  const row = (seq: number, eventId: string) => entryOf(seq, { eventId });
  host.answer('timeline.read', ({ before }) =>
    before === null
      ? ok({ rows: [row(9, 'ev-9')], before: 'older' })
      : ok({ rows: [row(7, 'ev-7')], before: null }),
  );
  const records = [recordOf({ process, eventId: 'ev-7' }), recordOf({ id: 'b', process, eventId: 'gone' })];
  host.answer('memory.search', () => ok(pageOf({ records })));
  await show(host, HASH);
  const lead = async (at: number): Promise<void> => {
    await tab('Memory');
    await pressed('Its invocation', within(items()[at]!));
  };
  await lead(0);
  const focused = () => document.activeElement?.closest<HTMLElement>('[data-event]')?.dataset['event'];
  await waitFor(() => expect(focused()).toBe('ev-7'));
  await lead(1);
  await screen.findByText(/not among the entries that are shown/);
});

test('where its journal is only looked at nothing can be changed', async () => {
  const host = await shown({ memory: MEMORY }, rowOf({ live: false, actions: [] }));
  host.answer('memory.search', () => ok(pageOf({ records: [recordOf({ process })] })));
  await tab('Memory');
  for (const name of ['Add…', 'Edit…', 'Forget…', 'Forget all…']) {
    expect(region('Memory').getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(true);
  }
});
