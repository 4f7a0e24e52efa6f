// The journal of a workspace, opened for writing; where that can't be, whoever wanted to run it is told what to do.

import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { openFileJournal, type FileJournal } from '../journal/file-journal.ts';
import { WORKSPACE_JOURNAL } from '../journal/layout.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { isSharedDiskAllowed } from './data-directory.ts';

/** @throws `workspace.not-writable`, `journal.*` */
export function openWorkspaceJournal(workspace: string, knownJournals: string | null): FileJournal {
  const directory = join(workspace, WORKSPACE_JOURNAL);
  try {
    return openFileJournal(directory, {
      workspace: '..',
      knownJournals,
      allowSharedDisk: isSharedDiskAllowed(),
    });
  } catch (error) {
    if (error instanceof AppError && error.code !== 'journal.unwritable') throw error;
    throw new AppError(
      'workspace.not-writable',
      `${directory} can't be written, and without a journal nothing is run: ${whyNotWritable(workspace) ?? messageOf(error)}. Make the workspace writable, or copy it to where it is and run that.`,
      { workspace, code: codeOf(error) },
      { cause: error },
    );
  }
}

/** A directory that can't be made is called missing by some calls, whatever the reason. */
function whyNotWritable(directory: string): string | null {
  try {
    accessSync(directory, constants.W_OK);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
