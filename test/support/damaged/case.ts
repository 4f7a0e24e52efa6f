// How a damaged journal is put together: piece by piece, each with what it is, so that its place and number come from
// the bytes and everything else from whoever wrote the case.

import { showJson, type JsonObject } from '../../../core/model/json.ts';
import type { Expected, ExpectedClaim, ExpectedLine, ExpectedProcess, LineDamage } from './expected.ts';
import type { Four } from '../promptise-answers.ts';

export interface Piece {
  readonly bytes: Buffer;
  /** What it is: an entry that vouches for itself or not, damaged or not; nothing to tell of; an end without line feed. */
  readonly is: 'verified' | 'unverified' | 'blank' | 'tail' | LineDamage;
}

const LINE_FEED = Buffer.from('\n');

function piece(is: Piece['is'], line: Buffer | string, end: Buffer | string = LINE_FEED): Piece {
  return { is, bytes: Buffer.concat([Buffer.from(line), Buffer.from(end)]) };
}

export const verified = (line: Buffer, end?: string): Piece => piece('verified', line, end);
export const unverified = (line: Buffer | string, end?: string): Piece => piece('unverified', line, end);
export const blank = (line = ''): Piece => piece('blank', line);
export const tail = (bytes: Buffer | string): Piece => piece('tail', bytes, '');
export const bad = (damage: LineDamage, line: Buffer | string): Piece => piece(damage, line);

type VerifyDamage = ExpectedProcess['verify']['damage'];

export interface DamagedProcess {
  readonly pieces: readonly Piece[];
  readonly strict: Four | { readonly error: string };
  /** As `strict` unless given. */
  readonly lenient?: Four;
  readonly claim?: ExpectedClaim['does'] | { readonly error: string };
  /** What a check calls damage beside, or with `only` instead of, what the lines alone tell. */
  readonly verify?: { readonly also: VerifyDamage } | { readonly only: VerifyDamage };
  readonly notes?: readonly string[];
  readonly promptise?: ExpectedProcess['promptise'];
}

export interface DamagedCase {
  readonly about: string;
  readonly format: Expected['format'];
  readonly processes: Readonly<Record<string, DamagedProcess>>;
  /** By file name, so that two processes may share one. */
  readonly fileOf?: (process: string) => string;
  /** Beside those of entries, by path; null for none. */
  readonly otherFiles: Readonly<Record<string, Buffer | string | null>>;
}

const READABLE: ReadonlySet<string> = new Set(['verified', 'unverified', 'checksum', 'link', 'sequence']);

/** Where each line is, and its number: its own where it can be trusted, else that of the physical line. */
export function linesOf(pieces: readonly Piece[]): ExpectedLine[] {
  const lines: ExpectedLine[] = [];
  let offset = 0;
  let physical = 0;
  for (const { is, bytes } of pieces) {
    physical += 1;
    if (is !== 'blank' && is !== 'tail') {
      const text = bytes.toString('latin1');
      const own = /"seq":(\d+),"ack":/.exec(text)?.[1];
      const isTrusted = is === 'verified' || is === 'link' || is === 'sequence';
      const isEntry = READABLE.has(is);
      lines.push({
        seq: isTrusted ? Number(own) : physical,
        offset,
        bytes: bytes.length,
        entry_id: isEntry ? (/"entry_id": ?"([^"]*)"/.exec(text)?.[1] ?? '') : null,
        damage: is === 'verified' || is === 'unverified' ? null : is,
        verified: is === 'verified',
      });
    }
    offset += bytes.length;
  }
  return lines;
}

export function bytesOf(pieces: readonly Piece[]): Buffer {
  return Buffer.concat(pieces.map(({ bytes }) => bytes));
}

export function expectedOf({
  about,
  format,
  processes,
  fileOf = (name) => `${name}.jsonl`,
}: DamagedCase): Expected {
  return {
    about,
    format,
    processes: Object.fromEntries(
      Object.entries(processes).map(([name, process]) => [
        name,
        { file: fileOf(name), ...expectedProcess(process, format) },
      ]),
    ),
  };
}

