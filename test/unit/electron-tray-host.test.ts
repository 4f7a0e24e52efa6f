import { expect, test } from 'vitest';
import { hasTrayHost } from '../../electron/main/tray-host.ts';

test('a window is hidden only where something is known to show it', async () => {
  expect(await hasTrayHost('win32', {})).toBe(true);
  expect(await hasTrayHost('darwin', {})).toBe(true);
  expect(await hasTrayHost('linux', {})).toBe(false);
});

test('a session bus that does not answer shows nothing', async () => {
  expect(await hasTrayHost('linux', { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' })).toBe(false);
});

test('whoever sits there knows better', async () => {
  expect(await hasTrayHost('linux', { HOLDFAST_TRAY: 'yes' })).toBe(true);
  expect(await hasTrayHost('win32', { HOLDFAST_TRAY: 'no' })).toBe(false);
});
