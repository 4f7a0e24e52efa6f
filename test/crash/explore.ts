// Tries one state after the other and keeps count of what was wrong.

import { AppError, messageOf } from '../../core/model/errors.ts';
import { distinct, kills, powerCuts, type CrashState, type StateOptions } from './crash-states.ts';
import { DyingDisk } from './dying-disk.ts';
import { FaultyDisk, sayFault, type Fault } from './faulty-disk.ts';
import type { Problem } from './judge.ts';
import { sayOperation } from './operations.ts';
import { sample, seeded } from './random.ts';
import { recordRun, type Run, type RunOptions } from './record-run.ts';
import { tryState, type Trial } from './try-state.ts';
import type { Workload } from './workloads.ts';

export interface Tally {
  /** States that were put on the disk, opened and judged. */
  states: number;
  readonly problems: Record<Problem['kind'], number>;
  /** The first few, in words. */
  readonly examples: string[];
}

export function emptyTally(): Tally {
  return {
    states: 0,
    problems: { 'acknowledged entry lost': 0, 'wrong state': 0, 'false damage report': 0 },
    examples: [],
  };
}

const MOST_EXAMPLES = 10;
/** Verifying and reading once more takes longer than all the rest. */
const THOROUGH_EVERY = 4;

export interface Explorer {
  /** Where states are put. */
  readonly root: string;
  readonly tally: Tally;
  /** False once there is no time left. */
  readonly goesOn: () => boolean;
}

/** Tries the states while there is time; says of each problem where it comes from. */
export async function tryAll(
  { root, tally, goesOn }: Explorer,
  what: string,
  trial: Trial,
  states: Iterable<CrashState>,
): Promise<void> {
  for (const state of distinct(trial.recording, states)) {
    if (!goesOn()) return;
    const isThorough = tally.states % THOROUGH_EVERY === 0;
    const { problems } = await tryState(root, state, trial, { isThorough });
    count(tally, `${what}: ${sayState(state, trial)}`, problems);
  }
}

export function count(tally: Tally, where: string, problems: readonly Problem[]): void {
  tally.states += 1;
  for (const { kind } of problems) tally.problems[kind] += 1;
  if (problems.length === 0 || tally.examples.length >= MOST_EXAMPLES) return;
  const texts = problems.slice(0, 5).map(({ kind, text }) => `  ${kind}: ${text}`);
  tally.examples.push([where, ...texts].join('\n'));
}

export function sayState({ kind, point, how }: CrashState, { recording }: Trial): string {
  const next = recording.operations[point];
  return `${kind} before ${point} (${next === undefined ? 'the end' : sayOperation(next)}), ${how}`;
}

/** Taking over a state is interrupted too, by kills and by power cuts. */
export async function interruptRecovery(
  explorer: Explorer,
  what: string,
  trial: Trial,
  state: CrashState,
  options: StateOptions,
): Promise<void> {
  const { root, tally } = explorer;
  const { problems, next } = await tryState(root, state, trial, { isRecorded: true });
  const where = `${what}: ${sayState(state, trial)}`;
  count(tally, where, problems);
  if (next === null || problems.length > 0) return;
  await tryAll(explorer, `${where}, and then`, next, kills(next.recording, options));
  await tryAll(explorer, `${where}, and then`, next, powerCuts(next.recording, options));
}

export interface Sampling {
  /** States of one crash point. */
  readonly perPoint: number;
  /** Crash points. */
  readonly points: number;
}

/** A run with one fault in it, then a kill at its end, and a sample of power cuts from its beginning to its end. */
export async function tryFault(
  explorer: Explorer,
  workload: Workload,
  fault: Fault,
  options: RunOptions,
  { perPoint, points }: Sampling,
): Promise<void> {
  const { root, tally } = explorer;
  let faulty: FaultyDisk | null = null;
  const where = `with ${sayFault(fault)}`;
  let trial: Run;
  try {
    trial = await recordRun(root, workload, {
      ...options,
      disk: (recording) => (faulty ??= new FaultyDisk(recording, fault)),
    });
  } catch (error) {
    const text = `writing did not go on: ${messageOf(error)}`;
    count(tally, where, [{ kind: 'wrong state', text }]);
    return;
  }
  const raw = trial.errors.filter((error) => !(error instanceof AppError)).map(messageOf);
  if (raw.length > 0) {
    count(tally, where, [{ kind: 'wrong state', text: `threw what is no AppError: ${raw.join('; ')}` }]);
  }
  const end = trial.recording.operations.length;
  await tryAll(explorer, where, trial, kills(trial.recording, { isChosen: (point) => point === end }));
  const chosen = new Set(sample([...trial.recording.operations.keys()], points, seeded(fault.nth)));
  const isChosen = (point: number): boolean => chosen.has(point) || point === end;
  await tryAll(explorer, where, trial, powerCuts(trial.recording, { perPoint, seed: fault.nth, isChosen }));
}

/**
 * A run that is killed after so many operations, another that goes on in the same cache, and then the power is cut: what
 * the first one left unsynced must not be taken for durable by the second.
 */
export async function tryDeath(
  explorer: Explorer,
  [first, then]: readonly [Workload, Workload],
  operations: number,
  options: RunOptions,
  { perPoint, points }: Sampling,
): Promise<void> {
  let isSecond = false;
  const trial = await recordRun(
    explorer.root,
    async (reopen, world) => {
      await first(reopen, world).catch(() => {}); // killed, or done before
      isSecond = true;
      await then(reopen, world);
    },
    { ...options, disk: (recording) => (isSecond ? recording : new DyingDisk(recording, operations)) },
  );
  const second = [...trial.recording.operations.keys()].slice(operations);
  const chosen = new Set(sample(second, points, seeded(operations)));
  const isChosen = (point: number): boolean =>
    chosen.has(point) || point === trial.recording.operations.length;
  const cuts = powerCuts(trial.recording, { perPoint, seed: operations, isChosen });
  await tryAll(explorer, `killed after ${operations} operations`, trial, cuts);
}
