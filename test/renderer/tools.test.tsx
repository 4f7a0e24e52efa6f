// @vitest-environment jsdom
// The tools of a process on its page: where they come from, what becomes of their calls, and what an operator says of them.

import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { before, effectOf, invocationOf, rowOf, toolOf, toolServerOf, toolsOf } from './fixtures.ts';
import { ok, refused, type MemoryHost } from './memory-client.ts';
import { dialog, done, enter, hostOf, HASH, pressed, region, stopClock, tab } from './process-page.ts';
import { settle, show } from './render.tsx';

stopClock();

async function onTab(over: Parameters<typeof toolsOf>[0] = {}, row = rowOf()): Promise<MemoryHost> {
  const host = hostOf(row);
  host.answer('tools.read', () => ok(toolsOf(over)));
  await show(host, HASH);
  await tab('Tools');
  return host;
}

test('[P5] a server is told as it is now, or as it was last seen, and one that was never seen is not guessed at', async () => {
  await onTab();
  const rows = region('Servers of tools')
    .getAllByRole('listitem')
    .map((row) => row.textContent);
  expect(rows[0]).toMatch(
    /^files · 2 tools · trusted: its annotations count · may use inboxconnectednode package:/,
  );
  expect(rows[1]).toMatch(
    /^shop.*not trusted.*down: it ended with code 1; last it said: .*no keyIt is started again when it is needed, not before: in 12 s/,
  );
  expect(rows[2]).toMatch(/^notes.*connected when it was last seen, 3 h ago/);
  expect(rows[3]).toMatch(/^new · trusted.*not seen yet/);
});

test('[P5] before anybody has looked, no tool is said to be missing; a server whose time has come waits to be needed', async () => {
  const server = toolServerOf({ state: 'down', why: 'it ended', retryAt: before(5_000) });
  const tools = [toolOf({ source: '', isOffered: false })];
  await onTab({ listedAt: null, servers: [server], tools, toolCount: 1 });
  expect(region('Tools').getByText('not looked for yet')).toBeTruthy();
  const text = region('Servers of tools').getByRole('listitem').textContent;
  expect(text).toContain('It is started again when it is needed');
  expect(text).not.toContain('not before');
});

test('[S32] each tool tells what becomes of a call in doubt, and who said so', async () => {
  await onTab();
  const rows = region('Tools')
    .getAllByRole('listitem')
    .map((row) => row.textContent)
    .slice(1);
  expect(rows[0]).toMatch(
    /^read_text_file of mcp:files.*A call in doubt is made again: it is harmless \(said by its server, which is trusted\)/,
  );
  expect(rows[1]).toMatch(
    /^write_file.*waits for a person \(nobody said otherwise\) · each call is approved first/,
  );
  expect(rows[2]).toMatch(/^charge_card.*says something else than when it was believed/);
  expect(rows[4]).toMatch(/^delete_all disabled.*said by an operator/);
  expect(region('Tools').getByText(/charge_card of shop says something else/)).toBeTruthy();
});

test('[P7] a tool is disabled and enabled with a reason, as a setting beside the manifest', async () => {
  const host = await onTab();
  host.answer('settings.change', () => ok(done));
  await pressed('Disable…: write_file');
  expect(document.activeElement?.textContent).toBe('Cancel');
  expect(dialog().getByText('Give a reason first.')).toBeTruthy();
  await pressed('It does harm', dialog());
  await pressed('Disable write_file', dialog());
  await pressed('Enable…: delete_all');
  await pressed('It works again', dialog());
  await pressed('Enable delete_all', dialog());
  expect(host.askedFor('settings.change')).toMatchObject([
    { reason: 'It does harm', set: { 'holdfast.tools.write_file.disabled': 'true' }, undo: [] },
    { reason: 'It works again', set: { 'holdfast.tools.delete_all.disabled': 'false' }, undo: [] },
  ]);
});

test('[P7] what becomes of its calls is said with a reason; what the host refuses is said where it was asked', async () => {
  const host = await onTab();
  host.answer('settings.change', () =>
    refused({ code: 'settings.invalid', message: 'Nothing was changed: no.' }),
  );
  await pressed('Treat as…: write_file');
  expect(dialog().getByText('What is made again without a question may happen twice.')).toBeTruthy();
  enter('Reason', 'it only reads');
  await pressed('Treat write_file as retry', dialog());
  expect(dialog().getByText(/Nothing was changed: no\./)).toBeTruthy();
  expect(host.askedFor('settings.change')).toMatchObject([
    { set: { 'holdfast.tools.write_file.class': '"retry"' }, undo: [] },
  ]);
});

test('[S41] where nobody runs it, it is told and not changed; of an agent with code there is nothing to tell', async () => {
  await onTab({ servers: [toolServerOf({ isNow: false })] }, rowOf({ live: false, actions: [] }));
  expect(region('Tools').queryAllByRole('button')).toEqual([]);
});

test('an agent with code of its own has no list', async () => {
  await onTab({ isModelAgent: false });
  expect(screen.getByText(/has code of its own/)).toBeTruthy();
});

test('[S32] beside a doubt about a tool stands how to treat it from now on; beside another effect it does not', async () => {
  const row = rowOf({ doubts: 2 });
  const inDoubt = { end: 'in_doubt', needsOperator: true } as const;
  const effects = [
    effectOf({ name: 'charge_card', ...inDoubt }),
    effectOf({ effectId: 'e/own#0', name: 'own_effect', ...inDoubt }),
  ];
  const host = hostOf(row, { open: [invocationOf({ effects, effectCount: 2 })] });
  host.answer('tools.read', () => ok(toolsOf()));
  await show(host, HASH);
  await settle();
  await pressed('Treat this tool as… from now on: charge_card');
  expect(dialog().getByText(/Treat charge_card otherwise from now on/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Treat this tool as… from now on: own_effect' })).toBeNull();
});
