// A window on a workspace that the command line runs already: it attaches to that host instead of being refused.

import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { demoWorkspace } from '../support/demo.ts';
import { runHost } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';
import { launchConsole, LIMIT_MS, needConsole } from './app.ts';

vi.setConfig({ testTimeout: LIMIT_MS });

test('[P7] what is done in the window is done by the host that runs the workspace; killed, the window says so', async (context) => {
  needConsole(context);
  const workspace = demoWorkspace();
  const host = await runHost(workspace);
  await using window = await launchConsole({
    args: ['--workspace', workspace],
    dataDirectory: host.data,
  });
  const row = window.page.getByRole('row').filter({ hasText: 'market-watcher' });
  await row.filter({ hasText: 'Running' }).waitFor();
  await row.getByText('market-watcher').click();
  await window.page.keyboard.press('Enter');
  await window.page.getByRole('button', { name: 'Suspend', exact: true }).click();
  await window.page.getByText('Suspended').first().waitFor();
  await window.screenshot('attached');
  const journal = readFileJournal(join(workspace, '.holdfast-journal'));
  const [action] = await journal.read('market-watcher', { entryType: 'operator_action' });
  expect(action!.data).toMatchObject({ action: 'suspend' });
  const [writer] = await journal.read('market-watcher', { entryType: 'writer_opened' });
  expect(writer!.data).toMatchObject({ pid: host.pid });
  await host.kill();
  await waitFor(async () => (await window.page.getByText(/can't be reached any more/).count()) > 0);
  await window.page
    .getByText(/last recorded/i)
    .first()
    .waitFor();
  await window.screenshot('attached-host-gone');
  expect(window.pageErrors).toEqual([]);
});
