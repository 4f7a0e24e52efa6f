// Lines of ours that are odd, changed, gone, put in or out of place, and the right answer to each.

import { four } from '../promptise-answers.ts';
import { encodeLine, hashLine } from '../../../core/journal/codec.ts';
import { fixedEntry, foreignLine, ourLines } from '../journal-bytes.ts';
import {
  bad,
  bytesOf,
  unverified,
  verified,
  type DamagedCase,
  type DamagedProcess,
  type Piece,
} from './case.ts';
import {
  all,
  changed,
  CHECKPOINT_FILE,
  DAMAGED,
  entry,
  foreign,
  L1,
  L2,
  L3,
  L5,
  L6,
  L7,
  L8,
  LIFE,
  LINES,
  NOTHING,
  ours,
  put,
  UP_TO_6,
  WHOLE,
  WRITER,
} from './our-life.ts';

const BEHIND_6 = bytesOf(UP_TO_6).length;

/** A line that somebody put in between two of ours. */
function putIn(about: string, piece: Piece, promptise: DamagedProcess['promptise'] = 'lenient'): DamagedCase {
  return ours(about, {
    pieces: [...UP_TO_6, piece, bad('link', L7), verified(L8)],
    strict: DAMAGED,
    lenient: WHOLE,
    claim: 'refuse',
    promptise,
  });
}

export const OUR_ODD_LINES: Readonly<Record<string, DamagedCase>> = {
  'ours-line-null': putIn('A line that is JSON and no object: null.', bad('not-object', 'null'), {
    error: 'AttributeError',
  }),
  'ours-line-number': putIn('A line that is JSON and no object: a number.', bad('not-object', '42'), {
    error: 'AttributeError',
  }),
  'ours-line-text': putIn('A line that is JSON and no object: a text.', bad('not-object', '"text"'), {
    error: 'AttributeError',
  }),
  'ours-line-list': putIn('A line that is JSON and no object: a list.', bad('not-object', '[{}]'), {
    error: 'AttributeError',
  }),
  'ours-line-not-json': putIn('A line that is no JSON.', bad('not-json', '{"entry_id": ')),
  'ours-line-without-time': putIn(
    'A line without a timestamp.',
    bad('no-timestamp', '{"entry_type": "log", "data": {}}'),
  ),
  'ours-line-with-bad-time': putIn(
    'A line whose timestamp is no time.',
    bad('bad-time', foreignLine({ timestamp: 'yesterday' })),
    { error: 'ValueError' },
  ),
  'ours-line-too-deep': putIn(
    'A line that is nested too deep for any reader.',
    bad('too-deep', '['.repeat(1_001) + ']'.repeat(1_001)),
    { error: 'RecursionError or AttributeError' },
  ),
  'ours-line-not-utf8': ours('One byte of a line is no UTF-8 any more.', {
    pieces: [...UP_TO_6, bad('not-utf8', changed(L7, 'J', '\xff')), bad('link', L8)],
    strict: DAMAGED,
    lenient: four({ parcels: 2 }, 2),
    claim: 'refuse',
    promptise: { error: 'UnicodeDecodeError' },
  }),
  'ours-only-garbage': ours(
    'Not one line can be read.',
    {
      pieces: [bad('not-json', '{"half'), bad('nul', '\0\0\0'), bad('not-json', 'nonsense')],
      strict: DAMAGED,
      lenient: NOTHING,
      claim: 'unfinished_batch',
      // Without one line of ours nobody can tell what it is that would be set aside.
      verify: {
        only: [
          { kind: 'not-json', seq: 1, offset: 0 },
          { kind: 'nul', seq: 2, offset: 7 },
          { kind: 'not-json', seq: 3, offset: 11 },
        ],
      },
    },
    { [CHECKPOINT_FILE]: null },
  ),
};

