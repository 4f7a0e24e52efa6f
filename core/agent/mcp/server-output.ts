// What servers write to their standard error goes to the worker's, line by line and with their name, as far as there is room.

import { cleanLine } from './clean-text.ts';
import { tokenBucket } from '../token-bucket.ts';

const BURST_BYTES = 64 * 1024;
const BYTES_PER_SECOND = 4 * 1024;
const MAX_LINE = 1_000;
/** A line without end. */
const MAX_HELD = 4 * MAX_LINE;

export function serverOutput(server: string, write: (text: string) => void): (text: string) => void {
  const bucket = tokenBucket({ capacity: BURST_BYTES, perSecond: BYTES_PER_SECOND });
  let held = '';
  let dropped = 0;
  const line = (text: string): void => {
    const now = performance.now();
    if (bucket.level(now) <= 0) {
      dropped += 1;
      return;
    }
    const lost = dropped === 0 ? '' : `[${server}] … ${dropped} lines left out\n`;
    dropped = 0;
    const told = `${lost}[${server}] ${cleanLine(text, MAX_LINE)}\n`;
    bucket.take(now, told.length);
    write(told);
  };
  return (text) => {
    const lines = (held + text).split('\n');
    held = lines.pop()!.slice(0, MAX_HELD);
    for (const one of lines) if (one.trim() !== '') line(one);
  };
}
