import { writeAll, type Disk } from './disk.ts';

const BUFFER_BYTES = 1024 * 1024;

/** A new file that is written line by line, in larger pieces. */
export class PartFile implements Disposable {
  readonly path: string;
  readonly #disk: Disk;
  #fd: number;
  #buffer: Buffer[] = [];
  #buffered = 0;
  #sizeBytes = 0;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.path = path;
    this.#fd = disk.open(path, 'w');
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  write(bytes: Buffer): void {
    this.#buffer.push(bytes);
    this.#buffered += bytes.length;
    this.#sizeBytes += bytes.length;
    if (this.#buffered >= BUFFER_BYTES) this.#flush();
  }

  /** All of it is durable when this resolves. */
  async finish(): Promise<void> {
    this.#flush();
    await this.#disk.sync(this.#fd);
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#fd < 0) return;
    this.#disk.close(this.#fd);
    this.#fd = -1;
  }

  #flush(): void {
    writeAll(this.#disk, this.#fd, Buffer.concat(this.#buffer));
    this.#buffer = [];
    this.#buffered = 0;
  }
}
