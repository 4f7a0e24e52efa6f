import { EventEmitter } from 'node:events';
import { background, type Session as PageSession } from '../chromium/cdp.ts';
import type { Payload } from '../chromium/protocol.ts';
import type { Target } from '../chromium/targets.ts';
import type { ToMain } from '../page/renderer.ts';
import { record } from '../record.ts';
import { dropFiles } from './drop.ts';
import { preventable } from './event.ts';
import { FrameTree, type WebFrameMain } from './frames.ts';
import { IpcMain, ipcMain } from './ipc-main.ts';
import { nativeImage, type NativeImage } from './native-image.ts';
import { nativeTheme } from './native-theme.ts';
import { Navigation } from './navigation.ts';
import { Openings, type Opened, type OpenHandler } from './openings.ts';
import { followPage } from './page-events.ts';
import { PageLink } from './page-link.ts';
import { applyChecks, requestPermission } from './permissions.ts';
import { schemes } from './protocol.ts';
import { originOf, toApp, toChromium } from './scheme-map.ts';
import { serve } from './serve.ts';
import { session, type Session } from './session.ts';

/** What its window does for it. */
export interface Owner {
  close(): void;
  /** The app has allowed a page to open a window. */
  opens(url: string, options: Electron.BrowserWindowConstructorOptions): void;
}

export interface Preferences {
  readonly preload?: string;
  readonly nodeIntegrationInSubFrames?: boolean;
}

type Kept =
  | 'canGoBack'
  | 'capturePage'
  | 'close'
  | 'executeJavaScript'
  | 'forcefullyCrashRenderer'
  | 'getOSProcessId'
  | 'getTitle'
  | 'getURL'
  | 'getZoomFactor'
  | 'id'
  | 'isCrashed'
  | 'isDestroyed'
  | 'isDevToolsOpened'
  | 'isFocused'
  | 'isLoading'
  | 'loadURL'
  | 'mainFrame'
  | 'openDevTools'
  | 'reload'
  | 'send'
  | 'session'
  | 'setBackgroundThrottling'
  | 'setWindowOpenHandler'
  | 'setZoomFactor'
  | 'stop'
  | 'toggleDevTools';

const all = new Map<number, WebContents>();
let lastId = 0;

/** A page in a window. Its Chromium target may be replaced: see BrowserWindow. */
export class WebContents extends EventEmitter implements Record<Kept, unknown> {
  readonly id = ++lastId;
  readonly session: Session = session.defaultSession;
  readonly ipc = new IpcMain();
  readonly #owner: Owner;
  readonly #preferences: Preferences;
  readonly #frames = new FrameTree();
  readonly #openings: Openings;
  #attached = Promise.withResolvers<PageSession>();
  #target: Target | undefined;
  #link: PageLink | undefined;
  #navigation: Navigation | undefined;
  #state = { destroyed: false, crashed: false, loading: false, title: '', zoom: 1 };

