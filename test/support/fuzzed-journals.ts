// Small journals as a disk may hold them, at random and the same for the same seed: ours and Promptise's, in one segment or
// several, whole or harmed, with checkpoint files in every state. Nothing of the writer is used but the encoding of a line.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isObject, type Json, type JsonObject } from '../../core/model/json.ts';
import { pythonJson } from '../interop/python-json.ts';
import { harmed } from './fuzzed-harm.ts';
import { draftsOf, foreignText, linesOf, livesOf, type Draft } from './fuzzed-lines.ts';
import { diceOf, mutated, type Dice } from './fuzzed-values.ts';
import { fileOf } from './journal-bytes.ts';

export interface FuzzedJournal {
  readonly index: number;
  /** Whom to ask for. */
  readonly process: string;
  /** By path in the directory. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** Nobody did anything to the bytes since they were written. */
  readonly isWhole: boolean;
}

/** The journals with the numbers from 0 on, made one by one. */
export function* fuzzedJournals(seed: number, count: number): Generator<FuzzedJournal> {
  const lives = livesOf(seed);
  for (let index = 0; index < count; index += 1) yield fuzzedJournal(diceOf(seed, index), index, lives);
}

export function writeFuzzed(directory: string, { files }: FuzzedJournal): void {
  mkdirSync(directory);
  for (const [path, bytes] of Object.entries(files)) {
    if (path.includes('/')) mkdirSync(join(directory, dirname(path)), { recursive: true });
    writeFileSync(join(directory, path), bytes);
  }
}

type Lives = ReturnType<typeof livesOf>;

function fuzzedJournal(dice: Dice, index: number, lives: Lives): FuzzedJournal {
  const process = dice.chance(0.9) ? 'one' : dice.pick(['a/b', 'a\\b', 'Größe 📦']);
  const name = process.replaceAll(/[/\\]/g, '_');
  const drafts = draftsOf(dice, lives, process);
  const ownShare = dice.pick([1, 1, 1, 0.9, 0.3, 0, 0]);
  const lines = linesOf(dice, drafts, ownShare);
  const isWhole = dice.chance(0.25);
  const foreign = (): Buffer => foreignText(dice, dice.pick(drafts.length > 0 ? drafts : [NOTHING]));
  const spoiled = (bytes: Buffer): Buffer =>
    isWhole || dice.chance(0.3) ? bytes : harmed(dice, bytes, foreign);
  const isSealed = dice.chance(ownShare > 0.5 ? 0.3 : 0.05);
  const files: Record<string, Buffer> = isSealed
    ? segmented(dice, name, drafts, lines, spoiled)
    : { [`${name}.jsonl`]: spoiled(fileOf(lines)) };
  if (dice.chance(0.02)) delete files[`${name}.jsonl`];
  if (dice.chance(ownShare > 0.5 ? 0.85 : 0.2)) files['journal.holdfast'] = Buffer.from(marker(dice));
  const file = checkpointFile(dice, drafts);
  if (file !== null) files[`${name}.checkpoint.json`] = file;
  return { index, process: dice.chance(0.97) ? process : dice.pick(['a/b', 'a_b', 'two']), files, isWhole };
}

const NOTHING: Draft = {
  process_id: 'one',
  timestamp: '2026-01-05T09:00:00+00:00',
  entry_type: 'log',
  data: {},
};

function marker(dice: Dice): string {
  return dice.chance(0.99)
    ? '{"format":1,"id":"journal-of-the-test"}\n'
    : dice.pick([
        '',
        '{}',
        '[1]',
        '{"id":""}',
        '{"format":1,"id":5}',
        'nonsense',
        '{"id":"x"}',
        '\ufeff{"id":"x"}',
      ]);
}

/** The lines in segments, mostly with a full checkpoint at the beginning of each, as sealing and retention leave them. */
function segmented(
  dice: Dice,
  name: string,
  drafts: readonly Draft[],
  lines: readonly Buffer[],
  spoiled: (bytes: Buffer) => Buffer,
): Record<string, Buffer> {
  const isCut = drafts.map(
    ({ entry_type }, at) => at > 0 && dice.chance(entry_type === 'checkpoint' ? 0.8 : 0.04),
  );
  const starts = [0, ...isCut.flatMap((cut, at) => (cut ? [at] : []))];
  const parts = starts.map((start, at) => ({ first: start + 1, lines: lines.slice(start, starts[at + 1]) }));
  const active = parts.pop()!;
  const files: Record<string, Buffer> = {};
  const dropped = dice.chance(0.4) ? dice.below(parts.length + 1) : 0;
  const missing = dice.chance(0.1) ? dice.below(parts.length + 1) : -1;
  for (const [at, part] of parts.entries()) {
    if (at < dropped || at === missing) continue;
    const last = part.first + part.lines.length - 1;
    const bytes = spoiled(fileOf(part.lines));
    const path = (end: number): string =>
      `.holdfast/segments/${name}/${digits(part.first)}-${digits(end)}.jsonl`;
    // Packed; still there unpacked, which counts; or from an interrupted seal, with fewer lines, which does not.
    const isPacked = dice.chance(0.5);
    if (isPacked) files[`${path(last)}.gz`] = gzipSync(bytes, { level: 1 });
    if (!isPacked || dice.chance(0.1)) files[path(last)] = isPacked ? spoiled(bytes) : bytes;
    if (dice.chance(0.05)) files[path(Math.max(0, last - 1))] = fileOf(part.lines.slice(0, -1));
    if (dice.chance(0.05)) files[`${path(last).slice(0, -6)}.tmp`] = bytes;
  }
  if (dice.chance(0.1)) files[`.holdfast/segments/${name}/next.tmp`] = fileOf(lines.slice(0, 1));
  if (dice.chance(0.9)) files[`${name}.jsonl`] = spoiled(fileOf(active.lines));
  return files;
}

const digits = (seq: number): string => String(seq).padStart(12, '0');

/** The checkpoint file in the states of which a crash and a careless hand are capable; null for none. */
function checkpointFile(dice: Dice, drafts: readonly Draft[]): Buffer | null {
  const states = drafts
    .filter(({ entry_type }) => entry_type === 'checkpoint')
    .map(({ data }) => stateIn(data));
  const newest = states.at(-1) ?? { context_state: { from: 'a file' }, lifecycle_state: 'stopped' };
  const text = (state: Json): Buffer => Buffer.from(pythonJson(state));
  switch (dice.below(9)) {
    case 0:
    case 1:
      return text(newest);
    case 2:
      return text(states.length > 0 ? dice.pick(states) : newest);
    case 3:
      return text(mutated(dice, newest));
    case 4:
      return text(dice.chance(0.5) ? { state: newest } : { ...newest, mark: dice.below(9) });
    case 5:
      // The same state, spelled by somebody else.
      return Buffer.from(
        ` ${pythonJson(Object.fromEntries(Object.entries(newest).toReversed())).replaceAll(/: (\d+)(?=[,}])/g, ': $1.0')}\r\n`,
      );
    case 6:
      return Buffer.from(
        dice.pick([
          '{}',
          'null',
          '[1]',
          '',
          '\0\0',
          '\ufeff{}',
          '{"context_state": {"deep": 1}}{}',
          '{"a": 1e400}',
        ]),
      );
    case 7:
      return harmed(dice, text(newest), () => Buffer.from('{}'));
    default:
      return null;
  }
}

function stateIn(data: Json): JsonObject {
  const object = isObject(data) ? data : {};
  return isObject(object['state']) ? object['state'] : object;
}
