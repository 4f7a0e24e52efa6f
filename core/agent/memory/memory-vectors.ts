// Vectors as they are kept, four bytes a number, and how alike two of them are.

import { AppError } from '../../model/errors.ts';

const MAX_DIMENSIONS = 16_384;
const BYTES = Float32Array.BYTES_PER_ELEMENT;

/** @throws `memory.bad-vector` for what is no vector, or one of no length or none that can be told */
export function vectorOf(numbers: readonly number[]): Float32Array {
  const values = Float32Array.from(numbers);
  const isUsable =
    values.length > 0 &&
    values.length <= MAX_DIMENSIONS &&
    values.every((value) => Number.isFinite(value)) &&
    values.some((value) => value !== 0);
  if (isUsable) return values;
  throw new AppError(
    'memory.bad-vector',
    `The embedding model gave ${numbers.length} numbers that are no vector: 1 to ${MAX_DIMENSIONS} of them, all finite and not all 0.`,
  );
}

/** In the order of bytes that every machine of today has. */
export function packVector(values: Float32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

export function unpackVector(bytes: Uint8Array): Float32Array {
  // It may begin at any address, and share its buffer with others.
  return new Float32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.byteLength / BYTES));
}

/** From -1 to 1; null where they can't be compared: a model may have come to give vectors of another length. */
export function cosine(a: Float32Array, b: Float32Array): number | null {
  if (a.length !== b.length) return null;
  let [dot, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [x, y] = [a[at]!, b[at]!];
    dot += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  const length = Math.sqrt(ofA * ofB);
  return length === 0 ? 0 : Math.max(-1, Math.min(1, dot / length));
}
