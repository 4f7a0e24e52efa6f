// Every view in a real browser, under the policy of production: no violation, nothing for axe-core to find, nothing
// that sticks out sideways, in both themes and at twice the size.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium, installLine } from '../standin/find-chromium.ts';
import { LONG_NAME } from './preview/night.ts';
import { servePages, type Pages } from './preview/serve.ts';

const executablePath = findChromium();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface View {
  readonly name: string;
  readonly address: string;
  readonly act?: (page: Page) => Promise<unknown>;
}

const press = (role: 'button' | 'tab', name: string | RegExp) => (page: Page) =>
  page.getByRole(role, { name, exact: true }).first().click();
const dialogAfter = (name: string | RegExp) => async (page: Page) => {
  await press('button', name)(page);
  await page.getByRole('alertdialog').waitFor();
};
const CLERK = '/#/j-demo/invoice-clerk';
const WATCHER = '/#/j-demo/market-watcher';
const REPORT = '/#/j-demo/nightly-report';
const SYNC = '/#/j-demo/order-sync';
const WORST = `/?scene=night#/j-demo/${LONG_NAME}`;
/** Several presses, one after another. */
const acts =
  (...all: readonly ((page: Page) => Promise<unknown>)[]) =>
  async (page: Page) => {
    for (const act of all) await act(page);
  };

/** Something about a trigger of the clerk's. */
const trigger = (name: string) => acts(press('tab', 'Triggers & queue'), dialogAfter(name));
/** What can be done from the newest entry. */
const fromEntry = (name: string) =>
  acts((page) => page.locator('.hf-entry-line').first().click(), dialogAfter(name));
