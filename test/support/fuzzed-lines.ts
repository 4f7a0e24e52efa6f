// Lines of fuzzed journals: lives that the runtime could have written, odd entries between them, and every spelling that a
// reader has to know: ours, Promptise's, and by hand. What is odd is odd in small steps from what is right.

import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { encodeLine, FIRST_PREV, hashLine, nestsDeeper } from '../../core/journal/codec.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { applyEntry, FOLD_VERSION, type FoldedEntry } from '../../core/model/fold.ts';
import { effectIdOf } from '../../core/model/effects.ts';
import { isObject, showJson, type Json, type JsonObject } from '../../core/model/json.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { pythonJson } from '../interop/python-json.ts';
import { deep, mutated, oddValue, TEXTS, timeOf, type Dice } from './fuzzed-values.ts';
import { legalEntries } from './legal-entries.ts';

/** Lives to take journals from; making one for each journal would take longer than reading it. */
export const livesOf = (seed: number): readonly FoldedEntry[][] =>
  fc.sample(legalEntries(40), { seed, numRuns: 300 });

/** The five keys, each of which may be something else. */
export interface Draft {
  readonly process_id: Json;
  readonly timestamp: Json;
  readonly entry_type: Json;
  readonly data: Json;
}

/** What a writer or a person may put between two entries of a life. */
function extra(dice: Dice, entries: readonly FoldedEntry[]): readonly [entry_type: Json, data: Json] {
  const stateNow = (): JsonObject => {
    let snapshot = emptySnapshot();
    for (const entry of entries) snapshot = applyEntry(snapshot, entry);
    return snapshotToState(snapshot, FOLD_VERSION);
  };
  const event = `event-${dice.below(12)}`;
  const effect = effectIdOf(event, dice.pick(['mail', 'pay']), 0);
  switch (dice.below(12)) {
    case 0:
    case 1:
      return ['checkpoint', { state: stateNow() }];
    case 2:
      return ['checkpoint', dice.chance(0.5) ? mutated(dice, { state: stateNow() }) : stateNow()];
    case 3:
      return ['checkpoint', { state: { ...stateNow(), holdfast: mutated(dice, stateNow()['holdfast']!) } }];
    case 4: {
      const state = {
        context_state: { key: oddValue(dice) },
        lifecycle_state: dice.pick(TEXTS),
        invocation_count: 3,
      };
      return ['checkpoint', dice.chance(0.5) ? { state: mutated(dice, state) } : state];
    }
    case 5:
      return ['context_update', { key: oddValue(dice), value: oddValue(dice), deleted: dice.chance(0.2) }];
    case 6:
      return [
        'journal_repaired',
        dice.chance(0.5)
          ? { kind: 'torn_tail', offset: 9, bytes: 3, file: '.holdfast/quarantine/x.bin' }
          : {
              kind: 'repair',
              gaps: [],
              held: dice.pick<Json>([true, true, false, 1]),
              reason: dice.pick<Json>(['why', null]),
            },
      ];
    case 7:
      return dice.pick<readonly [Json, Json]>([
        ['foreign_lines', { from: 1, to: dice.below(9) }],
        [
          'segments_dropped',
          { first_seq: 1, last_seq: dice.below(9), hash: FIRST_PREV, bytes: 9, reason: 'old' },
        ],
        ['journal_full', { refused_entries: 2 }],
      ]);
    case 8:
      return ['effect_value_lost', { effect_id: effect }];
    case 9:
      return [
        'effect_finished',
        { effect_id: effect, unpermitted: dice.pick<Json>([true, true, 1]), end: 'done' },
      ];
    case 10:
      return [
        dice.pick<Json>(['error', 'dead_letter', 'trigger_event', 'invocation_start', null, 7]),
        { event_id: event },
      ];
    default:
      return ['context_update', { key: 'deep', value: deep(dice.pick([3, 390, 990, 995, 996, 997, 998])) }];
  }
}

export function draftsOf(dice: Dice, lives: readonly FoldedEntry[][], process: string): Draft[] {
  const life = dice.pick(lives);
  const entries = life.slice(0, dice.chance(0.2) ? life.length : dice.below(14));
  const isOdd = dice.chance(0.7);
  return entries.flatMap((entry, at) => {
    const draft = (entry_type: Json, data: Json): Draft => ({
      process_id: isOdd && dice.chance(0.03) ? dice.pick<Json>(['', 'two', 'a_b', null]) : process,
      timestamp: isOdd ? timeOf(dice, entry.timestamp) : entry.timestamp,
      entry_type,
      data: isOdd && dice.chance(0.1) ? mutated(dice, data) : data,
    });
    const made = [draft(entry.entry_type, entry.data)];
    if (isOdd ? dice.chance(0.25) : dice.chance(0.1))
      made.push(draft(...extra(dice, entries.slice(0, at + 1))));
    return made;
  });
}

