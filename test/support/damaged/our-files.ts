// Journals of ours with an odd end, an odd form or a checkpoint file that is not what it should be, and the right answer.

import { hashLine } from '../../../core/journal/codec.ts';
import { RawNumber } from '../../../core/model/json.ts';
import { pythonJson } from '../../interop/python-json.ts';
import { ourLines } from '../journal-bytes.ts';
import { asPython, four } from '../promptise-answers.ts';
import {
  bad,
  bytesOf,
  blank,
  tail,
  unverified,
  verified,
  type DamagedCase,
  type DamagedProcess,
} from './case.ts';
import {
  all,
  changed,
  CHECKPOINT_FILE,
  DAMAGED,
  foreign,
  half,
  L1,
  L2,
  L3,
  L4,
  L7,
  L8,
  LINES,
  NEXT,
  NOTHING,
  ours,
  PROCESS,
  put,
  STATE,
  UP_TO_6,
  WHOLE,
  WRITER,
} from './our-life.ts';

export const OUR_ENDS: Readonly<Record<string, DamagedCase>> = {
  'ours-whole': ours('Nothing is wrong.', { pieces: all(LINES), strict: WHOLE }),
  'ours-empty': ours(
    'A crash came before the first byte.',
    { pieces: [], strict: NOTHING },
    { [CHECKPOINT_FILE]: null },
  ),
  'ours-half-line': ours('The last line was cut short: never acknowledged.', {
    pieces: [...all(LINES), tail(half(NEXT))],
    strict: WHOLE,
    claim: 'torn_tail',
  }),
  'ours-line-without-its-line-feed': ours(
    'The last line is whole but for its line feed: never acknowledged.',
    {
      pieces: [...all(LINES), tail(NEXT)],
      strict: WHOLE,
      claim: 'torn_tail',
      promptise: four({ parcels: 2, city: 'Jerez' }, 4, 'log'),
    },
  ),
  'ours-half-line-then-more': ours(
    'A half line, and a foreign writer that went on right behind it: nobody was told of either.',
    {
      pieces: [
        ...all(LINES),
        bad('not-json', Buffer.concat([half(NEXT), Buffer.from(foreign(3))])),
        unverified(foreign(4)),
      ],
      strict: DAMAGED,
      lenient: four({ parcels: 4, city: 'Jerez' }, 4, 'context_update'),
      claim: 'unfinished_batch',
    },
  ),
  'ours-nul-at-end': ours('The machine lost power: the end is NUL bytes.', {
    pieces: [...all(LINES), tail(Buffer.alloc(512))],
    strict: WHOLE,
    claim: 'torn_tail',
  }),
  'ours-nul-line-at-end': ours('NUL bytes and a line feed at the end, acknowledged by nobody.', {
    pieces: [...all(LINES), bad('nul', Buffer.alloc(512))],
    strict: DAMAGED,
    lenient: WHOLE,
    claim: 'unfinished_batch',
  }),
  'ours-nul-in-the-middle': ours('A run of NUL bytes before a line that was acknowledged.', {
    pieces: [...UP_TO_6, bad('nul', Buffer.concat([Buffer.alloc(512), L7])), bad('link', L8)],
    strict: DAMAGED,
    lenient: four({ parcels: 2 }, 2),
    claim: 'refuse',
  }),
  'ours-nul-at-start': ours('A run of NUL bytes at the very beginning, long before the last checkpoint.', {
    pieces: [bad('nul', Buffer.concat([Buffer.alloc(512), L1])), bad('link', L2), ...all(LINES.slice(2))],
    strict: WHOLE,
  }),
  'ours-last-line-changed': ours(
    'The last line was changed by one bit, and no later line says that it was durable.',
    {
      pieces: [...all(LINES.slice(0, 7)), bad('checksum', changed(L8, 'ana', 'anc'))],
      strict: DAMAGED,
      lenient: WHOLE,
      claim: 'unfinished_batch',
    },
  ),
  'ours-cut-at-a-line-feed': ours('Cut at a line feed, and nothing outside of the file to know it by.', {
    pieces: all(LINES.slice(0, 7)),
    strict: four({ parcels: 2, city: 'Jerez' }, 2, 'context_update', 'running'),
  }),
  'ours-lost-tail': ours(
    'Cut at a line feed, and its head knows that there was more.',
    {
      pieces: all(LINES.slice(0, 7)),
      strict: four({ parcels: 2, city: 'Jerez' }, 2, 'context_update', 'running'),
      claim: { error: 'journal.lost-tail' },
      verify: { also: [{ kind: 'lost-tail', seq: 8, offset: bytesOf(all(LINES.slice(0, 7))).length }] },
    },
    {
      [`.holdfast/heads/${PROCESS}.head`]: `${JSON.stringify({ seq: 8, hash: hashLine(L8), first: 1, size: Buffer.concat(LINES).length + 8, inode: 1, machine: 'machine-1' }).padEnd(255)}\n`,
    },
  ),
};