const VIEWS: readonly View[] = [
  { name: 'fleet', address: '/#/' },
  { name: 'fleet, loading', address: '/?scene=loading#/' },
  { name: 'fleet, failed', address: '/?scene=failed#/' },
  { name: 'fleet, empty', address: '/?scene=empty#/' },
  { name: 'fleet, menu', address: '/#/', act: press('button', 'All actions: invoice-clerk') },
  { name: 'journals', address: '/#/journals' },
  { name: 'journals, empty', address: '/?scene=empty#/journals' },
  { name: 'process', address: WATCHER },
  { name: 'process, entry', address: WATCHER, act: (page) => page.locator('.hf-entry-line').last().click() },
  { name: 'process, state', address: WATCHER, act: press('tab', 'State') },
  { name: 'process, triggers', address: CLERK, act: press('tab', 'Triggers & queue') },
  {
    name: 'process, recorded triggers',
    address: '/#/j-sent/market-watcher',
    act: press('tab', 'Triggers & queue'),
  },
  {
    name: 'process, more actions',
    address: WATCHER,
    act: acts(press('button', 'More actions'), (page) => page.getByRole('menu').waitFor()),
  },
  { name: 'process, effects', address: WATCHER, act: press('tab', 'Effects') },
  {
    name: 'process, effect',
    address: CLERK,
    act: acts(press('tab', 'Effects (2 in doubt)'), press('button', 'Details of charge_card')),
  },
  { name: 'process, waiting', address: REPORT },
  { name: 'process, inbox', address: REPORT, act: press('tab', 'Triggers & queue') },
  { name: 'process, dead letters', address: SYNC, act: press('tab', 'Triggers & queue (3)') },
  { name: 'process, worker', address: WATCHER, act: press('tab', 'Worker') },
  { name: 'process, dying workers', address: SYNC, act: press('tab', 'Worker') },
  {
    name: 'process, output unread',
    address: '/?scene=unread#/j-demo/market-watcher',
    act: press('tab', 'Worker'),
  },
  { name: 'process, tables', address: WATCHER, act: press('button', 'Health as a table') },
  { name: 'process, doubt', address: CLERK },
  { name: 'process, failed', address: '/#/j-demo/mail-triage' },
  { name: 'process, recorded', address: '/#/j-sent/market-watcher' },
  { name: 'process, unknown', address: '/#/j-demo/nobody' },
  { name: 'stop', address: WATCHER, act: dialogAfter('Stop…') },
  { name: 'kill', address: WATCHER, act: dialogAfter('Kill worker…') },
  { name: 'force-recover', address: CLERK, act: dialogAfter('Force-recover…') },
  {
    name: 'restart, looking',
    address: '/?scene=looking#/j-demo/invoice-clerk',
    act: dialogAfter('Restart…'),
  },
  {
    name: 'restart, unread',
    address: '/?scene=unread#/j-demo/invoice-clerk',
    act: dialogAfter('Restart…'),
  },
  { name: 'resume', address: CLERK, act: dialogAfter('Resume') },
  {
    name: 'run it now',
    address: CLERK,
    act: dialogAfter('It did not happen: run it now…: charge_card'),
  },
  { name: 'resolve', address: REPORT, act: dialogAfter('Resolve…: approve-refund') },
  { name: 'reject', address: REPORT, act: dialogAfter('Reject…: approve-refund') },
  { name: 'signal', address: REPORT, act: dialogAfter('Send a signal…') },
  {
    name: 'as a new event',
    address: SYNC,
    act: acts(press('tab', 'Triggers & queue (3)'), dialogAfter('As a new event…')),
  },
  { name: 'it happened', address: CLERK, act: dialogAfter('It happened…: charge_card') },
  { name: 'ask', address: REPORT, act: dialogAfter('Ask it…') },
  { name: 'pause', address: CLERK, act: trigger('Pause…: cron-4f1d2c3b') },
  { name: 'remove', address: CLERK, act: trigger('Remove…: webhook-9090/orders') },
  { name: 'test-fire', address: CLERK, act: trigger('Test-fire…: event-77aa01fe') },
  { name: 'add a schedule', address: CLERK, act: trigger('Add a trigger…') },
  {
    name: 'add a webhook, refused',
    address: CLERK,
    act: acts(
      trigger('Add a trigger…'),
      (page) => page.getByRole('alertdialog').getByLabel('Kind').selectOption('webhook'),
      (page) => page.getByLabel('Variable that holds the secret').fill('ORDERS_SECRET'),
      press('button', 'Add the trigger to invoice-clerk'),
      (page) => page.getByRole('alert').waitFor(),
    ),
  },
  {
    name: 'add a folder',
    address: CLERK,
    act: acts(trigger('Add a trigger…'), (page) =>
      page.getByRole('alertdialog').getByLabel('Kind').selectOption('file_watch'),
    ),
  },
  { name: 'rewind', address: WATCHER, act: fromEntry('Rewind to here…') },
  {
    name: 'rewind, refused',
    address: WATCHER,
    act: acts(
      fromEntry('Rewind to here…'),
      press('button', 'Bad input'),
      press('button', 'Rewind market-watcher'),
      (page) => page.getByRole('alert').waitFor(),
    ),
  },
  {
    name: 'rewind, not possible',
    address: '/?scene=unread#/j-demo/market-watcher',
    act: fromEntry('Rewind to here…'),
  },
  {
    name: 'fork',
    address: WATCHER,
    act: acts(fromEntry('Fork from here…'), press('button', 'Change a key'), (page) =>
      page.getByLabel('Value of key 1, as JSON').fill('not JSON'),
    ),
  },
  { name: 'a bad night, fleet', address: '/?scene=night#/' },
  { name: 'a bad night', address: WORST },
  { name: 'a bad night, state', address: WORST, act: press('tab', 'State') },
  {
    name: 'a bad night, effects',
    address: WORST,
    act: acts(press('tab', 'Effects (9 in doubt)'), press('button', /^Details of/)),
  },
  { name: 'a bad night, queue', address: WORST, act: press('tab', 'Triggers & queue (5231)') },
  {
    name: 'a bad night, rewind',
    address: WORST,
    act: acts(fromEntry('Rewind to here…'), (page) => page.getByText('What touched the world').waitFor()),
  },
  { name: 'a bad night, worker', address: WORST, act: press('tab', 'Worker') },
  { name: 'a bad night, force-recover', address: WORST, act: dialogAfter('Force-recover…') },
  { name: 'a bad night, kill', address: WORST, act: dialogAfter('Kill worker…') },
  { name: 'a bad night, it happened', address: WORST, act: dialogAfter(/^It happened/) },
  { name: 'a bad night, resolve', address: WORST, act: dialogAfter(/^Resolve/) },
  { name: 'refused', address: '/#/', act: press('button', 'Open journal…') },
  { name: 'keys', address: '/#/', act: press('button', 'Keys') },
];

interface Look {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
}

const LIGHT: Look = { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } };
const DARK: Look = { name: 'dark, small', colorScheme: 'dark', viewport: { width: 900, height: 600 } };
/** The room that a window of 1280 by 800 has at twice the size. */
const LARGE: Look = { name: 'at 200 %', colorScheme: 'light', viewport: { width: 640, height: 400 } };
const SHAPES: ReadonlySet<string> = new Set([
  'a bad night',
  'a bad night, queue',
  'a bad night, it happened',
  'fleet',
  'journals',
  'process',
  'process, doubt',
  'process, effects',
  'process, effect',
  'process, waiting',
  'process, dead letters',
  'process, worker',
  'force-recover',
  'signal',
  'process, triggers',
  'add a webhook, refused',
  'rewind',
  'fork',
]);

