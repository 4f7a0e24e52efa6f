import { EventEmitter } from 'node:events';
import { homedir, tmpdir } from 'node:os';
import { record } from '../record.ts';
import { CommandLine } from './command-line.ts';
import { preventable } from './event.ts';
import { defaultPath } from './paths.ts';
import { settings } from './settings.ts';
import { takeInstanceLock, type Launch } from './single-instance.ts';
import { openWindows, whenLastCloses } from './windows.ts';

type Kept =
  | 'addRecentDocument'
  | 'clearRecentDocuments'
  | 'disableHardwareAcceleration'
  | 'enableSandbox'
  | 'exit'
  | 'focus'
  | 'getAppMetrics'
  | 'getAppPath'
  | 'getLocale'
  | 'getName'
  | 'getPath'
  | 'getVersion'
  | 'hasSingleInstanceLock'
  | 'isPackaged'
  | 'isReady'
  | 'name'
  | 'quit'
  | 'releaseSingleInstanceLock'
  | 'requestSingleInstanceLock'
  | 'setAboutPanelOptions'
  | 'setAppLogsPath'
  | 'setAppUserModelId'
  | 'setAsDefaultProtocolClient'
  | 'setBadgeCount'
  | 'getLoginItemSettings'
  | 'setLoginItemSettings'
  | 'setName'
  | 'setPath'
  | 'showAboutPanel'
  | 'whenReady';

class App extends EventEmitter implements Pick<Electron.App, Kept> {
  readonly isPackaged = false;
  readonly commandLine = new CommandLine(process.argv);
  /** Only on macOS, as in Electron. */
  readonly dock = undefined;
  readonly #paths = new Map<string, string>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #early: Launch[] = [];
  #isReady = false;
  #quitting = false;
  #lock: Disposable | undefined;

  constructor() {
    super();
    this.setMaxListeners(0);
    whenLastCloses(() => this.#lastWindowClosed());
  }

  get name(): string {
    return settings.name;
  }

  set name(name: string) {
    settings.name = name;
  }

  getName(): string {
    return settings.name;
  }

  setName(name: string): void {
    settings.name = name;
  }

  getVersion(): string {
    return settings.version;
  }

  getAppPath(): string {
    return settings.appPath;
  }

  getLocale(): string {
    return Intl.DateTimeFormat().resolvedOptions().locale;
  }

  getPath(name: string): string {
    const path =
      this.#paths.get(name) ??
      (name === 'sessionData' ? this.#paths.get('userData') : undefined) ??
      defaultPath(name, {
        platform: process.platform,
        env: process.env,
        home: homedir(),
        temp: tmpdir(),
        name: settings.name,
        executable: process.execPath,
      });
    if (path === undefined) throw new Error(`Failed to get '${name}' path`);
    return path;
  }

  setPath(name: string, path: string): void {
    this.#paths.set(name, path);
  }

  setAppLogsPath(path?: string): void {
    if (path !== undefined) this.#paths.set('logs', path);
  }

  isReady(): boolean {
    return this.#isReady;
  }

  whenReady(): Promise<void> {
    return this.#ready.promise;
  }

  /** The stand-in's own: Chromium is there and the app's code has run. Playwright replaces `emit`, so it is looked up. */
  becomeReady(): void {
    this.#isReady = true;
    this.emit('ready', preventable({}), {});
    this.#ready.resolve();
    for (const launch of this.#early.splice(0)) this.#launchedAgain(launch);
  }

  quit(): void {
    if (this.#quitting) return;
    this.#quitting = true;
    // As in Electron, whoever asks is answered first.
    setImmediate(() => this.#quit());
  }

  #quit(): void {
    const stays = (name: 'before-quit' | 'will-quit'): boolean => {
      const event = preventable({});
      this.emit(name, event);
      return event.defaultPrevented;
    };
    if (stays('before-quit') || !openWindows().every((window) => window.askToClose()) || stays('will-quit')) {
      this.#quitting = false;
      return;
    }
    this.#end(0);
  }

  exit(code = 0): void {
    this.#quitting = true;
    for (const window of openWindows()) window.destroy();
    this.#end(code);
  }

  #end(code: number): void {
    this.emit('quit', preventable({}), code);
    process.exit(code);
  }

  #lastWindowClosed(): void {
    if (this.#quitting) return;
    if (this.listenerCount('window-all-closed') > 0) this.emit('window-all-closed');
    else this.quit();
  }

  requestSingleInstanceLock(additionalData?: Record<string, unknown>): boolean {
    const launch = {
      argv: process.argv,
      workingDirectory: process.cwd(),
      additionalData: additionalData ?? {},
    };
    this.#lock ??= takeInstanceLock(this.getPath('userData'), launch, (other) => this.#launchedAgain(other));
    return this.#lock !== undefined;
  }

  #launchedAgain(launch: Launch): void {
    if (!this.#isReady) {
      this.#early.push(launch);
      return;
    }
    this.emit(
      'second-instance',
      preventable({}),
      launch.argv,
      launch.workingDirectory,
      launch.additionalData,
    );
  }

  hasSingleInstanceLock(): boolean {
    return this.#lock !== undefined;
  }

  releaseSingleInstanceLock(): void {
    this.#lock?.[Symbol.dispose]();
    this.#lock = undefined;
  }

  focus(): void {
    record('app.focus');
  }

  enableSandbox(): void {
    record('app.enable-sandbox');
  }

  disableHardwareAcceleration(): void {
    record('app.disable-hardware-acceleration');
  }

  setAppUserModelId(id: string): void {
    record('app.user-model-id', { id });
  }

  addRecentDocument(path: string): void {
    record('app.recent-document', { path });
  }

  clearRecentDocuments(): void {
    record('app.recent-documents-cleared');
  }

  setAboutPanelOptions(options: Electron.AboutPanelOptionsOptions): void {
    record('app.about-panel', { ...options });
  }

  showAboutPanel(): void {
    record('app.about-panel-shown');
  }

  setBadgeCount(count = 0): boolean {
    record('app.badge', { count });
    return true;
  }

  setAsDefaultProtocolClient(protocol: string): boolean {
    record('app.default-protocol-client', { protocol });
    return true;
  }

  setLoginItemSettings(loginItem: Electron.Settings): void {
    record('app.login-item', { ...loginItem });
  }

  getLoginItemSettings(): Electron.LoginItemSettings {
    return {
      openAtLogin: false,
      wasOpenedAtLogin: false,
      status: 'not-registered',
      executableWillLaunchAtLogin: false,
      launchItems: [],
    };
  }

  getAppMetrics(): Electron.ProcessMetric[] {
    const { user, system } = process.cpuUsage();
    return [
      {
        pid: process.pid,
        type: 'Browser',
        creationTime: performance.timeOrigin,
        cpu: { percentCPUUsage: 0, idleWakeupsPerSecond: 0, cumulativeCPUUsage: (user + system) / 1e6 },
        memory: {
          workingSetSize: Math.round(process.memoryUsage.rss() / 1024),
          peakWorkingSetSize: process.resourceUsage().maxRSS,
        },
      },
    ];
  }
}

export const app = new App();
