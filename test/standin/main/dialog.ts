import { record } from '../record.ts';
import { askInTerminal, pathFromTerminal } from './terminal.ts';
import { settings } from './settings.ts';

/** What a test lets the next dialog answer, by its method's name. */
export interface Answers {
  showOpenDialog: Partial<Electron.OpenDialogReturnValue>;
  showSaveDialog: Partial<Electron.SaveDialogReturnValue>;
  showMessageBox: Partial<Electron.MessageBoxReturnValue>;
}

export type DialogName = keyof Answers;

const queues: { readonly [N in DialogName]: Answers[N][] } = {
  showOpenDialog: [],
  showSaveDialog: [],
  showMessageBox: [],
};

export function answerNext<N extends DialogName>(name: N, answer: Answers[N]): void {
  queues[name].push(answer);
}

/** Electron's dialogs take their window first, or not at all. */
function optionsOf<T extends object>(args: readonly unknown[]): T {
  return (args.length > 1 ? args[1] : args[0]) as T;
}

/** The button that Electron presses when a message box is closed without choosing. */
export function cancelButton({ buttons = [], cancelId }: Electron.MessageBoxOptions): number {
  const named = buttons.findIndex((label) =>
    ['cancel', 'no'].includes(label.replaceAll('&', '').toLowerCase()),
  );
  return cancelId ?? Math.max(named, 0);
}

function recordDialog(method: string, options: object): void {
  const { signal: _signal, icon: _icon, ...plain } = options as Record<string, unknown>;
  record('dialog', { method, ...plain });
}

export const dialog = {
  async showOpenDialog(...args: unknown[]): Promise<Electron.OpenDialogReturnValue> {
    const options = optionsOf<Electron.OpenDialogOptions>(args);
    recordDialog('showOpenDialog', options);
    const answer = queues.showOpenDialog.shift();
    if (answer) return { canceled: false, filePaths: [], ...answer };
    const path = settings.attended ? await pathFromTerminal(options.title ?? 'Open') : '';
    return { canceled: path === '', filePaths: path === '' ? [] : [path] };
  },
  async showSaveDialog(...args: unknown[]): Promise<Electron.SaveDialogReturnValue> {
    const options = optionsOf<Electron.SaveDialogOptions>(args);
    recordDialog('showSaveDialog', options);
    const answer = queues.showSaveDialog.shift();
    if (answer) return { canceled: false, filePath: '', ...answer };
    const path = settings.attended ? await pathFromTerminal(options.title ?? 'Save as') : '';
    return { canceled: path === '', filePath: path };
  },
  async showMessageBox(...args: unknown[]): Promise<Electron.MessageBoxReturnValue> {
    const options = optionsOf<Electron.MessageBoxOptions>(args);
    recordDialog('showMessageBox', options);
    const cancelled = { response: cancelButton(options), checkboxChecked: options.checkboxChecked ?? false };
    const answer = queues.showMessageBox.shift();
    if (answer) return { ...cancelled, ...answer };
    if (!settings.attended) return cancelled;
    return { ...cancelled, response: (await askInTerminal(options)) ?? cancelled.response };
  },
  showMessageBoxSync(...args: unknown[]): number {
    const options = optionsOf<Electron.MessageBoxSyncOptions>(args);
    recordDialog('showMessageBoxSync', options);
    return queues.showMessageBox.shift()?.response ?? cancelButton(options);
  },
  showErrorBox(title: string, content: string): void {
    record('dialog', { method: 'showErrorBox', title, content });
  },
} satisfies Partial<Electron.Dialog>;
