// Takes over what a crash left, as the next host would, and judges what came of it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  readFileJournal,
  type Durability,
  type FileJournal,
  type Retention,
} from '../../core/journal/index.ts';
import { MARKER_FILE } from '../../core/journal/layout.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import type { CrashState } from './crash-states.ts';
import { journalLines } from './journal-lines.ts';
import { judgeLines, judgeState, refusal, type Problem } from './judge.ts';
import type { Ledger } from './ledger.ts';
import { UNSYNCED, type OpenOptions } from './open-journal.ts';
import type { Recording, Tree } from './operations.ts';
import { RecordingDisk } from './recording-disk.ts';
import { restore } from './scratch.ts';
import { Session } from './session.ts';
import { readTree, subtree } from './trees.ts';

/** The journal's folder in what is recorded: its own name has to be durable too. */
export const JOURNAL = 'journal';
/** The user's data folder. */
const DATA = 'data';

/** How the journal is kept, before the crash and after. */
export interface Settings {
  readonly durability?: Durability;
  readonly segmentBytes?: number;
  readonly retention?: Retention;
  /** The user's data folder knows of it too. */
  readonly isKnown?: boolean;
}

export interface Trial extends Settings {
  readonly recording: Recording;
  readonly ledger: Ledger;
  /** What had to be there before the first recorded operation. */
  readonly already?: ReadonlySet<string>;
}

export interface Verdict {
  readonly problems: readonly Problem[];
  /** The taking over itself, where it was recorded. */
  readonly next: Trial | null;
}

export interface TryOptions {
  /** The taking over is to be recorded, so that it can be interrupted too. */
  readonly isRecorded?: boolean;
  /** Verifies it before and after, and reads it once more with other eyes. */
  readonly isThorough?: boolean;
}

/** Puts the state into a directory, opens it, takes over every process, appends to it, and says what is wrong. */
export async function tryState(
  root: string,
  state: CrashState,
  trial: Trial,
  { isRecorded = false, isThorough = true }: TryOptions = {},
): Promise<Verdict> {
  restore(root, state, trial.recording);
  const problems = isThorough ? await verified(root) : [];
  const mustHave = promisedAt(state, trial);
  const recording = isRecorded ? new RecordingDisk(root) : null;
  const { processes } = trial.ledger;
  let { ledger } = trial;
  const verdict = (found: readonly Problem[]): Verdict => ({
    problems: found,
    next: recording === null ? null : { ...trial, recording, ledger, already: mustHave },
  });
  let session: Session;
  try {
    session = new Session({
      ...openOptions(root, trial),
      disk: recording ?? UNSYNCED,
      ledger,
      onAcknowledged: ({ process, entryId }) => recording?.acknowledged(process, entryId),
      isUnlocked: true,
    });
  } catch (error) {
    return verdict([...problems, refusal('the journal', 'opening', error)]);
  }
  // Whatever is there once it is taken over is there for good; what it may be, is judged here.
  const present = new Map<string, number>();
  for (const process of processes) {
    try {
      await session.claim(process);
      const recovered = await new ReplayEngine(session.journal).recover(process);
      const tree = readJournal(root);
      const promised = { process, ledger, mustHave: of(process, mustHave, ledger) };
      problems.push(...judgeLines(tree, promised), ...judgeState(tree, promised, recovered));
      for (const { entryId, seq } of journalLines(tree, process)) present.set(entryId, seq);
    } catch (error) {
      problems.push(refusal(process, 'taking over', error));
    }
  }
  ledger = ledger.onlyWith(present);
  session.goOnWith(ledger);
  if (problems.length === 0) problems.push(...(await goOn(session, ledger, processes)));
  try {
    await session.close();
  } catch (error) {
    problems.push(refusal('the journal', 'closing', error));
  }
  if (problems.length === 0 && isThorough) problems.push(...(await lookAgain(root, ledger)));
  return verdict(problems);
}

