// HOLDFAST_FILE_WATCH_CHANGES=100000 and HOLDFAST_FILE_WATCH_FOLDERS=500 make it a large one.

import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  type BigIntStats,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../core/host/system-clock.ts';
import { AppError } from '../../core/model/errors.ts';
import { startFileWatch, type RunningFileWatch } from '../../core/triggers/file-watch.ts';
import type { TriggerSink } from '../../core/triggers/trigger-sink.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const CHANGES = Number(process.env['HOLDFAST_FILE_WATCH_CHANGES'] ?? 2_000);
const FOLDERS = Number(process.env['HOLDFAST_FILE_WATCH_FOLDERS'] ?? 50);
const BURSTS = 8;
const PATIENCE_MS = 60_000 + CHANGES * 5;

/** Every file by its path, looked at in the plainest way there is. */
function scan(folder: string): ReadonlyMap<string, BigIntStats> {
  const files = new Map<string, BigIntStats>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path, statSync(path, { bigint: true }));
  }
  return files;
}

const sameFile = (a: BigIntStats, b: BigIntStats): boolean =>
  a.ino === b.ino && a.birthtimeNs === b.birthtimeNs;

function netChanges(
  before: ReadonlyMap<string, BigIntStats>,
  after: ReadonlyMap<string, BigIntStats>,
): readonly string[] {
  const changes: string[] = [];
  const gone = new Map(
    [...before]
      .filter(([path]) => !after.has(path))
      .map(([path, stats]) => [stats.ino, [path, stats] as const]),
  );
  for (const [path, stats] of after) {
    const old = before.get(path);
    if (old !== undefined) {
      if (old.mtimeNs !== stats.mtimeNs || old.size !== stats.size || old.ino !== stats.ino) {
        changes.push(`modified ${path}`);
      }
      continue;
    }
    const from = gone.get(stats.ino);
    if (from !== undefined && sameFile(from[1], stats) && from[1].size === stats.size) {
      gone.delete(stats.ino);
      changes.push(`moved ${from[0]} to ${path}`);
    } else changes.push(`created ${path}`);
  }
  changes.push(...[...gone.values()].map(([path]) => `deleted ${path}`));
  return changes.toSorted();
}

/** The same numbers each time. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** Changes files at random, and knows their names. */
class Meddler {
  readonly #folder: string;
  readonly #roll: (sides: number) => number;
  readonly #files: string[] = [];
  #made = 0;

