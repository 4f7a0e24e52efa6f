// The agents of the demo that a model drives, over a real server of tools: a file is dropped, and what is in the middle of
// being done is killed.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import type { JournalEntry } from '../../core/model/entry.ts';
import { textAt } from '../../core/model/json.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { launchConsole, LIMIT_MS, needConsole, type RunningConsole } from './app.ts';

// Two agents with a turn each, at the pace of somebody who reads along, and once more after the kill.
vi.setConfig({ testTimeout: 3 * LIMIT_MS });

const TURN = ['model#0', 'read_text_file#0', 'model#1', 'write_file#0', 'model#2'];

const demoOf = ({ dataDirectory }: RunningConsole): string => join(dataDirectory, 'demo');
const deskOf = (console: RunningConsole, path: string): string => join(demoOf(console), 'desk', path);

function entriesOf(console: RunningConsole, name: string): Promise<readonly JournalEntry[]> {
  return readFileJournal(join(demoOf(console), '.holdfast-journal')).read(name);
}

/** Opens the page of an agent and waits until its folder is watched: what was there before is no news. */
async function watching(console: RunningConsole, name: string, folder: string): Promise<void> {
  const { page } = console;
  await page.getByRole('row').filter({ hasText: name }).dblclick();
  await page.getByRole('heading', { name }).waitFor();
  await page.getByRole('tab', { name: /^Triggers/ }).click();
  await page
    .getByRole('definition')
    .filter({ hasText: deskOf(console, folder) })
    .first()
    .waitFor();
}

async function toFleet(console: RunningConsole): Promise<void> {
  await console.page.keyboard.press('Escape');
  await console.page.getByRole('row').filter({ hasText: 'invoice-clerk' }).first().waitFor();
}

async function bothWatch(console: RunningConsole): Promise<void> {
  await watching(console, 'archivist', 'outbox');
  await toFleet(console);
  await watching(console, 'file-clerk', 'inbox');
}

function drop(console: RunningConsole, name: string): void {
  writeFileSync(deskOf(console, `inbox/${name}`), `What stands in ${name}.\n`);
}

async function summaryOf(console: RunningConsole, name: string): Promise<string> {
  const path = deskOf(console, `outbox/${name}.summary.txt`);
  const isSummedUp = async (): Promise<boolean> =>
    (await entriesOf(console, 'file-clerk')).some(
      ({ entry_type, data }) =>
        entry_type === 'invocation_result' && JSON.stringify(data).includes(`${name} is summed up`),
    );
  await waitFor(isSummedUp, { what: `the end of the turn about ${name}` });
  return readFileSync(path, 'utf8');
}

/** Waits until the model is being asked for the second time about this file, which goes on for seconds. */
async function inTheMiddle(console: RunningConsole, name: string): Promise<void> {
  await waitFor(
    async () => {
      const entries = await entriesOf(console, 'file-clerk');
      const event = entries.find(
        ({ entry_type, data }) =>
          entry_type === 'trigger_event' && JSON.stringify(data).includes(`"${name}"`),
      );
      const effect = `${textAt(event?.data ?? {}, 'event_id')}/model#1`;
      return entries.some(
        ({ entry_type, data }) => entry_type === 'effect_started' && data['effect_id'] === effect,
      );
    },
    { what: `the second question about ${name}` },
  );
}

const isBreak = ({ entry_type, data }: JournalEntry): boolean =>
  entry_type === 'writer_opened' || (entry_type === 'worker_exited' && data['expected'] === false);

/** That each effect of each turn is done once, and only what a kill cut short was begun again. */
function expectNothingTwice(entries: readonly JournalEntry[], turns: number): void {
  const done: string[] = [];
  const notDone: string[] = [];
  const againForNothing: string[] = [];
  const underWay = new Set<string>();
  const isCut = new Set<string>();
  for (const entry of entries) {
    const id = textAt(entry.data, 'effect_id');
    if (isBreak(entry)) for (const one of underWay) isCut.add(one);
    if (entry.entry_type === 'effect_started') {
      if (entry.data['attempt'] !== 1 && !isCut.has(id)) againForNothing.push(id);
      isCut.delete(id);
      underWay.add(id);
    }
    if (entry.entry_type === 'effect_finished') {
      (entry.data['end'] === 'done' ? done : notDone).push(id);
      underWay.delete(id);
    }
  }
  const names = done.map((id) => id.slice(id.indexOf('/') + 1));
  expect({ names, notDone, againForNothing }).toEqual({
    names: Array.from({ length: turns }, () => TURN).flat(),
    notDone: [],
    againForNothing: [],
  });
  expect(new Set(done).size).toBe(done.length);
}

/** Approves the move of a file on the page of what waits, and waits until it lies in the archive. */
async function approveMove(console: RunningConsole, name: string): Promise<void> {
  const { page } = console;
  await page
    .getByRole('link', { name: /waiting for me/i })
    .first()
    .click();
  await page.getByRole('heading', { name: 'move_file' }).waitFor();
  await page.getByText(`inbox/${name}`).first().waitFor();
  expect(existsSync(deskOf(console, `archive/${name}`))).toBe(false);
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await waitFor(() => existsSync(deskOf(console, `archive/${name}`)), { what: `${name} in the archive` });
  expect(existsSync(deskOf(console, `inbox/${name}`))).toBe(false);
}

test('[P2] a dropped file is summed up, again after its worker was killed half way, and moved when that is approved', async (context) => {
  needConsole(context);
  await using console = await launchConsole();
  await bothWatch(console);
  drop(console, 'first.txt');
  expect(await summaryOf(console, 'first.txt')).toContain('What stands in first.txt.');
  await approveMove(console, 'first.txt');

  drop(console, 'second.txt');
  await inTheMiddle(console, 'second.txt');
  const workers = (await entriesOf(console, 'file-clerk')).filter(
    ({ entry_type }) => entry_type === 'worker_started',
  );
  process.kill(workers.at(-1)!.data['pid'] as number, 'SIGKILL');
  expect(await summaryOf(console, 'second.txt')).toContain('What stands in second.txt.');
  const entries = await waitFor(
    async () => {
      const all = await entriesOf(console, 'file-clerk');
      return all.filter(isBreak).length >= 2 ? all : null;
    },
    { what: 'the end of the worker on record' },
  );
  expect(entries.filter(isBreak)).toHaveLength(2);
  expectNothingTwice(entries, 2);
  await approveMove(console, 'second.txt');
  expect(console.pageErrors).toEqual([]);
});

test('[P1] [P2] the whole app killed with -9 in the middle of a turn: started again, the summary is there, nothing is asked twice', async (context) => {
  needConsole(context);
  const dataDirectory = tempDirectory();
  const first = await launchConsole({ dataDirectory });
  await bothWatch(first);
  drop(first, 'third.txt');
  await inTheMiddle(first, 'third.txt');
  await first.kill9();

  await using second = await launchConsole({ dataDirectory });
  expect(await summaryOf(second, 'third.txt')).toContain('What stands in third.txt.');
  const entries = await entriesOf(second, 'file-clerk');
  expect(entries.filter(isBreak).length).toBeGreaterThanOrEqual(2);
  expectNothingTwice(entries, 1);
  await approveMove(second, 'third.txt');
});
