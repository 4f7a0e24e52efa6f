// A real process that is killed again and again on the same journal, with somebody reading along. Each round also reopens
// what the last one left.

import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { readFileJournal, type FileJournal, type WriteOptions } from '../../core/journal/index.ts';
import { MARKER_FILE } from '../../core/journal/layout.ts';
import { readHolder } from '../../core/journal/lock.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { damageOf } from '../../core/model/damage.ts';
import { isBad } from '../../core/model/entry.ts';
import { foldEntries } from '../../core/model/fold.ts';
import { numberAt } from '../../core/model/json.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { followJournal, type Following } from '../../core/tail/follow-journal.ts';
import { startNode } from '../support/child.ts';
import { waitFor } from '../support/wait-for.ts';
import { brokenChain, journalLines, type JournalLine } from './journal-lines.ts';
import { refusal, type Problem } from './judge.ts';
import { readTree } from './trees.ts';

export const APPEND = fileURLToPath(new URL('../support/append-until-killed.ts', import.meta.url));
const PROCESSES = ['one', 'two'] as const;
/** Of what a process says for one entry, about. */
const SAID_BYTES = 110;

/** A disk that others write gigabytes to lets a sync wait for long. */
const PATIENT = { patienceMs: 100_000 };

export type KillOptions = Pick<WriteOptions, 'durability' | 'segmentBytes' | 'retention'>;

export interface KillTally {
  kills: number;
  acknowledged: number;
  readonly problems: Problem[];
}

export interface Said {
  readonly seq: number;
  readonly entryId: string;
  readonly dataHash: string;
}

/** Kills while `goesOn`; gives what was wrong after each kill and for whoever read along. */
export async function killRounds(
  directory: string,
  options: KillOptions,
  goesOn: (tally: KillTally) => boolean,
): Promise<KillTally> {
  const tally: KillTally = { kills: 0, acknowledged: 0, problems: [] };
  const said = nothingSaid();
  const readers: Following[] = [];
  const gaps: Gap[] = [];
  let epoch = 0;
  try {
    while (goesOn(tally)) {
      const child = startNode(APPEND, [directory, JSON.stringify(options)]);
      try {
        const isGone = (): boolean => child.process.exitCode !== null;
        await waitFor(() => existsSync(join(directory, MARKER_FILE)) || isGone(), {
          ...PATIENT,
          what: 'a journal',
        });
        if (readers.length === 0) readers.push(...readAlong(directory, tally.problems, gaps));
        // From the first acknowledgement on, any moment is as good as another; now and then while it takes over.
        const enough = Math.floor(Math.random() * 300) * SAID_BYTES;
        const isTakingOver = (): boolean => (readHolder(directory)?.epoch ?? 0) > epoch;
        const isTime = (): boolean =>
          tally.kills % 4 === 3 ? isTakingOver() : child.stdout().length > enough;
        await waitFor(() => isTime() || isGone(), { ...PATIENT, what: 'the moment to kill' });
        if (tally.kills % 3 === 0) tally.problems.push(...(await damageIn(directory, 'while it is written')));
      } finally {
        child.process.kill('SIGKILL');
      }
      const { stdout, stderr } = await child.ended;
      tally.kills += 1;
      if (stderr !== '') tally.problems.push({ kind: 'wrong state', text: `the writer says: ${stderr}` });
      tally.acknowledged += heard(stdout, said, tally.problems);
      tally.problems.push(...(await judgeLeft(directory, said)));
      const holder = readHolder(directory)?.epoch ?? 0;
      if (holder <= epoch)
        tally.problems.push({ kind: 'wrong state', text: `epoch ${holder} after ${epoch}` });
      epoch = holder;
    }
  } finally {
    for (const reader of readers) reader[Symbol.dispose]();
  }
  // What was dropped before it could be read is not seen; by now the journal says what that was.
  const tree = readTree(directory, (path) => /\.(jsonl|gz)$/.test(path));
  for (const { name, last, next } of gaps) {
    if (next > last && next - 1 <= droppedUpTo(journalLines(tree, name))) continue;
    tally.problems.push({ kind: 'wrong state', text: `${name}: a reader saw ${next} after ${last}` });
  }
  return tally;
}

/** By process and number. */
export type AllSaid = ReadonlyMap<string, Map<number, Said>>;

export function nothingSaid(): AllSaid {
  return new Map(PROCESSES.map((name) => [name, new Map()]));
}