  constructor(owner: Owner, preferences: Preferences) {
    super();
    this.setMaxListeners(0);
    this.#owner = owner;
    this.#preferences = preferences;
    this.#openings = new Openings({
      from: () => this.getURL(),
      allowed: (url, chosen) => owner.opens(url, chosen),
    });
    all.set(this.id, this);
    nativeTheme.on('updated', this.#onTheme);
  }

  get mainFrame(): WebFrameMain {
    return this.#frames.main;
  }

  get targetId(): string | undefined {
    return this.#target?.id;
  }

  getURL(): string {
    return this.mainFrame.url;
  }

  getTitle(): string {
    return this.#state.title;
  }

  /** The stand-in's own: the window has a Chromium target now. */
  async attach(target: Target): Promise<void> {
    this.#target = target;
    this.#state.crashed = false;
    this.#frames.reset(target.id);
    const { session: page } = target;
    const emit = (name: string, ...args: unknown[]): void => void this.emit(name, ...args);
    this.#navigation = new Navigation({ session: page, frames: this.#frames, emit });
    this.#link = new PageLink({
      session: page,
      frames: this.#frames,
      preloadPath: this.#preferences.preload,
      subFrames: this.#preferences.nodeIntegrationInSubFrames === true,
      receive: (message, frame) => this.#receive(message, frame),
    });
    followPage({
      session: page,
      frames: this.#frames,
      emit,
      // Playwright sets the same when it joins, which is before the first page has loaded.
      onLoaded: () => background(this.#applyTheme(page)),
      onLoading: (isLoading) => this.#loading(isLoading),
      onOpening: (event) => this.#openings.announced(event),
      onRequest: (paused) => background(this.#paused(page, paused)),
    });
    await Promise.all([
      page.send('Page.enable'),
      page.send('Runtime.enable'),
      page.send('DOM.enable'),
      page.send('Fetch.enable', {
        patterns: [{ urlPattern: 'http://*.localhost/*' }, { urlPattern: '*', resourceType: 'Document' }],
      }),
      this.#link.install(),
      this.#applyTheme(page),
    ]);
    this.#attached.resolve(page);
  }

  /** The stand-in's own: that target has gone, another may come. */
  detach(): void {
    this.#target = undefined;
    this.#link = undefined;
    this.#attached = Promise.withResolvers();
  }

  #loading(loading: boolean): void {
    if (this.#state.loading === loading) return;
    this.#state.loading = loading;
    this.emit(loading ? 'did-start-loading' : 'did-stop-loading');
  }

  async #paused(page: PageSession, paused: Payload<'Fetch.requestPaused'>): Promise<void> {
    if (paused.resourceType === 'Other' && new URL(paused.request.url).pathname === '/favicon.ico') {
      // A browser looks for one by itself, Electron does not: the app never hears of it.
      await page.send('Fetch.fulfillRequest', { requestId: paused.requestId, responseCode: 204 });
      return;
    }
    if (!(await this.#navigation!.allows(paused))) {
      record('navigation-prevented', { url: toApp(paused.request.url, schemes()) });
      await page.send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'Aborted' });
      return;
    }
    if (paused.resourceType === 'Document') {
      const frame = this.#frames.frame(paused.frameId) ?? null;
      const url = toApp(paused.request.url, schemes());
      const ask = { webContents: this, url, origin: originOf(url), isMainFrame: frame === this.mainFrame };
      await applyChecks(new URL(paused.request.url).origin, ask);
    }
    await serve(page, paused);
  }

  async #receive(message: ToMain, senderFrame: WebFrameMain | null): Promise<unknown> {
    const from = { sender: this, senderFrame };
    switch (message.kind) {
      case 'send':
        this.ipc.receiveSend(from, message.channel, message.args);
        ipcMain.receiveSend(from, message.channel, message.args);
        return undefined;
      case 'invoke': {
        const scope = this.ipc.handles(message.channel) ? this.ipc : ipcMain;
        return scope.receiveInvoke(from, message.channel, message.args);
      }
      case 'ask':
        return senderFrame && this.#requestPermission(message.subject, senderFrame);
      case 'open':
        this.#openings.request(message.details as Opened);
        return undefined;
      case 'preload-error':
        this.emit('preload-error', preventable({}), message.path, message.error);
        return undefined;
    }
  }

  #requestPermission(permission: string, frame: WebFrameMain): Promise<boolean> {
    return requestPermission(new URL(toChromium(frame.url, schemes())).origin, {
      webContents: this,
      permission,
      url: frame.url,
      origin: frame.origin,
      isMainFrame: frame === this.mainFrame,
    });
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openings.handler = handler;
  }

  /** The stand-in's own: Chromium has opened a page that nobody announced; true if this page is the cause. */
  claimStray(url: string, openerTarget: string | undefined): boolean {
    const isOpener = openerTarget !== undefined && openerTarget === this.targetId;
    if (!isOpener && this.#navigation?.openedAside(url) !== true) return false;
    this.#openings.strayed(url, isOpener);
    return true;
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.#attached.promise;
    const address = toChromium(url, schemes());
    const finished = new Promise<void>((resolve) => this.once('did-finish-load', () => resolve()));
    const expectation = this.#navigation!.expect(address);
    const { errorText, loaderId } = await page.send('Page.navigate', { url: address });
    expectation[Symbol.dispose]();
    // Within a document nothing loads.
    if (errorText === undefined) return loaderId === undefined ? undefined : finished;
    const code = errorText.replace(/^net::/, '');
    this.emit('did-fail-load', preventable({}), -2, code, url, true);
    throw Object.assign(new Error(`${code} (-2) loading '${url}'`), { code, errno: -2, url });
  }

  reload(): void {
    const address = toChromium(this.getURL(), schemes());
    this.#later(async (page) => {
      this.#navigation!.expect(address);
      await page.send('Page.reload');
    });
  }

  stop(): void {
    this.#later((page) => page.send('Page.stopLoading'));
  }

  send(channel: string, ...args: unknown[]): void {
    this.#link?.send(channel, args);
  }

  async executeJavaScript(code: string, userGesture = false): Promise<unknown> {
    const page = await this.#attached.promise;
    const { result, exceptionDetails } = await page.send('Runtime.evaluate', {
      expression: code,
      awaitPromise: true,
      returnByValue: true,
      userGesture,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async capturePage(): Promise<NativeImage> {
    const page = await this.#attached.promise;
    const { data } = await page.send('Page.captureScreenshot');
    return nativeImage.createFromBuffer(Buffer.from(data, 'base64'));
  }

  /** Does something to the page once there is one. */
  #later(work: (page: PageSession) => Promise<unknown>): void {
    background(this.#attached.promise.then(work));
  }

  readonly #onTheme = (): void => this.#later((page) => this.#applyTheme(page));

  async #applyTheme(page: PageSession): Promise<void> {
    const value = nativeTheme.forPages();
    const features = value === undefined ? [] : [{ name: 'prefers-color-scheme', value }];
    await page.send('Emulation.setEmulatedMedia', { features });
  }

  forcefullyCrashRenderer(): void {
    this.#later((page) => page.send('Page.crash'));
  }

  /** The stand-in's own: Chromium reports that the page's process has died. */
  crashed(reason: string, exitCode: number): Electron.RenderProcessGoneDetails {
    this.#state.crashed = true;
    const details = { reason: reason === 'oom' ? ('oom' as const) : ('crashed' as const), exitCode };
    this.emit('render-process-gone', preventable({}), details);
    return details;
  }

  titled(title: string): void {
    this.#state.title = title;
  }

  isCrashed(): boolean {
    return this.#state.crashed;
  }

  isLoading(): boolean {
    return this.#state.loading;
  }

  isDestroyed(): boolean {
    return this.#state.destroyed;
  }

  close(): void {
    this.#owner.close();
  }

  /** The stand-in's own. */
  destroyed(): void {
    this.#state.destroyed = true;
    nativeTheme.off('updated', this.#onTheme);
    all.delete(this.id);
    this.emit('destroyed');
  }

  isFocused(): boolean {
    return !this.#state.destroyed;
  }

  canGoBack(): boolean {
    return false;
  }

  getOSProcessId(): number {
    return process.pid;
  }

  openDevTools(): void {
    record('devtools', { webContents: this.id });
  }

  toggleDevTools(): void {
    this.openDevTools();
  }

  isDevToolsOpened(): boolean {
    return false;
  }

  getZoomFactor(): number {
    return this.#state.zoom;
  }

  setZoomFactor(factor: number): void {
    this.#state.zoom = factor;
    record('zoom', { webContents: this.id, factor });
  }

  setBackgroundThrottling(allowed: boolean): void {
    record('background-throttling', { webContents: this.id, allowed });
  }

  /** The stand-in's own: drops files on the middle of the page. */
  async dropFiles(paths: string[]): Promise<void> {
    await dropFiles(await this.#attached.promise, paths);
  }
}

export const webContents = {
  getAllWebContents: (): WebContents[] => [...all.values()],
  fromId: (id: number): WebContents | undefined => all.get(id),
  fromDevToolsTargetId: (targetId: string): WebContents | undefined =>
    [...all.values()].find((contents) => contents.targetId === targetId),
  getFocusedWebContents: (): WebContents | null => [...all.values()].at(-1) ?? null,
};
