import { expect, test } from 'vitest';
import { appView } from '../../electron/main/app-view.ts';

const engine = { chrome: '156.0.1.2', node: '24.1.0' };

test('Electron is named with its engine', () => {
  expect(appView('1.0.0', 'linux', { ...engine, electron: '45.5.0' })).toEqual({
    version: '1.0.0',
    platform: 'linux',
    isStandIn: false,
    host: 'Electron 45.5.0 (Chromium 156.0.1.2, Node 24.1.0)',
  });
});

test('the stand-in never passes for Electron, though it answers to its version', () => {
  const view = appView('1.0.0', 'linux', { ...engine, electron: '45.5.0', standin: '1' });
  expect(view.isStandIn).toBe(true);
  expect(view.host).toMatch(/^Stand-in for Electron .*proves nothing of/);
});
