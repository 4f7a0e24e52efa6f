// Reads what a worker writes as fast as can be afforded: beyond that the worker waits a little in its write, and the host
// stays at the service of the others. It never waits for ever.

import type { Readable } from 'node:stream';
import { tokenBucket } from '../agent/token-bucket.ts';

const BURST_BYTES = 8 * 1024 * 1024;
const BYTES_PER_SECOND = 8 * 1024 * 1024;
const PAUSE_MS = 50;

/** Calls with everything that comes; resolves when nothing more does. `hurry` ends the waiting. */
export function drainStream(
  stream: Readable | null,
  onBytes: (bytes: Buffer) => void,
): { readonly ended: Promise<void>; readonly hurry: () => void } {
  if (stream === null) return { ended: Promise.resolve(), hurry: () => {} };
  const bucket = tokenBucket({ capacity: BURST_BYTES, perSecond: BYTES_PER_SECOND });
  let isHurried = false;
  stream.on('data', (bytes: Buffer) => {
    onBytes(bytes);
    const now = performance.now();
    bucket.take(now, bytes.length);
    if (isHurried || bucket.level(now) > 0) return;
    stream.pause();
    setTimeout(() => stream.resume(), PAUSE_MS);
  });
  const ended = new Promise<void>((resolve) => {
    for (const name of ['end', 'close', 'error'] as const) stream.once(name, () => resolve());
  });
  return {
    ended,
    hurry: () => {
      isHurried = true;
      stream.resume();
    },
  };
}
