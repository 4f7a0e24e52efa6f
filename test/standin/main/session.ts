import { EventEmitter } from 'node:events';
import { record } from '../record.ts';
import { protocol } from './protocol.ts';

type RequestHandler = NonNullable<Parameters<Electron.Session['setPermissionRequestHandler']>[0]>;
type CheckHandler = NonNullable<Parameters<Electron.Session['setPermissionCheckHandler']>[0]>;
type DeviceHandler = NonNullable<Parameters<Electron.Session['setDevicePermissionHandler']>[0]>;
type DisplayHandler = NonNullable<Parameters<Electron.Session['setDisplayMediaRequestHandler']>[0]>;
type PermissionName = Parameters<CheckHandler>[1];

/** Who asks for a permission, and for what. */
export interface PermissionAsk {
  readonly webContents: object;
  readonly permission: string;
  readonly url: string;
  readonly origin: string;
  readonly isMainFrame: boolean;
}

type Kept =
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'setDisplayMediaRequestHandler'
  | 'setSpellCheckerEnabled'
  | 'clearCache'
  | 'clearStorageData'
  | 'isPersistent'
  | 'getUserAgent';

export class Session extends EventEmitter implements Pick<Electron.Session, Kept> {
  readonly protocol = protocol;
  #requestHandler: RequestHandler | null = null;
  #checkHandler: CheckHandler | null = null;
  /** Kept so that a test can call them: Chromium's choosers of devices and screens can't be answered from outside. */
  deviceHandler: DeviceHandler | null = null;
  displayHandler: DisplayHandler | null = null;

  setPermissionRequestHandler(handler: RequestHandler | null): void {
    this.#requestHandler = handler;
  }

  setPermissionCheckHandler(handler: CheckHandler | null): void {
    this.#checkHandler = handler;
  }

  setDevicePermissionHandler(handler: DeviceHandler | null): void {
    this.deviceHandler = handler;
  }

  setDisplayMediaRequestHandler(handler: DisplayHandler | null): void {
    this.displayHandler = handler;
  }

  /** As in Electron: without a handler, everything is allowed. */
  async decide(ask: PermissionAsk): Promise<boolean> {
    const handler = this.#requestHandler;
    const granted =
      !handler ||
      (await new Promise<boolean>((resolve) => {
        const details = { requestingUrl: ask.url, isMainFrame: ask.isMainFrame };
        handler(ask.webContents as Electron.WebContents, ask.permission as PermissionName, resolve, details);
      }));
    record('permission', { permission: ask.permission, origin: ask.origin, granted });
    return granted;
  }

  /** What the app says when a page looks whether it has a permission; undefined if it has no say in it. */
  check(ask: PermissionAsk): boolean | undefined {
    return this.#checkHandler?.(
      ask.webContents as Electron.WebContents,
      ask.permission as PermissionName,
      ask.origin,
      {
        requestingUrl: ask.url,
        isMainFrame: ask.isMainFrame,
      },
    );
  }

  setSpellCheckerEnabled(enable: boolean): void {
    record('session.spell-checker', { enable });
  }

  clearCache(): Promise<void> {
    return Promise.resolve();
  }

  clearStorageData(): Promise<void> {
    return Promise.resolve();
  }

  isPersistent(): boolean {
    return true;
  }

  getUserAgent(): string {
    return `Chrome/${process.versions['chrome']} Electron/${process.versions['electron']}`;
  }
}

const defaultSession = new Session();

export const session = { defaultSession, fromPartition: () => defaultSession };
