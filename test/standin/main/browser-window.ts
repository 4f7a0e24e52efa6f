import { background } from '../chromium/cdp.ts';
import type { Target } from '../chromium/targets.ts';
import { record } from '../record.ts';
import { app } from './app.ts';
import { DecoratedWindow } from './decorated-window.ts';
import { desktop } from './desktop.ts';
import { preventable } from './event.ts';
import { imageName } from './native-image.ts';
import { WebContents } from './web-contents.ts';
import { addWindow, removeWindow, type ClosableWindow } from './windows.ts';

type Kept =
  | 'blur'
  | 'center'
  | 'close'
  | 'destroy'
  | 'flashFrame'
  | 'focus'
  | 'getBounds'
  | 'getContentBounds'
  | 'getNormalBounds'
  | 'getSize'
  | 'getTitle'
  | 'hide'
  | 'id'
  | 'isDestroyed'
  | 'isFocused'
  | 'isFullScreen'
  | 'isMaximized'
  | 'isMinimized'
  | 'isVisible'
  | 'maximize'
  | 'minimize'
  | 'moveTop'
  | 'reload'
  | 'restore'
  | 'setBackgroundColor'
  | 'setBounds'
  | 'setFullScreen'
  | 'setIcon'
  | 'setMenu'
  | 'setMenuBarVisibility'
  | 'setMinimumSize'
  | 'setProgressBar'
  | 'setSize'
  | 'setTitle'
  | 'show'
  | 'showInactive'
  | 'unmaximize';

const all = new Map<number, BrowserWindow>();
let focused: BrowserWindow | null = null;

function focusOn(next: BrowserWindow | null): void {
  if (focused === next) return;
  const before = focused;
  focused = next;
  if (before && !before.isDestroyed()) {
    before.emit('blur');
    app.emit('browser-window-blur', preventable({}), before);
  }
  if (next) {
    next.emit('focus');
    app.emit('browser-window-focus', preventable({}), next);
  }
}

/** A record of the options can be read by a test: what is no plain data is named. */
function plainOptions(options: Electron.BrowserWindowConstructorOptions): Record<string, unknown> {
  const { icon, webPreferences, parent: _parent, ...rest } = options;
  const { session: _session, ...preferences } = webPreferences ?? {};
  return { ...rest, webPreferences: preferences, ...(icon !== undefined && { icon: imageName(icon) }) };
}