export const OUR_CHAINS: Readonly<Record<string, DamagedCase>> = {
  'ours-one-bit-changed': ours('One bit of a text was changed: it reads well and is wrong.', {
    pieces: [...UP_TO_6, bad('checksum', changed(L7, 'J', 'K')), bad('link', L8)],
    strict: DAMAGED,
    lenient: four({ parcels: 2, city: 'Kerez' }, 3),
    claim: 'refuse',
  }),
  'ours-one-bit-changed-before-the-checkpoint': ours(
    'One bit was changed, before the last full checkpoint.',
    {
      pieces: [
        verified(L1),
        bad('checksum', changed(L2, 'ana', 'anc')),
        bad('link', L3),
        ...all(LINES.slice(3)),
      ],
      strict: WHOLE,
    },
  ),
  'ours-one-bit-changed-in-the-checkpoint': ours(
    'One bit of the only full checkpoint was changed: nothing to begin from.',
    {
      pieces: [
        ...all(LINES.slice(0, 4)),
        bad('checksum', changed(L5, '2026', '2027')),
        bad('link', L6),
        verified(L7),
        verified(L8),
      ],
      strict: DAMAGED,
      lenient: WHOLE,
      claim: 'refuse',
      notes: ['checkpoint-file'],
    },
  ),
  'ours-one-bit-changed-in-a-key': ours('One bit of one of our own keys was changed: no less ours.', {
    pieces: [...UP_TO_6, bad('checksum', changed(L7, '"crc"', '"csc"')), bad('link', L8)],
    strict: DAMAGED,
    lenient: WHOLE,
    claim: 'refuse',
  }),
  'ours-line-feed-changed': ours(
    'One bit of a line feed was changed: two lines are one, and neither is readable.',
    {
      pieces: [
        ...all(LINES.slice(0, 5)),
        bad('not-json', Buffer.concat([L6, Buffer.from('\v'), L7])),
        bad('link', L8),
      ],
      strict: DAMAGED,
      lenient: four({ parcels: 1 }, 1),
      claim: 'refuse',
    },
  ),
  'ours-line-feed-put-in': ours('One bit made a line feed of a letter: one line is two halves.', {
    pieces: [
      ...UP_TO_6,
      bad('not-json', L7.subarray(0, L7.indexOf('J'))),
      bad('not-json', L7.subarray(L7.indexOf('J') + 1)),
      bad('link', L8),
    ],
    strict: DAMAGED,
    lenient: four({ parcels: 2 }, 2),
    claim: 'refuse',
  }),
  'ours-line-deleted': ours('A line is gone.', {
    pieces: [...UP_TO_6, bad('link', L8)],
    strict: DAMAGED,
    lenient: four({ parcels: 2 }, 2),
    claim: 'refuse',
  }),
  'ours-line-doubled': ours('A line is there twice.', {
    pieces: [...UP_TO_6, bad('link', L6), verified(L7), verified(L8)],
    strict: DAMAGED,
    lenient: four({ parcels: 2, city: 'Jerez' }, 4),
    claim: 'refuse',
    verify: { also: [{ kind: 'duplicate-id', seq: 6, offset: BEHIND_6 }] },
  }),
  'ours-lines-swapped': ours('Two lines changed places.', {
    pieces: [...all(LINES.slice(0, 5)), bad('link', L7), bad('link', L6), bad('link', L8)],
    strict: DAMAGED,
    lenient: WHOLE,
    claim: 'refuse',
  }),
  'ours-sequence-gap': ours('The chain holds, and a number was left out.', gap()),
  'ours-duplicate-ids': ours('Two entries of ours have one id, and everything else is in order.', doubled()),
  'ours-foreign-line-between': ours('Somebody else put a line of his own between ours.', {
    pieces: [...UP_TO_6, unverified(foreign(7)), bad('link', L7), verified(L8)],
    strict: DAMAGED,
    lenient: four({ parcels: 7, city: 'Jerez' }, 4),
    claim: 'refuse',
    verify: { also: [{ kind: 'foreign', seq: 7, offset: BEHIND_6 }] },
  }),
  'ours-foreign-lines-at-end': ours('Somebody else went on behind ours.', {
    pieces: [...all(LINES), unverified(foreign(3)), unverified(foreign(4))],
    strict: four({ parcels: 4, city: 'Jerez' }, 5, 'context_update'),
    claim: 'foreign_lines',
  }),
  'ours-foreign-lines-told': ours('Somebody else went on behind ours, and the next writer said so.', told()),
  'ours-beginning-lost': ours('The first two lines are gone.', {
    pieces: [bad('link', L3), ...all(LINES.slice(3))],
    strict: WHOLE,
    verify: { only: [{ kind: 'missing-segment', seq: 3, offset: 0 }] },
  }),
  'ours-beginning-lost-up-to-the-checkpoint': ours('All before the last full checkpoint is gone.', {
    pieces: all(LINES.slice(4)),
    strict: WHOLE,
    verify: { only: [{ kind: 'missing-segment', seq: 5, offset: 0 }] },
  }),
};

function gap(): DamagedProcess {
  const seventh = encodeLine(fixedEntry(put('city', 'Jerez'), 7), { seq: 9, ack: 6, prev: hashLine(L6) });
  const eighth = encodeLine(fixedEntry(LIFE[7]!, 8), { seq: 10, ack: 9, prev: hashLine(seventh) });
  return {
    pieces: [...UP_TO_6, bad('sequence', seventh), verified(eighth)],
    strict: DAMAGED,
    lenient: WHOLE,
    claim: 'refuse',
  };
}

function doubled(): DamagedProcess {
  const lines = ourLines(
    LIFE.map((each, at) => ({ ...each, entry_id: at === 6 ? 'entry-6' : `entry-${at + 1}` })),
  );
  return {
    pieces: all(lines),
    strict: WHOLE,
    verify: { also: [{ kind: 'duplicate-id', seq: 7, offset: bytesOf(all(lines.slice(0, 6))).length }] },
  };
}

function told(): DamagedProcess {
  const tenth = foreign(4);
  const lines = ourLines(
    [entry('foreign_lines', { from: 9, to: 10 }), WRITER],
    11,
    hashLine(Buffer.from(tenth)),
  );
  return {
    pieces: [...all(LINES), unverified(foreign(3)), unverified(tenth), ...all(lines)],
    strict: four({ parcels: 4, city: 'Jerez' }, 7, 'writer_opened'),
    notes: ['foreign-lines'],
  };
}
