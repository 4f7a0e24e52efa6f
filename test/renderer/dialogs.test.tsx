// @vitest-environment jsdom
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { consequencesOf } from '../../renderer/features/actions/consequences.tsx';
import { before, detailOf, doubtOf, effectOf, fleetOf, invocationOf, previewOf, rowOf } from './fixtures.ts';
import { memoryHost, ok, refused, type MemoryHost } from './memory-client.ts';
import { dialog, enter, HASH, hostOf, pressed } from './process-page.ts';
import { settle, show } from './render.tsx';

const row = rowOf();
const open = [
  invocationOf({
    eventId: 'ev-7',
    invocation: 42,
    attempt: 2,
    effects: [
      effectOf({ effectId: 'a', name: 'fetch', end: 'done', needsOperator: false }),
      effectOf({ effectId: 'b', name: 'charge_card', end: 'open', needsOperator: false }),
      effectOf({
        effectId: 'c',
        name: 'notify',
        effectClass: 'idempotent',
        end: 'open',
        needsOperator: false,
      }),
    ],
  }),
];

/** Something to look at before a resume. */
const found = previewOf({
  invocations: 1,
  effectsReadBack: 1,
  timersDue: 2,
  doubts: [doubtOf(), doubtOf({ effectId: 'c', name: 'notify', next: 'performed again with the same key' })],
  holdsThatStay: ['in doubt: charge_card'],
  worker: { pid: 4112, generation: 3, isAnswering: false },
  steps: ['Worker 3 (pid 4112) is ended with everything it started.', 'charge_card is asked of you.'],
});

function hostWith(): MemoryHost {
  const host = hostOf(row, { open });
  host.answer('processes.preview', ({ action }) => ok({ ...found, action }));
  const commands = ['stop', 'kill-worker', 'force-recover', 'restart', 'resume'] as const;
  for (const name of commands) {
    host.answer(`processes.${name}`, () => ok({ state: 'stopped', message: 'Done.' }));
  }
  return host;
}

test('stop asks lightly: verb and object on the button, focus on Cancel', async () => {
  const host = hostWith();
  await show(host, HASH);
  await pressed('Stop…');
  expect(document.activeElement?.textContent).toBe('Cancel');
  expect(dialog().queryByLabelText('Reason')).toBeNull();
  fireEvent.click(dialog().getByRole('button', { name: 'Stop market-watcher' }));
  await settle();
  expect(host.askedFor('processes.stop')).toHaveLength(1);
  expect(screen.getByText('market-watcher: Stopped')).toBeTruthy();
});

test('force-recover shows what it will do before it does it, and needs a reason', async () => {
  const host = hostWith();
  await show(host, HASH);
  await pressed('Force-recover…');
  expect(host.askedFor('processes.preview').at(-1)).toEqual({
    journalId: 'j-demo',
    process: 'market-watcher',
    action: 'force-recover',
  });
  expect(document.activeElement?.textContent).toBe('Cancel');
  expect(dialog().getByText('Worker 3 (pid 4112) is ended with everything it started.')).toBeTruthy();
  expect(dialog().getByText('charge_card')).toBeTruthy();
  expect(dialog().getAllByText(/"amount":12900/)).toHaveLength(2);
  expect(dialog().getByText('asked of you')).toBeTruthy();
  expect(dialog().getByText('performed again with the same key')).toBeTruthy();
  expect(dialog().getByText('pid 4112, number 3, does not answer')).toBeTruthy();
  expect(dialog().getByText('1 invocation, 1 effect to read back')).toBeTruthy();
  expect(dialog().getByText('in doubt: charge_card')).toBeTruthy();
  const confirm = dialog().getByRole<HTMLButtonElement>('button', { name: 'Force-recover market-watcher' });
  expect(confirm.disabled).toBe(true);
  fireEvent.keyDown(dialog().getByLabelText('Reason'), { key: 'Enter', ctrlKey: true });
  expect(host.askedFor('processes.force-recover')).toEqual([]);
  fireEvent.click(dialog().getByRole('button', { name: 'No progress' }));
  fireEvent.keyDown(dialog().getByLabelText('Reason'), { key: 'Enter' });
  expect(host.askedFor('processes.force-recover')).toEqual([]);
  fireEvent.keyDown(dialog().getByLabelText('Reason'), { key: 'Enter', ctrlKey: true });
  await settle();
  expect(host.askedFor('processes.force-recover')[0]).toMatchObject({ reason: 'No progress' });
});

