// The local disk, with a record of all that was done to it. What a crash could leave is worked out from the record, by
// crash-states.ts; nothing here decides what is durable. Nothing is really synced: the record is what counts.

import { constants, existsSync, fstatSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import type { FileId, Operation, Recording } from './operations.ts';
import { readTree } from './trees.ts';

interface OpenFile {
  readonly file: FileId;
  readonly appends: boolean;
  position: number;
}

export class RecordingDisk implements Disk, Recording {
  readonly #root: string;
  readonly #operations: Operation[] = [];
  readonly #names = new Map<string, FileId>();
  readonly #directories = new Set<string>();
  readonly #open = new Map<number, OpenFile>();
  #lastFile: FileId = 0;
  readonly before: Recording['before'];
  readonly fileIds: Recording['fileIds'];
  readonly inodes = new Map<number, FileId>();

  /** Records what is done below `root`, beginning with what is there. Anything outside is refused. */
  constructor(root: string) {
    this.#root = root;
    this.before = readTree(root);
    for (const [path, bytes] of this.before) {
      if (bytes === null) {
        this.#directories.add(path);
        continue;
      }
      this.#names.set(path, (this.#lastFile += 1));
      this.inodes.set(statSync(join(root, path)).ino, this.#lastFile);
    }
    this.fileIds = new Map(this.#names);
  }

  get operations(): readonly Operation[] {
    return this.#operations;
  }

  /** The writer said that this entry is as durable as it promises. */
  acknowledged(process: string, entryId: string): void {
    this.#operations.push({ kind: 'acknowledged', process, entryId });
  }

  open(path: string, flags: number | string): number {
    const name = this.#nameOf(path);
    this.#noticeDirectory(dirname(path));
    const isNew = !existsSync(path);
    const fd = LOCAL_DISK.open(path, flags);
    if (isNew) {
      this.#names.set(name, (this.#lastFile += 1));
      this.inodes.set(fstatSync(fd).ino, this.#lastFile);
      this.#operations.push({ kind: 'create', path: name, file: this.#lastFile });
    }
    const file = this.#fileAt(name);
    if (!isNew && truncates(flags)) this.#operations.push({ kind: 'truncate', file, sizeBytes: 0 });
    this.#open.set(fd, { file, appends: appends(flags), position: 0 });
    return fd;
  }

  close(fd: number): void {
    this.#open.delete(fd);
    LOCAL_DISK.close(fd);
  }

  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null): number {
    const opened = this.#opened(fd);
    const size = fstatSync(fd).size;
    const written = LOCAL_DISK.write(fd, bytes, offset, length, position);
    // Linux appends to a file that is open for it, whatever position is asked for.
    const at = opened.appends ? size : (position ?? opened.position);
    if (position === null) opened.position = at + written;
    const copy = Buffer.from(bytes.subarray(offset, offset + written));
    if (written > 0) this.#operations.push({ kind: 'write', file: opened.file, offset: at, bytes: copy });
    return written;
  }

  truncate(fd: number, sizeBytes: number, path: string): void {
    LOCAL_DISK.truncate(fd, sizeBytes, path);
    this.#operations.push({ kind: 'truncate', file: this.#opened(fd).file, sizeBytes });
  }

  /** Takes a turn of the event loop, as a thread would, but always the same one, so that a run can be repeated. */
  async sync(fd: number, isAlive: () => boolean = () => true): Promise<void> {
    const { file } = this.#opened(fd);
    const since = this.#operations.length;
    await nextTurn();
    if (isAlive()) this.#operations.push({ kind: 'sync', file, since });
  }

  syncNow(fd: number): void {
    const since = this.#operations.length;
    this.#operations.push({ kind: 'sync', file: this.#opened(fd).file, since });
  }

  async syncDirectory(path: string, isAlive: () => boolean = () => true): Promise<void> {
    const name = this.#nameOf(path);
    const since = this.#operations.length;
    await nextTurn();
    if (isAlive()) this.#operations.push({ kind: 'sync-directory', path: name, since });
  }

  rename(from: string, to: string): void {
    this.#noticeDirectory(dirname(to));
    LOCAL_DISK.rename(from, to);
    const [source, target] = [this.#nameOf(from), this.#nameOf(to)];
    const file = this.#fileAt(source);
    this.#names.delete(source);
    this.#names.set(target, file);
    this.#operations.push({ kind: 'rename', from: source, to: target, file });
  }

  remove(path: string): void {
    const name = this.#nameOf(path);
    LOCAL_DISK.remove(path);
    if (this.#names.delete(name)) this.#operations.push({ kind: 'remove', path: name });
  }

  makeDirectory(path: string): void {
    LOCAL_DISK.makeDirectory(path);
    this.#noticeDirectory(path);
  }

  /** Puts on record that a sync failed; what it covered may or may not have reached the disk. */
  async failSync(fd: number): Promise<void> {
    const { file } = this.#opened(fd);
    const since = this.#operations.length;
    await nextTurn();
    this.#operations.push({ kind: 'failed-sync', file, since });
  }

  failSyncNow(fd: number): void {
    const since = this.#operations.length;
    this.#operations.push({ kind: 'failed-sync', file: this.#opened(fd).file, since });
  }

  /** Some are made with the lock, which is not recorded: they are on record from the moment they are used. */
  #noticeDirectory(path: string): void {
    const name = this.#nameOf(path);
    if (name === '' || this.#directories.has(name)) return;
    this.#noticeDirectory(dirname(path));
    this.#directories.add(name);
    this.#operations.push({ kind: 'make-directory', path: name });
  }

  #nameOf(path: string): string {
    const name = relative(this.#root, path).split(sep).join('/');
    if (name.startsWith('..')) throw new Error(`${path} lies outside of what is recorded`);
    return name;
  }

  #fileAt(name: string): FileId {
    const file = this.#names.get(name);
    if (file === undefined) throw new Error(`${name} was made by somebody who is not recorded`);
    return file;
  }

  #opened(fd: number): OpenFile {
    const opened = this.#open.get(fd);
    if (opened === undefined) throw new Error(`descriptor ${fd} was not opened through this disk`);
    return opened;
  }
}

function appends(flags: number | string): boolean {
  return typeof flags === 'string' ? flags.includes('a') : (flags & constants.O_APPEND) !== 0;
}

function truncates(flags: number | string): boolean {
  return typeof flags === 'string' ? flags.includes('w') : (flags & constants.O_TRUNC) !== 0;
}
