// A disk that fails once, or from then on, at an operation that was chosen beforehand. What it did of that operation is on
// record below; what it says of it is decided here.

import type { Disk } from '../../core/journal/disk.ts';
import type { RecordingDisk } from './recording-disk.ts';

export const FAILING = [
  'open',
  'write',
  'truncate',
  'sync',
  'sync-directory',
  'rename',
  'remove',
  'make-directory',
] as const;
export type Failing = (typeof FAILING)[number];

export interface Fault {
  readonly on: Failing;
  /** Which of them, from 1. */
  readonly nth: number;
  readonly code: 'EIO' | 'ENOSPC';
  /** How much of it was done all the same. Of a write that is done in part, a full disk says so first and fails next. */
  readonly done: 'nothing' | 'part' | 'all';
  /** How often it fails in a row. */
  readonly times?: number;
}

export function sayFault({ on, nth, code, done, times = 1 }: Fault): string {
  return `${code} on ${on} ${nth}, ${done} of it done${times === 1 ? '' : `, ${times} times`}`;
}

export class FaultyDisk implements Disk {
  readonly #disk: RecordingDisk;
  readonly #fault: Fault | null;
  readonly #counts = new Map<Failing, number>();
  #failed = 0;

  constructor(disk: RecordingDisk, fault: Fault | null) {
    this.#disk = disk;
    this.#fault = fault;
  }

  /** How often each operation was asked for. */
  get counts(): ReadonlyMap<Failing, number> {
    return this.#counts;
  }

  /** Whether there was a fault. */
  get hasFailed(): boolean {
    return this.#failed > 0;
  }

  open(path: string, flags: number | string): number {
    if (this.#isNext('open')) throw this.#error();
    return this.#disk.open(path, flags);
  }

  close(fd: number): void {
    this.#disk.close(fd);
  }

  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null): number {
    if (!this.#isNext('write')) return this.#disk.write(fd, bytes, offset, length, position);
    const { done, code } = this.#fault!;
    const part = done === 'nothing' ? 0 : done === 'all' ? length : Math.ceil(length / 2);
    const written = part === 0 ? 0 : this.#disk.write(fd, bytes, offset, part, position);
    // A full disk gives the short count, and the write of the rest fails.
    if (code === 'ENOSPC' && written > 0 && this.#failed === 1) return written;
    throw this.#error();
  }

  truncate(fd: number, sizeBytes: number, path: string): void {
    this.#perform('truncate', () => this.#disk.truncate(fd, sizeBytes, path));
  }

  async sync(fd: number): Promise<void> {
    if (!this.#isNext('sync')) return this.#disk.sync(fd);
    await this.#disk.failSync(fd);
    throw this.#error();
  }

  syncNow(fd: number): void {
    if (!this.#isNext('sync')) return this.#disk.syncNow(fd);
    this.#disk.failSyncNow(fd);
    throw this.#error();
  }

  async syncDirectory(path: string): Promise<void> {
    const fails = this.#isNext('sync-directory');
    if (!fails || this.#fault!.done === 'all') await this.#disk.syncDirectory(path);
    if (fails) throw this.#error();
  }

  rename(from: string, to: string): void {
    this.#perform('rename', () => this.#disk.rename(from, to));
  }

  remove(path: string): void {
    this.#perform('remove', () => this.#disk.remove(path));
  }

  makeDirectory(path: string): void {
    this.#perform('make-directory', () => this.#disk.makeDirectory(path));
  }

  #perform(on: Failing, perform: () => void): void {
    const fails = this.#isNext(on);
    if (!fails || this.#fault!.done === 'all') perform();
    if (fails) throw this.#error();
  }

  /** Counts the operation; true where it is one that fails. */
  #isNext(on: Failing): boolean {
    const count = (this.#counts.get(on) ?? 0) + 1;
    this.#counts.set(on, count);
    if (this.#fault?.on !== on) return false;
    const { nth, times = 1, code, done } = this.#fault;
    // Of a short write, the count that it gives is not yet a failure.
    const failures = on === 'write' && code === 'ENOSPC' && done !== 'nothing' ? times + 1 : times;
    const fails = count >= nth && count < nth + failures;
    if (fails) this.#failed += 1;
    return fails;
  }

  #error(): Error {
    const { code, on } = this.#fault!;
    const text = code === 'EIO' ? 'i/o error' : 'no space left on device';
    return Object.assign(new Error(`${code}: ${text}, ${on}`), { code, errno: code === 'EIO' ? -5 : -28 });
  }
}
