import { EventEmitter } from 'node:events';
import type { Session, WebContents } from 'electron';
import { describe, expect, test } from 'vitest';
import { hardenContents, hardenSession } from '../../electron/main/security.ts';
import { isConsoleFrame } from '../../electron/main/sender.ts';

type Handler = (...given: unknown[]) => unknown;

/** Records the handlers, which are what is tested: the session that would call them is Electron's own. */
function hardenedSession(): Map<string, Handler | null> {
  const handlers = new Map<string, Handler | null>();
  const session = new Proxy(
    {},
    { get: (_, name) => (given: Handler | null) => handlers.set(String(name), given) },
  );
  hardenSession(session as Session);
  return handlers;
}

describe('permissions', () => {
  const handlers = hardenedSession();
  const asked = (permission: string, url: string): unknown => {
    let answer: unknown;
    handlers.get('setPermissionRequestHandler')?.({ getURL: () => url }, permission, (yes: unknown) => {
      answer = yes;
    });
    return answer;
  };
  const checked = (permission: string, origin: string): unknown =>
    handlers.get('setPermissionCheckHandler')?.(null, permission, origin);

  test.each([
    'media',
    'geolocation',
    'notifications',
    'clipboard-read',
    'midi',
    'openExternal',
    'fileSystem',
    'unknown',
  ])('%s is denied', (permission) => {
    expect(asked(permission, 'app://console/')).toBe(false);
    expect(checked(permission, 'app://console')).toBe(false);
  });

  test('copying text is the console’s, and nobody else’s', () => {
    expect(asked('clipboard-sanitized-write', 'app://console/')).toBe(true);
    expect(checked('clipboard-sanitized-write', 'app://console')).toBe(true);
    expect(asked('clipboard-sanitized-write', 'https://example.com/')).toBe(false);
    expect(checked('clipboard-sanitized-write', 'https://example.com')).toBe(false);
    expect(checked('clipboard-sanitized-write', '')).toBe(false);
  });

  test('no device and no screen is ever given', () => {
    expect(handlers.get('setDevicePermissionHandler')?.()).toBe(false);
    expect(handlers.get('setDisplayMediaRequestHandler')).toBeNull();
  });
});

describe('pages stay where they are', () => {
  let openHandler: Handler = () => undefined;
  const contents = Object.assign(new EventEmitter(), {
    setWindowOpenHandler: (handler: Handler) => {
      openHandler = handler;
    },
  });
  hardenContents(contents as unknown as WebContents);
  const prevented = (name: string, details: object): boolean => {
    let stopped = false;
    contents.emit(name, { ...details, preventDefault: () => (stopped = true) });
    return stopped;
  };

  test('no page opens a window', () => {
    expect(openHandler({ url: 'app://console/' })).toEqual({ action: 'deny' });
  });

  test.each(['will-navigate', 'will-redirect'])('%s leads nowhere but to the console', (name) => {
    expect(prevented(name, { url: 'https://example.com/' })).toBe(true);
    expect(prevented(name, { url: 'file:///etc/passwd' })).toBe(true);
    expect(prevented(name, { url: 'app://console/' })).toBe(false);
  });

  test('no frame loads anything, not even the console', () => {
    expect(prevented('will-frame-navigate', { url: 'app://console/', isMainFrame: false })).toBe(true);
    expect(prevented('will-frame-navigate', { url: 'app://console/', isMainFrame: true })).toBe(false);
    expect(prevented('will-frame-navigate', { url: 'data:text/html,x', isMainFrame: true })).toBe(true);
  });

  test('no guest page is attached', () => {
    expect(prevented('will-attach-webview', {})).toBe(true);
  });
});

test.each([
  [{ parent: null, origin: 'app://console' }, true],
  [{ parent: {}, origin: 'app://console' }, false],
  [{ parent: null, origin: 'null' }, false],
  [{ parent: null, origin: 'app://console.example' }, false],
  [{ parent: null, origin: 'https://example.com' }, false],
  [{ parent: null, origin: '' }, false],
  [null, false],
])('a message from the frame %j is heard: %s', (frame, heard) => {
  expect(isConsoleFrame(frame)).toBe(heard);
});
