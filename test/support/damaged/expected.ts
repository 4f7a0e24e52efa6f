// The damaged journals under test/journals/damaged: for each kind of bad input a small directory, and the right answer to
// it beside it, in expected.json. `npx node test/journals/write-damaged.ts` writes them; the answers are thought out
// there, never taken from the reader that is on trial.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseLossless } from '../../../core/journal/lossless.ts';
import type { LineFault } from '../../../core/journal/verify-line.ts';
import type { BadLine, StoredEntry } from '../../../core/model/entry.ts';
import type { Json } from '../../../core/model/json.ts';
import type { Four } from '../promptise-answers.ts';

/** What can be wrong with a line by itself or with its place. */
export type LineDamage = LineFault | 'link' | 'sequence';

/** A line that ends in a line feed and is not blank, in the order of the file. */
export interface ExpectedLine {
  readonly seq: number;
  readonly offset: number;
  readonly bytes: number;
  /** Null for a line that is no entry. */
  readonly entry_id: string | null;
  /** Null for a line that is as it should be. */
  readonly damage: LineDamage | null;
  /** Whether it vouches for itself. */
  readonly verified: boolean;
}

export interface Refused {
  readonly error: string;
  /** The numbers of the lines that are told of. */
  readonly lines?: readonly number[];
}

/** What taking it for writing does [J6, S8, S11, S13]. */
export type ExpectedClaim =
  | { readonly does: 'nothing' }
  | { readonly does: 'torn_tail' | 'unfinished_batch'; readonly offset: number; readonly bytes: number }
  | { readonly does: 'foreign_lines'; readonly from: number; readonly to: number }
  | { readonly does: 'refuse'; readonly error: string };

export interface ExpectedVerify {
  readonly damage: readonly {
    readonly kind: string;
    readonly seq: number;
    readonly offset: number;
  }[];
  readonly notes: readonly string[];
}

export interface ExpectedProcess {
  readonly file: string;
  readonly lines: readonly ExpectedLine[];
  /** Recovery, which refuses where acting could be wrong [S12]. */
  readonly strict: Four | Refused;
  /** Showing, which never refuses. */
  readonly lenient: Four;
  /** Null for a journal that is not ours: nobody takes it. */
  readonly claim: ExpectedClaim | null;
  readonly verify: ExpectedVerify;
  /** What the real Promptise answers: the same as `lenient`, other values, or the class of its error. */
  readonly promptise: 'lenient' | Four | { readonly error: string };
}

export interface Expected {
  readonly about: string;
  readonly format: 'holdfast' | 'promptise';
  readonly processes: Readonly<Record<string, ExpectedProcess>>;
}

export const DAMAGED_JOURNALS = join(import.meta.dirname, '../../journals/damaged');

export interface DamagedJournal extends Expected {
  readonly name: string;
  readonly directory: string;
}

export function damagedJournals(): readonly DamagedJournal[] {
  return readdirSync(DAMAGED_JOURNALS)
    .sort()
    .map((name) => {
      const text = readFileSync(join(DAMAGED_JOURNALS, name, 'expected.json'), 'utf8');
      const expected = parseLossless(text) as unknown as Expected;
      return { ...expected, name, directory: join(DAMAGED_JOURNALS, name, 'journal') };
    });
}

export function isRefused(answer: Four | Refused): answer is Refused {
  return 'error' in answer;
}

const KINDS: readonly (readonly [LineDamage, string])[] = [
  ['not-utf8', 'not UTF-8'],
  ['nul', 'holds NUL bytes'],
  ['not-json', 'not JSON: '],
  ['not-object', 'JSON, but not an object'],
  ['no-timestamp', 'has no timestamp'],
  ['bad-time', 'its timestamp is not a time: '],
  ['too-deep', 'nested deeper than '],
  ['checksum', 'has been changed'],
  ['link', 'does not follow the line before it'],
  ['sequence', 'has a number that does not follow'],
];

/** The kind of damage that a sentence tells of; the sentence itself where it is none of these. */
export function kindOf(reason: string): string {
  return KINDS.find(([, beginning]) => reason.startsWith(beginning))?.[0] ?? reason;
}

/** A line as the reader found it, as {@link ExpectedLine} says it. */
export function asExpected(item: StoredEntry | BadLine): Json {
  const { seq, offset, sizeBytes } = item;
  const place = { seq, offset, bytes: sizeBytes };
  if ('reason' in item) return { ...place, entry_id: null, damage: kindOf(item.reason), verified: false };
  const { entry_id, verification, fault = null } = item;
  return { ...place, entry_id, damage: fault, verified: verification === 'verified' };
}
