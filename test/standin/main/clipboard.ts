import { record } from '../record.ts';

let held = '';

/** A clipboard of this process's own: the desktop's is left alone. */
export const clipboard = {
  async readText(): Promise<string> {
    return held;
  },
  async writeText(text: string): Promise<void> {
    held = text;
    record('clipboard', { text });
  },
  clear(): void {
    held = '';
  },
} satisfies Partial<Electron.Clipboard>;
