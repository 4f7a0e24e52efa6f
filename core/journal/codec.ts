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
import { isObject, textAt, type Json, type JsonObject } from '../model/json.ts';
import { parseTimestamp } from '../model/time.ts';
import { parseLossless } from './lossless.ts';

/** The `prev` of a journal's first line. */
export const FIRST_PREV = 'A'.repeat(22);
const HASH_LENGTH = 22;

const CRC_TAIL_LENGTH = 18;
const OUR_KEYS = ['seq', 'ack', 'prev', 'crc'] as const;
/** From the comma before `prev` to the end: the part of fixed width. The numbers before it are found from there. */
const KEYS_TAIL_LENGTH = 50;
const KEYS_TAIL = /(?<="seq":(\d{1,15}),"ack":(\d{1,15})),"prev":"([\w-]{22})","crc":"([0-9a-f]{8})"\}$/y;

/** A time as we write it, on a day that every month has: known to be one without asking a calendar. */
const PLAIN_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}\+00:00$/;

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
  return Buffer.from(encodeText(entry), 'latin1');
}

/**
 * {@link encodeBody} as a text, for {@link sealBatch}: a text goes through what is native at half the price of a Buffer.
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
export function sealLine(body: Buffer, keys: LineKeys): Buffer {
  return Buffer.from(sealText(body.toString('latin1'), keys), 'latin1');
}

function sealText(body: string, { seq, ack, prev }: LineKeys): string {
  const keyed = `${body},"seq":${seq},"ack":${ack},"prev":"${prev}"`;
  return `${keyed},"crc":"${hexOf(crc32(keyed))}"}`;
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
  /** The line itself. */
  readonly text: string;
  readonly entry: JournalEntry;
  /** Null for a line without ours. */
  readonly keys: LineKeys | null;
  /** The checksum that it carries; null for a line without one, and where one of our keys is damaged. */
  readonly crc: string | null;
  /** True where it has none of our keys, or so few that it is somebody else's. */
  readonly isForeign: boolean;
}

export interface BadText {
  readonly ok: false;
  readonly reason: string;
}

/** How far a line vouches for itself, and what makes it broken; null where it is not. */
export interface Verdict {
  readonly verification: Verification;
  readonly fault: Fault | null;
}

export type DecodedLine = (Pick<ParsedLine, 'ok' | 'entry' | 'keys'> & Verdict) | BadText;

/**
 * Reads one line, given without its line feed, and says how far it vouches for itself: {@link parseLine}, then
 * {@link verifyLine}. `prevHash`, where known, is checked against the chain.
 */
export function decodeLine(line: Buffer, prevHash?: string): DecodedLine {
  const parsed = parseLine(line);
  if (!parsed.ok) return parsed;
  const { verification, fault } = verifyLine(parsed, prevHash);
  return { ok: true, entry: parsed.entry, keys: parsed.keys, verification, fault };
}

/**
 * Reads one line, given without its line feed. Lenient as a reader of other people's journals has to be: unknown keys,
 * any order, absent keys except `timestamp`. The checksum and the chain are left alone, which is half of the work.
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
  const { timestamp, data } = parsed;
  if (typeof timestamp !== 'string') return { ok: false, reason: 'has no timestamp' };
  if (!PLAIN_TIME.test(timestamp) && parseTimestamp(timestamp) === null)
    return { ok: false, reason: `its timestamp is not a time: ${shorten(timestamp)}` };
  const tail = tailOf(text);
  return {
    ok: true,
    text,
    entry: {
      entry_id: textAt(parsed, 'entry_id'),
      process_id: textAt(parsed, 'process_id'),
      timestamp,
      entry_type: textAt(parsed, 'entry_type'),
      data: isObject(data) ? data : {},
    },
    keys: tail?.keys ?? null,
    crc: tail?.crc ?? null,
    // One damaged key must not make a line of ours pass for somebody else's.
    isForeign: tail === null && OUR_KEYS.filter((key) => Object.hasOwn(parsed, key)).length < 3,
  };
}

/** Checks a line against its own checksum and, where its hash is known, against the line before. */
export function verifyLine({ text, keys, crc, isForeign }: ParsedLine, prevHash?: string): Verdict {
  if (isForeign) return { verification: 'unverified', fault: null };
  if (keys === null || crc === null || checksumOf(text) !== crc) {
    return { verification: 'broken', fault: 'checksum' };
  }
  return prevHash !== undefined && keys.prev !== prevHash
    ? { verification: 'broken', fault: 'link' }
    : { verification: 'verified', fault: null };
}

/** The number that a line of ours gives itself; null for any other line, and where the checksum does not hold. */
export function recordedSeq(line: Buffer): number | null {
  const text = line.toString('latin1');
  const tail = tailOf(text);
  return tail !== null && hexOf(crc32(line.subarray(0, -CRC_TAIL_LENGTH))) === tail.crc
    ? tail.keys.seq
    : null;
}

function tailOf(text: string): { readonly keys: LineKeys; readonly crc: string } | null {
  KEYS_TAIL.lastIndex = Math.max(0, text.length - KEYS_TAIL_LENGTH);
  const match = KEYS_TAIL.exec(text);
  if (match === null) return null;
  return { keys: { seq: Number(match[1]), ack: Number(match[2]), prev: match[3]! }, crc: match[4]! };
}

function checksumOf(text: string): string {
  return hexOf(crc32(text.slice(0, -CRC_TAIL_LENGTH)));
}

function hexOf(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** Whether brackets outside strings nest deeper; whether they match is for the parser to say. */
function nestsDeeper(json: string, maxDepth: number): boolean {
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
