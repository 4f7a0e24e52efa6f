import { outputMark } from '../agent/worker-harness.ts';

const KEPT_BYTES = 64 * 1024;
/** What a secret may begin in, that is cut off in front. */
const MORE_BYTES = 32 * 1024;

/** The end of what a worker wrote to either stream, whatever became of the rest. */
export class OutputTail {
  readonly #mark: RegExp;
  readonly #scrub: (text: string) => string;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(mark: string, scrub: (text: string) => string = (text) => text) {
    this.#scrub = scrub;
    this.#mark = new RegExp(outputMark(mark, 0).replace(/0+(?=\u001e$)/, '\\d+'), 'g');
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#isCut ||= this.#bytes > KEPT_BYTES + MORE_BYTES;
    while (this.#bytes - this.#chunks[0]!.length >= KEPT_BYTES + MORE_BYTES)
      this.#bytes -= this.#chunks.shift()!.length;
  }

  text(): string {
    const all = Buffer.concat(this.#chunks).subarray(-KEPT_BYTES - MORE_BYTES);
    const scrubbed = Buffer.from(this.#scrub(all.toString('utf8').replaceAll(this.#mark, '')));
    // Where more came before it, half a secret may stand in front.
    const kept = this.#isCut ? Math.min(KEPT_BYTES, scrubbed.length - MORE_BYTES) : KEPT_BYTES;
    return kept > 0 ? scrubbed.subarray(-kept).toString('utf8') : '';
  }
}
