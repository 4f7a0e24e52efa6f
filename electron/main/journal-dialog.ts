import { app, dialog } from 'electron';
import { dirname } from 'node:path';
import { journalAt } from './open-requests.ts';
import type { SettingsFile } from './settings.ts';

/** Asks for a journal with the system's own dialog, which starts where it last was. Null: nothing was chosen. */
export async function chooseJournal(settings: SettingsFile): Promise<string | null> {
  const answer = await dialog.showOpenDialog({
    title: 'Open Journal',
    buttonLabel: 'Open',
    defaultPath: settings.get().lastDirectory ?? app.getPath('home'),
    // Only macOS has a dialog for both; there a journal may look like a file.
    properties: process.platform === 'darwin' ? ['openFile', 'openDirectory'] : ['openDirectory'],
  });
  const [chosen] = answer.filePaths;
  if (answer.canceled || chosen === undefined) return null;
  const journal = journalAt(chosen);
  settings.update({ lastDirectory: dirname(journal) });
  return journal;
}
