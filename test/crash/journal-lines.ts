// The lines of a journal, read without the code that is on trial: split at line feeds, parsed, and nothing else.

import { createHash } from 'node:crypto';
import { crc32, gunzipSync } from 'node:zlib';
import { parseLossless } from '../../core/journal/lossless.ts';
import { isObject, numberAt, objectAt, textAt, type JsonObject } from '../../core/model/json.ts';
import type { FoldedEntry } from '../../core/model/fold.ts';
import type { Tree } from './operations.ts';

export interface JournalLine extends FoldedEntry {
  /** Without the line feed. */
  readonly bytes: Buffer;
  readonly entryId: string;
  readonly prev: string;
  /** What the process wrote of itself; null for a line that can't be read. */
  readonly value: JsonObject | null;
}

const SEALED = /^(\d{12})-\d{12}\.jsonl(\.gz)?$/;

/** The committed lines of a process, in order, over all its segments; `process` is a name that is a file name as it is. */
export function journalLines(tree: Tree, process: string): readonly JournalLine[] {
  const folder = `.holdfast/segments/${process}/`;
  const sealed = new Map<string, Buffer>();
  for (const [path, bytes] of tree) {
    const match = path.startsWith(folder) ? SEALED.exec(path.slice(folder.length)) : null;
    if (match === null || bytes === null) continue;
    const isPacked = match[2] !== undefined;
    if (!isPacked) sealed.set(match[1]!, bytes);
    else if (!sealed.has(match[1]!)) sealed.set(match[1]!, gunzipSync(bytes));
  }
  const files = [...sealed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bytes]) => bytes);
  const active = tree.get(`${process}.jsonl`);
  if (active) files.push(active);
  return files.flatMap(committedLines).map(toLine);
}

function committedLines(file: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = file.indexOf(LINE_FEED); at >= 0; at = file.indexOf(LINE_FEED, from)) {
    lines.push(file.subarray(from, at));
    from = at + 1;
  }
  return lines;
}

/** The same lines come again in thousands of states. */
const known = new Map<string, JournalLine>();
const MAX_KNOWN = 20_000;

function toLine(bytes: Buffer): JournalLine {
  const text = bytes.toString('latin1');
  const before = known.get(text);
  if (before !== undefined) return before;
  // Not the whole file is kept with it.
  const line = parseLine(Buffer.from(bytes));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, line);
  return line;
}

function parseLine(bytes: Buffer): JournalLine {
  let value: JsonObject | null = null;
  try {
    const parsed = parseLossless(bytes.toString('utf8'));
    if (isObject(parsed)) value = parsed;
  } catch {
    // Torn or damaged; whoever expects an entry here will miss it.
  }
  const from = value ?? {};
  return {
    bytes,
    value,
    entryId: textAt(from, 'entry_id'),
    seq: numberAt(from, 'seq'),
    prev: textAt(from, 'prev'),
    timestamp: textAt(from, 'timestamp'),
    entry_type: textAt(from, 'entry_type'),
    data: objectAt(from, 'data') ?? {},
  };
}

/** What breaks the chain, line by line, for a person. */
export function brokenChain(lines: readonly JournalLine[]): string[] {
  const problems: string[] = [];
  for (const [at, line] of lines.entries()) {
    const say = (what: string): number => problems.push(`line ${at + 1} (seq ${line.seq}): ${what}`);
    if (line.value === null) say('not JSON');
    const tail = `,"crc":"${crc32(line.bytes.subarray(0, -CRC_BYTES)).toString(16).padStart(8, '0')}"}`;
    if (line.bytes.subarray(-CRC_BYTES).toString('latin1') !== tail) say('its checksum does not fit');
    const before = lines[at - 1];
    if (before === undefined) {
      if (line.seq === 1 && line.prev !== 'A'.repeat(22)) say('the first line names one before it');
      continue;
    }
    if (line.seq !== before.seq + 1) say(`follows ${before.seq}`);
    if (line.prev !== hashOf(before.bytes)) say('does not name the line before it');
  }
  return problems;
}

function hashOf(line: Buffer): string {
  return createHash('sha256').update(line).digest('base64url').slice(0, 22);
}

const LINE_FEED = 10;
const CRC_BYTES = ',"crc":"00000000"}'.length;
