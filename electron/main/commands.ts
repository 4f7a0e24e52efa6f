import type { MenuItemConstructorOptions } from 'electron';

/** What the application menu tells main to do; the tray shares the first. */
export const COMMANDS = {
  'open-journal': { label: 'Open Journal…', accelerator: 'CmdOrCtrl+O' },
  'toggle-hide-on-close': { label: 'Keep Running When the Window Is Closed', accelerator: null },
  reload: { label: 'Reload', accelerator: 'CmdOrCtrl+R' },
} as const satisfies Record<string, { readonly label: string; readonly accelerator: string | null }>;
export type Command = keyof typeof COMMANDS;

export interface MenuOptions {
  readonly platform: NodeJS.Platform;
  /** Whether developer tools may be opened. */
  readonly developer: boolean;
  readonly hideOnClose: boolean;
  readonly run: (command: Command) => void;
}

/** The application menu. Editing, windows and quitting are the system's own roles. */
export function menuTemplate({
  platform,
  developer,
  hideOnClose,
  run,
}: MenuOptions): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin';
  const item = (id: Command): MenuItemConstructorOptions => {
    const { label, accelerator } = COMMANDS[id];
    return { id, label, click: () => run(id), ...(accelerator === null ? {} : { accelerator }) };
  };
  return [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: [
        item('open-journal'),
        { type: 'separator' },
        { ...item('toggle-hide-on-close'), type: 'checkbox', checked: hideOnClose },
        { type: 'separator' },
        { role: 'close' },
        ...(mac ? [] : [{ role: 'quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        item('reload'),
        ...(developer ? [{ role: 'toggleDevTools' } as const] : []),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
  ];
}
