// What wakes a process, and the way back: an operator at a real host pauses, fires and adds triggers, rewinds and forks.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { freePort } from '../support/webhooks.ts';
import { launchConsole, LIMIT_MS, needConsole, type RunningConsole } from './app.ts';

vi.setConfig({ testTimeout: LIMIT_MS * 3 });

const PATIENCE = { patienceMs: 60_000 };

/** Counts what it was told, and books each of it in a file: once a key. */
const AGENT = `import { appendFileSync } from 'node:fs';
import { defineAgent } from 'holdfast';
export default defineAgent({
  async onTrigger(ctx, event) {
    const count = await ctx.state.update<number>('count', (before) => (before ?? 0) + 1);
    await ctx.effect('book', { class: 'idempotent', args: { event: event.eventId } }, ({ key }) => {
      appendFileSync('booked.txt', key + '\\n');
      return 'booked';
    });
    return 'count ' + count;
  },
});
`;

function workspaceOfClerk(): string {
  const workspace = join(tempDirectory(), 'clerk');
  mkdirSync(workspace);
  writeFileSync(
    join(workspace, 'clerk.agent'),
    'name: clerk\nentrypoint: ./clerk.ts\ntriggers: [{ type: cron, cron_expression: "0 0 1 1 *" }]\n',
  );
  writeFileSync(
    join(workspace, 'clerk.ts'),
    AGENT.replace("'booked.txt'", JSON.stringify(join(workspace, 'booked.txt'))),
  );
  return workspace;
}

const booked = (workspace: string): string[] => {
  const path = join(workspace, 'booked.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
};
const journalOf = (workspace: string) => readFileJournal(join(workspace, '.holdfast-journal'));

/** Waits until there are so many entries of a kind, and gives them. */
function entries(workspace: string, process: string, entryType: string, count: number) {
  return waitFor(
    async () => {
      const found = await journalOf(workspace).read(process, { entryType });
      return found.length >= count ? found : null;
    },
    { ...PATIENCE, what: `${count} of ${entryType} in the journal of ${process}` },
  );
}

async function openClerk({ page }: RunningConsole): Promise<void> {
  await page.getByRole('row').filter({ hasText: 'clerk' }).dblclick();
  await page.getByRole('heading', { level: 1, name: 'clerk' }).waitFor();
  await page.getByRole('tab', { name: /^Triggers & queue/ }).click();
  await page.getByRole('region', { name: 'Triggers' }).waitFor();
}

test('[S21] triggers are paused, resumed, fired and added while the process lives; a post to the new one is handled', async (context) => {
  needConsole(context);
  const workspace = workspaceOfClerk();
  const port = await freePort();
  await using console = await launchConsole({ args: ['--workspace', workspace] });
  const { page } = console;
  const dialog = page.getByRole('alertdialog');
  const triggers = page.getByRole('region', { name: 'Triggers' });
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first();
  const reason = async (text: string): Promise<void> => {
    await dialog.getByLabel('Reason', { exact: true }).fill(text);
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
  };
  await openClerk(console);
  await triggers.getByText(/^in /).first().waitFor();

  await button(/^Pause…: cron-/).click();
  await reason('quiet hours');
  await triggers.getByText('quiet hours').waitFor();
  await triggers.getByText('not planned: it is paused').waitFor();
  await console.screenshot('triggers-paused');

  // Fired all the same: a person asks.
  await button(/^Test-fire…: cron-/).click();
  await dialog.getByLabel('Payload, as JSON', { exact: true }).fill('{"order": 7}');
  await reason('a test');
  const [first] = await entries(workspace, 'clerk', 'invocation_result', 1);
  expect(JSON.stringify(first!.data)).toContain('count 1');
  const [fired] = await entries(workspace, 'clerk', 'trigger_event', 1);
  expect(fired!.data).toMatchObject({
    trigger_type: 'cron',
    payload: { order: 7 },
    metadata: { reason: 'a test' },
  });

  await button(/^Resume: cron-/).click();
  await entries(workspace, 'clerk', 'trigger_resumed', 1);
  await button(/^Pause…: cron-/).waitFor();

  await button('Add a trigger…').click();
  await dialog.getByLabel('Kind', { exact: true }).selectOption('webhook');
  await dialog.getByLabel('Path', { exact: true }).fill('/orders');
  await dialog.getByLabel('Port', { exact: true }).fill('80');
  await page.keyboard.press('Control+Enter');
  // What the host refuses is said where it was typed, and what was typed is still there.
  await dialog.getByRole('alert').waitFor();
  expect(await dialog.getByLabel('Port', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  expect(await dialog.getByLabel('Path', { exact: true }).inputValue()).toBe('/orders');
  await console.screenshot('trigger-refused');
  await dialog.getByLabel('Port', { exact: true }).fill(String(port));
  await dialog.getByLabel('Filter', { exact: true }).fill('payload.amount > 100');
  await reason('orders come by web');
  const url = `http://127.0.0.1:${port}/orders`;
  await triggers.getByText(url, { exact: true }).waitFor();
  await triggers.getByText('added beside the manifest').waitFor();

  const post = async (amount: number): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ amount }) });
    await response.text();
    return response.status;
  };
  expect(await post(5)).toBeLessThan(300);
  expect(await post(500)).toBeLessThan(300);
  const results = await entries(workspace, 'clerk', 'invocation_result', 2);
  expect(JSON.stringify(results[1]!.data)).toContain('count 2');
  await triggers.getByText(/^1 accepted · 1 filtered · last event/).waitFor();
  await console.screenshot('triggers-added');

  await button(`Remove…: webhook-${port}/orders`).click();
  await reason('by mail again');
  await triggers.getByText(url, { exact: true }).waitFor({ state: 'detached' });
  await expect(
    fetch(url, { method: 'POST', body: '{}' }).then(
      ({ ok }) => ok,
      () => false,
    ),
  ).resolves.toBe(false);
  const said = await journalOf(workspace).read('clerk', { entryType: 'operator_action' });
  expect(said.map(({ data }) => [data['action'], data['reason']])).toEqual([
    ['trigger-pause', 'quiet hours'],
    ['trigger-fire', 'a test'],
    ['trigger-resume', ''],
    ['trigger-add', ''],
    ['trigger-add', 'orders come by web'],
    ['trigger-remove', 'by mail again'],
  ]);
  expect(console.pageErrors).toEqual([]);
});

