// An operator's day on the built console, in a real window.

import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { osProcessStartTime } from '../../core/host/os-process.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import type { OpenInvocation } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { bookedKeys } from '../support/demo.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { launchConsole, LIMIT_MS, needConsole, type RunningConsole } from './app.ts';

vi.setConfig({ testTimeout: LIMIT_MS });

const row = ({ page }: RunningConsole, name: string) => page.getByRole('row').filter({ hasText: name });
const demoOf = ({ dataDirectory }: RunningConsole): string => join(dataDirectory, 'demo');

async function openProcess(console: RunningConsole, name: string): Promise<void> {
  await row(console, name).dblclick();
  await console.page.getByRole('heading', { name }).waitFor();
}

/** Waits until the clerk is booking, and gives its worker's pid as the journal has it. */
async function bookingWorker(console: RunningConsole): Promise<number> {
  await console.page
    .getByText(/performing book-/)
    .first()
    .waitFor();
  const journal = readFileJournal(join(demoOf(console), '.holdfast-journal'));
  const [started] = (await journal.read('invoice-clerk', { entryType: 'worker_started' })).slice(-1);
  return started!.data['pid'] as number;
}

/** It takes a part of a second; a machine that is busy with others may make it wait for some. */
const SOON_MS = 10_000;

test('five agents are running soon after its window, and the window has no errors', async (context) => {
  needConsole(context);
  await using console = await launchConsole();
  const started = performance.now();
  await waitFor(
    async () => (await console.page.getByRole('row').filter({ hasText: 'Running' }).count()) === 5,
  );
  expect(performance.now() - started).toBeLessThan(SOON_MS);
  expect(console.pageErrors).toEqual([]);
});

/** Stops a worker in the second of the three bookings of an invoice; gives it, and which invocation that is. */
async function stoppedInBooking(
  console: RunningConsole,
): Promise<{ readonly pid: number; readonly invocation: number }> {
  const journal = readFileJournal(join(demoOf(console), '.holdfast-journal'));
  const booking = async (): Promise<number | undefined> => {
    const { snapshot } = await new ReplayEngine(journal).recover('invoice-clerk');
    const isUnderWay = ({ effects }: OpenInvocation): boolean =>
      effects.some(({ name, end }) => name === 'book-tax' && end === null);
    return snapshot.open.find(isUnderWay)?.invocation;
  };
  const pid = await bookingWorker(console);
  const invocation = await waitFor(
    async () => {
      // What the journal says holds only while it stands still.
      process.kill(pid, 'SIGSTOP');
      const found = await booking();
      if (found === undefined) process.kill(pid, 'SIGCONT');
      return found;
    },
    { what: 'a moment inside of the second booking' },
  );
  return { pid, invocation };
}

test('an operator suspends an agent and resumes it, and the journal has who and why', async (context) => {
  needConsole(context);
  await using console = await launchConsole();
  await openProcess(console, 'market-watcher');
  await console.page.getByRole('button', { name: 'Suspend', exact: true }).click();
  await console.page.getByText('Suspended').first().waitFor();
  await console.page.getByRole('button', { name: 'Resume', exact: true }).click();
  await console.page.getByRole('button', { name: 'Suspend', exact: true }).waitFor();
  const journal = readFileJournal(join(demoOf(console), '.holdfast-journal'));
  const actions = await journal.read('market-watcher', { entryType: 'operator_action' });
  expect(actions.map((entry) => entry.data['action'])).toEqual(['suspend', 'resume']);
});

