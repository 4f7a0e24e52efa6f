// What happens to the bytes of a file, at random: disks, transfers, editors, crashes, and people who mean well.

import { hashLine } from '../../core/journal/codec.ts';
import { sealed, withChecksum } from './fuzzed-lines.ts';
import type { Dice } from './fuzzed-values.ts';

type Harm = (dice: Dice, bytes: Buffer, foreign: () => Buffer) => Buffer;

const LINE_FEED = Buffer.from('\n');

/** The lines with their ends; the last one may have none. */
function split(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, at + 1));
    from = at + 1;
  }
  if (from < bytes.length) lines.push(bytes.subarray(from));
  return lines;
}

const spliced = (bytes: Buffer, at: number, count: number, ...put: readonly Buffer[]): Buffer =>
  Buffer.concat([bytes.subarray(0, at), ...put, bytes.subarray(at + count)]);

/** Harm to the list of lines. */
const toLines =
  (change: (lines: Buffer[], at: number, dice: Dice) => Buffer[]): Harm =>
  (dice, bytes) => {
    const lines = split(bytes);
    return lines.length === 0 ? bytes : Buffer.concat(change(lines, dice.below(lines.length), dice));
  };

/** Harm to one line without its end. */
const toLine = (change: (dice: Dice, line: Buffer) => Buffer): Harm =>
  toLines((lines, at, dice) =>
    lines.map((line, index) =>
      index === at ? Buffer.concat([change(dice, line.subarray(0, -1)), LINE_FEED]) : line,
    ),
  );

const put =
  (text: string): Harm =>
  (dice, bytes) =>
    spliced(bytes, dice.below(bytes.length + 1), 0, Buffer.from(text));

const INTERESTING = Buffer.from('\0\n\r\t "\\{}[]:,0919aAeE-.\x7f\x80\xc3\xed\xff', 'latin1');

const OWN = /,"seq":(\d+),"ack":(\d+),"prev":"([\w-]{22})","crc":"[0-9a-f]{8}"\}$/;

/** A line of ours with other bytes and a checksum that fits them; any other line as it is. */
const resealed = (change: (dice: Dice, text: string) => string): ((dice: Dice, line: Buffer) => Buffer) => {
  return (dice, line) => {
    const text = line.toString('latin1');
    return OWN.test(text) ? withChecksum(Buffer.from(change(dice, text), 'latin1')) : line;
  };
};

const overwritten = (dice: Dice, text: string): string => {
  const at = dice.below(Math.max(1, text.length - 60));
  return `${text.slice(0, at)}${String.fromCharCode(dice.pick([...INTERESTING]))}${text.slice(at + 1)}`;
};

const renumbered = (dice: Dice, text: string): string =>
  text.replace(OWN, (end, seq: string) =>
    end.replace(
      `"seq":${seq}`,
      `"seq":${dice.pick([Number(seq) + 1, Number(seq) + 5, Math.max(0, Number(seq) - 2), 0, 1])}`,
    ),
  );

/** The lines of ours follow each other again, whatever their numbers are. */
const relinked = toLines((lines) => {
  let prev = '';
  return lines.map((line) => {
    const text = line.toString('latin1');
    const [end, seq, ack] = OWN.exec(text.replace(/\r?\n$/, '')) ?? [];
    const next =
      end === undefined || prev === '' || !text.endsWith('\n')
        ? line
        : Buffer.concat([sealedAgain(text.slice(0, text.lastIndexOf(end)), seq!, ack!, prev), LINE_FEED]);
    prev = hashLine(next.subarray(0, next.at(-2) === 13 ? -2 : -1));
    return next;
  });
});

function sealedAgain(body: string, seq: string, ack: string, prev: string): Buffer {
  const line = Buffer.concat([Buffer.from(body, 'latin1'), sealed('{}', seq, ack, prev).subarray(1)]);
  return withChecksum(line);
}

