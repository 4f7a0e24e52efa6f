// A journal of ours that nothing is wrong with. The life of `counter` has eight lines, a full checkpoint in the fifth; what
// is damaged behind that stands in the way of recovery, what is before it does not [S12].

import { hashLine } from '../../../core/journal/codec.ts';
import { snapshotToState } from '../../../core/model/checkpoint.ts';
import type { NewEntry } from '../../../core/model/entry.ts';
import { foldEntries, FOLD_VERSION } from '../../../core/model/fold.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import { fixedEntry, foreignLine, ourLines } from '../journal-bytes.ts';
import { four } from '../promptise-answers.ts';
import { verified, type DamagedCase, type DamagedProcess, type Piece } from './case.ts';

export const PROCESS = 'counter';
export const entry = (entry_type: string, data: JsonObject): NewEntry => ({
  process_id: PROCESS,
  entry_type,
  data,
});
export const put = (key: string, value: JsonObject[string]): NewEntry =>
  entry('context_update', { key, value });

export const WRITER = entry('writer_opened', {
  epoch: 1,
  host_id: 'host-1',
  pid: 4711,
  start_time: '1',
  build: '0.1.0',
  fold_version: FOLD_VERSION,
});
const START = [
  WRITER,
  entry('state_transition', {
    from_state: 'created',
    to_state: 'starting',
    reason: '',
    actor: 'operator:ana',
  }),
  entry('state_transition', { from_state: 'starting', to_state: 'running', reason: '', actor: 'holdfast' }),
  put('parcels', 1),
];
export const STATE = snapshotToState(
  foldEntries(START.map((each, at) => ({ ...fixedEntry(each), seq: at + 1 }))),
  FOLD_VERSION,
);
export const LIFE = [
  ...START,
  entry('checkpoint', { state: STATE }),
  put('parcels', 2),
  put('city', 'Jerez'),
  entry('state_transition', {
    from_state: 'running',
    to_state: 'suspended',
    reason: '',
    actor: 'operator:ana',
  }),
];
export const LINES = ourLines(LIFE);
export const [L1, L2, L3, L4, L5, L6, L7, L8] = LINES as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];
/** What would have come next. */
export const [NEXT] = ourLines([entry('log', { level: 'info', text: 'counted' })], 9, hashLine(L8)) as [
  Buffer,
];

export const all = (lines: readonly Buffer[], end?: string): Piece[] =>
  lines.map((line) => verified(line, end));
export const UP_TO_6 = all(LINES.slice(0, 6));

export const WHOLE = four({ parcels: 2, city: 'Jerez' }, 3);
export const NOTHING = four({}, 0, '', 'created');
export const DAMAGED = { error: 'journal.damaged' };

export const CHECKPOINT_FILE = `${PROCESS}.checkpoint.json`;

export function ours(
  about: string,
  process: DamagedProcess,
  files: DamagedCase['otherFiles'] = {},
): DamagedCase {
  return {
    about,
    format: 'holdfast',
    processes: { [PROCESS]: process },
    otherFiles: {
      'journal.holdfast': '{"format":1,"id":"journal-of-the-test"}\n',
      [CHECKPOINT_FILE]: `${JSON.stringify(STATE)}\n`,
      ...files,
    },
  };
}

export function changed(line: Buffer, from: string, to: string): Buffer {
  const at = line.indexOf(from);
  if (at < 0 || from.length !== to.length) throw new Error(`no ${from} to change`);
  return Buffer.concat([line.subarray(0, at), Buffer.from(to, 'latin1'), line.subarray(at + from.length)]);
}

export const half = (line: Buffer): Buffer => line.subarray(0, line.length >> 1);
export const foreign = (value: number): string =>
  foreignLine({ entry_id: `foreign-${value}`, process_id: PROCESS, data: { key: 'parcels', value } });
