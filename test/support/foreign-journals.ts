// Journals as the users of Promptise have them, at random, with odd lines, odd ends, and a checkpoint file in every state.
// Each comes with its twin without whatever Promptise stumbles over, so that the real Promptise is the judge of all.

import fc from 'fast-check';
import type { JsonObject } from '../../core/model/json.ts';
import { pythonJson } from '../interop/python-json.ts';
import { checkpointState, mendedState, oddState } from './foreign-entries.ts';
import { GOOD, piece, TIMES, type Piece } from './foreign-lines.ts';
import type { DifferenceKind } from './promptise-answers.ts';

/** The two files of a process. */
export interface ForeignFiles {
  /** Null where a crash came before the first line. */
  readonly entries: Buffer | null;
  readonly checkpoint: Buffer | null;
}

export interface ForeignJournal {
  readonly files: ForeignFiles;
  /** What Promptise recovers from these, ours has to recover from the others. */
  readonly mended: ForeignFiles;
  /** Why the two may differ; nothing to mend where there is none. */
  readonly kinds: readonly DifferenceKind[];
}

/** What stands behind the last line feed. */
const end: fc.Arbitrary<Pick<Piece, 'bytes' | 'kind'>> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom({ bytes: Buffer.alloc(0), kind: null }),
  },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: 1, max: GOOD.length - 1 })
      .map((at) => ({ bytes: Buffer.from(GOOD.slice(0, at)), kind: null })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { bytes: Buffer.from(GOOD), kind: 'no-line-feed' as const },
      { bytes: Buffer.from(`${GOOD}\r`), kind: 'no-line-feed' as const },
      { bytes: Buffer.from([0x7b, 0x22, 0xc3]), kind: 'odd-line' as const },
    ),
  },
);

type CheckpointFile =
  | { readonly is: 'absent' }
  | { readonly is: 'newest' }
  | { readonly is: 'older'; readonly pick: number }
  | { readonly is: 'ahead'; readonly state: JsonObject }
  | { readonly is: 'broken'; readonly bytes: Buffer | null; readonly share: number };

const checkpointFile: fc.Arbitrary<CheckpointFile> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<CheckpointFile>({ is: 'absent' }) },
  { weight: 5, arbitrary: fc.constant<CheckpointFile>({ is: 'newest' }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('older' as const), pick: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('ahead' as const),
      state: fc.oneof(checkpointState, checkpointState, oddState),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('broken' as const),
      bytes: fc.option(
        fc
          .constantFrom('{}', 'null', '[]', '[1]', '0', '"text"', '', '\0\0', '\ufeff{}')
          .map((text) => Buffer.from(text)),
      ),
      share: fc.double({ min: 0, max: 0.99, noNaN: true }),
    }),
  },
);

/** As Promptise writes it, save its line breaks. */
const fileText = (of: JsonObject): Buffer => Buffer.from(pythonJson(of));

function assemble([pieces, last, file]: readonly [
  Piece[],
  Pick<Piece, 'bytes' | 'kind'>,
  CheckpointFile,
]): ForeignJournal {
  const kinds = new Set<DifferenceKind>();
  for (const { kind } of [...pieces, last]) if (kind !== null) kinds.add(kind);
  const states = pieces.flatMap(({ state }) => (state === null ? [] : [state]));
  const newest = states.at(-1) ?? null;
  const mendedLines = pieces.flatMap(({ mended }) => (mended === null ? [] : [mended]));
  let checkpoint: Buffer | null = null;
  let truth = newest;
  switch (file.is) {
    case 'absent':
      if (newest !== null) kinds.add('checkpoint-file-lost');
      break;
    case 'newest':
      checkpoint = newest === null ? null : fileText(newest);
      break;
    case 'older':
      checkpoint = newest === null ? null : fileText(states[file.pick % states.length]!);
      if (newest !== null && states[file.pick % states.length] !== newest) kinds.add('checkpoint-file-older');
      break;
    case 'ahead': {
      checkpoint = fileText(file.state);
      truth = file.state;
      kinds.add('checkpoint-file-ahead');
      const line = {
        timestamp: TIMES[0],
        entry_type: 'checkpoint',
        data: { state: mendedState(file.state) },
      };
      mendedLines.push(Buffer.from(`${pythonJson(line)}\n`));
      break;
    }
    case 'broken': {
      const whole = fileText(newest ?? { context_state: { lost: true } });
      checkpoint = file.bytes ?? whole.subarray(0, Math.floor(whole.length * file.share));
      kinds.add('checkpoint-file-lost');
      break;
    }
  }
  const isUnreadable = pieces.every(({ is }) => is !== 'entry') && pieces.some(({ is }) => is === 'bad');
  if (isUnreadable && truth === null) kinds.add('nothing-readable');
  const entries = Buffer.concat([...pieces.map(({ bytes }) => bytes), last.bytes]);
  return {
    files: { entries: entries.length === 0 && file.is !== 'newest' ? null : entries, checkpoint },
    mended: {
      entries: Buffer.concat(mendedLines),
      checkpoint: truth === null ? null : fileText(mendedState(truth)),
    },
    kinds: [...kinds],
  };
}

export const foreignJournal: fc.Arbitrary<ForeignJournal> = fc
  .tuple(fc.array(piece, { maxLength: 16, size: 'max' }), end, checkpointFile)
  .map(assemble);
