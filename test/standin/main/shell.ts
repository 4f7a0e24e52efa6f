import { rm } from 'node:fs/promises';
import { record } from '../record.ts';

export const shell = {
  async openExternal(url: string): Promise<void> {
    record('openExternal', { url });
  },
  async openPath(path: string): Promise<string> {
    record('openPath', { path });
    return '';
  },
  showItemInFolder(path: string): void {
    record('showItemInFolder', { path });
  },
  async trashItem(path: string): Promise<void> {
    record('trashItem', { path });
    await rm(path, { recursive: true });
  },
  beep(): void {
    record('beep');
  },
} satisfies Partial<Electron.Shell>;
