// Lines of journals as the users of Promptise have them, at random: its spelling and other people's, numbers that only
// Python writes, lines that it skips and lines that it stumbles over. Each comes with what stands in its place in a
// journal that Promptise does not stumble over.

import fc from 'fast-check';
import { isObject, showJson, type Json, type JsonObject } from '../../core/model/json.ts';
import { pythonJson } from '../interop/python-json.ts';
import { entryDraft, oddEntryDraft, type Draft } from './foreign-entries.ts';
import type { DifferenceKind } from './promptise-answers.ts';

/** One line with its end; `mended` is null where the twin has none, and `state` is that of a checkpoint. */
export interface Piece {
  /** Blank lines say nothing, and are no damage. */
  readonly is: 'entry' | 'bad' | 'blank';
  readonly bytes: Buffer;
  readonly mended: Buffer | null;
  readonly kind: DifferenceKind | null;
  readonly state: JsonObject | null;
}

export const TIMES = [
  '2026-01-05T09:00:00+00:00',
  '2026-01-05T09:00:00.125001+00:00',
  '2026-01-05T09:00:00.125Z',
  '2026-01-05 08:59:59.1',
  '2026-01-05T10:00:00,123456789+01:00',
  '2026-01-05T09:00',
] as const;

/** How a line is spelled; most are spelled as Python spells them. */
interface Spelling {
  readonly isCompact: boolean;
  readonly absent: readonly string[];
  readonly isReversed: boolean;
  readonly extra: string;
  readonly padding: string;
  readonly end: string;
}
const spelling: fc.Arbitrary<Spelling> = fc.record({
  isCompact: fc.nat(4).map((n) => n === 0),
  absent: fc.oneof(
    { weight: 4, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.subarray(['entry_id', 'process_id', 'data']) },
  ),
  isReversed: fc.nat(6).map((n) => n === 0),
  // A name that comes twice counts as it comes last, in Python as here.
  extra: fc.constantFrom('', '', '', '"trace": [NaN], ', '"entry_type": "log", "timestamp": 1, '),
  padding: fc.constantFrom('', '', '', '  ', '\t'),
  end: fc.constantFrom('\n', '\n', '\n', '\r\n', '\r\r\n'),
});

interface Sealed {
  readonly draft: Draft;
  readonly spelling: Spelling;
  readonly timestamp: string;
  readonly id: string;
}
const sealed: fc.Arbitrary<Sealed> = fc.record({
  draft: fc.oneof({ weight: 12, arbitrary: entryDraft }, { weight: 1, arbitrary: oddEntryDraft }),
  spelling,
  timestamp: fc.constantFrom(...TIMES),
  id: fc.oneof(fc.uuid(), fc.constant('')),
});

function spelled({ spelling, timestamp, id }: Sealed, entry_type: Json, data: Json): string {
  const isEmpty = isObject(data) && Object.keys(data).length === 0;
  const pairs = Object.entries<Json>({ entry_id: id, process_id: 'one', timestamp, entry_type, data }).filter(
    ([key]) => !spelling.absent.includes(key) || (key === 'data' && !isEmpty),
  );
  const object = Object.fromEntries(spelling.isReversed ? pairs.reverse() : pairs);
  const text = spelling.isCompact ? showJson(object) : pythonJson(object);
  return `${spelling.padding}{${spelling.extra}${text.slice(1)}${spelling.padding}`;
}

function pieceOf(of: Sealed): Piece {
  const { entry_type, data, kind = null, mended } = of.draft;
  const end = of.spelling.end;
  const bytes = Buffer.from(spelled(of, entry_type, data) + end);
  const held = isObject(data) && isObject(data['state']) ? data['state'] : data;
  return {
    is: 'entry',
    bytes,
    mended: mended === undefined ? bytes : Buffer.from(spelled(of, mended.entry_type, mended.data) + end),
    kind,
    state: entry_type === 'checkpoint' && isObject(held) ? held : null,
  };
}

const aLine = (timestamp: Json): string =>
  pythonJson({
    entry_id: 'odd',
    process_id: 'one',
    timestamp,
    entry_type: 'context_update',
    data: { key: 'odd' },
  });
export const GOOD = aLine(TIMES[0]);

/** Lines that both readers leave out. */
const SKIPPED = [
  '',
  '   ',
  '{"half',
  'nonsense',
  '{"entry_type": "log", "data": {}}',
  `${GOOD.slice(0, 40)}${GOOD}`,
  `${GOOD}${GOOD}`,
  `\ufeff${GOOD}`,
  `\0\0\0\0`,
  `${GOOD.slice(0, 60)}${'\0'.repeat(200)}${GOOD.slice(60)}`,
  `\0\0${GOOD}`,
  GOOD.replace('"odd"', '"tab\tinside"'),
  '{"timestamp": +1}',
];

/** Lines that end the reading for Promptise, and for ours are bad lines. */
const BREAKING: readonly (string | Buffer)[] = [
  'null',
  'NaN',
  '1',
  '"text"',
  '[1]',
  '[]',
  aLine('yesterday'),
  aLine(''),
  aLine(5),
  aLine(null),
  Buffer.concat([Buffer.from(GOOD.slice(0, 50)), Buffer.from([0xff, 0xfe]), Buffer.from(GOOD.slice(50))]),
  Buffer.from([0xc3]),
  `${'['.repeat(1_500)}${']'.repeat(1_500)}`,
];

const readByOurs = (text: string, mended: string): Piece => ({
  is: 'entry',
  bytes: Buffer.from(`${text}\n`),
  mended: Buffer.from(`${mended}\n`),
  kind: 'odd-line',
  state: null,
});
const LOG = GOOD.replace('context_update', 'log');
const HALF_PAIR = LOG.replace('"log"', '"\\ud83d"');

/** Entries for ours that end the reading for Promptise. */
const READ_BY_OURS: readonly Piece[] = [
  // Python refuses to count that far.
  readByOurs(LOG.replace('"odd"}', `${'9'.repeat(5_000)}}`), LOG),
  // It makes an id of the type, and can't encode half a pair.
  readByOurs(HALF_PAIR.replace('"entry_id": "odd"', '"entry_id": ""'), HALF_PAIR),
];

const oddLine: fc.Arbitrary<Piece> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.constantFrom(...SKIPPED).map((text): Piece => {
      const bytes = Buffer.from(`${text}\n`);
      return { is: text.trim() === '' ? 'blank' : 'bad', bytes, mended: bytes, kind: null, state: null };
    }),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom(...BREAKING).map((text): Piece => ({
      is: 'bad',
      bytes: Buffer.concat([Buffer.from(text), Buffer.from('\n')]),
      mended: null,
      kind: 'odd-line',
      state: null,
    })),
  },
  { weight: 1, arbitrary: fc.constantFrom(...READ_BY_OURS) },
);

export const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 9, arbitrary: sealed.map(pieceOf) },
  { weight: 1, arbitrary: oddLine },
);
