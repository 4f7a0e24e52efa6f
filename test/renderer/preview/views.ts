// Every view of the console that is looked at in a browser, how one gets there, and in which looks.

import type { Page } from 'playwright-core';
import { LONG_NAME } from './night.ts';

interface View {
  readonly name: string;
  readonly address: string;
  readonly act?: (page: Page) => Promise<unknown>;
}

export const press = (role: 'button' | 'tab', name: string | RegExp) => (page: Page) =>
  page.getByRole(role, { name, exact: true }).first().click();
export const dialogAfter = (name: string | RegExp) => async (page: Page) => {
  await press('button', name)(page);
  await page.getByRole('alertdialog').waitFor();
};
export const CLERK = '/#/j-demo/invoice-clerk';
export const WATCHER = '/#/j-demo/market-watcher';
const BUYER = '/#/j-demo/ad-buyer';
const PROBER = '/#/j-demo/price-prober';
const REPORT = '/#/j-demo/nightly-report';
const PLANNER = '/#/j-demo/launch-planner';
const SYNC = '/#/j-demo/order-sync';
const WORST = `/?scene=night#/j-demo/${LONG_NAME}`;
/** Several presses, one after another. */
const acts =
  (...all: readonly ((page: Page) => Promise<unknown>)[]) =>
  async (page: Page) => {
    for (const act of all) await act(page);
  };

/** What a guardrail or the switch asks, by the button that asks it. */
export const QUESTIONS: readonly { readonly address: string; readonly button: string }[] = [
  { address: '/#/waiting', button: 'Decline…' },
  { address: '/#/', button: 'Hold all triggers…' },
  { address: BUYER, button: 'Limits…' },
  { address: BUYER, button: 'Extend a limit…' },
  { address: BUYER, button: 'Clear…' },
  { address: BUYER, button: 'Fail the mission…' },
  { address: BUYER, button: "Back to the manifest's: budget.max_cost_per_day" },
  { address: BUYER, button: 'Undo all that it changed…' },
  { address: BUYER, button: 'Rotate API_KEY…' },
  { address: BUYER, button: 'Revoke all…' },
  { address: BUYER, button: 'Send a test…' },
  { address: PLANNER, button: 'Resume the mission…: launch-planner' },
  { address: '/?scene=edited#/manifests/j-demo', button: 'Apply…: market-watcher' },
];

/** What a process remembers. */
const remembered = () =>
  acts(press('tab', 'Memory'), (page) => page.getByRole('list', { name: 'Records' }).waitFor());
/** Something about a trigger of the clerk's. */
const trigger = (name: string) => acts(press('tab', 'Triggers & queue'), dialogAfter(name));
/** What can be done from the newest entry. */
const fromEntry = (name: string) =>
  acts((page) => page.locator('.hf-entry-line').first().click(), dialogAfter(name));
/** One of the things that wait, by what stands in its row. */
const waitingFor = (text: RegExp) => (page: Page) =>
  page.getByRole('list', { name: 'What waits' }).getByRole('button', { name: text }).first().click();
const CHANGED = '/?scene=edited#/manifests/j-demo';
/** The manifest of a process, when it was looked at. */
const manifest = (...more: readonly ((page: Page) => Promise<unknown>)[]) =>
  acts(press('tab', 'Manifest'), (page) => page.getByText('It is in force.').waitFor(), ...more);
