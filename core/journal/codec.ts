// One line of a journal.
//
// J1  One entry is one line is one JSON object: Promptise's five keys, then seq, ack, prev, crc, in this order, compact
//     and ASCII. `prev` chains to the line before, `crc` covers the bytes before itself; both have a fixed width and
//     stand last, so checking a line means slicing it, not parsing it.
// J2  A line without our four keys is valid and unverified. `seq` counts physical lines.
// J3  Timestamps end in +00:00, see core/model/time.ts.
// J4  A line is committed when its line feed is on disk; nothing here ever sees a line without one.

import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Fault, JournalEntry, Verification } from '../model/entry.ts';
import { AppError, messageOf } from '../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { parseTimestamp } from '../model/time.ts';
import { parseLossless } from './lossless.ts';

/** The `prev` of a journal's first line. */
export const FIRST_PREV = 'A'.repeat(22);
const HASH_LENGTH = 22;

const OUR_KEYS = ['seq', 'ack', 'prev', 'crc'] as const;
/** The part of fixed width at a line's end: `,"prev":"…","crc":"…"}`. */
const TAIL_LENGTH = 50;
const CRC_TAIL_LENGTH = 18;
const PREV = /^[\w-]{22}$/;

/** A time as we write it, on any day but 29 February: known to be one without asking a calendar. */
const PLAIN_TIME =
  /^(?!0000)\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}\+00:00$/;

/** Deeper lines are not read: walking them would overflow the stack, here as in Python. */
export const MAX_DEPTH = 1_000;
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
  return Buffer.from(sealText(encodeText(entry), keys), 'latin1');
}

/**
 * What an entry says, as the beginning of its line: everything that can be wrong with it is wrong here. A text and not
 * bytes, since a text goes through what is native at half the price of a Buffer.
 * @throws `journal.not-json`
 */
