// One line of a journal.
//
// J1  One entry is one line is one JSON object: Promptise's five keys, then seq, ack, prev, crc, in this order, compact
//     and ASCII. `prev` chains to the line before, `crc` covers the bytes before itself; both have a fixed width and
//     stand last, so checking a line means slicing it, not parsing it.
// J2  A line without our four keys is valid and unverified. `seq` counts physical lines.
// J3  Timestamps end in +00:00, see core/model/time.ts.
// J4  A line is committed when its line feed is on disk; nothing here ever sees a line without one.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Fault, JournalEntry, Verification } from '../model/entry.ts';
import { AppError, messageOf } from '../model/errors.ts';
import { isObject, textAt, type Json, type JsonObject } from '../model/json.ts';
import { parseTimestamp } from '../model/time.ts';
import { parseLossless } from './lossless.ts';

/** The `prev` of a journal's first line. */
export const FIRST_PREV = 'A'.repeat(22);

const CRC_TAIL = /^,"crc":"([0-9a-f]{8})"\}$/;
const CRC_TAIL_BYTES = 18;
const OUR_KEYS = ['seq', 'ack', 'prev', 'crc'] as const;
const KEYS_TAIL_BYTES = 120;
const KEYS_TAIL = /"seq":(\d+),"ack":(\d+),"prev":"([\w-]{22})","crc":"[0-9a-f]{8}"\}$/;

/** Deeper lines are not read: walking them would overflow the stack, here as in Python. */
const MAX_DEPTH = 1_000;
/** Deeper entries are not written, so that a checkpoint, which wraps what they bring, still can be. */
const MAX_DEPTH_OF_ENTRY = 400;

export interface LineKeys {
  readonly seq: number;
  /** The highest seq known durable when the line was formed [S11]. */
  readonly ack: number;
  readonly prev: string;
}

/** The line of an entry, without its line feed. */
export function encodeLine(entry: JournalEntry, keys: LineKeys): Buffer {
  return sealLine(encodeBody(entry), keys);
}

/**
 * What an entry says, as the beginning of its line. Everything that can be wrong with it is wrong here.
 * @throws `journal.not-json`
 */
export function encodeBody(entry: JournalEntry): Buffer {
  const { entry_id, process_id, timestamp, entry_type, data } = entry;
  const body = Buffer.from(
    asciiJson({ entry_id, process_id, timestamp, entry_type, data }).slice(0, -1),
    'latin1',
  );
  const maxDepth = entry_type === 'checkpoint' ? MAX_DEPTH : MAX_DEPTH_OF_ENTRY;
  if (nestsDeeper(body, maxDepth)) {
    throw new AppError(
      'journal.not-json',
      `The entry is nested deeper than ${maxDepth} levels. Keep deep structures as a text.`,
    );
  }
  return body;
}

/** The line that a body becomes where it is written: its keys, and the checksum over all of it. */
export function sealLine(body: Buffer, { seq, ack, prev }: LineKeys): Buffer {
  const keyed = Buffer.concat([body, Buffer.from(`,"seq":${seq},"ack":${ack},"prev":"${prev}"`, 'latin1')]);
  const crc = crc32(keyed).toString(16).padStart(8, '0');
  return Buffer.concat([keyed, Buffer.from(`,"crc":"${crc}"}`, 'latin1')]);
}

/** JSON on one line; refuses what JSON would silently change. */
export function stringify(value: JsonObject): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new AppError(
      'journal.not-json',
      `The entry can't be written as JSON: ${messageOf(error)}.`,
      {},
      { cause: error },
    );
  }
  // NaN and the infinities become null without a word; only then is a walk worth its price.
  if (text.includes('null')) refuseNonFinite(value, '');
  return text;
}

function refuseNonFinite(value: Json | undefined, path: string): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new AppError(
      'journal.not-json',
      `${path.slice(1) || 'The value'} is ${value}, which JSON can't hold. Write null or a text instead.`,
    );
  }
  if (Array.isArray(value)) value.forEach((item: Json, at) => refuseNonFinite(item, `${path}.${at}`));
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) refuseNonFinite(item, `${path}.${key}`);
}

