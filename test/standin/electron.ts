// The module `electron` of the main process.
import type { Controls } from './control.ts';

export { app } from './main/app.ts';
export { BrowserWindow } from './main/browser-window.ts';
export { clipboard } from './main/clipboard.ts';
export { crashReporter } from './main/crash-reporter.ts';
export { dialog } from './main/dialog.ts';
export { ipcMain } from './main/ipc-main.ts';
export { Menu, MenuItem } from './main/menu.ts';
export { MessageChannelMain } from './main/message-channel.ts';
export { nativeImage } from './main/native-image.ts';
export { nativeTheme } from './main/native-theme.ts';
export { net } from './main/net.ts';
export { Notification } from './main/notification.ts';
export { powerMonitor, powerSaveBlocker } from './main/power.ts';
export { protocol } from './main/protocol.ts';
export { safeStorage } from './main/safe-storage.ts';
export { screen } from './main/screen.ts';
export { session } from './main/session.ts';
export { shell } from './main/shell.ts';
export { Tray } from './main/tray.ts';
export { utilityProcess } from './main/utility-process.ts';
export { webContents } from './main/web-contents.ts';
export { controls as __standin } from './control.ts';
export type { Controls };