const field = (page: Page) => page.getByRole('textbox', { name: 'Manifest' });
/** From its beginning down into the first trigger. */
const atSetting = async (page: Page) => {
  await field(page).focus();
  await page.keyboard.press('Control+Home');
  for (let line = 1; line < 8; line += 1) await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: 'triggers.0.cron_expression' }).waitFor();
};
const faultyText = async (page: Page) => {
  await field(page).fill('name: market-watcher\nbudgt: {}\nconfig:\n  concurrency: 0\n');
  await page.getByText('2 problems').waitFor();
};
const otherText = async (page: Page) => {
  await field(page).fill('name: market-watcher\ninstructions: Watch closely.\n');
  await page.getByText('Nothing is wrong with it').waitFor();
};
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
  { name: 'process, turn under way', address: WATCHER, act: press('tab', 'Conversation') },
  { name: 'process, effects', address: WATCHER, act: press('tab', 'Effects') },
  {
    name: 'process, effect',
    address: CLERK,
    act: acts(press('tab', 'Effects (2 in doubt)'), press('button', 'Details of charge_card')),
  },
  { name: 'process, tools', address: CLERK, act: press('tab', 'Tools') },
  {
    name: 'process, no tools',
    address: '/?scene=own-code#/j-demo/invoice-clerk',
    act: press('tab', 'Tools'),
  },
  {
    name: 'tool switch',
    address: CLERK,
    act: acts(press('tab', 'Tools'), dialogAfter('Disable…: write_file')),
  },
  {
    name: 'tool class',
    address: CLERK,
    act: acts(press('tab', 'Tools'), dialogAfter('Treat as…: write_file')),
  },
  { name: 'process, waiting', address: REPORT },
  { name: 'process, inbox', address: REPORT, act: press('tab', 'Conversation (1 unread)') },
  { name: 'waiting', address: '/#/waiting', act: waitingFor(/edit_file/) },
  { name: 'waiting, nothing', address: '/?scene=empty#/waiting' },
  { name: 'waiting, question', address: '/#/waiting', act: waitingFor(/Which account/) },
  { name: 'waiting, doubt', address: '/#/waiting', act: waitingFor(/charge_card/) },
  { name: 'waiting, hostile', address: '/?scene=night#/waiting', act: waitingFor(/write_file/) },
  {
    name: 'edit and approve',
    address: '/#/waiting',
    act: acts(waitingFor(/edit_file/), dialogAfter('Edit and approve…')),
  },
  {
    name: 'reject a call',
    address: '/#/waiting',
    act: acts(waitingFor(/edit_file/), dialogAfter('Reject…')),
  },
  {
    name: 'answer a question',
    address: '/#/waiting',
    act: acts(waitingFor(/Which account/), dialogAfter('Answer…')),
  },
  { name: 'process, dead letters', address: SYNC, act: press('tab', 'Triggers & queue (3)') },
  { name: 'process, worker', address: WATCHER, act: press('tab', 'Worker') },
  { name: 'process, dying workers', address: SYNC, act: press('tab', 'Worker') },
  {
    name: 'process, output unread',
    address: '/?scene=unread#/j-demo/market-watcher',
    act: press('tab', 'Worker'),
  },
  { name: 'process, budget', address: BUYER },
  { name: 'process, budget as a table', address: BUYER, act: press('button', 'Budget as a table') },
  { name: 'process, mission as a table', address: REPORT, act: press('button', 'Mission as a table') },
  { name: 'process, paused mission', address: SYNC },
  { name: 'process, mission over', address: PLANNER },
  { name: 'process, nothing set', address: '/#/j-demo/brand-new' },
  { name: 'process, health', address: PROBER },
  { name: 'process, health as a table', address: PROBER, act: press('button', 'Health as a table') },
  { name: 'clear what was found', address: PROBER, act: dialogAfter('Clear…') },
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
  { name: 'send a test', address: BUYER, act: dialogAfter('Send a test…') },
  {
    name: 'resume a mission',
    address: PLANNER,
    act: dialogAfter('Resume the mission…: launch-planner'),
  },
  { name: 'fail a mission', address: REPORT, act: dialogAfter('Fail the mission…') },
  { name: 'undo what it changed', address: BUYER, act: dialogAfter('Undo all that it changed…') },
  { name: 'rotate a secret', address: BUYER, act: dialogAfter('Rotate API_KEY…') },
  { name: 'revoke all secrets', address: BUYER, act: dialogAfter('Revoke all…') },
  { name: 'extend', address: BUYER, act: dialogAfter('Extend…: ad-buyer') },
  {
    name: 'extend, refused',
    address: BUYER,
    act: acts(
      dialogAfter('Extend…: ad-buyer'),
      (page) => page.getByLabel('How much more').fill('0.5'),
      press('button', 'It is worth it'),
      press('button', 'Extend the budget of ad-buyer'),
      (page) => page.getByRole('alert').waitFor(),
    ),
  },
  { name: 'limits', address: BUYER, act: dialogAfter('Limits…') },
  {
    name: 'limits, refused',
    address: BUYER,
    act: acts(
      dialogAfter('Limits…'),
      (page) => page.getByRole('alertdialog').getByLabel('Runs in a day').fill('0'),
      press('button', 'It costs too much'),
      press('button', 'Change the limits of ad-buyer'),
      (page) => page.getByRole('alert').waitFor(),
    ),
  },
  {
    name: "back to the manifest's",
    address: BUYER,
    act: dialogAfter("Back to the manifest's: budget.max_cost_per_day"),
  },
  { name: 'hold all triggers', address: '/#/', act: dialogAfter('Hold all triggers…') },
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
  { name: 'fleet, manifests changed', address: '/?scene=edited#/' },
  { name: 'manifests', address: CHANGED },
  { name: 'manifests, all in force', address: '/#/manifests/j-demo' },
  { name: 'apply a change', address: CHANGED, act: dialogAfter('Apply…: market-watcher') },
  { name: 'apply all changes', address: CHANGED, act: dialogAfter('Apply 2 changes…') },
  { name: 'remove what is gone', address: CHANGED, act: dialogAfter('Remove…: old-report') },
  { name: 'process, manifest', address: WATCHER, act: manifest() },
  { name: 'process, manifest at a setting', address: WATCHER, act: manifest(atSetting) },
  { name: 'process, faulty manifest', address: WATCHER, act: manifest(faultyText) },
  {
    name: 'save and apply',
    address: WATCHER,
    act: manifest(otherText, dialogAfter('Save and apply…')),
  },
  { name: 'remove an agent', address: WATCHER, act: manifest(dialogAfter('Remove agent…')) },
  {
    name: 'new agent',
    address: '/#/manifests/j-demo/new',
    act: (page) => page.getByText('Nothing is wrong with it').waitFor(),
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
  { name: 'a bad night, tools', address: WORST, act: press('tab', 'Tools') },
  { name: 'a bad night, worker', address: WORST, act: press('tab', 'Worker') },
  { name: 'a bad night, force-recover', address: WORST, act: dialogAfter('Force-recover…') },
  { name: 'a bad night, kill', address: WORST, act: dialogAfter('Kill worker…') },
  { name: 'a bad night, it happened', address: WORST, act: dialogAfter(/^It happened/) },
  { name: 'a bad night, resolve', address: WORST, act: dialogAfter(/^Resolve/) },
  { name: 'process, memory', address: PLANNER, act: remembered() },
  {
    name: 'process, memory searched',
    address: PLANNER,
    act: acts(
      remembered(),
      (page) => page.getByLabel('Search what is remembered').fill('budget'),
      press('button', 'Search'),
      (page) => page.getByRole('meter', { name: 'Score' }).first().waitFor(),
    ),
  },
  {
    name: 'process, memory damaged',
    address: '/?scene=unread#/j-demo/launch-planner',
    act: acts(press('tab', 'Memory'), (page) => page.getByRole('button', { name: 'Repair…' }).waitFor()),
  },
  { name: 'add to a memory', address: PLANNER, act: acts(remembered(), dialogAfter('Add…')) },
  {
    name: 'edit a record, refused',
    address: PLANNER,
    act: acts(
      remembered(),
      dialogAfter('Edit…'),
      (page) =>
        page.getByRole('alertdialog').getByLabel('What is remembered').fill('The launch is on the 14th.'),
      press('button', 'Change it'),
      (page) => page.getByRole('alert').waitFor(),
    ),
  },
  { name: 'forget a record', address: PLANNER, act: acts(remembered(), dialogAfter('Forget…')) },
  { name: 'forget a memory', address: PLANNER, act: acts(remembered(), dialogAfter('Forget all…')) },
  {
    name: 'repair a memory',
    address: '/?scene=unread#/j-demo/launch-planner',
    act: acts(press('tab', 'Memory'), dialogAfter('Repair…')),
  },
  { name: 'a bad night, memory', address: WORST, act: remembered() },
  { name: 'refused', address: '/#/', act: press('button', 'Open journal…') },
  { name: 'keys', address: '/#/', act: press('button', 'Keys') },
];

