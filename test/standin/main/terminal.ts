import { createInterface } from 'node:readline';
import type { RecordedEvent } from '../record.ts';

// A person who starts the app on the stand-in has a window but no desktop around it: its dialogs come here.

/** One line from the person, or '' on Ctrl+C, at the end of input, and where there is no terminal. */
function question(text: string): Promise<string> {
  if (!process.stdin.isTTY) {
    console.log(`host: ${text}\nhost: (no terminal to answer in: cancelled)`);
    return Promise.resolve('');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve) => {
    terminal.once('close', () => resolve(''));
    terminal.question(`host: ${text} `, (answer) => {
      resolve(answer.trim());
      terminal.close();
    });
  });
}

export function pathFromTerminal(title: string): Promise<string> {
  return question(`${title}: type a path, or nothing to cancel:`);
}

/** The number of the chosen button; undefined if none was chosen. */
export async function askInTerminal(options: Electron.MessageBoxOptions): Promise<number | undefined> {
  const { message, detail, buttons = ['OK'] } = options;
  const choices = buttons.map((label, index) => `${index + 1} ${label.replaceAll('&', '')}`).join(' · ');
  const chosen = Number(await question(`${[message, detail].filter(Boolean).join('\n')}\n${choices}:`));
  return Number.isInteger(chosen) && chosen >= 1 && chosen <= buttons.length ? chosen - 1 : undefined;
}

/** What a desktop would have shown, as a line; undefined for what a person need not know. */
export function lineFor({ kind, ...detail }: RecordedEvent): string | undefined {
  switch (kind) {
    case 'notification':
      return `notification: ${String(detail['title'])} — ${String(detail['body'])}`;
    case 'openExternal':
      return `would open in your browser: ${String(detail['url'])}`;
    case 'openPath':
    case 'showItemInFolder':
      return `would open on your desktop: ${String(detail['path'])}`;
    case 'window.closed-by-person':
      return 'the window was closed. If the app goes on (as with a tray icon): start it again to see it, press Ctrl+C here to quit.';
    case 'dialog':
      return detail['method'] === 'showErrorBox'
        ? `${String(detail['title'])}: ${String(detail['content'])}`
        : undefined;
    default:
      return undefined;
  }
}
