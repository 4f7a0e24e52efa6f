// What the desktop is told: one notification, the tray's worst state; and every view in both themes, with axe.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { REPOSITORY } from '../support/fixtures.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { launchConsole, LIMIT_MS, needConsole, needStandIn, type RunningConsole } from './app.ts';

// A model's turn is among the views, at the pace of somebody who reads along.
vi.setConfig({ testTimeout: 2 * LIMIT_MS });

const README_PICTURE = 'fleet-light';

/** A workspace with one agent that always fails, once there is a file `dry`, and one that does not. */
function failingWorkspace(): string {
  const workspace = join(tempDirectory(), 'failing');
  mkdirSync(workspace);
  const manifest = (name: string, config: string): string =>
    `name: ${name}\nentrypoint: ./${name}.ts\ntriggers: [{ type: cron, cron_expression: "* * * * * *" }]\n${config}`;
  writeFileSync(
    join(workspace, 'doomed.agent'),
    manifest('doomed', 'config: { max_consecutive_failures: 2 }\n'),
  );
  writeFileSync(join(workspace, 'doomed.ts'), agent(FAILS_WHEN_DRY));
  writeFileSync(join(workspace, 'steady.agent'), manifest('steady', ''));
  writeFileSync(join(workspace, 'steady.ts'), agent(`return 'ok';`));
  return workspace;
}

const FAILS_WHEN_DRY = `const { existsSync } = await import('node:fs');
  if (existsSync(new URL('./dry', import.meta.url))) throw new Error('the well is dry');`;
const agent = (body: string): string =>
  `import { defineAgent } from 'holdfast';\nexport default defineAgent({ async onTrigger() { ${body} } });\n`;

test('a process that fails leaves one notification, and the tray shows the worst state', async (context) => {
  needStandIn(context);
  const workspace = failingWorkspace();
  await using console = await launchConsole({
    args: ['--workspace', workspace],
    env: { HOLDFAST_TRAY: 'yes' },
  });
  const row = console.page.getByRole('row').filter({ hasText: 'doomed' });
  // What has failed before somebody looks is told to nobody.
  await row.filter({ hasText: 'Running' }).waitFor();
  writeFileSync(join(workspace, 'dry'), '');
  await row.filter({ hasText: 'Failed' }).waitFor();
  await waitFor(async () => (await console.events('notification')).length > 0, { what: 'the notification' });
  const tray = await waitFor(
    async () => (await console.events('tray.image')).at(-1) ?? (await console.events('tray')).at(-1) ?? null,
  );
  expect(JSON.stringify(tray)).toMatch(/alarm/);
  // The other one goes on, and the failure is not told again.
  const journal = readFileJournal(join(workspace, '.holdfast-journal'));
  const before = (await journal.read('steady')).length;
  await waitFor(async () => (await journal.read('steady')).length > before + 8);
  const notifications = await console.events('notification');
  expect(notifications).toHaveLength(1);
  expect(JSON.stringify(notifications[0])).toContain('doomed');
  await console.screenshot('failed-process');
});

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function axeFindings(console: RunningConsole): Promise<readonly string[]> {
  await console.page.evaluate(axeSource);
  return console.page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
  });
}

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  test('every view: a picture, and nothing that axe finds', async (context) => {
    needConsole(context);
    await using console = await launchConsole();
    if (console.host === 'stand-in')
      await console.inMain(({ __standin }, wanted) => __standin.setSystemTheme(wanted), theme);
    const { page } = console;
    await page
      .getByRole('row')
      .filter({ hasText: 'market-watcher' })
      .getByText(/last \d+ ok/)
      .waitFor();
    await waitFor(async () => (await page.getByText(/performing book/).count()) > 0);
    const findings: string[] = [];
    const look = async (name: string): Promise<void> => {
      const picture = await console.screenshot(`${name}-${theme}`);
      // `npm run pictures` renews the one that the README shows.
      if (process.env['HOLDFAST_PICTURES'] === '1' && `${name}-${theme}` === README_PICTURE) {
        copyFileSync(picture, join(REPOSITORY, 'resources/guide/fleet.png'));
      }
      findings.push(...(await axeFindings(console)).map((finding) => `${name}: ${finding}`));
    };
    await look('fleet');
    await page.getByRole('row').filter({ hasText: 'invoice-clerk' }).dblclick();
    await page.getByText('effect_finished').first().waitFor();
    await page.getByRole('meter').first().waitFor();
    await look('process');
    await page.getByRole('tab', { name: 'State' }).click();
    await page.getByText('invoices_booked').first().waitFor();
    await look('state');
    await page.getByRole('tab', { name: /Triggers/ }).click();
    await look('triggers');
    await page.keyboard.press('Escape');
    await page.getByRole('row').filter({ hasText: 'file-clerk' }).dblclick();
    await page.getByRole('tab', { name: /^Triggers/ }).click();
    await page.getByRole('definition').filter({ hasText: 'desk/inbox' }).first().waitFor();
    writeFileSync(
      join(console.dataDirectory, 'demo/desk/inbox/letter.txt'),
      'Dear Ben,\n\nthe meeting is on Thursday.\n\nAnn\n',
    );
    await page.getByRole('tab', { name: /^Conversation/ }).click();
    await page.getByRole('heading', { name: 'Turn under way' }).waitFor();
    await look('turn');
    await page.getByText('Nothing was said yet').waitFor({ state: 'detached' });
    await look('conversation');
    await page.getByRole('tab', { name: 'Tools' }).click();
    await page.getByText('read_text_file').first().waitFor();
    await look('tools');
    await page.getByRole('tab', { name: 'Manifest' }).click();
    await page.getByText('It is in force').waitFor();
    await look('manifest');
    await page.getByRole('link', { name: 'Waiting for me' }).first().click();
    await page.getByRole('heading', { name: 'move_file' }).waitFor();
    await look('waiting');
    await page
      .getByRole('link', { name: /Journals/ })
      .or(page.getByRole('button', { name: /Journals/ }))
      .first()
      .click();
    await page.getByText('.holdfast-journal').first().waitFor();
    await look('journals');
    expect(findings).toEqual([]);
    expect(console.pageErrors).toEqual([]);
  });
});
