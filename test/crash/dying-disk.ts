// The disk of a process that is killed between two operations: from then on nothing that it tries has any effect. What it
// did stays in the cache, and whoever comes next goes on from there, on the same record.

import type { Disk } from '../../core/journal/disk.ts';
import type { RecordingDisk } from './recording-disk.ts';

export class DyingDisk implements Disk {
  readonly #disk: RecordingDisk;
  readonly #lastWords: number;

  /** Dies once `operations` are on record. */
  constructor(disk: RecordingDisk, operations: number) {
    this.#disk = disk;
    this.#lastWords = operations;
  }

  get isDead(): boolean {
    return this.#disk.operations.length >= this.#lastWords;
  }

  open(path: string, flags: number | string): number {
    this.#live();
    return this.#disk.open(path, flags);
  }

  /** The kernel does it for the dead. */
  close(fd: number): void {
    this.#disk.close(fd);
  }

  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null): number {
    this.#live();
    return this.#disk.write(fd, bytes, offset, length, position);
  }

  truncate(fd: number, sizeBytes: number, path: string): void {
    this.#live();
    this.#disk.truncate(fd, sizeBytes, path);
  }

  async sync(fd: number): Promise<void> {
    this.#live();
    await this.#disk.sync(fd, () => !this.isDead);
    this.#live();
  }

  syncNow(fd: number): void {
    this.#live();
    this.#disk.syncNow(fd);
  }

  async syncDirectory(path: string): Promise<void> {
    this.#live();
    await this.#disk.syncDirectory(path, () => !this.isDead);
    this.#live();
  }

  rename(from: string, to: string): void {
    this.#live();
    this.#disk.rename(from, to);
  }

  remove(path: string): void {
    this.#live();
    this.#disk.remove(path);
  }

  makeDirectory(path: string): void {
    this.#live();
    this.#disk.makeDirectory(path);
  }

  #live(): void {
    if (this.isDead) throw Object.assign(new Error('killed'), { code: 'KILLED' });
  }
}
