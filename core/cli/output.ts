import { writeSync } from 'node:fs';
import { codeOf } from '../model/errors.ts';
import { withTaggedNumbers, type Json } from '../model/json.ts';

/** One line on standard output. A reader that has gone, as `head` does, ends the program without a word. */
export function print(line: string): void {
  try {
    writeAll(1, `${line}\n`);
  } catch (error) {
    if (codeOf(error) === 'EPIPE') process.exit(0);
    throw error;
  }
}

/** One JSON value on one line; numbers as written, those that JSON has no word for as `{ "$number": "NaN" }`. */
export function printJson(value: object): void {
  print(JSON.stringify(withTaggedNumbers(value as Json)));
}

export function printError(message: string): void {
  writeAll(2, `holdfast: ${message}\n`);
}

/** A pipe takes what it has room for, and says so by taking less or nothing at all. */
function writeAll(fd: number, text: string): void {
  let rest: Buffer = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
    }
  }
}
