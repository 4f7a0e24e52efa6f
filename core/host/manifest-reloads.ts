// Changes of manifests, shown before they are put in force, and put in force as they were shown.

import type { ManifestChangesView, ManifestChangeView, ReloadView } from '../contract/manifest-views.ts';
import type { RequestOf } from '../contract/requests.ts';
import { AppError, messageOf } from '../model/errors.ts';
import type { AgentRuntime } from '../runtime/agent-runtime.ts';
import { eachLimited } from '../runtime/each-limited.ts';
import { applyChange } from './apply-change.ts';
import { counted } from './counted.ts';
import { cut, cutOrNull } from './cut.ts';
import type { ManifestBook } from './manifest-book.ts';
import { changeView } from './manifest-change-views.ts';
import type { PendingChange } from './manifest-changes.ts';
import { notesOf } from './manifest-notes.ts';
import type { ManifestOrder } from './manifest-records.ts';
import type { Recording } from './operator-commands.ts';
import type { Orphan } from './orphans.ts';
import { MAX_NAME, MAX_SENTENCE } from './view-limits.ts';

const MAX_CHANGES = 200;
/** Over all changes that are shown at once, and of one of them. */
const MAX_ALL_LINES = 2_000;
const MAX_LINES = 100;
const LEAST_LINES = 5;
/** So many processes are brought to rest side by side. */
const AT_ONCE = 8;

export interface ReloadsOptions {
  readonly book: ManifestBook;
  readonly runtime: AgentRuntime;
  readonly journalId: string;
  /** Of the journal. */
  readonly directory: string;
  readonly orphan: (process: string) => Orphan | null;
  readonly onAdded: (process: string) => void;
  readonly onRemoved: (process: string) => Promise<void>;
}

export type Order = Omit<ManifestOrder, 'journalId'>;
type Done = ReloadView['done'][number];

export class ManifestReloads {
  readonly #options: ReloadsOptions;

  constructor(options: ReloadsOptions) {
    this.#options = options;
  }

  /** What is not in force now. */
  async changes(): Promise<ManifestChangesView> {
    const { book } = this.#options;
    await book.look();
    const { pending } = book;
    const shown = pending.slice(0, MAX_CHANGES);
    const share = Math.floor(MAX_ALL_LINES / Math.max(1, shown.length));
    const lines = Math.min(MAX_LINES, Math.max(LEAST_LINES, share));
    return { changes: shown.map((change) => this.view(change, lines)), count: pending.length };
  }

  view(change: PendingChange, maxLines = MAX_LINES): ManifestChangeView {
    const { runtime, orphan } = this.#options;
    const { process } = change;
    const snapshot = process === null ? null : (runtime.processes.get(process)?.snapshot ?? null);
    const notes = notesOf(change, { snapshot, orphan: process === null ? null : orphan(process) });
    return changeView(change, notes, maxLines);
  }

  /**
   * Puts in force what was seen, as it was seen. One that can't be is told, and the others are all the same.
   * @throws `reload.*` with nothing done
   */
  async reload(
    { changes, isRemoving, reason, commandId }: RequestOf<'workspace.reload'>,
    recording: Recording,
  ): Promise<ReloadView> {
    const { book } = this.#options;
    await book.look();
    const wanted =
      changes === null ? usable(book.pending, isRemoving) : changes.map((one) => wantedOf(book.pending, one));
    const goes = wanted.find(({ kind }) => kind === 'removed');
    if (goes !== undefined && !isRemoving) throw isRemoval(goes);
    return this.apply([...new Set(wanted)], { reason, commandId, ...recording });
  }

  /** What goes comes first: it may have the port, or the name, of what comes. */
  async apply(changes: readonly PendingChange[], order: Order): Promise<ReloadView> {
    const done = new Map<PendingChange, Done>();
    const each = async (change: PendingChange): Promise<void> => {
      done.set(change, await this.#applyOne(change, order));
    };
    const goes = changes.filter(({ kind }) => kind === 'removed');
    const comes = changes.filter(({ kind }) => kind !== 'removed');
    await eachLimited(goes, AT_ONCE, each);
    await eachLimited(comes, AT_ONCE, each);
    await this.#options.book.look();
    const all = changes.map((change) => done.get(change)!);
    return { done: all, message: cut(messageOfAll(all), MAX_SENTENCE) };
  }

  async #applyOne(change: PendingChange, order: Order): Promise<Done> {
    const { book, runtime, journalId, directory, onAdded, onRemoved } = this.#options;
    const { process, on, file, kind } = change;
    const who = { file: cut(file, MAX_NAME), process: cutOrNull(process, MAX_NAME), kind };
    try {
      const message = await applyChange(change, { ...order, runtime, journalId, directory });
      if (kind === 'removed') {
        book.gone(process!);
        await onRemoved(process!);
      } else {
        book.runs({ file, text: on!.text!, definition: on!.definition! });
        onAdded(process!);
      }
      return { ...who, ok: true, message: cut(message, MAX_SENTENCE) };
    } catch (error) {
      return { ...who, ok: false, message: cut(messageOf(error), MAX_SENTENCE) };
    }
  }
}

function messageOfAll(all: readonly Done[]): string {
  const [first] = all;
  if (first === undefined) return 'Nothing was put in force: there is nothing that can be.';
  if (all.length === 1) return first.message;
  const good = all.filter(({ ok }) => ok).length;
  const rest = all.length - good;
  return `${counted(good, 'change')} put in force${rest === 0 ? '' : `, ${rest} not`}.`;
}

/** All that can be put in force; what is gone goes only where that is said. */
function usable(pending: readonly PendingChange[], isRemoving: boolean): readonly PendingChange[] {
  return pending.filter(({ kind }) => kind !== 'faulty' && (isRemoving || kind !== 'removed'));
}

/** By the name of a process or of a file. */
function wantedOf(
  pending: readonly PendingChange[],
  { of, id }: { readonly of: string; readonly id: string | null },
): PendingChange {
  const found = pending.filter((one) => one.process === of || one.file === of);
  if (found.length === 0) {
    const those = pending.map(({ process, file }) => process ?? file).join(', ');
    throw new AppError(
      'reload.no-change',
      `${of} is in force as its manifest has it, so there is nothing to load anew. ${those === '' ? 'No manifest changed.' : `Changed are ${cut(those, MAX_SENTENCE)}.`}`,
      { of },
    );
  }
  const [change, second] = id === null ? found : found.filter((one) => one.id === id);
  if (change === undefined) {
    throw new AppError(
      'reload.changed-since',
      `${of} was changed again since you looked at it, so nothing was put in force. Look again.`,
      { of },
    );
  }
  if (second !== undefined) {
    const names = [change, second].map(({ process, file }) => process ?? file).join(' and ');
    throw new AppError('reload.ambiguous', `${of} means ${names}; name one of the processes.`, { of });
  }
  return change;
}

function isRemoval({ process, file }: PendingChange): AppError {
  return new AppError(
    'reload.removes',
    `${file} does not define ${process} any more, so putting that in force stops it and lets go of it. Nothing was done; say that it is to be removed (--remove).`,
    { process, file },
  );
}