const NUMBERS = ['9007199254740993', '-18446744073709551617', '1e400', '0.12345678901234567'].map(
  (text) => new RawNumber(text),
);

export const OUR_FORMS: Readonly<Record<string, DamagedCase>> = {
  'ours-crlf': ours(
    'An editor made every line feed a carriage return and a line feed: nothing is lost by it.',
    {
      pieces: all(LINES, '\r\n'),
      strict: WHOLE,
    },
  ),
  'ours-bom': ours('An editor put a byte order mark in front.', {
    pieces: [
      bad('not-json', Buffer.concat([Buffer.from('\ufeff'), L1])),
      bad('link', L2),
      ...all(LINES.slice(2)),
    ],
    strict: WHOLE,
  }),
  'ours-blank-lines': ours('Blank lines before the last checkpoint and at the end.', {
    pieces: [
      verified(L1),
      verified(L2),
      blank(),
      blank(' \t '),
      bad('link', L3),
      verified(L4),
      ...all(LINES.slice(4)),
      blank(),
    ],
    strict: WHOLE,
  }),
  'ours-blank-line-behind-the-checkpoint': ours('A blank line was put in where recovery reads.', {
    pieces: [...UP_TO_6, blank(), bad('link', L7), verified(L8)],
    strict: DAMAGED,
    lenient: WHOLE,
    claim: 'refuse',
  }),
  'ours-numbers': ours('Numbers that no double holds keep their digits.', numbers(), {
    [CHECKPOINT_FILE]: null,
  }),
  'ours-checkpoint-file-ahead': ours(
    'The checkpoint file is ahead of every line: in a journal of ours the line is the truth.',
    {
      pieces: all(LINES),
      strict: WHOLE,
      notes: ['checkpoint-file'],
      promptise: four({ parcels: 2, city: 'Jerez', ahead: true }, 3),
    },
    {
      [CHECKPOINT_FILE]: pythonJson({
        context_state: { parcels: 9, ahead: true },
        lifecycle_state: 'running',
      }),
    },
  ),
  'ours-checkpoint-file-broken': ours(
    'The checkpoint file was cut short: the line is the truth.',
    {
      pieces: all(LINES),
      strict: WHOLE,
      notes: ['checkpoint-file'],
      promptise: four({ parcels: 2, city: 'Jerez' }, 8),
    },
    { [CHECKPOINT_FILE]: JSON.stringify(STATE).slice(0, 60) },
  ),
};

function numbers(): DamagedProcess {
  const lines = ourLines([WRITER, put('numbers', NUMBERS)]);
  return {
    pieces: all(lines),
    strict: four({ numbers: NUMBERS }, 2, 'context_update', 'created'),
    promptise: four({ numbers: asPython(NUMBERS) }, 2, 'context_update', 'created'),
  };
}