/** What the settings are to a journal below `root`. */
export function openOptions(
  root: string,
  { durability, segmentBytes, retention, isKnown = false }: Settings,
): Omit<OpenOptions, 'disk'> & { readonly directory: string } {
  return {
    directory: join(root, JOURNAL),
    ...(durability === undefined ? {} : { durability }),
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
    ...(retention === undefined ? {} : { retention }),
    ...(isKnown ? { knownJournals: join(root, DATA) } : {}),
  };
}

function readJournal(root: string): Tree {
  return readTree(join(root, JOURNAL), (path) => /\.(jsonl|gz|bin)$|\/spills\//.test(path));
}

/** What was acknowledged by then; of what is not synced before it is acknowledged, what was synced by then. */
function promisedAt(
  { kind, point, sure }: CrashState,
  { recording, ledger, durability = 'always', already }: Trial,
): Set<string> {
  const promised = new Set(already);
  for (const operation of recording.operations.slice(0, point)) {
    if (operation.kind === 'acknowledged') promised.add(operation.entryId);
  }
  if (kind === 'kill' || durability === 'always') return promised;
  const tree = subtree(sure, JOURNAL);
  const synced = new Set(
    ledger.processes.flatMap((process) => journalLines(tree, process).map(({ entryId }) => entryId)),
  );
  const isSure = (entryId: string): boolean =>
    synced.has(entryId) || already?.has(entryId) === true || ledger.find(entryId)?.isSynced === true;
  return new Set([...promised].filter(isSure));
}

function of(process: string, entryIds: ReadonlySet<string>, ledger: Ledger): ReadonlySet<string> {
  return new Set([...entryIds].filter((entryId) => ledger.find(entryId)?.process === process));
}

/** Writing goes on behind whatever was found. */
async function goOn(session: Session, ledger: Ledger, processes: readonly string[]): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const process of processes) {
    try {
      await Promise.all([
        session.append(process, 'context_update', { key: 'after', value: ledger.entriesOf(process).length }),
        session.append(process, 'log', { text: 'goes on' }),
      ]);
      await session.checkpoint(process);
      await session.append(process, 'context_update', { key: 'end', value: 1 });
    } catch (error) {
      problems.push(refusal(process, 'going on', error));
    }
  }
  return problems;
}

/** Whoever only looks sees the same. */
async function lookAgain(root: string, ledger: Ledger): Promise<Problem[]> {
  const tree = readJournal(root);
  const journal: FileJournal = readFileJournal(join(root, JOURNAL));
  const all = new Set(ledger.acknowledged.map(({ entryId }) => entryId));
  const problems = await verified(root);
  for (const process of ledger.processes) {
    const promised = { process, ledger, mustHave: of(process, all, ledger) };
    problems.push(...judgeLines(tree, promised));
    try {
      const recovered = await new ReplayEngine(journal).recover(process);
      problems.push(
        ...judgeState(tree, promised, recovered),
        ...(await judgeReading(journal, promised.process, tree)),
      );
    } catch (error) {
      problems.push(refusal(process, 'looking at it', error));
    }
  }
  return problems;
}

/** Who checks a journal that a crash left finds nothing damaged in it, before it was taken over and after. */
async function verified(root: string): Promise<Problem[]> {
  const directory = join(root, JOURNAL);
  if (!existsSync(join(directory, MARKER_FILE))) return [];
  try {
    const { processes } = await verifyJournal(directory);
    return processes.flatMap(({ process, damage }) =>
      damage.map(({ kind, seq, segment, reason }) => {
        const text = `${process}: verify says ${kind} at ${seq} in ${segment}: ${reason}`;
        return { kind: 'false damage report' as const, text };
      }),
    );
  } catch (error) {
    return [refusal('the journal', 'verifying', error)];
  }
}

async function judgeReading(journal: FileJournal, process: string, tree: Tree): Promise<Problem[]> {
  const read = (await journal.read(process)).map(({ seq, entry_id }) => `${seq} ${entry_id}`).join();
  const there = journalLines(tree, process)
    .map(({ seq, entryId }) => `${seq} ${entryId}`)
    .join();
  return read === there
    ? []
    : [{ kind: 'wrong state', text: `${process}: reads as ${read}, and holds ${there}` }];
}
