// How many bytes a growing state costs. Each step appends one text to a state that keeps all of them; the recorder decides
// by its own rule when a checkpoint is due [S20].

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../core/host/system-clock.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { journalForwards } from '../../core/journal/read-entries.ts';
import { isBad } from '../../core/model/entry.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { Recorder } from '../../core/runtime/recorder.ts';
import { checkJournal } from './check-journal.ts';
import { AGENT } from './life.ts';
import { describeMachine } from './machine.ts';
import { loadLangGraph, type LangGraph } from './peers/langgraph.ts';
import { atMost, measured, type BenchResult } from './result.ts';
import { isSmall, sized, takeTurns, type Contender, type Samples } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

const TEXT = 'x'.repeat(300);
const STEPS = sized(10_000, 200);
/** Where the size is looked at: the growth is the slope through these. */
const LOOKS = isSmall ? [20, 60, 200] : [100, 300, 1_000, 3_000, 10_000];
const LANGGRAPH_STEPS = isSmall ? [10, 30] : [100, 300, 1_000];

const BYTES = 'bytes';
const RATIO = 'stored / own';
const AMPLIFICATION = 'stored / appended text';
const counted = (steps: number): string => `after ${steps.toLocaleString('en-US')} steps`;
const stored = (steps: number): string => `Holdfast, stored ${counted(steps)}`;
const useful = (steps: number): string => `Holdfast, ${AMPLIFICATION} ${counted(steps)}`;
const OWN = `Holdfast, its entries but checkpoints ${counted(STEPS)}`;
const SHARE = `Holdfast, ${RATIO} ${counted(STEPS)}`;
const EXPONENT = 'Holdfast, growth exponent of what is stored';
const theirStored = (steps: number): string => `LangGraph SqliteSaver, stored ${counted(steps)}`;
const theirUseful = (steps: number): string => `LangGraph SqliteSaver, ${AMPLIFICATION} ${counted(steps)}`;
const THEIR_EXPONENT = 'LangGraph SqliteSaver, growth exponent of what is stored';

export async function run(): Promise<BenchResult> {
  using work = workDirectory();
  const at = new Date().toISOString();
  const langGraph = await loadLangGraph();
  const rounds = await takeTurns([
    ours(work.path),
    ...(langGraph === null ? [] : [theirs(work.path, langGraph)]),
  ]);
  const each = (steps: readonly number[], nameOf: (steps: number) => string, unit: string) =>
    steps.map((count) => measured(nameOf(count), rounds(nameOf(count)), unit));
  return {
    bench: 'storage',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      ...each(LOOKS, stored, BYTES),
      measured(OWN, rounds(OWN), BYTES),
      measured(SHARE, rounds(SHARE), RATIO, { target: atMost(2) }),
      measured(EXPONENT, rounds(EXPONENT), 'exponent', { target: atMost(1.05) }),
      ...each(LOOKS, useful, AMPLIFICATION),
      ...(langGraph === null
        ? []
        : [
            ...each(LANGGRAPH_STEPS, theirStored, BYTES),
            measured(THEIR_EXPONENT, rounds(THEIR_EXPONENT), 'exponent'),
            ...each(LANGGRAPH_STEPS, theirUseful, AMPLIFICATION),
          ]),
    ],
  };
}

function ours(directory: string): Contender {
  return async () => {
    const path = join(directory, 'journal');
    const journal = openFileJournal(path, { durability: 'os' });
    await journal.claim(AGENT);
    const snapshot = emptySnapshot();
    for (const entry of await journal.read(AGENT)) snapshot.seq = entry.seq;
    const recorder = new Recorder(snapshot, {
      journal,
      process: AGENT,
      level: 'checkpoint',
      checkpointEvery: 'auto',
      clock: systemClock(),
      ids: { next: () => crypto.randomUUID() },
      onFailure: (error) => {
        throw error;
      },
    });
    const sizes = new Map<number, number>();
    for (let step = 1; step <= STEPS; step += 1) {
      await oneStep(recorder, step);
      if (LOOKS.includes(step)) sizes.set(step, storedBytes(path));
    }
    await journal.close();
    checkJournal(path, AGENT, recorder.snapshot.seq);
    const ownBytes = entriesBytes(path);
    rmSync(path, { recursive: true });
    return {
      ...samplesOf(sizes, stored, useful, EXPONENT),
      [OWN]: ownBytes,
      [SHARE]: sizes.get(STEPS)! / ownBytes,
    };
  };
}

/** What was stored after so many steps, beside the text that was appended, and how fast it grows. */
function samplesOf(
  sizes: ReadonlyMap<number, number>,
  storedName: (steps: number) => string,
  usefulName: (steps: number) => string,
  exponentName: string,
): Samples {
  const all = [...sizes];
  return {
    ...Object.fromEntries(all.map(([steps, bytes]) => [storedName(steps), bytes])),
    ...Object.fromEntries(all.map(([steps, bytes]) => [usefulName(steps), bytes / (steps * TEXT.length)])),
    [exponentName]: slope(all.map(([steps, bytes]) => [Math.log(steps), Math.log(bytes)])),
  };
}

/** A whole cycle: a trigger, its invocation, one write, its result, and a checkpoint where one is due. */
async function oneStep(recorder: Recorder, step: number): Promise<void> {
  const event_id = crypto.randomUUID();
  recorder.note('trigger_event', {
    event_id,
    trigger_id: 'every-minute',
    trigger_type: 'cron',
    payload: null,
  });
  recorder.note('invocation_start', {
    event_id,
    invocation: step,
    attempt: 1,
    code_hash: 'f3c1a5d07b9e4f62',
  });
  recorder.note('context_update', { key: `message-${step}`, value: TEXT, event_id, ordinal: 0 });
  recorder.note('invocation_result', { event_id, invocation: step, duration_ms: 12, response: '' });
  await recorder.settled();
  recorder.cycleEnded();
  await recorder.settled();
}

/** Segments, checkpoints and their file; not the lock, nor the room that is kept for a full disk: they don't grow. */
function storedBytes(directory: string): number {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile() && file.name !== 'reserve' && !file.parentPath.endsWith('lock'))
    .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}

function entriesBytes(directory: string): number {
  let bytes = 0;
  for (const item of journalForwards(directory, AGENT)) {
    if (!isBad(item) && item.entry_type !== 'checkpoint') bytes += item.sizeBytes;
  }
  return bytes;
}

function theirs(directory: string, langGraph: LangGraph): Contender {
  return async () => {
    const path = join(directory, 'langgraph');
    const files = ['', '-wal', '-shm'].map((suffix) => path + suffix);
    const sizes = new Map<number, number>();
    for (const steps of LANGGRAPH_STEPS) {
      await langGraph.steps(path, 'shipped', steps, TEXT);
      const bytes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
      sizes.set(
        steps,
        bytes.reduce((sum, size) => sum + size, 0),
      );
      for (const file of files) rmSync(file, { force: true });
    }
    return samplesOf(sizes, theirStored, theirUseful, THEIR_EXPONENT);
  };
}

/** Of the straight line with the smallest squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const [over, under] = points.reduce(
    ([a, b], point) => [a + (point[0] - x) * (point[1] - y), b + (point[0] - x) ** 2],
    [0, 0],
  );
  return over / under;
}