/** Too much of everything is looked at where the room is least. */
function isShown(name: string, look: Look): boolean {
  if (look === LARGE) return SHAPES.has(name);
  return look === DARK || !name.startsWith('a bad night');
}

const CASES = [LIGHT, DARK, LARGE].flatMap((look) =>
  VIEWS.filter(({ name }) => isShown(name, look)).map((view) => ({
    look,
    view,
    title: `${view.name}, ${look.name}`,
  })),
);

describe('the console in Chromium', () => {
  let directory = '';
  let browser: Browser;
  let pages: Pages;

  beforeEach((context) => {
    context.skip(executablePath === undefined, `There is no Chromium here. Install it: ${installLine()}`);
  });
  beforeAll(async () => {
    if (executablePath === undefined) return;
    directory = mkdtempSync(join(tmpdir(), 'holdfast-pages-'));
    pages = await servePages(directory);
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath, args });
  }, 60_000);
  afterAll(async () => {
    if (executablePath === undefined) return;
    await browser.close();
    await pages[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  async function opened(look: Look, address: string) {
    const context = await browser.newContext({
      colorScheme: look.colorScheme,
      viewport: look.viewport,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    await page.addInitScript(pages.bridge);
    await page.goto(pages.url + address);
    await page.locator('.hf-view > *').first().waitFor();
    return { page, faults, close: () => context.close() };
  }

  test.each(CASES)(
    '$title',
    async ({ look, view }) => {
      const { page, faults, close } = await opened(look, view.address);
      await view.act?.(page);
      if (view.address === WATCHER)
        await page.locator('.hf-gauge svg').first().waitFor({ state: 'attached' });
      await page.evaluate(axe);
      const findings = await page.evaluate(async () => {
        const { axe } = window as unknown as { axe: typeof Axe };
        const { violations } = await axe.run(document, { resultTypes: ['violations'] });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
      });
      const sticksOut = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('main, .bp6-dialog')].some(
          (box) => box.scrollWidth > box.clientWidth,
        ),
      );
      await close();
      expect({ findings, faults, sticksOut }).toEqual({ findings: [], faults: [], sticksOut: false });
    },
    30_000,
  );

  const focused = (page: Page) =>
    page.evaluate(() => {
      const element = document.activeElement;
      return `${element?.tagName} ${element?.getAttribute('aria-label') ?? element?.textContent ?? ''}`.trim();
    });

  test('the menu of a row, its question and the way into a process and back, by keyboard alone', async () => {
    const { page, faults, close } = await opened(LIGHT, '/#/');
    const button = page.getByRole('button', { name: 'All actions: market-watcher' }).first();
    await button.evaluate((element) => Object.assign(element, { isTheSame: true }));
    await button.focus();
    await page.keyboard.press('Enter');
    const seen = [await focused(page)];
    for (const key of ['ArrowDown', 'End', 'ArrowDown', 'Escape']) {
      await page.keyboard.press(key);
      seen.push(await focused(page));
    }
    expect(seen).toEqual([
      'A Suspend',
      'A Restart…',
      'A Force-recover…',
      'A Suspend',
      'BUTTON All actions: market-watcher',
    ]);
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await button.evaluate((element) => 'isTheSame' in element)).toBe(true);
    for (const key of ['Enter', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('alertdialog').waitFor();
    await expect.poll(() => focused(page)).toBe('BUTTON Cancel');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('BUTTON All actions: market-watcher');
    // The key that chose an item without a question presses nothing else when it comes up.
    for (const key of ['Enter', 'Enter']) await page.keyboard.press(key);
    await page.getByText('market-watcher: suspending failed').waitFor();
    expect(await page.getByRole('menu').count()).toBe(0);
    await page.getByRole('row', { name: 'market-watcher' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'market-watcher' }).waitFor();
    await expect.poll(() => focused(page)).toBe('H1 market-watcher');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('TR market-watcher');
    await close();
    expect(faults).toEqual([]);
  }, 30_000);

  test('a long list of effects draws what is in sight, by wheel and by keys, and its head stays', async () => {
    const { page, faults, close } = await opened(LIGHT, WATCHER);
    await press('tab', 'Effects')(page);
    const grid = page.getByRole('grid', { name: 'Effects' });
    const drawn = () => grid.getByRole('row').count();
    expect(await drawn()).toBeLessThan(60);
    await press('button', 'Details of step-3')(page);
    // What is open pushes the rows after it down, and covers none.
    const bottom = await page
      .locator('.hf-effect-item-open')
      .evaluate((row) => row.getBoundingClientRect().bottom);
    const next = grid.getByRole('row', { name: /^step-4,/ });
    await expect
      .poll(() => next.evaluate((row) => row.getBoundingClientRect().top))
      .toBeGreaterThanOrEqual(bottom - 1);
    await grid.hover();
    await page.mouse.wheel(0, 9_000);
    await grid.getByRole('row', { name: /^step-200,/ }).waitFor();
    expect(await drawn()).toBeLessThan(60);
    const inSight = (name: string) =>
      grid.getByRole('columnheader', { name }).evaluate((head) => {
        const { top, left } = head.getBoundingClientRect();
        return head.contains(document.elementFromPoint(left + 4, top + 4));
      });
    expect(await inSight('Effect')).toBe(true);
    await grid.getByRole('row', { name: /^step-200,/ }).focus();
    const seen: string[] = [];
    for (const key of ['ArrowDown', 'End', 'k', 'Home', 'j']) {
      await page.keyboard.press(key);
      seen.push(await focused(page));
    }
    expect(seen.map((name) => name.replace(/,.*/, ''))).toEqual([
      'DIV step-201',
      'DIV notify',
      'DIV browser.fetch_page_and_keep_it',
      'DIV browser.fetch_page_and_keep_it',
      'DIV step-1',
    ]);
    await close();
    expect(faults).toEqual([]);
  }, 30_000);

  test('output follows while its end is in sight, and stands still while somebody reads above it', async () => {
    const { page, faults, close } = await opened(LIGHT, WATCHER);
    await press('tab', 'Worker')(page);
    const room = page.getByRole('region', { name: 'Lines, oldest first' });
    await room.waitFor();
    const write = () => page.evaluate(() => (window as unknown as { write: () => void }).write());
    const left = () => room.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await expect.poll(left).toBeLessThan(2);
    await write();
    await page.getByText('written 1').waitFor({ timeout: 10_000 });
    await expect.poll(left).toBeLessThan(2);
    await room.focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'to the end' }).waitFor();
    await write();
    await page.getByText('written 2').waitFor({ state: 'attached', timeout: 10_000 });
    expect(await room.evaluate((box) => box.scrollTop)).toBe(0);
    // Older lines come above, and what is being read stays where it is.
    const first = page.getByText('price 184, watched');
    const before = await first.evaluate((line) => line.getBoundingClientRect().top);
    await press('button', 'Load older')(page);
    await page.getByText('older 0').waitFor({ state: 'attached' });
    const after = await first.evaluate((line) => line.getBoundingClientRect().top);
    expect(Math.abs(after - before)).toBeLessThan(12);
    await press('button', 'to the end')(page);
    await expect.poll(left).toBeLessThan(2);
    await close();
    expect(faults).toEqual([]);
  }, 40_000);

  test('what an action will do can be read at twice the size: the question begins at its top', async () => {
    const { page, close } = await opened(LARGE, CLERK);
    await dialogAfter('Force-recover…')(page);
    await page.getByText('What it will do').waitFor();
    const top = () => page.locator('.hf-dialog-content').evaluate((box) => box.scrollTop);
    await expect.poll(() => focused(page)).toBe('BUTTON Cancel');
    expect(await top()).toBe(0);
    await close();
  }, 30_000);

  test('forced colours keep the selected tab, the edge of a field, and the rails of the timeline', async () => {
    const { page, close } = await opened(LIGHT, '/#/');
    await page.emulateMedia({ forcedColors: 'active' });
    const style = (selector: string, property: string, pseudo?: string) =>
      page
        .locator(selector)
        .first()
        .evaluate(
          (element, [name, part]) => getComputedStyle(element, part).getPropertyValue(name!),
          [property, pseudo],
        );
    expect(await style('.bp6-input', 'border-top-width')).toBe('1px');
    await page.goto(`${pages.url}${WATCHER}`);
    await page.locator('.hf-entry-line').first().waitFor();
    expect(await style('[role=tab][aria-selected=true]', 'border-bottom-width')).toBe('3px');
    const canvas = await style('body', 'background-color');
    for (const part of ['::before', '::after']) {
      expect(await style('.hf-entry-line', 'background-color', part)).not.toBe(canvas);
    }
    await close();
  }, 30_000);

  test('[P5] a host that falls silent is named, with the age of the data, and actions go off', async () => {
    const { page, close } = await opened(LIGHT, '/#/');
    await page.getByText(/^data as of/).waitFor();
    await page.evaluate(() => (window as unknown as { fallSilent: () => void }).fallSilent());
    await page.getByText(/^Data as of \d\d:\d\d:\d\d\.$/).waitFor({ timeout: 15_000 });
    expect(await page.getByRole('button', { name: 'Suspend: market-watcher' }).isDisabled()).toBe(true);
    const tooHigh = await page.evaluate(() =>
      [document.documentElement, document.querySelector('main')!].some(
        (box) => box.scrollHeight > box.clientHeight,
      ),
    );
    expect(tooHigh).toBe(false);
    await close();
  }, 30_000);
});