/** A line of ours, made by hand from the text of an object. */
export function sealed(text: string, seq: number | string, ack: number | string, prev: string): Buffer {
  return withChecksum(
    Buffer.from(`${text.slice(0, -1)},"seq":${seq},"ack":${ack},"prev":"${prev}","crc":"00000000"}`),
  );
}

const CRC_TAIL = ',"crc":"00000000"}'.length;

/** The bytes with the checksum that fits them, in the place where it stands. */
export function withChecksum(line: Buffer): Buffer {
  const crc = crc32(line.subarray(0, -CRC_TAIL)).toString(16).padStart(8, '0');
  return Buffer.concat([line.subarray(0, -10), Buffer.from(crc), line.subarray(-2)]);
}

const ESCAPED: readonly (readonly [string, string])[] = [
  ['"holdfast"', String.raw`"\u0068oldfast"`],
  ['"checkpoint"', String.raw`"\u0063heckpoint"`],
  ['"timestamp"', String.raw`"time\u0073tamp"`],
  ['"state"', String.raw`"\u0073tate"`],
  ['"data"', String.raw`"d\u0061ta"`],
];

const PREFIXES = [
  '"seq": 1, "ack": 0, ',
  '"seq": 1, "ack": 0, "prev": "x", ',
  '"seq":1,"ack":0,"prev":"AAAAAAAAAAAAAAAAAAAAAA","crc":1,',
  '"trace": [NaN], ',
  '"entry_type": "log", "timestamp": 1, ',
  '"crc": null, "data": {"a": 1}, ',
  '"\ud83d\ude00": "\ufffd", ',
];

/** The text of an object, in one of many spellings. */
function textOf(dice: Dice, { process_id, timestamp, entry_type, data }: Draft, isCompact: boolean): string {
  const object = { entry_id: `entry-${dice.below(1e6)}`, process_id, timestamp, entry_type, data };
  if (dice.chance(0.7)) return isCompact ? showJson(object) : pythonJson(object);
  const pairs = Object.entries<Json>(object).filter(() => dice.chance(0.97));
  const shuffled = Object.fromEntries(dice.chance(0.3) ? pairs.toReversed() : pairs);
  let text = isCompact ? showJson(shuffled) : pythonJson(shuffled);
  const [plain, escaped] = dice.pick(ESCAPED);
  if (dice.chance(0.3)) text = text.replace(plain, escaped);
  if (dice.chance(0.3) && pairs.length > 0) text = `{${dice.pick(PREFIXES)}${text.slice(1)}`;
  return dice.chance(0.1) ? `${dice.pick([' ', '\t', '\u00a0', '\ufeff'])}${text}` : text;
}

function ownLine(dice: Dice, draft: Draft, seq: number, prev: string): Buffer {
  const { process_id, timestamp, entry_type, data } = draft;
  const ack = dice.chance(0.8) ? seq - 1 : 0;
  const isPlain =
    typeof process_id === 'string' && typeof timestamp === 'string' && typeof entry_type === 'string';
  // Ours writes neither tokens nor what is deeper; by hand both can be made.
  const isWritten =
    isPlain && isObject(data) && !/NaN|Infinity/.test(showJson(data)) && !nestsDeeper(showJson(data), 390);
  if (isWritten && dice.chance(0.8)) {
    return encodeLine(
      { entry_id: `entry-${seq}`, process_id, timestamp, entry_type, data },
      { seq, ack, prev },
    );
  }
  const text = textOf(dice, draft, true);
  if (dice.chance(0.95)) return sealed(text, seq, ack, prev);
  switch (dice.below(5)) {
    case 0:
      return sealed(text, String(seq).padStart(dice.pick([15, 16]), '0'), ack, prev);
    case 1:
      return sealed(
        text,
        dice.pick(['999999999999999', '1000000000000000', '9007199254740993', -1]),
        ack,
        prev,
      );
    case 2:
      return sealed(text, seq, dice.pick(['0000000000000001', '1000000000000000', '"1"']), prev);
    case 3:
      return Buffer.from(
        sealed(text, seq, ack, prev)
          .toString()
          .replace(/[0-9a-f]{8}"\}$/, (end) => end.toUpperCase()),
      );
    default:
      return Buffer.concat([sealed(text, seq, ack, prev), Buffer.from(' ')]);
  }
}

/** The lines of drafts, each of which is ours with that share, in one chain. */
export function linesOf(dice: Dice, drafts: readonly Draft[], ownShare: number): Buffer[] {
  let prev = FIRST_PREV;
  return drafts.map((draft, at) => {
    const line = dice.chance(ownShare) ? ownLine(dice, draft, at + 1, prev) : foreignText(dice, draft);
    prev = hashLine(line);
    return line;
  });
}

export function foreignText(dice: Dice, draft: Draft): Buffer {
  return Buffer.from(textOf(dice, draft, dice.chance(0.2)));
}
