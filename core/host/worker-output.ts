// What a worker writes, kept beside its journal: JSON lines in files of a bounded size, of which the oldest go. It is for
// reading, not for recovery: a power cut may take its end, and nothing that goes wrong here is anybody else's trouble.
//
// * Nothing here waits for a disk on anybody's behalf, and nothing is synced.
// * More than can be kept is dropped, counted, and said.
// * What can't be written stays in memory, the last of it, until it can.

import { statSync } from 'node:fs';
import { tokenBucket } from '../agent/token-bucket.ts';
import { LOCAL_DISK, writeAll, type Disk } from '../journal/disk.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { timestampOf } from '../model/time.ts';
import {
  endsWithLineFeed,
  outputDirectory,
  outputFile,
  outputFiles,
  type OutputLine,
  type OutputStream,
} from './output-files.ts';

const FILE_BYTES = 1024 * 1024;
const KEPT_FILES = 8;
const LINE_BYTES = 16 * 1024;
/** So much more than that comes of a line that is too long. */
const SPARE_CHARACTERS = 4 * 1024;
/** In the long run, with room for what comes at once. */
const BURST_BYTES = 1024 * 1024;
const BYTES_PER_SECOND = 128 * 1024;
/** After a flood, so that its end is not dropped line by line. */
const ROOM_AGAIN_BYTES = 64 * 1024;
const FLUSH_MS = 100;
const FLUSH_BYTES = 64 * 1024;
/** While nothing can be written. */
const KEPT_IN_MEMORY_BYTES = 64 * 1024;
const RETRY_MS = 2_000;

export interface OutputSinkOptions {
  /** Makes a text fit to be written: takes secrets out of it. */
  readonly scrub?: (text: string) => string;
  /** Told once, when output can't be written, and again after it could. The sink has the last one as long as it lasts. */
  readonly onTrouble?: (trouble: AppError) => void;
  readonly disk?: Disk;
  readonly now?: () => number;
}

export interface OutputSink extends Disposable {
  /** Why nothing can be written now; null when it can. */
  readonly trouble: AppError | null;
  /** False in a flood: what comes now would be dropped. */
  hasRoom(): boolean;
  write(line: Omit<OutputLine, 'at'>): void;
  dropped(generation: number, stream: OutputStream, lines: number): void;
  /** Writes what waits, as far as the disk lets. */
  flush(): void;
}

/** Disposing writes what waits. `directory` is the journal's. @throws `journal.name-unsupported` */
export function outputSink(directory: string, process: string, options: OutputSinkOptions = {}): OutputSink {
  return new FileSink(outputDirectory(directory, process), process, options);
}

interface OpenFile {
  readonly number: number;
  readonly sizeBytes: number;
}

class FileSink implements OutputSink {
  readonly #folder: string;
  readonly #process: string;
  readonly #scrub: (text: string) => string;
  readonly #onTrouble: (trouble: AppError) => void;
  readonly #disk: Disk;
  readonly #now: () => number;
  readonly #bucket = tokenBucket({ capacity: BURST_BYTES, perSecond: BYTES_PER_SECOND });
  readonly #dropped = new Map<OutputStream, number>();
  #isFlooded = false;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #file: OpenFile | null = null;
  #timer: NodeJS.Timeout | null = null;
  #trouble: AppError | null = null;
  /** Of what waited too long. */
  #lost = 0;
  #lastGeneration = 0;

  constructor(folder: string, process: string, options: OutputSinkOptions) {
    this.#folder = folder;
    this.#process = process;
    this.#scrub = options.scrub ?? ((text) => text);
    this.#onTrouble = options.onTrouble ?? (() => {});
    this.#disk = options.disk ?? LOCAL_DISK;
    this.#now = options.now ?? Date.now;
  }

  get trouble(): AppError | null {
    return this.#trouble;
  }

  hasRoom(): boolean {
    const level = this.#bucket.level(performance.now());
    this.#isFlooded = level <= (this.#isFlooded ? ROOM_AGAIN_BYTES : 0);
    return !this.#isFlooded;
  }

  write(line: Omit<OutputLine, 'at'>): void {
    if (!this.hasRoom()) {
      this.dropped(line.generation, line.stream, 1);
      return;
    }
    this.#tellDropped();
    this.#lastGeneration = line.generation;
    this.#put({ ...line, text: cutText(this.#scrubbed(line.text)) });
  }