/** As {@link stringify}, with everything outside ASCII escaped, as Python does it. */
export function asciiJson(value: JsonObject): string {
  return stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What the next line's `prev` has to be. */
export function hashLine(line: Uint8Array): string {
  return createHash('sha256').update(line).digest('base64url').slice(0, 22);
}

export type DecodedLine =
  | {
      readonly ok: true;
      readonly entry: JournalEntry;
      /** Null for a line without ours. */
      readonly keys: LineKeys | null;
      readonly verification: Verification;
      /** What makes it broken; null where it is not. */
      readonly fault: Fault | null;
    }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads one line, given without its line feed. Lenient as a reader of other people's journals has to be: unknown keys,
 * any order, absent keys except `timestamp`. `prevLine`, where known, is checked against the chain.
 */
export function decodeLine(line: Buffer, prevHash?: string): DecodedLine {
  if (!isUtf8(line)) return { ok: false, reason: 'not UTF-8' };
  if (nestsDeeper(line, MAX_DEPTH)) return { ok: false, reason: `nested deeper than ${MAX_DEPTH} levels` };
  const text = line.toString('utf8');
  let parsed: Json;
  try {
    parsed = parseLossless(text);
  } catch (error) {
    return {
      ok: false,
      reason: line.includes(0) ? 'holds NUL bytes' : `not JSON: ${shorten(messageOf(error))}`,
    };
  }
  if (!isObject(parsed)) return { ok: false, reason: 'JSON, but not an object' };
  const timestamp = parsed['timestamp'];
  if (typeof timestamp !== 'string') return { ok: false, reason: 'has no timestamp' };
  if (parseTimestamp(timestamp) === null)
    return { ok: false, reason: `its timestamp is not a time: ${shorten(timestamp)}` };
  const data = parsed['data'];
  const keys = keysOf(line);
  const fault = faultOf(line, keys, parsed, prevHash);
  return {
    ok: true,
    entry: {
      entry_id: textAt(parsed, 'entry_id'),
      process_id: textAt(parsed, 'process_id'),
      timestamp,
      entry_type: textAt(parsed, 'entry_type'),
      data: isObject(data) ? data : {},
    },
    keys,
    verification: fault !== null ? 'broken' : keys === null ? 'unverified' : 'verified',
    fault,
  };
}

/** The number that a line of ours gives itself; null for any other line, and where the checksum does not hold. */
export function recordedSeq(line: Buffer): number | null {
  const keys = keysOf(line);
  return keys !== null && hasValidCrc(line) ? keys.seq : null;
}

function keysOf(line: Buffer): LineKeys | null {
  const match = KEYS_TAIL.exec(line.toString('latin1', Math.max(0, line.length - KEYS_TAIL_BYTES)));
  return match === null ? null : { seq: Number(match[1]), ack: Number(match[2]), prev: match[3]! };
}

function faultOf(
  line: Buffer,
  keys: LineKeys | null,
  parsed: JsonObject,
  prevHash: string | undefined,
): Fault | null {
  // One damaged key must not make a line of ours pass for somebody else's.
  if (keys === null)
    return OUR_KEYS.filter((key) => Object.hasOwn(parsed, key)).length >= 3 ? 'checksum' : null;
  if (!hasValidCrc(line)) return 'checksum';
  return prevHash !== undefined && keys.prev !== prevHash ? 'link' : null;
}

function hasValidCrc(line: Buffer): boolean {
  const at = line.length - CRC_TAIL_BYTES;
  const match = CRC_TAIL.exec(line.toString('latin1', at));
  return match !== null && crc32(line.subarray(0, at)) === Number.parseInt(match[1]!, 16);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets outside strings; whether they match is for the parser to say. */
function nestsDeeper(json: Buffer, maxDepth: number): boolean {
  if (json.length <= maxDepth) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
    }
  }
  return false;
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