test('what is missing is said beside the button, and who confirms all the same is led to it', async () => {
  const host = hostWith();
  const doubtful = [invocationOf({ standing: 'in-doubt', effects: [effectOf()] })];
  host.answer('processes.read', () => ok(detailOf(row, { open: doubtful })));
  host.answer('effects.resolve', () => ok({ state: 'running', message: 'Done.' }));
  await show(host, HASH);
  await pressed('It happened…: charge_card');
  const confirms = async (): Promise<string | null> => {
    fireEvent.keyDown(document.activeElement!, { key: 'Enter', ctrlKey: true });
    await settle();
    return document.activeElement?.closest('.hf-field')?.querySelector('label')?.textContent ?? null;
  };
  expect(dialog().getByRole('status').textContent).toBe('Enter the result first.');
  expect(await confirms()).toBe('Result, as JSON');
  enter('Result, as JSON', 'ok');
  expect(dialog().getByText('Not JSON. If a text is meant, it stands in quotes: "ok"')).toBeTruthy();
  expect(dialog().getByRole('status').textContent).toBe('The result is not JSON yet.');
  expect(await confirms()).toBe('Result, as JSON');
  enter('Result, as JSON', '"ok"');
  enter('Reason', '   ');
  expect(dialog().getByRole('status').textContent).toBe('Give a reason first.');
  expect(await confirms()).toBe('Reason');
  expect(dialog().getByLabelText('Reason').getAttribute('aria-invalid')).toBe('true');
  expect(host.askedFor('effects.resolve')).toEqual([]);
  enter('Reason', 'seen in the bank');
  expect(dialog().getByRole('status').textContent).toBe('Ctrl or ⌘ + Enter confirms');
  await confirms();
  expect(host.askedFor('effects.resolve')[0]).toMatchObject({
    reason: 'seen in the bank',
    resolution: { kind: 'happened', resultText: '"ok"' },
  });
});

test('an answer that was refused is given again without typing it again', async () => {
  const host = hostWith();
  const doubtful = [invocationOf({ standing: 'in-doubt', effects: [effectOf()] })];
  host.answer('processes.read', () => ok(detailOf(row, { open: doubtful })));
  host.answer('effects.resolve', () => refused({ code: 'journal.full', message: 'The disk is full.' }));
  await show(host, HASH);
  await pressed('It happened…: charge_card');
  enter('Result, as JSON', '{"id": 7}');
  enter('Reason', 'seen in the bank');
  await pressed('Record that charge_card happened');
  expect(screen.queryByRole('alertdialog')).toBeNull();
  host.answer('effects.resolve', () => ok({ state: 'running', message: 'Done.' }));
  await pressed('Answer again');
  expect(screen.queryByText('The disk is full.')).toBeNull();
  await pressed('Record that charge_card happened');
  const [first, second] = host.askedFor('effects.resolve');
  expect(second).toMatchObject({ reason: 'seen in the bank', resolution: { resultText: '{"id": 7}' } });
  // It is another command: the first did not act.
  expect(second!.commandId).not.toBe(first!.commandId);
});

test('a name that is too long for a button is cut there, and whole in the title and on hover', async () => {
  const name = 'reconcile-invoices-'.repeat(8);
  await show(hostOf(rowOf({ name })), `#/j-demo/${name}`);
  await pressed('Stop…');
  expect(dialog().getByRole('heading', { name: `Stop ${name}?` })).toBeTruthy();
  const confirm = dialog().getByTitle(`Stop ${name}`);
  expect(confirm.textContent).toMatch(/^Stop reconcile-invoices-…/);
  expect(confirm.textContent.length).toBeLessThan(60);
});

test('[S36] what could not be looked at is said, and bars nothing', async () => {
  const host = hostWith();
  await show(host, HASH);
  host.answer('processes.preview', () =>
    refused({ code: 'journal.damaged', message: 'Entry 7 is damaged.' }),
  );
  await pressed('Force-recover…');
  expect(dialog().getByRole('alert').textContent).toMatch(/unknown: Entry 7 is damaged\. It can be done/);
  fireEvent.click(dialog().getByRole('button', { name: 'Maintenance' }));
  fireEvent.click(dialog().getByRole('button', { name: 'Force-recover market-watcher' }));
  await settle();
  expect(host.askedFor('processes.force-recover')).toHaveLength(1);
});

test('while it is looked at, a skeleton stands there, and the action is not held up', async () => {
  const host = hostWith();
  await show(host, HASH);
  host.answer('processes.preview', () => new Promise(() => undefined));
  await pressed('Restart…');
  expect(dialog().getByRole('status', { name: 'Looking at what it would do' })).toBeTruthy();
  fireEvent.click(dialog().getByRole('button', { name: 'Maintenance' }));
  fireEvent.click(dialog().getByRole('button', { name: 'Restart market-watcher' }));
  await settle();
  expect(host.askedFor('processes.restart')[0]).toMatchObject({ reason: 'Maintenance' });
});

