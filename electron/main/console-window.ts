import type { BrowserWindow } from 'electron';
import type { ConsoleEvent } from '../../core/contract/console-host.ts';
import { eventChannel } from '../../core/contract/names.ts';
import { createPageChannel } from './page-channel.ts';
import { mayReload, type ClosePlan } from './quit-plan.ts';
import { createConsoleWindow, present } from './window.ts';

export interface ConsoleWindowOptions {
  /** What a wish to close the window means now. */
  readonly closing: () => ClosePlan;
  readonly hidden: () => void;
  readonly visible: (visible: boolean) => void;
  /** The page crashed too often to be loaded again by itself. */
  readonly givenUp: (reason: string) => void;
  /** Windows ends the session: there is no other word of it. */
  readonly sessionEnding: () => void;
}

export interface ConsoleWindow {
  /** Brings the window forward; makes one when there is none. */
  present(): void;
  reload(): void;
  deliver(event: ConsoleEvent): void;
  /** The page asked for something. */
  heard(): void;
}

/** Keeps the one window of the console: makes it, hides it, loads it again, and talks to whatever page is in it. */
export function keepConsoleWindow(options: ConsoleWindowOptions): ConsoleWindow {
  let window: BrowserWindow | null = null;
  const channel = createPageChannel((event) => {
    window?.webContents.send(eventChannel(event.name), event.payload);
  });

  const open = (): BrowserWindow => {
    const made = createConsoleWindow();
    const crashesMs: number[] = [];
    made.on('close', (event) => {
      if (options.closing() !== 'hide') return;
      event.preventDefault();
      made.hide();
      options.hidden();
    });
    made.on('closed', () => {
      window = null;
      channel.lost();
      options.visible(false);
    });
    for (const name of ['show', 'restore'] as const) made.on(name as 'show', () => options.visible(true));
    for (const name of ['hide', 'minimize'] as const) made.on(name as 'hide', () => options.visible(false));
    made.on('session-end', () => options.sessionEnding());
    made.webContents.on('did-start-navigation', (details) => {
      if (details.isMainFrame && !details.isSameDocument) channel.lost();
    });
    made.webContents.on('render-process-gone', (_event, { reason }) => {
      channel.lost();
      if (reason === 'clean-exit') return;
      crashesMs.push(performance.now());
      if (mayReload(crashesMs)) made.webContents.reload();
      else options.givenUp(reason);
    });
    return made;
  };

  return {
    present() {
      if (window === null) window = open();
      else present(window);
    },
    reload: () => window?.webContents.reload(),
    deliver: (event) => channel.deliver(event),
    heard: () => channel.opened(),
  };
}
