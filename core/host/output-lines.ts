// Bytes of a worker's stream to lines. Bounded in all that it keeps; a line that is too long keeps its beginning. Marks in
// the stream say which run it belongs to: they come in order with what the agent writes, unlike messages.

import { outputMark } from '../agent/worker-harness.ts';
import type { WorkerOutput } from '../model/ports.ts';

/** More than is kept of a line, so that a secret at the cut is still whole when it is scrubbed. */
const MAX_LINE_BYTES = 20 * 1024;
const LINE_FEED = 0x0a;
const RECORD_SEPARATOR = 0x1e;

export class OutputLines {
  readonly #stream: 'out' | 'err';
  readonly #mark: Buffer;
  readonly #markBytes: number;
  readonly #output: WorkerOutput;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #hasLine = false;
  #begunMark: Buffer | null = null;
  #run: number | null = null;
  #dropped = 0;

  constructor(stream: 'out' | 'err', mark: string, output: WorkerOutput) {
    this.#stream = stream;
    this.#mark = Buffer.from(`\u001e${mark}`);
    this.#markBytes = outputMark(mark, 0).length;
    this.#output = output;
  }

  push(bytes: Buffer): void {
    const chunk = this.#begunMark === null ? bytes : Buffer.concat([this.#begunMark, bytes]);
    this.#begunMark = null;
    for (let at = 0; at < chunk.length;) {
      const found = chunk.indexOf(RECORD_SEPARATOR, at);
      this.#text(chunk, at, found === -1 ? chunk.length : found);
      if (found === -1) break;
      at = this.#separator(chunk, found);
    }
    this.#tellDropped();
  }

  /** Nothing more comes: what has no line feed is a line all the same. */
  end(): void {
    if (this.#begunMark !== null) this.#text(this.#begunMark, 0, this.#begunMark.length);
    this.#begunMark = null;
    this.#endLine();
    this.#tellDropped();
  }

  /** Takes a mark out of the stream, or leaves what only looks like one; gives where to go on. */
  #separator(chunk: Buffer, at: number): number {
    const seen = chunk.subarray(at, at + this.#markBytes);
    const known = Math.min(seen.length, this.#mark.length);
    if (!seen.subarray(0, known).equals(this.#mark.subarray(0, known))) {
      this.#text(chunk, at, at + 1);
      return at + 1;
    }
    if (seen.length < this.#markBytes) {
      this.#begunMark = Buffer.from(seen);
      return chunk.length;
    }
    // What has no line feed yet was written by whoever had the worker before.
    this.#endLine();
    const run = Number(seen.toString('latin1', this.#mark.length, this.#markBytes - 1));
    this.#run = run > 0 ? run : null;
    return at + this.#markBytes;
  }

  #text(chunk: Buffer, from: number, to: number): void {
    for (let at = from; at < to;) {
      if (!this.#output.hasRoom()) {
        this.#count(chunk, at, to);
        return;
      }
      const end = chunk.indexOf(LINE_FEED, at);
      const isWhole = end !== -1 && end < to;
      this.#keep(chunk, at, isWhole ? end : to);
      if (!isWhole) return;
      this.#hasLine = true;
      this.#endLine();
      at = end + 1;
    }
  }

  /** As little work as possible for what nobody will read. */
  #count(chunk: Buffer, from: number, to: number): void {
    let begin = from;
    for (let at = from; at < to; at += 1) {
      if (chunk[at] !== LINE_FEED) continue;
      this.#dropped += 1;
      begin = at + 1;
    }
    if (begin > from) this.#forget();
    this.#keep(chunk, begin, to);
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (to > from) this.#hasLine = true;
    const room = MAX_LINE_BYTES - this.#pieceBytes;
    if (room <= 0 || to <= from) return;
    // A copy: a view would keep the whole chunk alive.
    const piece = Buffer.from(chunk.subarray(from, Math.min(to, from + room)));
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
  }

  #endLine(): void {
    if (!this.#hasLine) return;
    const text = Buffer.concat(this.#pieces).toString('utf8');
    this.#forget();
    if (!this.#output.hasRoom()) this.#dropped += 1;
    else
      this.#output.onLine({
        stream: this.#stream,
        text: text.endsWith('\r') ? text.slice(0, -1) : text,
        run: this.#run,
      });
  }

  #forget(): void {
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#hasLine = false;
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    this.#output.onDropped(this.#stream, this.#dropped);
    this.#dropped = 0;
  }
}
