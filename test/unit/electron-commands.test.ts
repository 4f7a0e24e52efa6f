import { expect, test } from 'vitest';
import { COMMANDS, menuTemplate, type Command } from '../../electron/main/commands.ts';

const build = (platform: NodeJS.Platform, developer = false) => {
  const ran: Command[] = [];
  const template = menuTemplate({ platform, developer, hideOnClose: true, run: (name) => ran.push(name) });
  const items = template.flatMap((each) => (Array.isArray(each.submenu) ? each.submenu : [each]));
  return { template, items, ran };
};

test('Open Journal… has its key and runs its command', () => {
  const { items, ran } = build('linux');
  const open = items.find((item) => item.id === 'open-journal');
  expect(open).toMatchObject({ label: 'Open Journal…', accelerator: 'CmdOrCtrl+O' });
  (open?.click as (() => void) | undefined)?.();
  expect(ran).toEqual(['open-journal']);
});

test('no two commands share a key, and none is a single letter', () => {
  const keys = Object.values(COMMANDS).flatMap(({ accelerator }) => accelerator ?? []);
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) expect(key).toMatch(/^CmdOrCtrl\+/);
});

test('macOS has its application menu, which quits; elsewhere the File menu does', () => {
  expect(build('darwin').template[0]).toMatchObject({ role: 'appMenu' });
  expect(build('darwin').items.some((item) => item.role === 'quit')).toBe(false);
  expect(build('win32').items.some((item) => item.role === 'quit')).toBe(true);
});

test('developer tools are not offered in what is shipped', () => {
  expect(build('linux').items.some((item) => item.role === 'toggleDevTools')).toBe(false);
  expect(build('linux', true).items.some((item) => item.role === 'toggleDevTools')).toBe(true);
});
