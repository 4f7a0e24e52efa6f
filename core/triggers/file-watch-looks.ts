// Looks at files, and keeps in the ledger what is found. One look at a time, so that no older answer overtakes a newer
// one.

import { dirname, sep } from 'node:path';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { inside, JOURNAL_MARKER, listFolder, lookAtAll } from './file-watch-disk.ts';
import type { FileLedger } from './file-watch-ledger.ts';

/** What is wrong with a disk, as far as it was looked at. */
export interface DiskTrouble {
  readonly code: string;
  readonly message: string;
}

/** Which files that were not known are news: all, none, or those that are younger than the watch. */
type News = 'all' | 'none' | 'younger';

export interface LooksOptions {
  readonly root: string;
  readonly matches: (name: string) => boolean;
  readonly isShared: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly monotonic: () => number;
  /** True when nothing more is wanted. */
  readonly isOver: () => boolean;
}

export class FolderLooks {
  readonly #options: LooksOptions;
  readonly #ledger: FileLedger;
  /** Folders that could not be read since the start: what is in them once they can is no news if it is older. */
  readonly #neverRead = new Set<string>();
  /** Folders that are journals: what is told of them is written into one, and would be told of for ever. */
  readonly #journals = new Set<string>();

  constructor(ledger: FileLedger, options: LooksOptions) {
    this.#ledger = ledger;
    this.#options = options;
  }

  /** Whether nothing is told of it, whatever happens to it. */
  isLeftOut(path: string): boolean {
    return this.#journals.size > 0 && isBehind(this.#journals, dirname(path));
  }

  /** What was hidden until now is left for a look at everything to judge. */
  async atHinted(paths: readonly string[]): Promise<void> {
    await this.#at(
      paths.filter((path) => !isBehind(this.#neverRead, dirname(path))),
      'all',
    );
  }

  async again(paths: readonly string[]): Promise<void> {
    await this.#at(paths, 'all');
  }

  /**
   * Takes all there is as known.
   * @throws `trigger.bad-path` when the folder can't be read, or is a journal
   */
  async first(): Promise<DiskTrouble | null> {
    const { root } = this.#options;
    const listing = await listFolder(root);
    if (listing.kind === 'unknown') throw unreadable(root, listing.error);
    if (listing.kind === 'listed' && listing.names.includes(JOURNAL_MARKER)) {
      throw new AppError('trigger.bad-path', journalText(root), { path: root });
    }
    return this.#atEverything(true, async () => {});
  }

  /** `between` is called after every folder, so that nothing else waits for a large tree. */
  async atEverything(between: () => Promise<void>): Promise<DiskTrouble | null> {
    return this.#atEverything(false, between);
  }

  async #atEverything(isFirst: boolean, between: () => Promise<void>): Promise<DiskTrouble | null> {
    const { root, isOver } = this.#options;
    const seen = new Set<string>();
    const unread = new Set<string>();
    let trouble: DiskTrouble | null = null;
    const todo = [root];
    this.#ledger.lookBegins();
    for (let folder = todo.pop(); folder !== undefined && !isOver(); folder = todo.pop()) {
      const listing = await listFolder(folder);
      switch (listing.kind) {
        case 'listed': {
          if (listing.names.includes(JOURNAL_MARKER)) {
            this.#journals.add(folder);
            if (folder === root) trouble = { code: 'trigger.bad-path', message: journalText(root) };
            break;
          }
          this.#journals.delete(folder);
          seen.add(folder);
          const isOld = this.#neverRead.delete(folder);
          for (const inner of inside(folder, listing.folders)) {
            todo.push(inner);
            if (isOld) this.#neverRead.add(inner);
          }
          const found = await this.#inFolder(
            folder,
            listing.names.filter(this.#options.matches),
            isFirst ? 'none' : isOld ? 'younger' : 'all',
          );
          trouble ??= found;
          break;
        }
        case 'unknown':
          unread.add(folder);
          if (isFirst) this.#neverRead.add(folder);
          trouble ??= hidden(folder, listing.error);
          break;
        case 'none':
          if (folder === root) trouble = gone(root);
          break;
      }
      await between();
    }
    // Folders that were not come by, and are not behind one that can't be read, are gone, or came just now.
    for (const folder of this.#ledger.folders) {
      if (isOver()) return trouble;
      if (!seen.has(folder) && !isBehind(unread, folder) && !isBehind(this.#journals, folder)) {
        await this.#at(inside(folder, this.#ledger.namesIn(folder)), 'all');
      }
    }
    this.#ledger.lookEnds();
    return trouble;
  }

  async #inFolder(folder: string, names: readonly string[], news: News): Promise<DiskTrouble | null> {
    const all = new Set([...names, ...this.#ledger.namesIn(folder)]);
    const error = await this.#at(inside(folder, [...all]), news);
    if (error !== null) {
      if (news !== 'all') this.#neverRead.add(folder);
      return hidden(folder, error);
    }
    const odd = names.find((name) => name.includes('\uFFFD'));
    if (odd === undefined || this.#ledger.namesIn(folder).includes(odd)) return null;
    return {
      code: 'trigger.unreadable-name',
      message: `${folder} has a file whose name is not UTF-8, about "${odd}", and it is not told of. Give it another name.`,
    };
  }

  /** What is not known stays as it was; one of the reasons, or null. */
  async #at(paths: readonly string[], news: News): Promise<Error | null> {
    const { isShared, startedAt, monotonic } = this.#options;
    let unknown: Error | null = null;
    await lookAtAll(paths, isShared, (path, look) => {
      switch (look.kind) {
        case 'unknown':
          unknown = look.error;
          break;
        case 'none':
          this.#ledger.saw(path, null, monotonic());
          break;
        case 'file':
          if (news === 'all' || (news === 'younger' && look.print.ctimeMs >= startedAt)) {
            this.#ledger.saw(path, look.print, monotonic());
          } else this.#ledger.take(path, look.print);
      }
    });
    return unknown;
  }
}

function isBehind(hidden: ReadonlySet<string>, folder: string): boolean {
  for (const one of hidden) if (folder === one || folder.startsWith(one + sep)) return true;
  return false;
}

function hidden(folder: string, error: Error): DiskTrouble {
  return {
    code: 'trigger.unreadable',
    message: `${folder} can't be looked at, so what happens in it is not known: ${messageOf(error)}.`,
  };
}

function gone(root: string): DiskTrouble {
  return {
    code: 'trigger.folder-gone',
    message: `${root} is gone. It is watched again as soon as it is there.`,
  };
}

function unreadable(path: string, error: Error): AppError {
  return new AppError(
    'trigger.bad-path',
    `${path} can't be read: ${messageOf(error)}. Name a folder that can be watched.`,
    { path, code: codeOf(error) },
    { cause: error },
  );
}

function journalText(path: string): string {
  return `${path} is a journal, which changes with everything that is told of it. Name a folder of files.`;
}