export interface Look {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
}

export const LIGHT: Look = { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } };
const DARK: Look = { name: 'dark, small', colorScheme: 'dark', viewport: { width: 900, height: 600 } };
/** The room that a window of 1280 by 800 has at twice the size. */
export const LARGE: Look = { name: 'at 200 %', colorScheme: 'light', viewport: { width: 640, height: 400 } };
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
  'waiting',
  'waiting, hostile',
  'edit and approve',
  'process, budget',
  'process, mission over',
  'process, health',
  'limits',
  'rotate a secret',
  'extend, refused',
  'add a webhook, refused',
  'process, memory',
  'edit a record, refused',
  'a bad night, memory',
  'rewind',
  'fork',
  'manifests',
  'process, manifest at a setting',
  'process, faulty manifest',
  'save and apply',
  'new agent',
]);

/** Too much of everything is looked at where the room is least. */
function isShown(name: string, look: Look): boolean {
  if (look === LARGE) return SHAPES.has(name);
  return look === DARK || !name.startsWith('a bad night');
}

export const CASES = [LIGHT, DARK, LARGE].flatMap((look) =>
  VIEWS.filter(({ name }) => isShown(name, look)).map((view) => ({
    look,
    view,
    title: `${view.name}, ${look.name}`,
  })),
);
