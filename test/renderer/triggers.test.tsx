// @vitest-environment jsdom
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { firingMeans } from '../../renderer/features/trigger/trigger-dialogs.tsx';
import { before, HOUR, MINUTE, pauseOf, queuedOf, rowOf, triggerOf, webhookOf } from './fixtures.ts';
import { ok, refused, type MemoryHost } from './memory-client.ts';
import { dialog, done, enter, pressed, region, shown, stopClock, tab } from './process-page.ts';

stopClock();

const ID = 'cron-4f1d2c3b';

async function atTriggers(over: Partial<ProcessDetail> = {}, row?: ProcessRow): Promise<MemoryHost> {
  const host = await shown(over, row);
  await tab(/^Triggers & queue/);
  return host;
}

const factOf = (name: string): string[] =>
  region('Triggers')
    .getAllByText(name)
    .map((term) => term.nextElementSibling?.textContent ?? '');

test('a schedule says when it comes next, in how long and at what moment, and what came of it', async () => {
  await atTriggers({ triggers: [triggerOf({ missed: 3, filtered: 2, filter: 'payload.a > 1' })] });
  const triggers = region('Triggers');
  expect(triggers.getByText('Schedule')).toBeTruthy();
  expect(triggers.getByText('*/5 * * * * (UTC)')).toBeTruthy();
  expect(factOf('Next')[0]).toMatch(/^in 2 m · \d\d:\d\d:00$/);
  expect(factOf('Filter')).toEqual(['payload.a > 1']);
  expect(factOf('Calls')).toEqual(['41 accepted · 2 filtered · 3 missed · last event 3 m ago']);
});

test('a webhook says where to post to, to be copied', async () => {
  await atTriggers({ triggers: [webhookOf({ isAdded: true })] });
  expect(factOf('Post to')).toEqual(['http://127.0.0.1:9090/orders']);
  expect(screen.getByRole('button', { name: 'Copy the address http://127.0.0.1:9090/orders' })).toBeTruthy();
  expect(region('Triggers').getByText('added beside the manifest')).toBeTruthy();
});

test('[P5] what is closed has no address and no next time, and says why; nothing is made up', async () => {
  await atTriggers(
    {
      triggers: [
        triggerOf({ next: null, paused: pauseOf() }),
        webhookOf({ address: null }),
        triggerOf({ id: 'f', type: 'file_watch', next: null, lastEventAt: null }),
        triggerOf({ id: 'l', type: 'lunar', description: 'at full moon', next: null }),
      ],
    },
    rowOf({ state: 'stopped', actions: ['start'] }),
  );
  expect(factOf('Next')).toEqual(['not planned: it is paused']);
  expect(factOf('Post to')).toEqual(['not open: the process is stopped']);
  expect(factOf('Watches')).toEqual(['not open: the process is stopped']);
  expect(factOf('Calls')[2]).toBe('41 accepted · 0 filtered · no event on record');
  expect(region('Triggers').getByText('lunar')).toBeTruthy();
});

test('a pause says by whom, why and since when; a problem what happened and what to do', async () => {
  await atTriggers({
    triggers: [
      triggerOf({ next: null, paused: pauseOf() }),
      webhookOf({
        address: null,
        problem: {
          code: 'trigger.port-taken',
          message: 'Port 9090 is in use. Give it another.',
          at: before(4 * MINUTE),
        },
      }),
    ],
  });
  const triggers = region('Triggers');
  expect(triggers.getByText(/by operator:ann · Maintenance/).textContent).toBe(
    'Paused by operator:ann · Maintenance · since 1 h ago',
  );
  expect(triggers.getByText('Port 9090 is in use. Give it another.')).toBeTruthy();
  expect(triggers.getByText('trigger.port-taken')).toBeTruthy();
  expect(factOf('Post to')).toEqual(['not open: see above']);
});

test('pausing needs a reason; resuming is one press', async () => {
  const host = await atTriggers({ triggers: [triggerOf(), webhookOf({ paused: pauseOf() })] });
  host.answer('triggers.pause', () => ok(done));
  host.answer('triggers.resume', () => ok(done));
  await pressed(`Pause…: ${ID}`);
  expect(document.activeElement?.textContent).toBe('Cancel');
  expect(dialog().getByText(/nothing is made up for/)).toBeTruthy();
  await pressed('Pause the trigger');
  expect(host.askedFor('triggers.pause')).toEqual([]);
  await pressed('Maintenance');
  await pressed('Pause the trigger');
  expect(host.askedFor('triggers.pause')).toMatchObject([{ triggerId: ID, reason: 'Maintenance' }]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
  await pressed('Resume: webhook-9090/orders');
  expect(host.askedFor('triggers.resume')).toMatchObject([{ triggerId: 'webhook-9090/orders', reason: '' }]);
});

test('all of them are paused and resumed together, and none is offered to be resumed alone then', async () => {
  const common = pauseOf({ reason: 'forked', at: before(HOUR) });
  const host = await atTriggers({
    triggersPaused: common,
    triggers: [triggerOf({ paused: common }), webhookOf({ paused: pauseOf({ at: before(MINUTE) }) })],
  });
  host.answer('triggers.resume', () => ok(done));
  expect(region('Triggers').getByText(/All are off: only people wake it/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: `Resume: ${ID}` })).toBeNull();
  expect(screen.getByRole('button', { name: 'Resume: webhook-9090/orders' })).toBeTruthy();
  await pressed('Resume all');
  expect(host.askedFor('triggers.resume')).toMatchObject([{ triggerId: null }]);
});

test('pausing all asks once, for all', async () => {
  const host = await atTriggers();
  host.answer('triggers.pause', () => ok(done));
  await pressed('Pause all…');
  enter('Reason', 'upgrade');
  await pressed('Pause all triggers of market-watcher');
  expect(host.askedFor('triggers.pause')).toMatchObject([{ triggerId: null, reason: 'upgrade' }]);
});

