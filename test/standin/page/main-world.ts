import { createBridge } from './bridge.ts';

/** What the page's own world asks of the main process, through the isolated world. */
export interface PageHost {
  open(details: { url: string; frameName: string; features: string; disposition: string }): void;
  allow(permission: string): Promise<boolean>;
}

export interface MainWorldOptions {
  /** The event that hands over the node that only the two worlds know; a new name for each page. */
  readonly handshake: string;
}

/** Runs in the page's own world before any script of the page. */
export function mainWorld({ handshake }: MainWorldOptions): void {
  const freeze = (value: unknown): unknown => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    if (ArrayBuffer.isView(value)) return value;
    for (const part of Object.values(value)) freeze(part);
    return Object.freeze(value);
  };

  const expose = (name: string, value: unknown): void => {
    Object.defineProperty(window, name, {
      value: freeze(value),
      enumerable: true,
      writable: false,
      configurable: false,
    });
  };

  /** Replaces a method by one that first asks; the original then runs under what was decided. */
  const guard = (owner: object | undefined, name: string, permission: string, host: PageHost): void => {
    const original = (owner as Record<string, ((...args: unknown[]) => unknown) | undefined> | undefined)?.[
      name
    ];
    if (!owner || !original) return;
    Object.defineProperty(owner, name, {
      configurable: true,
      writable: true,
      async value(this: unknown, ...args: unknown[]) {
        await host.allow(permission);
        return original.apply(this, args);
      },
    });
  };

  const guardPermissions = (host: PageHost): void => {
    const { Notification, Geolocation, MediaDevices, Clipboard, Navigator, IdleDetector } =
      window as unknown as Record<string, { prototype: object } | undefined>;
    guard(Notification, 'requestPermission', 'notifications', host);
    guard(IdleDetector, 'requestPermission', 'idle-detection', host);
    guard(Geolocation?.prototype, 'getCurrentPosition', 'geolocation', host);
    guard(Geolocation?.prototype, 'watchPosition', 'geolocation', host);
    guard(MediaDevices?.prototype, 'getUserMedia', 'media', host);
    guard(MediaDevices?.prototype, 'getDisplayMedia', 'display-capture', host);
    guard(Clipboard?.prototype, 'read', 'clipboard-read', host);
    guard(Clipboard?.prototype, 'readText', 'clipboard-read', host);
    guard(Clipboard?.prototype, 'write', 'clipboard-sanitized-write', host);
    guard(Clipboard?.prototype, 'writeText', 'clipboard-sanitized-write', host);
    guard(Navigator?.prototype, 'requestMIDIAccess', 'midi', host);
  };

  const absolute = (url: string): string =>
    url === '' ? 'about:blank' : new URL(url, document.baseURI).href;

  // A window that main has not allowed must never exist, not even for a moment. Links that a page script swallows,
  // and forms, get past this; main closes what they open.
  const guardWindows = (host: PageHost): void => {
    window.open = (url = '', frameName = '_blank', features = '') => {
      const disposition = features === '' ? 'foreground-tab' : 'new-window';
      host.open({ url: absolute(String(url)), frameName, features, disposition });
      return null;
    };
    const onClick = (event: MouseEvent): void => {
      const link = event
        .composedPath()
        .find((node): node is HTMLAnchorElement => node instanceof HTMLAnchorElement && node.href !== '');
      if (!link || event.defaultPrevented || link.hasAttribute('download')) return;
      const aside = event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey;
      if (!aside && !['_blank', '_new'].includes(link.target)) return;
      event.preventDefault();
      const disposition = event.shiftKey ? 'new-window' : aside ? 'background-tab' : 'foreground-tab';
      host.open({ url: link.href, frameName: aside ? '' : link.target, features: '', disposition });
    };
    window.addEventListener('click', onClick);
    window.addEventListener('auxclick', (event) => {
      if (event.button === 1) onClick(event);
    });
  };

  document.addEventListener(
    handshake,
    (event) => {
      event.stopImmediatePropagation();
      const bridge = createBridge({
        port: (event as MouseEvent).relatedTarget!,
        outgoing: 'to-preload',
        incoming: 'to-page',
        finish: (value) => Promise.resolve(value),
      });
      bridge.receive((name, value) => {
        if (name === 'expose') expose(...(value as [string, unknown]));
        if (name !== 'host') return;
        guardPermissions(value as PageHost);
        guardWindows(value as PageHost);
      });
    },
    { once: true },
  );
}