export function encodeText({ entry_id, process_id, timestamp, entry_type, data }: JournalEntry): string {
  const body = asciiJson({ entry_id, process_id, timestamp, entry_type, data }).slice(0, -1);
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
function sealText(body: string, { seq, ack, prev }: LineKeys): string {
  const keyed = `${body},"seq":${seq},"ack":${ack},"prev":"${prev}"`;
  return `${keyed},"crc":"${crcOf(keyed)}"}`;
}

export interface SealedBatch {
  /** The lines, each with its line feed. */
  readonly bytes: Buffer;
  /** The length of each, with its line feed. */
  readonly sizes: readonly number[];
  /** What the line after them has to name. */
  readonly prev: string;
}

/** The lines of bodies that are written together; `first` has the keys of the first of them. */
export function sealBatch(bodies: readonly string[], first: LineKeys): SealedBatch {
  const sizes: number[] = [];
  let text = '';
  let { prev } = first;
  for (const [at, body] of bodies.entries()) {
    const line = sealText(body, { seq: first.seq + at, ack: first.ack, prev });
    prev = hashLine(line);
    sizes.push(line.length + 1);
    text += `${line}\n`;
  }
  return { bytes: Buffer.from(text, 'latin1'), sizes, prev };
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
  const text = stringify(value);
  if (Buffer.byteLength(text) === text.length) return text;
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What the next line's `prev` has to be. A text stands for its UTF-8 bytes. */
export function hashLine(line: Uint8Array | string): string {
  return hash('sha256', line, 'base64url').slice(0, HASH_LENGTH);
}

/** A line that could be read, before anybody asked whether it is as it was written. */
export interface ParsedLine {
  readonly ok: true;
  readonly entry: JournalEntry;
  /** The line itself, and all that it says. */
  readonly text: string;
  readonly object: JsonObject;
}

export interface BadText {
  readonly ok: false;
  readonly reason: string;
}

/** How far a line vouches for itself. */
export interface Verdict {
  /** Null for a line without ours. */
  readonly keys: LineKeys | null;
  readonly verification: Verification;
  /** What makes it broken; null where it is not. */
  readonly fault: Fault | null;
}

export type DecodedLine = ({ readonly ok: true; readonly entry: JournalEntry } & Verdict) | BadText;

/**
 * Reads one line, given without its line feed, and says how far it vouches for itself: {@link parseLine}, then
 * {@link verifyLine}. `prevHash`, where known, is checked against the chain.
 */
export function decodeLine(line: Buffer, prevHash?: string): DecodedLine {
  const parsed = parseLine(line);
  if (!parsed.ok) return parsed;
  const { keys, verification, fault } = verifyLine(parsed, prevHash);
  return { ok: true, entry: parsed.entry, keys, verification, fault };
}

/**
 * Reads one line, given without its line feed. Lenient as a reader of other people's journals has to be: unknown keys,
 * any order, absent keys except `timestamp`. Keys, checksum and chain are left alone, which is half of the work.
 */
export function parseLine(line: Buffer): ParsedLine | BadText {
  const text = line.toString('utf8');
  // What is not UTF-8 is read as this character; so is, rarely, the character itself.
  if (text.includes('\ufffd') && !isUtf8(line)) return { ok: false, reason: 'not UTF-8' };
  if (nestsDeeper(text, MAX_DEPTH)) return { ok: false, reason: `nested deeper than ${MAX_DEPTH} levels` };
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
  const { entry_id, process_id, timestamp, entry_type, data } = parsed;
  if (typeof timestamp !== 'string') return { ok: false, reason: 'has no timestamp' };
  if (!PLAIN_TIME.test(timestamp) && parseTimestamp(timestamp) === null)
    return { ok: false, reason: `its timestamp is not a time: ${shorten(timestamp)}` };
  return {
    ok: true,
    entry: {
      entry_id: textOr(entry_id),
      process_id: textOr(process_id),
      timestamp,
      entry_type: textOr(entry_type),
      data: isObject(data) ? data : {},
    },
    text,
    object: parsed,
  };
}

function textOr(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Checks a line against its own checksum and, where its hash is known, against the line before. */
export function verifyLine({ text, object }: ParsedLine, prevHash?: string): Verdict {
  const keys = keysOf(text);
  if (keys === null) {
    // One damaged key must not make a line of ours pass for somebody else's.
    return OUR_KEYS.filter((key) => Object.hasOwn(object, key)).length >= 3
      ? { keys, verification: 'broken', fault: 'checksum' }
      : { keys, verification: 'unverified', fault: null };
  }
  if (!hasValidCrc(text)) return { keys, verification: 'broken', fault: 'checksum' };
  return prevHash !== undefined && keys.prev !== prevHash
    ? { keys, verification: 'broken', fault: 'link' }
    : { keys, verification: 'verified', fault: null };
}

/** The number that a line of ours gives itself; null for any other line, and where the checksum does not hold. */
export function recordedSeq(line: Buffer): number | null {
  // As bytes, whatever they are: a line that can't be read may still say its number.
  const text = line.toString('latin1');
  const keys = keysOf(text);
  if (keys === null) return null;
  const crc = hexOf(crc32(line.subarray(0, -CRC_TAIL_LENGTH)));
  return text.startsWith(crc, text.length - CRC_TAIL_LENGTH + 8) ? keys.seq : null;
}

/** The keys at a line's end, from the part of fixed width backwards; null where they are not as we write them. */
function keysOf(text: string): LineKeys | null {
  const tailAt = text.length - TAIL_LENGTH;
  const isTail =
    text.startsWith(',"prev":"', tailAt) && text.startsWith('","crc":"', tailAt + 31) && text.endsWith('"}');
  if (!isTail) return null;
  const ackAt = digitsBefore(text, tailAt);
  const seqEnd = ackAt - ',"ack":'.length;
  const seqAt = digitsBefore(text, seqEnd);
  if (!text.startsWith(',"ack":', seqEnd) || !text.startsWith('"seq":', seqAt - '"seq":'.length)) return null;
  const seq = Number(text.slice(seqAt, seqEnd));
  const ack = Number(text.slice(ackAt, tailAt));
  const prev = text.slice(tailAt + 9, tailAt + 31);
  return isCount(seqEnd - seqAt) && isCount(tailAt - ackAt) && PREV.test(prev) ? { seq, ack, prev } : null;
}

/** Of so many digits every number is one that a double holds. */
function isCount(digits: number): boolean {
  return digits >= 1 && digits <= 15;
}

/** Where the digits begin that end there. */
function digitsBefore(text: string, end: number): number {
  let at = end;
  for (; at > 0; at -= 1) {
    const code = text.charCodeAt(at - 1);
    if (code < 0x30 || code > 0x39) break;
  }
  return at;
}

function hasValidCrc(text: string): boolean {
  return text.startsWith(crcOf(text.slice(0, -CRC_TAIL_LENGTH)), text.length - CRC_TAIL_LENGTH + 8);
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The CRC-32 of a text's UTF-8 bytes, in 8 hexadecimal digits. Looked up, since writing out such a number takes as long as computing it. */
function crcOf(text: string): string {
  return hexOf(crc32(text));
}

function hexOf(crc: number): string {
  return `${HEX[crc >>> 24]}${HEX[(crc >>> 16) & 0xff]}${HEX[(crc >>> 8) & 0xff]}${HEX[crc & 0xff]}`;
}

/** Whether brackets outside strings nest deeper; whether they match is for the parser to say. */
export function nestsDeeper(json: string, maxDepth: number): boolean {
  return json.length > maxDepth && hasMoreBrackets(json, maxDepth) && depthExceeds(json, maxDepth);
}

/** Hardly a line has brackets enough; finding them takes a hundredth of the time of walking it. */
function hasMoreBrackets(json: string, count: number): boolean {
  let found = 0;
  for (const bracket of ['{', '[']) {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      found += 1;
      if (found > count) return true;
    }
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function depthExceeds(json: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) {
      inString = true;
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
    }
  }
  return false;
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