  /** Of a line that came cut, and is shorter by what was taken out of it, half a secret may be at the end. */
  #scrubbed(text: string): string {
    const scrubbed = this.#scrub(text);
    const mayBeCut = scrubbed !== text && Buffer.byteLength(text) > LINE_BYTES;
    return mayBeCut ? scrubbed.slice(0, -SPARE_CHARACTERS) : scrubbed;
  }

  dropped(generation: number, stream: OutputStream, lines: number): void {
    this.#lastGeneration = generation;
    this.#dropped.set(stream, (this.#dropped.get(stream) ?? 0) + lines);
    this.#flushLater(FLUSH_MS);
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.hasRoom()) this.#tellDropped();
    const isMore = this.#dropped.size > 0;
    if (this.#waiting.length > 0) this.#flushNow();
    if (this.#trouble !== null) this.#flushLater(RETRY_MS);
    else if (isMore) this.#flushLater(FLUSH_MS);
  }

  [Symbol.dispose](): void {
    this.#tellDropped();
    this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #tellDropped(): void {
    for (const [stream, lines] of this.#dropped) {
      this.#put({ generation: this.#lastGeneration, stream, text: droppedText(lines) });
    }
    this.#dropped.clear();
  }

  #tellLost(): readonly Buffer[] {
    if (this.#lost === 0) return [];
    return [this.#encode({ generation: this.#lastGeneration, stream: 'err', text: droppedText(this.#lost) })];
  }

  #encode(line: Omit<OutputLine, 'at'>): Buffer {
    return Buffer.from(`${lineText({ at: timestampOf(this.#now()), ...line })}\n`);
  }

  #put(line: Omit<OutputLine, 'at'>): void {
    const bytes = this.#encode(line);
    this.#bucket.take(performance.now(), bytes.length);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#trouble !== null) this.#forgetOldest();
    else if (this.#waitingBytes >= FLUSH_BYTES) this.flush();
    else this.#flushLater(FLUSH_MS);
  }

  /** Only the last is kept while it can't be written. */
  #forgetOldest(): void {
    while (this.#waitingBytes > KEPT_IN_MEMORY_BYTES && this.#waiting.length > 1) {
      this.#waitingBytes -= this.#waiting.shift()!.length;
      this.#lost += 1;
    }
  }

  /** A timer that keeps nothing alive: whoever ends, disposes. */
  #flushLater(delayMs: number): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => this.flush(), delayMs);
    this.#timer.unref();
  }

  #flushNow(): void {
    try {
      const bytes = Buffer.concat([...this.#tellLost(), ...this.#waiting]);
      const file = this.#fileFor(bytes.length);
      this.#file = file;
      this.#append(file, bytes);
      this.#file = { ...file, sizeBytes: file.sizeBytes + bytes.length };
      this.#waiting = [];
      this.#waitingBytes = 0;
      this.#lost = 0;
      this.#trouble = null;
    } catch (error) {
      this.#forgetOldest();
      if (this.#trouble !== null) return;
      this.#trouble = unwritable(this.#process, this.#folder, error);
      this.#onTrouble(this.#trouble);
    }
  }

  #fileFor(bytes: number): OpenFile {
    this.#disk.makeDirectory(this.#folder);
    const file = this.#file ?? this.#newest();
    if (file.sizeBytes === 0 || file.sizeBytes + bytes <= FILE_BYTES) return file;
    const number = file.number + 1;
    for (const old of outputFiles(this.#folder)) {
      if (old <= number - KEPT_FILES) this.#disk.remove(this.#path(old));
    }
    return { number, sizeBytes: 0 };
  }

  /** What an earlier host left goes on, but for one whose last line is half of one: that is left as it is. */
  #newest(): OpenFile {
    const number = outputFiles(this.#folder).at(-1) ?? 1;
    const path = this.#path(number);
    const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return sizeBytes > 0 && !endsWithLineFeed(path, sizeBytes)
      ? { number: number + 1, sizeBytes: 0 }
      : { number, sizeBytes };
  }

  #append(file: OpenFile, bytes: Buffer): void {
    const path = this.#path(file.number);
    const fd = this.#disk.open(path, 'a');
    try {
      writeAll(this.#disk, fd, bytes);
    } catch (error) {
      this.#undo(fd, file, path);
      throw error;
    } finally {
      this.#disk.close(fd);
    }
  }

  /** Half a batch would be written twice; where it can't be cut off, it stands at the end of a file that is left. */
  #undo(fd: number, { number, sizeBytes }: OpenFile, path: string): void {
    try {
      this.#disk.truncate(fd, sizeBytes, path);
    } catch {
      if (sizeBytes > 0) this.#file = { number: number + 1, sizeBytes: 0 };
      else this.#disk.remove(path);
    }
  }

  #path(number: number): string {
    return outputFile(this.#folder, number);
  }
}

function droppedText(lines: number): string {
  return `… ${lines} lines dropped`;
}

function unwritable(process: string, folder: string, cause: unknown): AppError {
  return new AppError(
    'output.unwritable',
    `What the workers of ${process} write can't be kept in ${folder}: ${messageOf(cause)}. The process goes on; make room on the disk, or make the folder writable, and its output is kept again.`,
    { process, folder, code: codeOf(cause) },
    { cause },
  );
}

/** As one line of JSON in which no control character stands as it is. */
function lineText(line: OutputLine): string {
  return JSON.stringify(line).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** As much of the beginning as fits, without half a character. */
function cutText(text: string): string {
  if (text.length * 3 <= LINE_BYTES) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= LINE_BYTES) return text;
  let end = LINE_BYTES - Buffer.byteLength('…');
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}
