// @vitest-environment jsdom
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { copyText } from '../../renderer/ui/copy.ts';
import { before, fleetOf, journalOf, rowOf } from './fixtures.ts';
import { memoryHost, ok, refused, type MemoryHost } from './memory-client.ts';
import { settle, show } from './render.tsx';

const live = journalOf();
const sent = journalOf({
  id: 'j-sent',
  title: 'From Ben',
  directory: '/home/ann/Downloads/.promptise/journal',
  access: 'read-only',
  format: 'promptise',
  note: 'Written by Promptise.',
  badLines: 2,
});

function hostWith(): MemoryHost {
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf([rowOf()], { journals: [live, sent] })));
  return host;
}

const drop = async (files: readonly File[]): Promise<void> => {
  const event = new Event('drop', { bubbles: true, cancelable: true });
  Object.assign(event, { dataTransfer: { types: ['Files'], files } });
  fireEvent(window, event);
  await settle();
};

test('each journal says where it is, who runs it, and how much of it is bad', async () => {
  await show(hostWith(), '#/journals');
  const row = within(screen.getByRole('row', { name: /From Ben/ }));
  expect(row.getByText('read-only')).toBeTruthy();
  expect(row.getByText('Promptise')).toBeTruthy();
  expect(row.getByText('Written by Promptise.')).toBeTruthy();
  expect(row.getByText('2')).toBeTruthy();
});

test('a journal that is only looked at can be closed', async () => {
  const host = hostWith();
  host.answer('journals.close', () => ok({}));
  await show(host, '#/journals');
  expect(screen.getAllByRole('button', { name: /^Close / })).toHaveLength(1);
  fireEvent.click(screen.getByRole('button', { name: 'Close From Ben' }));
  await settle();
  expect(host.askedFor('journals.close')).toEqual([{ journalId: 'j-sent' }]);
});

test('what is dropped on the window is opened, a directory or its marker file', async () => {
  const host = hostWith();
  host.answer('journals.open', () => ok(sent));
  await show(host);
  await drop([new File([''], 'journal.holdfast')]);
  expect(host.askedFor('journals.open')).toEqual([{ path: '/dropped/journal.holdfast' }]);
  expect(screen.getByText('Opened From Ben')).toBeTruthy();
});

test('what is no journal is explained with its code, and the console goes on', async () => {
  const host = hostWith();
  host.answer('journals.choose', () =>
    refused({ code: 'journal.not-a-journal', message: 'The directory holds no journal. Choose another.' }),
  );
  await show(host, '#/journals');
  fireEvent.click(screen.getByRole('button', { name: 'Open journal…' }));
  await settle();
  expect(screen.getByRole('alert').textContent).toContain('The directory holds no journal. Choose another.');
  expect(screen.getByText('journal.not-a-journal')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss: The journal could not be opened' }));
  expect(screen.queryByRole('alert')).toBeNull();
});

test('choosing nothing says nothing', async () => {
  const host = hostWith();
  host.answer('journals.choose', () => ok(null));
  const console = await show(host, '#/journals');
  fireEvent.click(screen.getByRole('button', { name: 'Open journal…' }));
  await settle();
  expect(console.notices.store.getState().notices).toEqual([]);
});

test('what is shown short is copied whole: ISO times, raw ids', async () => {
  await show(hostWith());
  const time = document.querySelector('time.hf-time')!;
  const selection = document.getSelection()!;
  selection.selectAllChildren(time);
  expect(copyText(selection)).toBe(before(12_000));
  selection.selectAllChildren(screen.getByRole('row', { name: 'market-watcher' }));
  expect(copyText(selection)).toContain(before(12_000));
});
