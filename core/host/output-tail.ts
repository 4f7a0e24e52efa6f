import { outputMark } from '../agent/worker-harness.ts';

const KEPT_BYTES = 64 * 1024;

/** The end of what a worker wrote to either stream, whatever became of the rest. */
export class OutputTail {
  readonly #mark: RegExp;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(mark: string) {
    this.#mark = new RegExp(outputMark(mark, 0).replace(/0+(?=\u001e$)/, '\\d+'), 'g');
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes - this.#chunks[0]!.length >= KEPT_BYTES) this.#bytes -= this.#chunks.shift()!.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).subarray(-KEPT_BYTES).toString('utf8').replaceAll(this.#mark, '');
  }
}
