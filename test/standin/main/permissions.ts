import type { Protocol } from '../chromium/protocol.ts';
import { desktop } from './desktop.ts';
import { session, type PermissionAsk } from './session.ts';

/** Electron's names of permissions, and what Chromium's protocol calls them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'clipboard-read': ['clipboard-read'],
  'clipboard-sanitized-write': ['clipboard-write'],
  'display-capture': ['display-capture'],
  geolocation: ['geolocation'],
  'idle-detection': ['idle-detection'],
  media: ['camera', 'microphone'],
  midi: ['midi'],
  notifications: ['notifications'],
};

async function set(
  origin: string,
  permission: string,
  setting: Protocol.Browser.PermissionSetting,
): Promise<void> {
  const names = NAMES[permission] ?? [];
  await Promise.all(names.map((name) => desktop().setPermission(origin, name, setting)));
}

/** Asks the app, and makes Chromium act on its answer. `chromiumOrigin` is the page's origin as Chromium knows it. */
export async function requestPermission(chromiumOrigin: string, ask: PermissionAsk): Promise<boolean> {
  const granted = await session.defaultSession.decide(ask);
  await set(chromiumOrigin, ask.permission, granted ? 'granted' : 'denied');
  return granted;
}

/** Before a page of an origin loads: what it finds when it only looks whether it has a permission. */
export async function applyChecks(
  chromiumOrigin: string,
  ask: Omit<PermissionAsk, 'permission'>,
): Promise<void> {
  await Promise.all(
    Object.keys(NAMES).map(async (permission) => {
      const allowed = session.defaultSession.check({ ...ask, permission });
      if (allowed !== undefined) await set(chromiumOrigin, permission, allowed ? 'granted' : 'denied');
    }),
  );
}