const HARMS: readonly Harm[] = [
  // A bit, a byte, a stretch.
  (dice, bytes) => {
    const at = dice.below(bytes.length);
    return bytes.length === 0
      ? bytes
      : spliced(bytes, at, 1, Buffer.from([bytes[at]! ^ (1 << dice.below(8))]));
  },
  (dice, bytes) =>
    spliced(bytes, dice.below(bytes.length + 1), 1, Buffer.from([dice.pick([...INTERESTING])])),
  (dice, bytes) => spliced(bytes, dice.below(bytes.length + 1), dice.below(300)),
  (dice, bytes) =>
    spliced(bytes, dice.below(bytes.length + 1), dice.below(80), Buffer.alloc(dice.below(300))),
  (dice, bytes) => {
    const length = dice.below(120);
    const from = dice.below(bytes.length + 1);
    return spliced(bytes, dice.below(bytes.length + 1), length, bytes.subarray(from, from + length));
  },
  // Lines.
  toLines((lines, at) => lines.toSpliced(at, 1)),
  toLines((lines, at, dice) => lines.toSpliced(at, 1 + dice.below(4))),
  toLines((lines, at, dice) => {
    const other = dice.below(lines.length);
    return lines.with(at, lines[other]!).with(other, lines[at]!);
  }),
  toLines((lines, at, dice) => lines.toSpliced(dice.below(lines.length), 0, lines[at]!)),
  toLines((lines, at) => lines.with(at, lines[at]!.subarray(0, -1))),
  // Ends.
  (dice, bytes) => bytes.subarray(0, dice.below(bytes.length + 1)),
  (dice, bytes) => Buffer.concat([bytes, bytes.subarray(0, dice.below(200))]),
  (_dice, bytes, foreign) => Buffer.concat([bytes, foreign(), LINE_FEED, foreign(), LINE_FEED]),
  // What others put in.
  toLines((lines, at, dice) =>
    lines.toSpliced(at, 0, Buffer.from(dice.pick(['\n', ' \n', '\r\n', '\r\r\n', '\t\v\f \n', '\u0085\n']))),
  ),
  toLines((lines) => lines.map((line) => Buffer.concat([line.subarray(0, -1), Buffer.from('\r\n')]))),
  toLine((dice, line) => Buffer.concat([line, Buffer.from(dice.pick(['\r', '\r\r', ' ', '}', ',']))])),
  (dice, bytes, foreign) => {
    const lines = split(bytes);
    return Buffer.concat(
      lines.toSpliced(dice.below(lines.length + 1), 0, Buffer.concat([foreign(), LINE_FEED])),
    );
  },
  toLines((lines, at, dice) => {
    const odd = [
      'null',
      'NaN',
      '1',
      '[]',
      '"text"',
      '{}',
      '{"timestamp": 5}',
      '\ufeff{}',
      '['.repeat(1_001),
      '{"half',
    ];
    return lines.toSpliced(at, 0, Buffer.from(`${dice.pick(odd)}\n`));
  }),
  put('\n'),
  put('\0'),
  put('\ufeff'),
  (dice, bytes) =>
    spliced(
      bytes,
      dice.below(bytes.length + 1),
      0,
      Buffer.from(dice.pick(['ff', 'c3', 'eda080', 'f4908080', 'c080']), 'hex'),
    ),
  // Ours, by somebody who knows how: what the checksum says then is true.
  toLine(resealed(overwritten)),
  toLine(resealed((dice, text) => text.replace('"timestamp"', dice.pick(['"time"', '"timestamp":1,"x"'])))),
  toLine(
    resealed((dice, text) =>
      text.replace(/:(-?\d+)(?=[,}])/, dice.pick([':1e400', ':NaN', ':-0e1', ':9007199254740993', ':1.0'])),
    ),
  ),
  toLine(resealed((_dice, text) => text.replace(OWN, (end) => `\xff${end}`))),
  toLine(resealed(renumbered)),
  (dice, bytes, foreign) => relinked(dice, toLine(resealed(renumbered))(dice, bytes, foreign), foreign),
  (dice, bytes, foreign) =>
    relinked(dice, toLines((lines, at) => lines.toSpliced(at, 1))(dice, bytes, foreign), foreign),
];

/** Mostly once, sometimes more often. */
export function harmed(dice: Dice, bytes: Buffer, foreign: () => Buffer): Buffer {
  let result = bytes;
  do result = dice.pick(HARMS)(dice, result, foreign);
  while (dice.chance(0.35));
  return result;
}