test('removing says what becomes of it, and needs a reason', async () => {
  const host = await atTriggers({ triggers: [triggerOf()] });
  host.answer('triggers.remove', () => ok(done));
  await pressed(`Remove…: ${ID}`);
  expect(dialog().getByText(/The manifest still names it/)).toBeTruthy();
  await pressed('No longer needed');
  await pressed('Remove the trigger');
  expect(host.askedFor('triggers.remove')).toMatchObject([{ triggerId: ID, reason: 'No longer needed' }]);
});

test('test-firing says that it is no rehearsal, and sends the payload as typed', async () => {
  const host = await atTriggers({ triggers: [triggerOf({ filter: 'payload.a > 1' })] });
  host.answer('triggers.fire', () => ok(done));
  await pressed(`Test-fire…: ${ID}`);
  expect(dialog().getByText(/This is no rehearsal/)).toBeTruthy();
  expect(dialog().getByText('Its filter is not asked first: payload.a > 1')).toBeTruthy();
  enter('Payload, as JSON', '{"n": 12345678901234567890');
  expect(dialog().getByRole<HTMLButtonElement>('button', { name: 'Test-fire the trigger' }).disabled).toBe(
    true,
  );
  enter('Payload, as JSON', '{"n": 12345678901234567890}');
  await pressed('Test-fire the trigger');
  expect(host.askedFor('triggers.fire')).toMatchObject([
    { triggerId: ID, payloadText: '{"n": 12345678901234567890}', reason: '' },
  ]);
  expect(firingMeans(rowOf({ state: 'suspended' }), triggerOf({ paused: pauseOf() })).slice(-2)).toEqual([
    'It is paused, and is fired all the same.',
    'The process is suspended: the event waits, or is refused.',
  ]);
});

test('what the host refuses is said in the question, and what was typed stays, also for another kind', async () => {
  const host = await atTriggers();
  host.answer('triggers.add', () =>
    refused({ code: 'trigger.port-taken', message: 'Port 9090 is in use. Give the webhook another port.' }),
  );
  await pressed('Add a trigger…');
  enter('Schedule', '0 7 * * *');
  enter('Kind', 'webhook');
  expect(dialog().queryByLabelText('Schedule')).toBeNull();
  enter('Path', '/orders');
  enter('Variable that holds the secret', 'ORDERS_SECRET');
  expect(dialog().getByLabelText('What is signed')).toBeTruthy();
  await pressed('Add the trigger to market-watcher');
  expect(dialog().getByRole('alert').textContent).toMatch(/^Not added\. Port 9090 is in use/);
  expect(dialog().getByLabelText('Port').getAttribute('aria-invalid')).toBe('true');
  expect(dialog().getByLabelText<HTMLInputElement>('Path').value).toBe('/orders');
  host.answer('triggers.add', () => ok(done));
  enter('Port', '9191');
  expect(dialog().queryByRole('alert')).toBeNull();
  enter('Kind', 'cron');
  expect(dialog().getByLabelText<HTMLInputElement>('Schedule').value).toBe('0 7 * * *');
  enter('Kind', 'webhook');
  await pressed('Add the trigger to market-watcher');
  expect(screen.queryByRole('alertdialog')).toBeNull();
  const [first, second] = host.askedFor('triggers.add');
  expect(first!.commandId).not.toBe(second!.commandId);
  expect(JSON.parse(second!.configText)).toEqual({
    type: 'webhook',
    webhook_path: '/orders',
    webhook_port: 9191,
    webhook_host: '127.0.0.1',
    hmac_secret: '${ORDERS_SECRET}',
    signature_scheme: 'generic',
    holdfast: { max_body_kilobytes: 1024 },
  });
});

test('a folder is watched for what is ticked', async () => {
  const host = await atTriggers();
  host.answer('triggers.add', () => ok(done));
  await pressed('Add a trigger…');
  enter('Kind', 'file_watch');
  enter('Folder', 'inbox');
  fireEvent.click(dialog().getByLabelText('deleted'));
  fireEvent.click(dialog().getByLabelText('modified'));
  await pressed('Add the trigger to market-watcher');
  expect(JSON.parse(host.askedFor('triggers.add')[0]!.configText)).toMatchObject({
    watch_path: 'inbox',
    watch_events: ['created', 'deleted'],
    watch_debounce_seconds: 0.5,
  });
});

test('[P5] [P6] a journal that is only looked at: unknown triggers, nothing to press', async () => {
  await atTriggers({ triggers: [], queue: [queuedOf()] }, rowOf({ live: false, actions: [], worker: null }));
  const triggers = region('Triggers');
  expect(triggers.getByText(/^Unknown: which triggers it has/)).toBeTruthy();
  expect(triggers.queryByRole('button')).toBeNull();
  expect(screen.queryByRole('button', { name: 'More actions' })).toBeNull();
});

test('nobody fires by hand what is there for people: it has no actions', async () => {
  await atTriggers({
    triggers: [triggerOf({ id: 'manual', type: 'manual', description: 'when an operator asks', next: null })],
  });
  expect(region('Triggers').queryByRole('button', { name: /manual/ })).toBeNull();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Pause all…' }).disabled).toBe(true);
});

test('a queued event says how many missed times it stands for', async () => {
  await atTriggers(
    { queue: [queuedOf({ missed: 4 }), queuedOf({ eventId: 'ev-43' })] },
    rowOf({ queued: 2 }),
  );
  const cells = region('Queue')
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell')[1]?.textContent);
  expect(cells).toEqual(['itself and 4 missed times', 'itself']);
});