test('[P2] a worker killed with -9 inside an effect is replaced, and the ledger has no line twice', async (context) => {
  needConsole(context);
  await using console = await launchConsole();
  const { pid, invocation } = await stoppedInBooking(console);
  process.kill(pid, 'SIGKILL');
  const journal = readFileJournal(join(demoOf(console), '.holdfast-journal'));
  await waitFor(
    async () =>
      (await journal.read('invoice-clerk', { entryType: 'invocation_result' })).some(
        ({ data }) => data['invocation'] === invocation,
      ),
    { what: 'the end of the invocation that was interrupted' },
  );
  expect(osProcessStartTime(pid)).toBeNull();
  const exits = await journal.read('invoice-clerk', { entryType: 'worker_exited' });
  expect(exits[0]!.data).toMatchObject({ pid, expected: false });
  const keys = bookedKeys(demoOf(console));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.length).toBeGreaterThanOrEqual(3);
  await row(console, 'invoice-clerk').filter({ hasText: 'Running' }).waitFor();
});

test('an operator kills a worker from the console: a reason is asked, and the process goes on', async (context) => {
  needConsole(context);
  await using console = await launchConsole();
  await bookingWorker(console);
  await openProcess(console, 'invoice-clerk');
  await console.page.getByRole('button', { name: /^Kill worker/ }).click();
  const dialog = console.page.getByRole('alertdialog');
  await dialog.waitFor();
  await console.screenshot('kill-worker-dialog');
  await dialog.getByRole('textbox').first().fill('end-to-end test');
  await console.page.keyboard.press('Control+Enter');
  const journal = readFileJournal(join(demoOf(console), '.holdfast-journal'));
  const outcome = await waitFor(
    async () => (await journal.read('invoice-clerk', { entryType: 'operator_outcome' }))[0] ?? null,
  );
  expect(outcome.data).toMatchObject({ ok: true });
  const [action] = await journal.read('invoice-clerk', { entryType: 'operator_action' });
  expect(action!.data).toMatchObject({
    action: 'kill-worker',
    reason: expect.stringContaining('end-to-end test') as string,
  });
  await console.page.getByText('Running').first().waitFor();
});

test('[P1] [P4] the whole host killed with -9: started again, everything is recovered before the first new trigger', async (context) => {
  needConsole(context);
  const dataDirectory = tempDirectory();
  const first = await launchConsole({ dataDirectory });
  await bookingWorker(first);
  await first.kill9();

  await using second = await launchConsole({ dataDirectory });
  await waitFor(
    async () => (await second.page.getByRole('row').filter({ hasText: 'Running' }).count()) === 5,
  );
  const journal = readFileJournal(join(demoOf(second), '.holdfast-journal'));
  await waitFor(
    async () => (await journal.read('invoice-clerk', { entryType: 'invocation_result' })).length > 0,
    {
      what: 'the end of the interrupted invocation',
    },
  );
  for (const name of await journal.processes()) {
    const entries = await journal.read(name);
    const takenOver = entries.findLastIndex((entry) => entry.entry_type === 'writer_opened');
    const types = entries.slice(takenOver).map((entry) => entry.entry_type);
    const untilTrigger = types.includes('trigger_event')
      ? types.slice(0, types.indexOf('trigger_event'))
      : types;
    expect(untilTrigger, name).toContain('recovered');
  }
  const keys = bookedKeys(demoOf(second));
  expect(new Set(keys).size).toBe(keys.length);
});

test('force-recover says what it will do, asks why, and the process is rebuilt', async (context) => {
  needConsole(context);
  await using console = await launchConsole();
  await openProcess(console, 'mail-triage');
  await console.page.getByRole('button', { name: /^Force-recover/ }).click();
  const dialog = console.page.getByRole('alertdialog');
  await dialog.getByText('mail-triage').first().waitFor();
  await dialog.getByRole('textbox').first().fill('end-to-end test');
  await console.page.keyboard.press('Control+Enter');
  const journal = readFileJournal(join(demoOf(console), '.holdfast-journal'));
  const recovered = await waitFor(
    async () => (await journal.read('mail-triage', { entryType: 'recovered' }))[0] ?? null,
  );
  expect(recovered.data).toMatchObject({ forced: true });
  await console.page.getByText('Running').first().waitFor();
});
