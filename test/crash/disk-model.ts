// The disk and its cache while a record is played back, and what a crash may leave of them at that moment.

import { CachedFile } from './cached-file.ts';
import { CachedNames, type Names, type NamesChoice } from './cached-names.ts';
import type { FileId, Operation, Recording, Tree } from './operations.ts';
import { below } from './random.ts';
import { reachable } from './trees.ts';

export interface CrashState {
  readonly kind: 'kill' | 'power cut';
  /** The world ended before this operation. */
  readonly point: number;
  readonly how: string;
  readonly tree: Tree;
  /** Which file of the record lies at a path. */
  readonly names: Names;
  /** What is there whatever happens. */
  readonly sure: Tree;
}

export type Write = Extract<Operation, { kind: 'write' }>;

/** The first few contents of a file are all and nothing. */
const PLAINEST = 2;

export class DiskModel {
  readonly #files = new Map<FileId, CachedFile>();
  readonly #names: CachedNames;
  readonly #touched = new Set<FileId>();
  #surely: { readonly point: number; readonly tree: Tree } | null = null;

  constructor({ before, fileIds }: Recording) {
    for (const [path, file] of fileIds) this.#files.set(file, new CachedFile(before.get(path)!));
    this.#names = new CachedNames(
      new Map([...before.keys()].map((path) => [path, fileIds.get(path) ?? null])),
    );
  }

  apply(at: number, operation: Operation): void {
    if ('file' in operation) this.#touched.add(operation.file);
    switch (operation.kind) {
      case 'create':
        this.#files.set(operation.file, new CachedFile());
        this.#names.add(at, operation.path, operation.file);
        return;
      case 'write':
        this.#file(operation.file).write(at, operation.offset, operation.bytes);
        return;
      case 'truncate':
        this.#file(operation.file).truncate(at, operation.sizeBytes);
        return;
      case 'sync':
        this.#file(operation.file).sync(operation.since);
        return;
      case 'failed-sync':
        this.#file(operation.file).failSync(operation.since);
        return;
      case 'sync-directory':
        this.#names.syncDirectory(operation.path, operation.since);
        return;
      case 'rename':
        this.#names.rename(at, operation.from, operation.to, operation.file);
        return;
      case 'remove':
        this.#names.remove(at, operation.path);
        return;
      case 'make-directory':
        this.#names.add(at, operation.path, null);
        return;
      case 'acknowledged':
        return;
    }
  }

  get isSettled(): boolean {
    return this.#names.isSettled && [...this.#files.values()].every((file) => file.isSettled);
  }

  sizeOf(file: FileId): number {
    return this.#file(file).cached().length;
  }

  cachedTree(): Tree {
    return this.#tree(this.#names.cached(), (file) => file.cached());
  }

  /** With the beginning of one more write, if one was under way. */
  killed(point: number, torn: Write | null): CrashState {
    const tree = this.#tree(this.#names.cached(), (file, id) => {
      if (id !== torn?.file) return file.cached();
      const bytes = file.cached();
      const end = torn.offset + torn.bytes.length;
      return Buffer.concat([bytes.subarray(0, torn.offset), torn.bytes, bytes.subarray(end)]);
    });
    const how = torn === null ? 'between two operations' : `after ${torn.bytes.length} bytes of it`;
    return { kind: 'kill', point, how, tree, names: this.#names.cached(), sure: tree };
  }

  /** Names in any order, with all that was written and with all of it lost. */
  *namesCutOff(point: number): Generator<() => CrashState> {
    for (const names of this.#names.choices()) {
      yield () => this.#cut(point, names, (file) => file.cached(), 'all written');
      yield () => this.#cut(point, names, (file) => file.oldest(), 'nothing written');
    }
  }

  /**
   * Each thing that can go wrong, with everything else as it was and with everything else lost. Of a file that nothing
   * was done to since the last crash point, only the plainest: the rest was there.
   */
  *cutOff(point: number): Generator<() => CrashState> {
    const latest = (file: CachedFile): Buffer => file.cached();
    const oldest = (file: CachedFile): Buffer => file.oldest();
    const all: NamesChoice = { names: this.#names.cached(), how: 'all names' };
    yield* this.namesCutOff(point);
    for (const [open, file] of this.#files) {
      if (file.isSettled) continue;
      let count = 0;
      for (const { bytes, how } of file.contents()) {
        if ((count += 1) > PLAINEST && !this.#touched.has(open)) break;
        const what = `file ${open}: ${how}; of the others`;
        yield () => this.#cut(point, all, otherThan(file, bytes(), latest), `${what} all written`);
        yield () => this.#cut(point, all, otherThan(file, bytes(), oldest), `${what} nothing`);
      }
    }
    this.#touched.clear();
  }

  cutOffAtRandom(point: number, random: () => number): CrashState {
    const isPlain = below(random, 2) === 0;
    const names = isPlain ? { names: this.#names.cached(), how: 'all names' } : this.#names.random(random);
    return this.#cut(point, names, (file) => file.random(random).bytes(), 'any sectors of anything');
  }

  #cut(
    point: number,
    { names, how }: NamesChoice,
    content: (file: CachedFile) => Buffer,
    what: string,
  ): CrashState {
    const tree = this.#tree(names, content);
    return { kind: 'power cut', point, how: `${how}; ${what}`, tree, names, sure: this.#sure(point) };
  }

  #sure(point: number): Tree {
    if (this.#surely?.point !== point) {
      const tree = this.#tree(this.#names.oldest(), (file) => file.oldest());
      this.#surely = { point, tree };
    }
    return this.#surely.tree;
  }

  #tree(names: Names, content: (file: CachedFile, id: FileId) => Buffer): Tree {
    const tree = new Map<string, Buffer | null>();
    for (const [path, id] of names) tree.set(path, id === null ? null : content(this.#file(id), id));
    return reachable(tree);
  }

  #file(id: FileId): CachedFile {
    const file = this.#files.get(id);
    if (file === undefined) throw new Error(`file ${id} is on no record`);
    return file;
  }
}

function otherThan(
  file: CachedFile,
  bytes: Buffer,
  content: (file: CachedFile) => Buffer,
): (file: CachedFile) => Buffer {
  return (other) => (other === file ? bytes : content(other));
}
