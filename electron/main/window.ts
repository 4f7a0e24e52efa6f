import { app, BrowserWindow } from 'electron';
import { CONSOLE_URL } from './console-url.ts';
import { PRELOAD, WINDOW_ICON } from './paths.ts';
import { WEB_PREFERENCES } from './web-preferences.ts';

/** The only place that makes a window. It appears once it has something to show. */
export function createConsoleWindow(): BrowserWindow {
  const window = new BrowserWindow({
    name: 'main',
    windowStatePersistence: true,
    title: 'Holdfast',
    width: 1360,
    height: 860,
    minWidth: 720,
    minHeight: 480,
    show: false,
    autoHideMenuBar: true,
    ...(process.platform === 'linux' ? { icon: WINDOW_ICON } : {}),
    webPreferences: { ...WEB_PREFERENCES, preload: PRELOAD, devTools: !app.isPackaged },
  });
  window.once('ready-to-show', () => window.show());
  // A page that can't be loaded leaves an empty window; the crash handler and the reload command bring it back.
  window.loadURL(CONSOLE_URL).catch((error: unknown) => {
    if (!window.isDestroyed()) process.stderr.write(`The console could not be loaded: ${String(error)}\n`);
  });
  return window;
}

/** Brings a window before everything else, from wherever it is. */
export function present(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
