// @vitest-environment jsdom
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { effectOf, invocationOf, waitOf } from './fixtures.ts';
import { ok, refused } from './memory-client.ts';
import { dialog, done, enter, pressed, region, shown, stopClock, tab } from './process-page.ts';
import { settle } from './render.tsx';

stopClock();

test('an effect in doubt has three answers; running it now is said to run it', async () => {
  const host = await shown({ open: [invocationOf({ standing: 'in-doubt', effects: [effectOf()] })] });
  host.answer('effects.resolve', () => ok(done));
  const desk = region('Effects in doubt');
  expect(desk.getByText(/1 attempt · class ask · invocation 41/)).toBeTruthy();
  await pressed('It did not happen: run it now…: charge_card', desk);
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
  enter('Value, as JSON', '{');
  expect(confirm.disabled).toBe(true);
  enter('Value, as JSON', 'true');
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
  enter('Error', 'Too much.');
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
  enter('Payload, as JSON', '{"n":');
  enter('Name', 'wake');
  expect(confirm.disabled).toBe(true);
  enter('Payload, as JSON', '{"n":1}');
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
  enter('Name', 'bsket');
  fireEvent.click(confirm);
  await settle();
  expect(dialog().getByText('It answers to: basket.')).toBeTruthy();
  host.answer('processes.query', () => ok({ valueText: '["tea",12345678901234567890]' }));
  enter('Name', 'basket');
  enter('Invocation', 'ev-43');
  enter('Arguments, as JSON', '{"n":1}');
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
  await pressed('Close', dialog());
  expect(screen.queryByRole('alertdialog')).toBeNull();
});
