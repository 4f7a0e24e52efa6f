import { app } from './main/app.ts';
import { BrowserWindow } from './main/browser-window.ts';
import { answerNext, type Answers, type DialogName } from './main/dialog.ts';
import { preventable } from './main/event.ts';
import { Menu } from './main/menu.ts';
import { nativeTheme } from './main/native-theme.ts';
import { shownNotifications } from './main/notification.ts';
import { openTrays } from './main/tray.ts';
import { events, type RecordedEvent } from './record.ts';

function clickIn(menu: Menu | null | undefined, name: string, where: string): void {
  const item = menu?.find((candidate) => candidate.isCalled(name));
  if (!item)
    throw new Error(`${where} has no item "${name}". It has: ${JSON.stringify(menu?.describe() ?? null)}`);
  item.click({}, BrowserWindow.getFocusedWindow());
}

/** What a person does outside the windows, for tests: `app.evaluate(({ __standin }) => __standin.…)`. */
export const controls = {
  /** All that the operating system would have seen, oldest first. */
  events,

  eventsOf: (kind: string): RecordedEvent[] => events.filter((event) => event.kind === kind),

  /** Clicks an item of the tray's menu, by its id or its text. */
  clickTrayItem(name: string): void {
    clickIn(openTrays()[0]?.menu, name, 'The tray menu');
  },

  clickTray(): void {
    const [tray] = openTrays();
    if (!tray) throw new Error('There is no tray icon.');
    tray.emit('click', preventable({}), tray.getBounds());
  },

  /** Clicks an item of the application menu, by its id or its text. */
  clickMenuItem(name: string): void {
    clickIn(Menu.getApplicationMenu(), name, 'The application menu');
  },

  /** The next dialog of this kind is answered so. Without an answer it is cancelled. */
  answerDialog<N extends DialogName>(name: N, answer: Answers[N]): void {
    answerNext(name, answer);
  },

  /** A file is opened with the app on macOS. True if the app took it. */
  openFile(path: string): boolean {
    const event = preventable({});
    app.emit('open-file', event, path);
    return event.defaultPrevented;
  },

  /** Drops files or directories on the middle of a window. */
  async dropFiles(windowId: number, paths: string[]): Promise<void> {
    const window = BrowserWindow.fromId(windowId);
    if (!window) throw new Error(`There is no window ${windowId}.`);
    await window.webContents.dropFiles(paths);
  },

  /** Clicks the n-th notification ever shown, or one of its actions; negative counts from the last. */
  clickNotification(n: number, action?: number): void {
    const notification = shownNotifications().at(n);
    if (!notification) throw new Error(`Only ${shownNotifications().length} notifications were shown.`);
    if (action === undefined) notification.emit('click', preventable({}));
    else notification.emit('action', preventable({ actionIndex: action }), action);
  },

  /** The desktop is set to dark or light. */
  setSystemTheme(scheme: 'dark' | 'light'): void {
    nativeTheme.setSystem(scheme);
  },
};

export type Controls = typeof controls;