function expectedProcess(given: DamagedProcess, format: Expected['format']): Omit<ExpectedProcess, 'file'> {
  const { pieces, strict, lenient, verify = { also: [] }, notes = [], promptise = 'lenient' } = given;
  const claim = typeof given.claim === 'string' ? given.claim : undefined;
  const lines = linesOf(pieces);
  const damaged = lines.filter(({ damage }) => damage !== null);
  const inTheWay = damaged.filter(({ offset }) => offset > baseOf(pieces));
  const shown = lenient ?? ('error' in strict ? undefined : strict);
  if (shown === undefined) throw new Error('a case that recovery refuses has to say what is shown');
  return {
    lines,
    strict: 'error' in strict ? { ...strict, lines: inTheWay.map(({ seq }) => seq) } : strict,
    lenient: shown,
    claim: format === 'holdfast' ? claimOf(given, lines, inTheWay[0]) : null,
    verify:
      'only' in verify
        ? { damage: verify.only, notes }
        : {
            damage: [...(claim === 'unfinished_batch' ? [] : toldOnce(lines)), ...verify.also].sort(
              (one, other) => one.offset - other.offset,
            ),
            notes: [...notes, ...(claim === undefined ? [] : (NOTES[claim] ?? []))].sort(),
          },
    promptise,
  };
}

/** What a check says of what the next start will do by itself. */
const NOTES: Readonly<Record<string, readonly string[]>> = {
  torn_tail: ['torn-tail'],
  unfinished_batch: ['unfinished-batch'],
  foreign_lines: ['foreign-lines'],
};

/** A line behind a damaged one, or behind somebody else's, can't be checked against it: that is told once. */
function toldOnce(lines: readonly ExpectedLine[]): VerifyDamage {
  return lines.flatMap(({ damage, seq, offset }, at) => {
    const before = lines[at - 1];
    const isBehindDamage =
      before !== undefined &&
      before.offset + before.bytes === offset &&
      (before.damage === null ? !before.verified : before.damage !== 'link' && before.damage !== 'sequence');
    return damage === null || (damage === 'link' && isBehindDamage) ? [] : [{ kind: damage, seq, offset }];
  });
}

/** Where the last full checkpoint is, which stands for all before it, and whose own link does not matter; else -1. */
function baseOf(pieces: readonly Piece[]): number {
  const at = pieces.findLastIndex(
    ({ is, bytes }) => is !== 'checksum' && READABLE.has(is) && bytes.includes('"holdfast":{"fold_version"'),
  );
  return at < 0 ? -1 : bytesOf(pieces.slice(0, at)).length;
}

function claimOf(
  { pieces, claim = 'nothing' }: DamagedProcess,
  lines: readonly ExpectedLine[],
  firstInTheWay: ExpectedLine | undefined,
): ExpectedClaim {
  const sizeBytes = bytesOf(pieces).length;
  switch (claim) {
    case 'nothing':
      return { does: 'nothing' };
    case 'refuse':
      return { does: 'refuse', error: 'journal.damaged' };
    case 'torn_tail': {
      const bytes = pieces.at(-1)!.bytes.length;
      return { does: 'torn_tail', offset: sizeBytes - bytes, bytes };
    }
    case 'unfinished_batch': {
      const { offset } = firstInTheWay!;
      return { does: 'unfinished_batch', offset, bytes: sizeBytes - offset };
    }
    case 'foreign_lines': {
      const last = lines.findLastIndex((line) => line.verified);
      return { does: 'foreign_lines', from: lines[last + 1]!.seq, to: lines.at(-1)!.seq };
    }
    default:
      return { does: 'refuse', error: claim.error };
  }
}

/** JSON, save that a number may be NaN, with each line of a journal on a line of its own. */
export function expectedText(expected: Expected): string {
  const text = showJson(expected as unknown as JsonObject, 2);
  return `${text.replaceAll(/\{\n\s+"(?:seq|kind)": [^{}]*\}/g, (object) => object.replaceAll(/\n\s*/g, ' '))}\n`;
}
