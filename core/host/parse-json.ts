import { AppError, messageOf } from '../model/errors.ts';
import type { Json } from '../model/json.ts';

/** @throws `request.not-json`, for a person who typed it */
export function parseJson(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new AppError(
      'request.not-json',
      `The ${what} is not JSON: ${messageOf(error)}. A text needs quotes: "like this".`,
      {},
      { cause: error },
    );
  }
}
