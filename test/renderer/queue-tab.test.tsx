// @vitest-environment jsdom
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { before, deadLetterOf, effectOf, invocationOf, MINUTE, rowOf, waitOf } from './fixtures.ts';
import { ok, refused } from './memory-client.ts';
import { dialog, done, pressed, region, shown, stopClock, tab } from './process-page.ts';
import { settle } from './render.tsx';

stopClock();

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
  await tab(/Conversation/);
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