/** Notes what a writer said; gives how many entries that was. A line that was cut by the kill was not said. */
export function heard(stdout: string, said: AllSaid, problems: Problem[]): number {
  const lines = stdout
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== 'full');
  for (const line of lines) {
    const [name, number, entryId, dataHash] = line.split(' ') as [string, string, string, string];
    const seq = Number(number);
    const known = said.get(name)!;
    if (known.has(seq)) problems.push({ kind: 'wrong state', text: `${name} ${seq} is given out twice` });
    known.set(seq, { seq, entryId, dataHash });
  }
  return lines.length;
}

/** What is wrong with what a killed writer left. */
export async function judgeLeft(directory: string, said: AllSaid): Promise<Problem[]> {
  const tree = readTree(directory, (path) => /\.(jsonl|gz)$/.test(path));
  const journal = readFileJournal(directory);
  const problems: Problem[] = [];
  for (const [name, known] of said) {
    const all = journalLines(tree, name);
    const dropped = droppedUpTo(all);
    const lines = all.filter(({ seq }) => seq > dropped);
    problems.push(
      ...brokenChain(lines).map((text) => ({ kind: 'wrong state' as const, text: `${name}: ${text}` })),
    );
    problems.push(
      ...missing(
        name,
        lines,
        [...known.values()].filter(({ seq }) => seq > dropped),
      ),
    );
    problems.push(...(await judgeState(journal, name, lines)));
  }
  return problems;
}

/** The last number that retention dropped; 0 where it has dropped nothing. */
function droppedUpTo(lines: readonly JournalLine[]): number {
  const tombstones = lines.filter(({ entry_type }) => entry_type === 'segments_dropped');
  return Math.max(0, ...tombstones.map(({ data }) => numberAt(data, 'last_seq')));
}

function missing(name: string, lines: readonly JournalLine[], said: readonly Said[]): Problem[] {
  const there = new Map(lines.map((line) => [line.seq, line]));
  return said.flatMap(({ seq, entryId, dataHash }): Problem[] => {
    const line = there.get(seq);
    if (line?.entryId === entryId && hash('sha256', JSON.stringify(line.data)) === dataHash) return [];
    return [{ kind: 'acknowledged entry lost', text: `${name}: ${seq} (${entryId})` }];
  });
}

async function judgeState(
  journal: FileJournal,
  name: string,
  lines: readonly JournalLine[],
): Promise<Problem[]> {
  if (lines.length === 0) return [];
  try {
    const { snapshot, damage } = await new ReplayEngine(journal).recover(name);
    const isSame = isDeepStrictEqual(snapshot, foldEntries(lines));
    const problems: Problem[] = damage.map(({ seq, reason }) => ({
      kind: 'false damage report',
      text: `${name}: ${seq}: ${reason}`,
    }));
    if (!isSame)
      problems.push({ kind: 'wrong state', text: `${name}: recovered another state at ${snapshot.seq}` });
    return problems;
  } catch (error) {
    return [refusal(name, 'recovering after a kill', error)];
  }
}

async function damageIn(directory: string, when: string): Promise<Problem[]> {
  try {
    const { processes } = await verifyJournal(directory);
    return processes.flatMap(({ process, damage }) =>
      damage.map(({ kind, seq, reason }) => ({
        kind: 'false damage report' as const,
        text: `${process}: verify says ${when}: ${kind} at ${seq}: ${reason}`,
      })),
    );
  } catch (error) {
    return [refusal('the journal', `verifying it ${when}`, error)];
  }
}

/** What a reader saw that does not follow on what it saw before. */
interface Gap {
  readonly name: string;
  readonly last: number;
  readonly next: number;
}

/** Whoever follows sees every line once, whole and in order, whatever happens to the writer. */
function readAlong(directory: string, problems: Problem[], gaps: Gap[]): readonly Following[] {
  const journal = readFileJournal(directory);
  return PROCESSES.map((name) => {
    let last: number | null = null;
    const following = followJournal(journal, name, null, {
      onItems: (items) => {
        for (const item of items) {
          const place = damageOf(item);
          if (place !== null) {
            const text = `${name}: a reader saw at ${place.seq}: ${place.reason}`;
            problems.push({ kind: 'false damage report', text });
          }
          if (last !== null && item.seq !== last + 1) gaps.push({ name, last, next: item.seq });
          if (!isBad(item)) last = item.seq;
        }
      },
      // Where it was is dropped; for any other reason it would see again what it has seen.
      onReplaced: () => {},
    });
    following.failed.catch((error: unknown) => problems.push(refusal(name, 'reading along', error)));
    return following;
  });
}
