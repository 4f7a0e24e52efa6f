import { randomUUID } from 'node:crypto';
import { background, type Session } from './cdp.ts';
import type { Chromium } from './chromium.ts';
import type { Payload, Protocol } from './protocol.ts';

export interface Opening {
  readonly width: number;
  readonly height: number;
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  /** Minimized until it is shown, where the protocol can do that. */
  readonly hidden: boolean;
  readonly title: string;
  readonly backgroundColor: string;
}

export interface Target {
  readonly id: string;
  readonly session: Session;
  /** Of the Chromium window that it lies in. */
  readonly windowId: number;
}

export interface TargetListener {
  destroyed?(): void;
  crashed?(details: Payload<'Target.targetCrashed'>): void;
  titled?(title: string): void;
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);

/** All pages of the Chromium: those opened here by id, and strays that a page or a person opened. */
export class Targets {
  readonly #chromium: Chromium;
  readonly #listeners = new Map<string, TargetListener>();
  readonly #appWindows = new Map<string, (targetId: string) => void>();
  readonly #onStray: (info: Protocol.Target.TargetInfo) => void;
  #opening: Promise<unknown> = Promise.resolve();

  constructor(chromium: Chromium, onStray: (info: Protocol.Target.TargetInfo) => void) {
    this.#chromium = chromium;
    this.#onStray = onStray;
    const { connection } = chromium;
    connection.on('Target.targetCreated', ({ targetInfo }) => void this.#seen(targetInfo));
    connection.on('Target.targetInfoChanged', ({ targetInfo }) => {
      this.#offerAppWindow(targetInfo);
      this.#listeners.get(targetInfo.targetId)?.titled?.(targetInfo.title);
    });
    connection.on('Target.targetDestroyed', ({ targetId }) => {
      const listener = this.#listeners.get(targetId);
      this.#listeners.delete(targetId);
      listener?.destroyed?.();
    });
    connection.on('Target.targetCrashed', (details) =>
      this.#listeners.get(details.targetId)?.crashed?.(details),
    );
    background(connection.send('Target.setDiscoverTargets', { discover: true }));
  }

  /** A target is announced before the request that made it is answered, so judging it waits for that. */
  async #seen(info: Protocol.Target.TargetInfo): Promise<void> {
    this.#offerAppWindow(info);
    if (info.type !== 'page' && info.type !== 'tab') return;
    await this.#opening;
    if (info.type === 'page' && !this.#listeners.has(info.targetId)) this.#onStray(info);
  }

  #offerAppWindow(info: Protocol.Target.TargetInfo): void {
    for (const [token, take] of this.#appWindows) if (info.url.includes(token)) take(info.targetId);
  }

  /** Opens a window and attaches to it. The listener hears of this target and no other. */
  async open(opening: Opening, listener: TargetListener): Promise<Target> {
    const opened = this.#opening.then(async () => {
      const id = this.#chromium.headless ? await this.#create(opening) : await this.#createAppWindow(opening);
      this.#listeners.set(id, listener);
      return id;
    });
    this.#opening = opened.catch(() => undefined);
    const id = await opened;
    const { connection } = this.#chromium;
    const [{ sessionId }, { windowId }] = await Promise.all([
      connection.send('Target.attachToTarget', { targetId: id, flatten: true }),
      connection.send('Browser.getWindowForTarget', { targetId: id }),
    ]);
    return { id, windowId, session: connection.session(sessionId) };
  }

  async #create({ width, height, hidden }: Opening): Promise<string> {
    const { targetId } = await this.#chromium.connection.send('Target.createTarget', {
      url: 'about:blank',
      newWindow: true,
      width,
      height,
      ...(hidden && { background: true, windowState: 'minimized' }),
    });
    return targetId;
  }

  async #createAppWindow({ title, backgroundColor }: Opening): Promise<string> {
    const token = randomUUID();
    const page = `<!doctype html><!--${token}--><title>${escapeHtml(title)}</title><body style="background:${escapeHtml(backgroundColor)}">`;
    const appeared = new Promise<string>((resolve) => this.#appWindows.set(token, resolve));
    try {
      await this.#chromium.openAppWindow(`data:text/html,${encodeURIComponent(page)}`);
      return await appeared;
    } finally {
      this.#appWindows.delete(token);
    }
  }

  /** Closes a target without telling its listener. */
  close(id: string): void {
    this.#listeners.delete(id);
    background(this.#chromium.connection.send('Target.closeTarget', { targetId: id }));
  }

  activate(id: string): void {
    background(this.#chromium.connection.send('Target.activateTarget', { targetId: id }));
  }

  async setBounds(target: Target, bounds: Protocol.Browser.Bounds): Promise<void> {
    await this.#chromium.connection.send('Browser.setWindowBounds', { windowId: target.windowId, bounds });
  }

  async setPermission(
    origin: string,
    name: string,
    setting: Protocol.Browser.PermissionSetting,
  ): Promise<void> {
    await this.#chromium.connection.send('Browser.setPermission', { origin, permission: { name }, setting });
  }

  get headless(): boolean {
    return this.#chromium.headless;
  }
}
