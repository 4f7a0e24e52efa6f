// What the reader in Python says of journals, and the same of ours, both as one plain value.

import { spawn } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { readFileJournal } from '../../core/journal/index.ts';
import { safeName } from '../../core/journal/process-files.ts';
import { isBad, journalForwards } from '../../core/journal/read-entries.ts';
import type { BadLine, StoredEntry } from '../../core/model/entry.ts';
import { AppError } from '../../core/model/errors.ts';
import { isObject, RawNumber, type Json, type JsonObject } from '../../core/model/json.ts';
import type { Cursor } from '../../core/model/ports.ts';
import { ReplayEngine, type Recovered } from '../../core/replay/index.ts';
import { REPOSITORY } from './fixtures.ts';

export const READER = join(REPOSITORY, 'test/interop/reader.py');

/** A journal to be asked about. */
export interface Asked {
  readonly directory: string;
  readonly process: string;
}

/**
 * One answer for each, in their order.
 * @throws where Python is missing, or the reader gave up
 */
export async function readerAnswers(asked: readonly Asked[]): Promise<JsonObject[]> {
  // -B leaves no bytecode beside the script, -X utf8 keeps file names in UTF-8 everywhere.
  const child = spawn('python3', ['-B', '-X', 'utf8', READER, '--batch'], { stdio: 'pipe' });
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const code = new Promise<number | null>((settle, fail) => child.on('error', fail).on('close', settle));
  // A reader that ends early closes its end of the pipe; why it did is told below.
  child.stdin.on('error', () => undefined);
  child.stdin.end(asked.map(({ directory, process }) => `${directory}\t${process}\n`).join(''));
  const ended = await code;
  const lines = Buffer.concat(out).toString().split('\n').slice(0, -1);
  if (ended !== 0 || lines.length !== asked.length) {
    const at = asked[lines.length];
    throw new Error(`reader.py gave up at ${JSON.stringify(at)}:\n${Buffer.concat(errors).toString()}`);
  }
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

/** The same of ours. */
export async function ourAnswer({ directory, process }: Asked): Promise<JsonObject> {
  try {
    const engine = new ReplayEngine(readFileJournal(directory));
    const lenient = recovered(await engine.recover(process, { lenient: true }));
    return {
      lines: [...journalForwards(directory, safeName(process))].map(judged),
      strict: await strictly(engine, process),
      lenient,
    };
  } catch (error) {
    const word = error instanceof AppError ? REFUSED[error.code] : undefined;
    if (word === undefined) throw error;
    return { error: word };
  }
}

/** What the reader calls our reasons for not looking at all. */
const REFUSED: Readonly<Record<string, string>> = {
  'journal.bad-marker': 'marker',
  'journal.name-collision': 'process',
};

async function strictly(engine: ReplayEngine, process: string): Promise<JsonObject> {
  try {
    return four(await engine.recover(process));
  } catch (error) {
    if (error instanceof AppError && error.code === 'journal.damaged') return { error: error.code };
    throw error;
  }
}

/** Entries and bad lines as they come page by page from the end, each in the order of lines. */
export async function pagedLines(
  { directory, process }: Asked,
  limit: number,
): Promise<readonly [Json[], Json[]]> {
  const entries: StoredEntry[] = [];
  const badLines: BadLine[] = [];
  const journal = readFileJournal(directory);
  let before: Cursor | null | undefined;
  while (before !== null) {
    const page = await journal.readLast(process, limit, before);
    entries.unshift(...page.entries);
    badLines.unshift(...page.badLines);
    ({ before } = page);
  }
  return [entries.map(judged), badLines.map(judged)];
}

function judged(item: StoredEntry | BadLine): Json {
  return [item.seq, isBad(item) ? 'bad' : (item.fault ?? item.verification)];
}

function four({ context_state, lifecycle_state, last_entry_type, entries_replayed }: Recovered): JsonObject {
  return { context_state: asWritten(context_state), lifecycle_state, last_entry_type, entries_replayed };
}

function recovered(found: Recovered): JsonObject {
  const { invocationCount, holds, queue, open } = found.snapshot;
  return {
    ...four(found),
    invocation_count: invocationCount,
    holds: holds.map(({ kind }) => kind),
    queue: queue.map(({ eventId }) => eventId),
    open: open.map(({ event, effects }) => [
      event.eventId,
      effects.map(({ effectId, attempts, end }) => [effectId, attempts, end?.kind ?? null]),
    ]),
  };
}

/** Each number as the reader writes it. */
function asWritten(value: Json): Json {
  if (typeof value === 'number') return { '#': decimal(String(value)) };
  if (value instanceof RawNumber) return { '#': decimal(value.source) };
  if (Array.isArray(value)) return value.map((item: Json) => asWritten(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asWritten(item)]));
}

function decimal(source: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(source);
  if (match === null) return source;
  const [, sign, whole = '', part = '', exponent = '0'] = match;
  const all = (whole + part).replace(/^0+/, '');
  const short = all.replace(/0+$/, '');
  const power = BigInt(exponent.replace('+', '')) - BigInt(part.length) + BigInt(all.length - short.length);
  return short === '' ? '0' : `${sign}${short}e${power}`;
}

/** Where two answers differ first, with both; null where they are the same. */
export function firstDifference(ours: unknown, theirs: unknown, place = ''): string | null {
  if (ours === theirs || isDeepStrictEqual(ours, theirs)) return null;
  if (isPlain(ours) && isPlain(theirs)) {
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      const found = firstDifference(ours[key], theirs[key], `${place}.${key}`);
      if (found !== null) return found;
    }
    // The sign of zero is no difference.
    if (Object.keys(ours).length === Object.keys(theirs).length) return null;
  }
  return `at ${place || 'the top'}: ours ${shown(ours)}, the reader's ${shown(theirs)}`;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 500);
}
