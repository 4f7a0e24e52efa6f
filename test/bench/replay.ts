// How fast a whole journal is read and folded into a state, beside JSON.parse alone over the same bytes.

import { join } from 'node:path';
import { parseLine } from '../../core/journal/codec.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { committedEnd, linesForwards, withFile } from '../../core/journal/lines.ts';
import { entriesForwards } from '../../core/journal/read-entries.ts';
import { isBad } from '../../core/model/entry.ts';
import { applyEntry } from '../../core/model/fold.ts';
import { sameJson, type Json } from '../../core/model/json.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { checkJournal } from './check-journal.ts';
import { AGENT, MIX, writeLife } from './life.ts';
import { rawParse } from './limits.ts';
import { describeMachine } from './machine.ts';
import { atLeast, measured, spread, type BenchResult } from './result.ts';
import { say, sized, takeTurns, type Contender } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

const RATE = 'entries/s';
const P1 = 'P1: text and JSON.parse of each line';
const LOSSLESS = 'full replay, lossless numbers, not verified';
const VERIFIED = 'full replay, lossless numbers, checksum and chain verified';

export async function run(): Promise<BenchResult> {
  using work = workDirectory();
  const at = new Date().toISOString();
  const lines = sized(500_000, 5_000);
  const directory = join(work.path, 'journal');
  say(`writing ${lines} entries: ${MIX}`);
  // One file, so that everybody reads the same bytes.
  const journal = openFileJournal(directory, { durability: 'os', segmentBytes: Number.MAX_SAFE_INTEGER });
  const state = await writeLife(journal, lines);
  await journal.close();
  const path = journal.pathOf(AGENT);
  const rounds = await takeTurns([
    () => ({ [P1]: rawParse(path, lines) }),
    replay(LOSSLESS, lines, state, () => foldLines(path)),
    replay(VERIFIED, lines, state, () => foldVerified(path)),
  ]);
  checkJournal(directory, AGENT, lines);
  const limit = spread(rounds(P1), RATE);
  const line = (name: string, target: number) =>
    measured(name, rounds(name), RATE, { to: [P1, limit], target: atLeast(target) });
  return {
    bench: 'replay',
    at,
    machine: describeMachine(),
    limits: { [P1]: limit },
    results: [line(LOSSLESS, 0.55), line(VERIFIED, 0.33)],
  };
}

/** A replay counts only when it ends in the state that the writer had. */
function replay(
  name: string,
  lines: number,
  expected: ProcessSnapshot,
  fold: () => ProcessSnapshot,
): Contender {
  return () => {
    const start = performance.now();
    const state = fold();
    const seconds = (performance.now() - start) / 1000;
    if (!sameJson(state as unknown as Json, expected as unknown as Json)) {
      throw new Error(`${name} ended in another state than the one that was written.`);
    }
    return { [name]: lines / seconds };
  };
}

function foldLines(path: string): ProcessSnapshot {
  return withFile(path, (source) => {
    let state = emptySnapshot();
    let seq = 0;
    for (const { bytes } of linesForwards(source, 0, committedEnd(source))) {
      const parsed = parseLine(bytes);
      seq += 1;
      if (!parsed.ok) throw new Error(`Line ${seq} can't be read: ${parsed.reason}`);
      const { timestamp, entry_type, data } = parsed.entry;
      state = applyEntry(state, { seq, timestamp, entry_type, data });
    }
    return state;
  });
}

function foldVerified(path: string): ProcessSnapshot {
  let state = emptySnapshot();
  for (const item of entriesForwards(path)) {
    if (isBad(item) || item.verification !== 'verified') {
      throw new Error(`A line can't be trusted: ${JSON.stringify(item)}`);
    }
    state = applyEntry(state, item);
  }
  return state;
}