  constructor(folder: string, seed: number) {
    this.#folder = folder;
    this.#roll = dice(seed);
    for (let n = 0; n < FOLDERS; n += 1) mkdirSync(this.#nth(n), { recursive: true });
    for (let n = 0; n < CHANGES / 2; n += 1) this.#create();
  }

  #nth(n: number): string {
    return join(this.#folder, `f${n % 7}`, `g${n}`);
  }

  #name(): string {
    this.#made += 1;
    return join(this.#nth(this.#roll(FOLDERS)), `n${this.#made}`);
  }

  #create(): void {
    const path = this.#name();
    writeFileSync(path, 'x'.repeat(this.#roll(3)));
    this.#files.push(path);
  }

  #take(): string | undefined {
    const at = this.#roll(this.#files.length);
    const path = this.#files[at];
    const last = this.#files.pop();
    if (path !== undefined && last !== path) this.#files[at] = last!;
    return path;
  }

  act(): void {
    const path = this.#take();
    const kind = this.#roll(10);
    if (path === undefined || kind < 3) this.#create();
    if (path === undefined) return;
    switch (kind) {
      case 3:
        unlinkSync(path);
        return;
      case 4: {
        const to = this.#name();
        renameSync(path, to);
        this.#files.push(to);
        return;
      }
      case 5: // and another one of the same name
        unlinkSync(path);
        writeFileSync(path, `other ${this.#made}`);
        break;
      case 6: {
        const brief = this.#name();
        writeFileSync(brief, '');
        unlinkSync(brief);
        break;
      }
      case 7: // put in place of it
        writeFileSync(`${path}.new`, `new ${this.#made}`);
        renameSync(`${path}.new`, path);
        break;
      default:
        appendFileSync(path, 'more');
    }
    this.#files.push(path);
  }

  /** A folder and all that is in it. */
  drop(n: number): void {
    const folder = this.#nth(n);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    for (let at = this.#files.length - 1; at >= 0; at -= 1) {
      if (this.#files[at]!.startsWith(`${folder}/`)) this.#files.splice(at, 1);
    }
  }
}

async function start(folder: string, sink: TriggerSink, polling: boolean): Promise<RunningFileWatch> {
  const running = await startFileWatch(
    {
      type: 'file_watch',
      path: folder,
      patterns: ['*'],
      events: ['created', 'modified', 'deleted', 'moved'],
      debounceMs: 50,
      polling,
      filter: null,
    },
    { clock: systemClock(), sink, times: { reconcileMs: 1_000, pollMs: 100, retryMs: 5, rest: 1 } },
  );
  onTestFinished(async () => running[Symbol.asyncDispose]());
  return running;
}

/** In the test's own time: so many files take longer to remove than what comes after a test may. */
async function clear(running: RunningFileWatch, folder: string): Promise<void> {
  await running[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
}

async function settled(running: RunningFileWatch): Promise<void> {
  const { looks } = running.facts;
  await waitFor(() => running.facts.looks >= looks + 2 && running.facts.pending === 0, {
    patienceMs: PATIENCE_MS,
    what: 'rest',
  });
}

const line = (payload: unknown): string => {
  const { event_type, path, old_path } = payload as Record<string, string>;
  return old_path === undefined ? `${event_type} ${path}` : `${event_type} ${old_path} to ${path}`;
};

describe.each([
  ['by hints', false],
  ['by looking again and again', true],
])(`${CHANGES} changes over ${FOLDERS} folders, watched %s`, (_, polling) => {
  it(
    'in bursts are told as what a look before and a look after differ in [A11] [P1]',
    async () => {
      const folder = tempDirectory();
      const meddler = new Meddler(folder, 7);
      let told: string[] = [];
      const running = await start(
        folder,
        async ({ payload }) => {
          told.push(line(payload));
          return { kind: 'accepted', eventId: 'e' };
        },
        polling,
      );
      let total = 0;
      for (let burst = 0; burst < BURSTS; burst += 1) {
        const before = scan(folder);
        for (let n = 0; n < CHANGES / BURSTS; n += 1) meddler.act();
        if (burst % 4 === 3) meddler.drop(burst);
        const after = scan(folder);
        await settled(running);
        const expected = netChanges(before, after);
        expect(told.toSorted()).toEqual(expected);
        total += told.length;
        told = [];
      }
      expect(total).toBeGreaterThan(CHANGES / 2);
      expect(running.facts).toMatchObject({ files: scan(folder).size, pending: 0, problem: null });
      await clear(running, folder);
    },
    PATIENCE_MS * 3,
  );

  it(
    'all the time, and refused every third time, come to what is there [A12] [P1]',
    async () => {
      const folder = tempDirectory();
      const meddler = new Meddler(folder, 11);
      const known = new Map([...scan(folder)].map(([path, { size }]) => [path, Number(size)]));
      const wrong: string[] = [];
      let asked = 0;
      const running = await start(
        folder,
        async ({ payload }) => {
          asked += 1;
          await turn();
          if (asked % 3 === 0) throw new AppError('process.queue-full', 'The queue is full.');
          const { event_type: event, path, old_path: from } = payload as Record<string, string>;
          if (known.has(path!) === (event === 'created' || event === 'moved')) wrong.push(line(payload));
          if (from !== undefined && !known.delete(from)) wrong.push(line(payload));
          if (event === 'deleted') known.delete(path!);
          else known.set(path!, statSync(path!, { throwIfNoEntry: false })?.size ?? -1);
          return { kind: 'accepted', eventId: 'e' };
        },
        polling,
      );
      for (let n = 0; n < CHANGES; n += 1) {
        meddler.act();
        if (n % 5 === 0) await turn();
        if (n % 500 === 250) await waitFor(() => asked > n / 20, { patienceMs: PATIENCE_MS });
      }
      await settled(running);
      expect(wrong).toEqual([]);
      const left = new Map([...scan(folder)].map(([path, { size }]) => [path, Number(size)]));
      expect(known.size).toBe(left.size);
      expect([...left].filter(([path, size]) => known.get(path) !== size)).toEqual([]);
      await clear(running, folder);
    },
    PATIENCE_MS * 3,
  );
});
