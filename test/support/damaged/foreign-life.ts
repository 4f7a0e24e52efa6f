// A journal that Promptise wrote and that nothing is wrong with. Nothing in one tells damage from a line that its own reader
// skips, so what can't be read is told of, everything else is recovered, and nobody writes there [S8, P8].

import type { Json, JsonObject } from '../../../core/model/json.ts';
import { pythonJson } from '../../interop/python-json.ts';
import { four } from '../promptise-answers.ts';
import { unverified, type DamagedCase, type DamagedProcess, type Piece } from './case.ts';

export const PROCESS = 'counter';
const CHECKPOINT_FILE = `${PROCESS}.checkpoint.json`;

export function line(id: string, entry_type: Json, data: Json, process_id = PROCESS): string {
  return pythonJson({
    entry_id: id,
    process_id,
    timestamp: '2026-01-05T09:00:00.125000+00:00',
    entry_type,
    data,
  });
}
export const put = (id: string, key: Json, value: Json): string => line(id, 'context_update', { key, value });
const transition = (id: string, from_state: string, to_state: string): string =>
  line(id, 'state_transition', { from_state, to_state, reason: '', process_id: 'process-1' });

export const STATE: JsonObject = {
  context_state: { parcels: 1 },
  lifecycle_state: 'running',
  invocation_count: 1,
  conversation: [],
};
export const LINES = [
  transition('entry-1', 'created', 'starting'),
  transition('entry-2', 'starting', 'running'),
  put('entry-3', 'parcels', 1),
  line('entry-4', 'checkpoint', { state: STATE }),
  put('entry-5', 'parcels', 2),
  put('entry-6', 'city', 'Jerez'),
  transition('entry-7', 'running', 'suspended'),
] as const;
export const NEXT = put('entry-8', 'parcels', 3);

export const all = (lines: readonly string[], end?: string): Piece[] =>
  lines.map((each) => unverified(each, end));
export const UP_TO_5 = all(LINES.slice(0, 5));
export const REST = all(LINES.slice(5));

export const WHOLE = four({ parcels: 2, city: 'Jerez' }, 3);
/** Nothing vouches for them, which is what a check says of every foreign line. */
export const NOTE = 'foreign-lines';

export function theirs(
  about: string,
  process: DamagedProcess,
  checkpoint: Buffer | string | null = pythonJson(STATE),
): DamagedCase {
  return {
    about,
    format: 'promptise',
    processes: { [PROCESS]: { notes: [NOTE], ...process } },
    otherFiles: { [CHECKPOINT_FILE]: checkpoint },
  };
}

export const putIn = (
  about: string,
  piece: Piece,
  promptise: DamagedProcess['promptise'] = 'lenient',
): DamagedCase => theirs(about, { pieces: [...UP_TO_5, piece, ...REST], strict: WHOLE, promptise });

export const UNICODE = { error: 'UnicodeDecodeError' };