test('[S39] [S40] [P2] a rewind shows its plan and does nothing twice; a fork begins apart, suspended, with its triggers off', async (context) => {
  needConsole(context);
  const workspace = workspaceOfClerk();
  await using console = await launchConsole({ args: ['--workspace', workspace] });
  const { page } = console;
  const dialog = page.getByRole('alertdialog');
  await openClerk(console);
  for (let run = 1; run <= 3; run += 1) {
    await page.getByRole('button', { name: 'Trigger now' }).click();
    await entries(workspace, 'clerk', 'invocation_result', run);
  }
  await waitFor(() => booked(workspace).length === 3, PATIENCE);
  const { seq } = (await entries(workspace, 'clerk', 'invocation_result', 3))[1]!;

  // By keyboard: the entry is opened, and what can be done from it follows.
  await page.getByRole('tab', { name: 'Timeline' }).click();
  const line = page
    .locator('.hf-entry-line')
    .filter({ has: page.locator('.hf-seq', { hasText: new RegExp(`^${seq}$`) }) });
  await line.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: `Go on from entry ${seq}` }).waitFor();
  await page.getByRole('button', { name: 'Rewind to here…' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByText(`1 effect after entry ${seq} stays as it is.`).waitFor();
  const state = dialog.getByRole('region', { name: 'State' });
  expect((await state.getByRole('row').nth(1).textContent())?.replace(/\s/g, '')).toBe('count32');
  await console.screenshot('rewind-plan');
  await dialog.getByLabel('Reason', { exact: true }).fill('wrong orders');
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  const [rewind] = await entries(workspace, 'clerk', 'rewind', 1);
  expect(rewind!.data).toMatchObject({ target_seq: seq, handled_again: true, reason: 'wrong orders' });
  await page.getByText('Suspended').first().waitFor();
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await entries(workspace, 'clerk', 'invocation_result', 4);
  const results = await journalOf(workspace).read('clerk', { entryType: 'invocation_result' });
  expect(results.map(({ data }) => data['response'])).toEqual(['count 1', 'count 2', 'count 3', 'count 3']);
  expect(booked(workspace)).toHaveLength(3);

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Fork from an entry…' }).click();
  await dialog.getByLabel('Entry', { exact: true }).fill(String(seq));
  await dialog.getByLabel('Name of the new process', { exact: true }).fill('clerk-try');
  await dialog.getByRole('button', { name: 'Change a key' }).click();
  await dialog.getByLabel('Name of key 1', { exact: true }).fill('count');
  await dialog.getByLabel('Value of key 1, as JSON', { exact: true }).fill('40');
  await dialog.getByText(`as of entry ${seq}`).waitFor();
  await console.screenshot('fork-plan');
  await dialog.getByLabel('Reason', { exact: true }).fill('to see what comes of it');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { level: 1, name: 'clerk-try' }).waitFor();
  await page.getByText(`Forked from entry ${seq} of clerk`, { exact: true }).waitFor();
  await page.getByText('Suspended').first().waitFor();
  await page.getByRole('tab', { name: /^Triggers & queue/ }).click();
  await page.getByText(/All are off: only people wake it/).waitFor();
  await console.screenshot('forked');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByText('Running').first().waitFor();
  await page.getByRole('button', { name: 'Trigger now' }).click();
  const [own] = await entries(workspace, 'clerk-try', 'invocation_result', 1);
  expect(own!.data['response']).toBe('count 41');
  expect(console.pageErrors).toEqual([]);
});