test('looking again shows what would happen now', async () => {
  const host = hostWith();
  await show(host, HASH);
  await pressed('Restart…');
  host.answer('processes.preview', () => ok(previewOf({ action: 'restart' })));
  fireEvent.click(dialog().getByRole('button', { name: 'Look again' }));
  await settle();
  expect(dialog().getByText(/nothing follows from it/)).toBeTruthy();
  expect(dialog().queryByText('charge_card')).toBeNull();
});

test('a resume with something to look at opens what it will do; without a reason it goes ahead', async () => {
  const host = memoryHost();
  const suspended = rowOf({ state: 'suspended', actions: ['resume', 'restart', 'stop'] });
  host.answer('fleet.read', () => ok(fleetOf([suspended])));
  host.answer('processes.read', () => ok(detailOf(suspended)));
  host.answer('processes.preview', () => ok(found));
  host.answer('processes.resume', () => ok({ state: 'running', message: 'It goes on.' }));
  await show(host, HASH);
  await pressed('Resume');
  expect(host.askedFor('processes.resume')).toEqual([]);
  expect(host.askedFor('processes.preview')).toHaveLength(1);
  expect(document.activeElement?.textContent).toBe('Cancel');
  fireEvent.click(dialog().getByRole('button', { name: 'Resume market-watcher' }));
  await settle();
  expect(host.askedFor('processes.resume')).toHaveLength(1);
});

test('[S36] killing is never held up: not by words, not by what could not be read', async () => {
  const host = hostWith();
  await show(host, HASH);
  host.answer('processes.read', () =>
    refused({ code: 'journal.damaged', message: 'The journal is damaged.' }),
  );
  await pressed('Kill worker…');
  expect(dialog().getByText(/the consequences are unknown/)).toBeTruthy();
  fireEvent.click(dialog().getByRole('button', { name: 'Kill the worker of market-watcher' }));
  await settle();
  expect(host.askedFor('processes.kill-worker')[0]).toMatchObject({ reason: 'No reason given' });
});

test('what changed while the question was open is said, and not forced', async () => {
  const host = hostWith();
  await show(host, HASH);
  await pressed('Force-recover…');
  fireEvent.click(dialog().getByRole('button', { name: 'Maintenance' }));
  act(() => {
    host.say('fleet.changed', {
      sequence: 2,
      at: before(0),
      upserts: [rowOf({ state: 'stopped', actions: ['start'] })],
      removed: [],
      journals: null,
    });
  });
  expect(
    dialog().getByText(/Meanwhile market-watcher became Stopped\. This can’t be done to it any more\./),
  ).toBeTruthy();
  expect(
    dialog().getByRole<HTMLButtonElement>('button', { name: 'Force-recover market-watcher' }).disabled,
  ).toBe(true);
});

test('Esc leaves the dialog and nothing else', async () => {
  const host = hostWith();
  const console = await show(host, HASH);
  await pressed('Stop…');
  fireEvent.keyDown(document.activeElement!, { key: 'Escape' });
  await settle();
  expect(console.actions.store.getState().question).toBeNull();
  expect(console.hash()).toBe(HASH);
  expect(host.askedFor('processes.stop')).toEqual([]);
});

test('the focus goes back to the button that asked, or to the heading where that is off by now', async () => {
  const host = hostWith();
  host.answer('processes.stop', () => new Promise(() => undefined));
  await show(host, HASH);
  const stop = screen.getByRole('button', { name: 'Stop…' });
  stop.focus();
  await pressed('Stop…');
  fireEvent.click(dialog().getByRole('button', { name: 'Cancel' }));
  await settle();
  expect(document.activeElement).toBe(stop);
  await pressed('Stop…');
  fireEvent.click(dialog().getByRole('button', { name: 'Stop market-watcher' }));
  await settle();
  expect(document.activeElement?.tagName).toBe('H1');
});

test('[P2] consequences: what is recorded is read back, what is harmless may repeat, the rest waits for a person', () => {
  const detail = detailOf(row, { open });
  expect(consequencesOf(detail)).toEqual([
    'The worker (pid 4112) and everything it started end at once.',
    '1 open invocation is handled again from the top.',
    '1 effect with a recorded outcome is read back, not repeated.',
    '1 effect without an outcome may be repeated: its class allows it.',
    '1 effect without an outcome is in doubt: the process waits until you decide.',
  ]);
  expect(consequencesOf(detailOf(rowOf({ worker: null })))).toEqual([
    'No worker runs now; if one has started meanwhile, it ends at once.',
    'No invocation is open, so nothing is interrupted.',
  ]);
});