export class BrowserWindow
  extends DecoratedWindow
  implements Pick<Electron.BrowserWindow, Kept>, ClosableWindow
{
  readonly webContents: WebContents;
  readonly #options: Electron.BrowserWindowConstructorOptions;
  #target: Target | undefined;
  #opened: Promise<Target>;
  #bounds: Electron.Rectangle;
  #title: string;
  #visible: boolean;
  #state: 'normal' | 'minimized' | 'maximized' | 'fullscreen' = 'normal';
  #destroyed = false;
  /** Closed by a person, and not opened again yet. */
  #gone = false;

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    this.setMaxListeners(0);
    const { x = 10, y = 10, width = 800, height = 600, title = app.getName(), show = true } = options;
    this.#options = options;
    this.#bounds = { x, y, width, height };
    this.#title = title;
    this.#visible = show;
    // Fails here, not later, if the app is not ready.
    desktop();
    this.webContents = new WebContents(
      {
        close: () => this.close(),
        opens: (url, overrides) => this.#openAnother(url, overrides),
      },
      options.webPreferences ?? {},
    );
    all.set(this.id, this);
    addWindow(this);
    this.webContents.once('did-finish-load', () => this.#firstLoad());
    this.#opened = this.#open();
    record('window', { id: this.id, options: plainOptions(options) });
    app.emit('web-contents-created', preventable({}), this.webContents);
    app.emit('browser-window-created', preventable({}), this);
    if (show) focusOn(this);
  }

  #open(): Promise<Target> {
    const opened = desktop()
      .open(
        {
          ...this.#bounds,
          hidden: !this.#visible,
          title: this.#title,
          backgroundColor: this.#options.backgroundColor ?? '#fff',
        },
        {
          destroyed: () => this.#closedByPerson(),
          crashed: ({ status, errorCode }) => {
            const details = this.webContents.crashed(status, errorCode);
            app.emit('render-process-gone', preventable({}), this.webContents, details);
          },
          titled: (title) => this.#pageTitled(title),
        },
      )
      .then(async (target) => {
        this.#target = target;
        if (this.#destroyed) desktop().close(target.id);
        await this.webContents.attach(target);
        if (this.#visible) await this.#applyBounds(target);
        return target;
      });
    background(opened);
    return opened;
  }

  /** Width and height are the page's: what Chromium draws around it is not the app's, and unknown while it is hidden. */
  async #applyBounds(target: Target): Promise<void> {
    const { result } = await target.session.send('Runtime.evaluate', {
      expression: '[outerWidth - innerWidth, outerHeight - innerHeight]',
      returnByValue: true,
    });
    const [wider, taller] = result.value as [number, number];
    const { x, y, width, height } = this.#bounds;
    await desktop().setBounds(target, { left: x, top: y, width: width + wider, height: height + taller });
  }

  #firstLoad(): void {
    this.emit('ready-to-show');
    // A window that a person can see opens visible, whatever it was asked for, and is out of the way from here on.
    if (!this.#visible && !desktop().headless) this.#setState('minimized');
  }

  #pageTitled(title: string): void {
    this.webContents.titled(title);
    if (title === this.#title || title === '') return;
    const event = preventable({});
    this.emit('page-title-updated', event, title, true);
    this.webContents.emit('page-title-updated', event, title, true);
    if (!event.defaultPrevented) this.#title = title;
  }

  #later(work: (target: Target) => Promise<unknown>): void {
    background(this.#opened.then(work));
  }

  #setState(windowState: 'normal' | 'minimized' | 'maximized' | 'fullscreen'): void {
    this.#later((target) => desktop().setBounds(target, { windowState }));
  }

  #openAnother(url: string, overrides: Electron.BrowserWindowConstructorOptions): void {
    const opened = new BrowserWindow({ webPreferences: this.#options.webPreferences ?? {}, ...overrides });
    this.webContents.emit('did-create-window', opened, { url, frameName: '', options: overrides });
    background(opened.loadURL(url));
  }

  /**
   * A person closed Chromium's window, or its page closed itself. The app is asked as if it had been the window's own
   * button, but can't keep what is gone: if it objects, the window counts as hidden and is opened again, on the page it
   * had, when it is next shown; at once if the app left it visible.
   */
  #closedByPerson(): void {
    if (this.#destroyed) return;
    record('window.closed-by-person', { id: this.id });
    this.#target = undefined;
    this.#gone = true;
    this.webContents.detach();
    if (!this.askToClose() && this.#visible) this.#reopen();
  }

  #reopen(): void {
    this.#gone = false;
    const url = this.webContents.getURL();
    this.#opened = this.#open();
    if (url !== '') background(this.webContents.loadURL(url));
  }

  askToClose(): boolean {
    const event = preventable({});
    this.emit('close', event);
    if (event.defaultPrevented) return false;
    this.destroy();
    return true;
  }

  close(): void {
    if (!this.#destroyed) this.askToClose();
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    all.delete(this.id);
    if (focused === this) focusOn(null);
    if (this.#target) desktop().close(this.#target.id);
    this.webContents.destroyed();
    this.emit('closed');
    removeWindow(this);
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url);
  }

  reload(): void {
    this.webContents.reload();
  }

  show(): void {
    this.showInactive();
    this.focus();
  }

  showInactive(): void {
    if (this.#destroyed) return;
    const before = this.#visible;
    this.#visible = true;
    if (this.#gone) this.#reopen();
    this.#state = 'normal';
    this.#setState('normal');
    this.#later((target) => this.#applyBounds(target));
    if (!before) this.emit('show');
  }

  hide(): void {
    if (!this.#visible) return;
    this.#visible = false;
    if (this.#target) this.#setState('minimized');
    if (focused === this) focusOn(null);
    this.emit('hide');
  }

  isVisible(): boolean {
    return this.#visible && !this.#destroyed;
  }

  focus(): void {
    this.#later(async (target) => desktop().activate(target.id));
    focusOn(this);
  }

  blur(): void {
    if (focused === this) focusOn(null);
  }

  isFocused(): boolean {
    return focused === this;
  }

  moveTop(): void {
    this.#later(async (target) => desktop().activate(target.id));
  }

  minimize(): void {
    this.#change('minimized', 'minimize');
  }

  maximize(): void {
    this.#change('maximized', 'maximize');
  }

  restore(): void {
    this.#change('normal', 'restore');
  }

  unmaximize(): void {
    this.#change('normal', 'unmaximize');
  }

  setFullScreen(flag: boolean): void {
    this.#change(flag ? 'fullscreen' : 'normal', flag ? 'enter-full-screen' : 'leave-full-screen');
  }

  #change(state: 'normal' | 'minimized' | 'maximized' | 'fullscreen', event: string): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#setState(state);
    this.emit(event);
  }

  isMinimized(): boolean {
    return this.#state === 'minimized';
  }

  isMaximized(): boolean {
    return this.#state === 'maximized';
  }

  isFullScreen(): boolean {
    return this.#state === 'fullscreen';
  }

  getBounds(): Electron.Rectangle {
    return { ...this.#bounds };
  }

  getNormalBounds(): Electron.Rectangle {
    return this.getBounds();
  }

  getContentBounds(): Electron.Rectangle {
    return this.getBounds();
  }

  setBounds(bounds: Partial<Electron.Rectangle>): void {
    const before = this.#bounds;
    this.#bounds = { ...before, ...bounds };
    if (this.#visible) this.#later((target) => this.#applyBounds(target));
    if (before.width !== this.#bounds.width || before.height !== this.#bounds.height) this.emit('resize');
    if (before.x !== this.#bounds.x || before.y !== this.#bounds.y) this.emit('move');
  }

  getSize(): number[] {
    return [this.#bounds.width, this.#bounds.height];
  }

  setSize(width: number, height: number): void {
    this.setBounds({ width, height });
  }

  getTitle(): string {
    return this.#title;
  }

  setTitle(title: string): void {
    this.#title = title;
    record('window.title', { id: this.id, title });
  }

  static getAllWindows(): BrowserWindow[] {
    return [...all.values()];
  }

  static fromId(id: number): BrowserWindow | null {
    return all.get(id) ?? null;
  }

  static fromWebContents(contents: unknown): BrowserWindow | null {
    return [...all.values()].find((window) => window.webContents === contents) ?? null;
  }

  static getFocusedWindow(): BrowserWindow | null {
    return focused;
  }
}
