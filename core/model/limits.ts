// How much one thing from agent code may take: what an open invocation wrote is in every checkpoint that is written
// meanwhile [S20].

import { AppError } from './errors.ts';
import type { Json } from './json.ts';

/** Of one value that it writes, says, sends or waits with, as JSON in UTF-8. */
export const MAX_VALUE_BYTES = 1024 * 1024;
/** Of what an effect gives; what is large lies beside the journal [S16]. */
export const MAX_RESULT_BYTES = 16 * 1024 * 1024;
/** Characters of one message of a conversation, of a key of the state, and of an error's text and code. */
export const MAX_CONTENT = 1_000_000;
/** Of one record of an agent's memory, in characters. */
export const MAX_MEMORY_TEXT = 20_000;
export const MAX_STATE_KEY = 10_000;
export const MAX_ERROR_TEXT = 10_000;
export const MAX_CODE = 200;
/** Of a model's name, and the tokens of one kind that a call can tell of. */
export const MAX_MODEL_NAME = 200;
export const MAX_TOKENS = 1e12;
/** Of the ids of what an invocation waits for, which are told for a person. */
export const MAX_TOLD_WAITS = 100;

/** Of a value as JSON, in UTF-8. */
export function jsonBytes(value: Json): number {
  const text = JSON.stringify(value);
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // Half of a pair takes two of the four bytes of its character.
    if (unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff)) bytes += 2;
    else if (unit > 0x7f) bytes += 1;
  }
  return bytes;
}

/**
 * `what`: the subject of the sentence.
 * @throws `<area>.too-large`
 */
export function refuseTooLarge(area: string, what: string, value: Json): void {
  const bytes = jsonBytes(value);
  if (bytes <= MAX_VALUE_BYTES) return;
  throw new AppError(
    `${area}.too-large`,
    `${what} has ${bytes} bytes as JSON, and ${MAX_VALUE_BYTES} is the most. Keep it elsewhere, and put here where it lies.`,
    { bytes, max: MAX_VALUE_BYTES },
  );
}
