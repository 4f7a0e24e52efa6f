import { writeSync } from 'node:fs';
import { codeOf } from '../model/errors.ts';
import { withTaggedNumbers, type Json } from '../model/json.ts';
import { safeText, visible } from './safe-text.ts';

// Journal text is hostile, and file names and error messages carry it too: whatever reaches a terminal goes through
// here and is made visible here.

/** One line on standard output. */
export function print(line: string): void {
  write(1, safeText(line));
}

/** One JSON value on one line; numbers as written, those that JSON has no word for as `{ "$number": "NaN" }`. */
export function printJson(value: object): void {
  write(1, visible(JSON.stringify(withTaggedNumbers(value as Json))));
}

/** A line of comma-separated values, with the line break that they have. */
export function printCsv(line: string): void {
  write(1, `${visible(line)}\r`);
}

/** One line on standard error, where it disturbs nobody who reads the output. */
export function printError(message: string): void {
  write(2, safeText(`holdfast: ${message}`));
}

/** Columns of the terminal that standard output is; null: it is none. */
export function terminalWidth(): number | null {
  // Some terminals say that they have no size at all.
  return process.stdout.isTTY ? process.stdout.columns || 80 : null;
}

/** A reader that has gone, as `head` does, ends the program without a word. */
function write(fd: number, line: string): void {
  try {
    writeAll(fd, `${line}\n`);
  } catch (error) {
    if (codeOf(error) === 'EPIPE') process.exit(0);
    throw error;
  }
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
