// Journals come in by every door, are shown as they are, and stay as they are.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { demoWorkspace } from '../support/demo.ts';
import { PROMPTISE_JOURNALS, promptiseCases, treeHash } from '../support/fixtures.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { launchConsole, LIMIT_MS, needConsole, needStandIn, type RunningConsole } from './app.ts';

vi.setConfig({ testTimeout: LIMIT_MS });

function golden(name: string): string {
  const directory = join(tempDirectory(), name);
  cpSync(join(PROMPTISE_JOURNALS, name, 'journal'), directory, { recursive: true, preserveTimestamps: true });
  return directory;
}

const recordedRow = ({ page }: RunningConsole, name: string) =>
  page
    .getByRole('row')
    .filter({ hasText: name })
    .filter({ hasText: /last recorded/i });

test('[P6] [P8] every Promptise journal, named at the start, shows its processes, and no byte of it changes', async (context) => {
  needConsole(context);
  const directories = promptiseCases().map(golden);
  const before = directories.map(treeHash);
  await using console = await launchConsole({ args: directories });
  await recordedRow(console, 'reporter').first().waitFor();
  await recordedRow(console, 'counter').first().waitFor();
  await recordedRow(console, 'market-watcher').first().waitFor();
  await recordedRow(console, 'market-watcher').first().dblclick();
  await console.page.getByRole('heading', { name: 'market-watcher' }).waitFor();
  await console.page.getByText('context_update').first().waitFor();
  await console.page.getByRole('tab', { name: 'State' }).click();
  await console.page.getByText('reports_written').first().waitFor();
  await console.screenshot('promptise-journal');
  expect(await console.page.getByRole('button', { name: /^(Suspend|Stop|Kill|Force)/ }).count()).toBe(0);
  expect(directories.map(treeHash)).toEqual(before);
  expect(console.pageErrors).toEqual([]);
});

test('numbers beyond a double and hostile text are shown as they were written', async (context) => {
  needConsole(context);
  await using console = await launchConsole({ args: [golden('text-and-numbers')] });
  // A journal of one process opens at that process.
  await console.page.getByRole('heading', { name: 'observer' }).waitFor();
  await console.page.getByRole('tab', { name: 'State' }).click();
  await console.page
    .getByText(/9007199254740993/)
    .first()
    .waitFor();
  await console.page.getByText(/NaN/).first().waitFor();
  await console.screenshot('numbers-and-text');
});

test('the menu opens what the operator chooses', async (context) => {
  needStandIn(context);
  const directory = golden('article');
  await using console = await launchConsole();
  await console.inMain(({ __standin }, path) => {
    __standin.answerDialog('showOpenDialog', { canceled: false, filePaths: [path] });
    __standin.clickMenuItem('Open Journal…');
  }, directory);
  await console.page.getByRole('heading', { name: 'market-watcher' }).waitFor();
  await console.page.getByText(/last recorded: Running/).waitFor();
});

test('dropping a directory on the window opens it', async (context) => {
  needStandIn(context);
  const directory = golden('two-processes');
  await using console = await launchConsole();
  await console.page.getByText('invoice-clerk').first().waitFor();
  await console.inMain(
    async ({ __standin, BrowserWindow }, path) =>
      __standin.dropFiles(BrowserWindow.getAllWindows()[0]!.id, [path]),
    directory,
  );
  await recordedRow(console, 'north').waitFor();
  await recordedRow(console, 'south').waitFor();
});

test('a second launch with a marker opens its directory in the first, and ends', async (context) => {
  needConsole(context);
  const workspace = demoWorkspace();
  const owner = await launchConsole({ args: ['--workspace', workspace] });
  await owner.page.getByText('invoice-clerk').first().waitFor();
  await owner.close();

  const dataDirectory = tempDirectory();
  await using first = await launchConsole({ dataDirectory });
  await first.page.getByText('invoice-clerk').first().waitFor();
  const marker = join(workspace, '.holdfast-journal/journal.holdfast');
  await launchConsole({ dataDirectory, args: [marker] }).then(
    (second) => second.close(),
    () => {}, // It hands over and ends before it has a window, which is what is wanted.
  );
  await recordedRow(first, 'mail-triage').waitFor();
});

describe.each([
  ['does not exist', (directory: string) => join(directory, 'nowhere'), /does not exist/],
  ['is empty', (directory: string) => directory, /is empty/],
  [
    'is a file',
    (directory: string) => {
      writeFileSync(join(directory, 'a.txt'), 'x');
      return join(directory, 'a.txt');
    },
    /is a file/,
  ],
  [
    'holds no journal',
    (directory: string) => {
      writeFileSync(join(directory, 'a.txt'), 'x');
      return directory;
    },
    /holds no journal/,
  ],
  [
    'holds garbage',
    (directory: string) => {
      mkdirSync(join(directory, 'g'));
      writeFileSync(join(directory, 'g/x.jsonl'), Buffer.from([0, 255, 254, 10, 123, 10]));
      return join(directory, 'g');
    },
    /no line in there is a journal entry/,
  ],
])('a path that %s', (_what, make, sentence) => {
  test('is explained in a sentence, and nothing else happens', async (context) => {
    needConsole(context);
    const directory = tempDirectory();
    const path = make(directory);
    const before = treeHash(directory);
    await using console = await launchConsole({ args: [path] });
    await console.page.getByText(sentence).first().waitFor();
    // Still a console: with its navigation, and with no error of its own.
    await console.page.getByText('Fleet').first().waitFor();
    expect(console.pageErrors).toEqual([]);
    expect(treeHash(directory)).toBe(before);
  });
});

test('a journal that another process is writing opens read-only, and says who writes it', async (context) => {
  needConsole(context);
  const workspace = demoWorkspace();
  await using owner = await launchConsole({ args: ['--workspace', workspace] });
  await owner.page.getByText('invoice-clerk').first().waitFor();
  await using second = await launchConsole({ args: [workspace] });
  await recordedRow(second, 'invoice-clerk').waitFor();
  await second.page.getByText('Journals').first().click();
  await second.page.getByText(/Being written by process \d+; looked at from here/).waitFor();
  // What the first one does there shows in the second.
  await second.page.getByText('Fleet').first().click();
  await recordedRow(second, 'market-watcher')
    .filter({ hasText: /[1-9]\d* today/ })
    .waitFor();
});
