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
import { servePages, type Pages } from './preview/serve.ts';
import {
  CASES,
  CLERK,
  dialogAfter,
  LARGE,
  LIGHT,
  press,
  QUESTIONS,
  WATCHER,
  type Look,
} from './preview/views.ts';

const executablePath = findChromium();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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
  });
  afterAll(async () => {
    if (executablePath === undefined) return;
    await browser.close();
    await pages[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const contextOf = ({ colorScheme, viewport }: Look) =>
    browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });

  async function opened(look: Look, address: string) {
    const context = await contextOf(look);
    const page = await context.newPage();
    await page.addInitScript(() => localStorage.clear());
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

  /**
   * The page of a look, at another address and as if it were new. The browser keeps what it has of the code, which is most
   * of what opening a page costs, and nothing that the console keeps.
   */
  const kept = new Map<string, ReturnType<typeof opened>>();
  async function turnedTo(look: Look, address: string) {
    const before = kept.get(look.name);
    if (before === undefined) {
      const first = opened(look, address);
      kept.set(look.name, first);
      return first;
    }
    const { page, faults } = await before;
    // Nothing is under it that was not there before.
    await page.mouse.move(-1, -1);
    await page.evaluate((to) => history.replaceState(null, '', to), address);
    faults.length = 0;
    await page.reload();
    await page.locator('.hf-view > *').first().waitFor();
    return { page, faults };
  }

  const findingsIn = async (page: Page, options: Axe.RunOptions) => {
    await page.evaluate(axe);
    return page.evaluate(async (chosen) => {
      const { axe } = window as unknown as { axe: typeof Axe };
      const { violations } = await axe.run(document, { resultTypes: ['violations'], ...chosen });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
    }, options);
  };

  test.each(CASES)('$title', async ({ look, view }) => {
    const { page, faults } = await turnedTo(look, view.address);
    await view.act?.(page);
    if (view.address === WATCHER) await page.locator('.hf-gauge svg').first().waitFor({ state: 'attached' });
    // Its one rule about style sheets is looked at below, once for all pages.
    const findings = await findingsIn(page, { preload: false });
    const sticksOut = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('main, .bp6-dialog')].some(
        (box) => box.scrollWidth > box.clientWidth,
      ),
    );
    // What is announced would be announced with every tick.
    const ticking = await page.evaluate(
      () =>
        [...document.querySelectorAll('time')].filter((time) => {
          const region = time.closest('[role=status], [role=alert], [aria-live]');
          return region !== null && region.getAttribute('aria-live') !== 'off';
        }).length,
    );
    expect({ findings, faults, sticksOut, ticking }).toEqual({
      findings: [],
      faults: [],
      sticksOut: false,
      ticking: 0,
    });
  });

  test('no style sheet locks the way that a screen is held', async () => {
    const { page, close } = await opened(LIGHT, '/#/');
    expect(await findingsIn(page, { runOnly: ['css-orientation-lock'] })).toEqual([]);
    await close();
  });

  const focused = (page: Page) =>
    page.evaluate(() => {
      const element = document.activeElement;
      return `${element?.tagName} ${element?.getAttribute('aria-label') ?? element?.textContent ?? ''}`.trim();
    });

  /** Presses keys, each once the one before it has led where it should: what opens takes the focus a moment later. */
  const leads = async (page: Page, ...keys: readonly (readonly [key: string, to: string])[]) => {
    for (const [key, to] of keys) {
      await page.keyboard.press(key);
      await expect.poll(async () => (await focused(page)).replace(/,.*/, '')).toBe(to);
    }
  };

  test.each(QUESTIONS)(
    'the question of $button is asked, looked through and left by keyboard alone',
    async ({ address, button }) => {
      const { page, faults } = await turnedTo(LIGHT, address);
      const asks = page.getByRole('button', { name: button, exact: true }).first();
      await asks.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('alertdialog').waitFor();
      await expect.poll(() => focused(page)).toBe('BUTTON Cancel');
      const seen = new Set<string>();
      for (let stop = 0; stop < 60 && (stop === 0 || (await focused(page)) !== 'BUTTON Cancel'); stop += 1) {
        await page.keyboard.press('Tab');
        seen.add(
          await page.evaluate(() => {
            const at = document.activeElement;
            const isIn = at?.closest('[role=alertdialog], .bp6-overlay') !== null;
            const label = at instanceof HTMLInputElement ? (at.labels?.[0]?.textContent ?? '') : '';
            return isIn ? label : 'outside';
          }),
        );
      }
      expect(await focused(page)).toBe('BUTTON Cancel');
      expect(seen).toContain('Reason');
      expect(seen).not.toContain('outside');
      await page.keyboard.press('Escape');
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await expect.poll(() => asks.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(faults).toEqual([]);
    },
  );

  test('charts are fetched where one is drawn, in rooms that are there before, and not before', async () => {
    const { page, faults, close } = await opened(LIGHT, '/#/');
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
    await page.goto(`${pages.url}/#/j-demo/market-watcher`);
    await page.getByRole('meter', { name: 'Failures of the last runs' }).waitFor();
    await press('tab', 'State')(page);
    await page.getByRole('tabpanel', { name: 'State' }).waitFor();
    expect(fetched.filter((path) => path.endsWith('.js'))).toEqual([]);
    await page.goto(`${pages.url}/#/j-demo/ad-buyer`);
    await page.locator('.hf-spending-room svg path').first().waitFor({ state: 'attached' });
    await page.locator('.hf-mission-room svg path').first().waitFor({ state: 'attached' });
    expect(fetched.filter((path) => path.endsWith('.js')).length).toBeGreaterThan(0);
    // A chart fills its room once it has measured that, and is no larger.
    const sizeOf = async (selector: string) => {
      const { width, height } = (await page.locator(selector).first().boundingBox())!;
      return [width, height];
    };
    for (const room of ['.hf-spending-room', '.hf-mission-room']) {
      await expect.poll(() => sizeOf(`${room} svg`)).toEqual(await sizeOf(room));
    }
    await close();
    expect(faults).toEqual([]);
  });

  test('the menu of a row, its question and the way into a process and back, by keyboard alone', async () => {
    const { page, faults, close } = await opened(LIGHT, '/#/');
    const button = page.getByRole('button', { name: 'All actions: market-watcher' }).first();
    await button.evaluate((element) => Object.assign(element, { isTheSame: true }));
    await button.focus();
    await leads(
      page,
      ['Enter', 'A Suspend'],
      ['ArrowDown', 'A Restart…'],
      ['End', 'A Force-recover…'],
      ['ArrowDown', 'A Suspend'],
      ['Escape', 'BUTTON All actions: market-watcher'],
    );
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await button.evaluate((element) => 'isTheSame' in element)).toBe(true);
    await leads(page, ['Enter', 'A Suspend'], ['ArrowDown', 'A Restart…']);
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('alertdialog').waitFor();
    await expect.poll(() => focused(page)).toBe('BUTTON Cancel');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('BUTTON All actions: market-watcher');
    // The key that chose an item without a question presses nothing else when it comes up.
    await leads(page, ['Enter', 'A Suspend']);
    await page.keyboard.press('Enter');
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
  });

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
    await leads(
      page,
      ['ArrowDown', 'DIV step-201'],
      ['End', 'DIV notify'],
      ['k', 'DIV browser.fetch_page_and_keep_it'],
      ['Home', 'DIV browser.fetch_page_and_keep_it'],
      ['j', 'DIV step-1'],
    );
    await close();
    expect(faults).toEqual([]);
  });

  test('output follows while its end is in sight, and stands still while somebody reads above it', async () => {
    const { page, faults, close } = await opened(LIGHT, WATCHER);
    await press('tab', 'Worker')(page);
    const room = page.getByRole('region', { name: 'Lines, oldest first' });
    await room.waitFor();
    const write = () => page.evaluate(() => (window as unknown as { write: () => void }).write());
    const left = () => room.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await expect.poll(left).toBeLessThan(2);
    await write();
    await page.getByText('written 1').waitFor({ timeout: 40_000 });
    await expect.poll(left).toBeLessThan(2);
    await room.focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'to the end' }).waitFor();
    await write();
    await page.getByText('written 2').waitFor({ state: 'attached', timeout: 40_000 });
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
  });

  test('what an action will do can be read at twice the size: the question begins at its top', async () => {
    const { page, close } = await opened(LARGE, CLERK);
    await dialogAfter('Force-recover…')(page);
    await page.getByText('What it will do').waitFor();
    const top = () => page.locator('.hf-dialog-content').evaluate((box) => box.scrollTop);
    await expect.poll(() => focused(page)).toBe('BUTTON Cancel');
    expect(await top()).toBe(0);
    await close();
  });

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
  });

  test('what is chosen at the end of all that waits is in sight beside it, and so is what decides it', async () => {
    const { page, faults, close } = await opened(LIGHT, '/?scene=night#/waiting');
    const last = page.getByRole('list', { name: 'What waits' }).getByRole('button').last();
    await last.scrollIntoViewIfNeeded();
    await last.click();
    const decides = page.getByRole('group', { name: 'Decide' }).getByRole('button').first();
    await decides.waitFor();
    for (const shown of [last, decides]) {
      const isInSight = () =>
        shown.evaluate((element) => {
          const { top, bottom, left } = element.getBoundingClientRect();
          return element.contains(document.elementFromPoint(left + 6, (top + bottom) / 2));
        });
      await expect.poll(isInSight).toBe(true);
    }
    await close();
    expect(faults).toEqual([]);
  });

  test('a worker that comes or goes moves nothing: actions have a row of their own with and without one', async () => {
    const { page, close } = await opened(LIGHT, WATCHER);
    const places: number[] = [];
    for (const name of ['market-watcher', 'brand-new']) {
      await page.goto(`${pages.url}/#/j-demo/${name}`);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      places.push(
        await page.evaluate(
          () =>
            document.querySelector('.hf-process-actions')!.getBoundingClientRect().top -
            document.querySelector('.hf-process-title')!.getBoundingClientRect().bottom,
        ),
      );
    }
    expect(places.every((place) => place >= 0)).toBe(true);
    await close();
  });

  test('[P5] a host that falls silent is named, with the age of the data, and actions go off', async () => {
    const { page, close } = await opened(LIGHT, '/#/');
    await page.getByText(/^data as of/).waitFor();
    await page.evaluate(() => (window as unknown as { fallSilent: () => void }).fallSilent());
    await page.getByText(/^Data as of \d\d:\d\d:\d\d\.$/).waitFor({ timeout: 40_000 });
    expect(await page.getByRole('button', { name: 'Suspend: market-watcher' }).isDisabled()).toBe(true);
    const tooHigh = await page.evaluate(() =>
      [document.documentElement, document.querySelector('main')!].some(
        (box) => box.scrollHeight > box.clientHeight,
      ),
    );
    expect(tooHigh).toBe(false);
    await close();
  });
});
