// The desk of an operator with a real host: an effect in doubt and a promise, answered by keyboard alone.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { launchConsole, LIMIT_MS, needConsole } from './app.ts';

vi.setConfig({ testTimeout: LIMIT_MS });

const AGENT = `import { defineAgent } from 'holdfast';
export default defineAgent({
  async onTrigger(ctx) {
    let charge: unknown = 'not charged yet';
    ctx.onQuery('charge', () => charge);
    charge = await ctx.effect('charge_card', { class: 'ask', args: { amount: 12900 } }, () => {
      throw new Error('the bank hung up');
    });
    return { charge, by: await ctx.promise('approve-refund', { data: { amount: 12900 } }) };
  },
});
`;

function doubtfulWorkspace(): string {
  const workspace = join(tempDirectory(), 'doubtful');
  mkdirSync(workspace);
  writeFileSync(
    join(workspace, 'teller.agent'),
    'name: teller\nentrypoint: ./teller.ts\ntriggers: [{ type: manual }]\n',
  );
  writeFileSync(join(workspace, 'teller.ts'), AGENT);
  return workspace;
}

test('[P2] [P7] a doubt and a promise are answered by keyboard alone; what is wrong is said where it was typed', async (context) => {
  needConsole(context);
  const workspace = doubtfulWorkspace();
  await using console = await launchConsole({ args: ['--workspace', workspace] });
  const { page } = console;
  const { keyboard } = page;
  const dialog = page.getByRole('alertdialog');
  const pressOn = async (name: string): Promise<void> => {
    await page.getByRole('button', { name }).first().focus();
    await keyboard.press('Enter');
  };
  const focusIsOn = (kind: string) => page.locator(`[role=alertdialog] ${kind}:focus`).waitFor();
  /** Opens a question; the focus is on leaving it. */
  const question = async (name: string): Promise<void> => {
    await pressOn(name);
    await focusIsOn('button');
  };
  /** Confirms before all is entered, which leads to the field that is missing. */
  const confirmTooEarly = async (leadsTo: 'textarea' | 'input'): Promise<void> => {
    await keyboard.press('Control+Enter');
    await focusIsOn(leadsTo);
  };
  const confirm = async (): Promise<void> => {
    await keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
  };
  await page.getByRole('row').filter({ hasText: 'teller' }).dblclick();
  await pressOn('Trigger now');
  await page.getByRole('region', { name: 'Effects in doubt' }).waitFor();
  await question('It happened…: charge_card');
  await confirmTooEarly('textarea');
  await keyboard.type('receipt 7');
  await dialog.getByText('If a text is meant, it stands in quotes: "receipt 7"').waitFor();
  await keyboard.press('ControlOrMeta+a');
  await keyboard.type('"receipt 7"');
  await confirmTooEarly('input');
  await keyboard.type('seen at the bank');
  await console.screenshot('doubt-answered');
  await confirm();

  await page.getByRole('region', { name: 'Waiting for somebody' }).waitFor();
  await question('Ask it…');
  await confirmTooEarly('input');
  await keyboard.type('charge');
  await keyboard.press('Control+Enter');
  await dialog.getByText('"receipt 7"').waitFor();
  await console.screenshot('asked');
  await keyboard.press('Escape');
  await page.locator(':focus').filter({ hasText: 'Ask it…' }).waitFor();

  await question('Resolve…: approve-refund');
  await confirmTooEarly('textarea');
  await keyboard.type('{"by":"ann"}');
  await confirmTooEarly('input');
  await keyboard.type('asked her');
  await confirm();

  const journal = readFileJournal(join(workspace, '.holdfast-journal'));
  const result = await waitFor(
    async () => (await journal.read('teller', { entryType: 'invocation_result' }))[0] ?? null,
    { what: 'the end of the invocation' },
  );
  expect(JSON.stringify(result.data)).toContain('receipt 7');
  const actions = await journal.read('teller', { entryType: 'operator_action' });
  const reasons = actions.map(({ data }) => data['reason']);
  expect(reasons.slice(-2)).toEqual(['seen at the bank', 'asked her']);
  expect(await journal.read('teller', { entryType: 'effect_started' })).toHaveLength(1);
  expect(console.pageErrors).toEqual([]);
});
