import { parseLossless } from '../journal/lossless.ts';
import { AppError, messageOf } from '../model/errors.ts';
import type { Json } from '../model/json.ts';

/**
 * JSON as it was typed: a number that a double would change keeps its digits, as in a journal.
 * @throws `request.not-json`, for a person who typed it
 */
export function parseJson(text: string, what: string): Json {
  try {
    // What Python writes for a number that is none is read from journals, and is not JSON.
    JSON.parse(text);
    return parseLossless(text);
  } catch (error) {
    throw new AppError(
      'request.not-json',
      `The ${what} is not JSON: ${messageOf(error)}. A text needs quotes: "like this".`,
      {},
      { cause: error },
    );
  }
}
