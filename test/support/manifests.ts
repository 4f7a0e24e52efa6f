// A workspace whose manifests are edited while it runs.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestChangeView } from '../../core/contract/manifest-views.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { WORKSPACE_JOURNAL } from '../../core/journal/layout.ts';
import { command, openConsole, type TestConsole } from './run-host.ts';

export interface Edited extends TestConsole {
  readonly workspace: string;
  readonly journalId: string;
  readonly path: (file: string) => string;
  readonly text: (file: string) => string;
  /** As an editor saves it: whole or not at all. */
  readonly save: (file: string, text: string) => void;
  readonly changes: () => Promise<readonly ManifestChangeView[]>;
  /** All of them, or those that are named. */
  readonly reload: (names?: readonly string[] | null, isRemoving?: boolean) => ReturnType<typeof reloadIn>;
  readonly entries: (process: string) => Promise<readonly StoredEntry[]>;
}

export async function editing(workspace: string, data: string | null = null): Promise<Edited> {
  const console = await openConsole(workspace, data);
  const { journals } = await console.get('fleet.read', {});
  const journalId = journals[0]!.id;
  const path = (file: string): string => join(workspace, file);
  return {
    ...console,
    workspace,
    journalId,
    path,
    text: (file) => readFileSync(path(file), 'utf8'),
    save: (file, text) => {
      writeFileSync(path(`.${file}.new`), text);
      renameSync(path(`.${file}.new`), path(file));
    },
    changes: async () => (await console.get('workspace.changes', { journalId })).changes,
    reload: (names = null, isRemoving = false) => reloadIn(console, journalId, names, isRemoving),
    // What a command answered is durable.
    entries: (process) => readFileJournal(path(WORKSPACE_JOURNAL)).read(process),
  };
}

function reloadIn(
  console: TestConsole,
  journalId: string,
  names: readonly string[] | null,
  isRemoving: boolean,
) {
  const changes = names === null ? null : names.map((of) => ({ of, id: null }));
  return console.get('workspace.reload', { journalId, ...command('edited'), changes, isRemoving });
}
