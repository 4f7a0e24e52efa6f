// What one line is, taken alone.

import type { JournalEntry } from '../model/entry.ts';
import { decodeLine, hashLine, type LineKeys } from './codec.ts';

/** What can be wrong about a line whatever stands around it. */
export type LineFault =
  | 'not-utf8'
  | 'not-json'
  | 'not-object'
  | 'no-timestamp'
  | 'bad-time'
  | 'nul'
  | 'too-deep'
  | 'checksum';

/** `hash` is what the next line of ours has to name. */
export type LineFacts =
  /** A line of ours whose checksum fits. */
  | { readonly is: 'ours'; readonly entry: JournalEntry; readonly keys: LineKeys; readonly hash: string }
  /** An entry without our keys. */
  | { readonly is: 'foreign'; readonly entry: JournalEntry; readonly hash: string }
  /** Says nothing, and is no damage. */
  | { readonly is: 'blank'; readonly hash: string }
  | { readonly is: 'bad'; readonly fault: LineFault; readonly reason: string };

/** How the reasons of the reader begin. */
const FAULTS: readonly (readonly [string, LineFault])[] = [
  ['not UTF-8', 'not-utf8'],
  ['nested deeper', 'too-deep'],
  ['holds NUL', 'nul'],
  ['JSON, but', 'not-object'],
  ['has no timestamp', 'no-timestamp'],
  ['its timestamp', 'bad-time'],
];

/** Looks at a line, given without its line feed. */
export function lineFacts(bytes: Buffer): LineFacts {
  if (isBlank(bytes)) return { is: 'blank', hash: hashLine(bytes) };
  const decoded = decodeLine(bytes);
  if (!decoded.ok) {
    const { reason } = decoded;
    const fault = FAULTS.find(([beginning]) => reason.startsWith(beginning))?.[1] ?? 'not-json';
    return { is: 'bad', fault, reason };
  }
  const { entry, keys, verification } = decoded;
  if (verification === 'unverified') return { is: 'foreign', entry, hash: hashLine(bytes) };
  if (keys === null || verification === 'broken')
    return { is: 'bad', fault: 'checksum', reason: 'has been changed: its checksum does not fit' };
  return { is: 'ours', entry, keys, hash: hashLine(bytes) };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
