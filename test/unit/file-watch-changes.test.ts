import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../core/host/system-clock.ts';
import { MARKER_FILE } from '../../core/journal/layout.ts';
import { AppError } from '../../core/model/errors.ts';
import type { FileEvent, FileWatchTriggerConfig } from '../../core/model/trigger-config.ts';
import {
  startFileWatch,
  type FileWatchOptions,
  type FileWatchTimes,
  type RunningFileWatch,
} from '../../core/triggers/file-watch.ts';
import type { TriggerAnswer, TriggerCall } from '../../core/triggers/trigger-sink.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const EVERYTHING: readonly FileEvent[] = ['created', 'modified', 'deleted', 'moved'];

interface Watched {
  readonly folder: string;
  readonly running: RunningFileWatch;
  readonly calls: TriggerCall[];
  /** `event path`, sorted, of what was told since it was asked last, when there is nothing more to tell. */
  readonly news: () => Promise<readonly string[]>;
}

interface WatchSetting extends Partial<Pick<FileWatchOptions, 'needsPolling'>> {
  readonly folder?: string;
  readonly config?: Partial<FileWatchTriggerConfig>;
  readonly times?: Partial<FileWatchTimes>;
  readonly sink?: (call: TriggerCall) => Promise<TriggerAnswer>;
}

async function watchFolder({
  folder = tempDirectory(),
  config,
  times,
  sink,
  ...more
}: WatchSetting = {}): Promise<Watched> {
  const calls: TriggerCall[] = [];
  let read = 0;
  const running = await startFileWatch(
    {
      type: 'file_watch',
      path: folder,
      patterns: ['*'],
      events: EVERYTHING,
      debounceMs: 60,
      polling: null,
      filter: null,
      ...config,
    },
    {
      clock: systemClock(),
      sink: async (call) => {
        const answer: TriggerAnswer = await (sink?.(call) ?? { kind: 'accepted', eventId: 'e' });
        calls.push(call);
        return answer;
      },
      // A look that a busy machine drew out is not rested from for as many times as long.
      times: { reconcileMs: 200, pollMs: 50, retryMs: 20, rest: 1, ...times },
      ...more,
    },
  );
  onTestFinished(async () => running[Symbol.asyncDispose]());
  const news = async (): Promise<readonly string[]> => {
    await settled(running);
    const told = calls.slice(read).map(({ payload }) => {
      const { path, event_type: event, old_path: from } = payload as Record<string, string>;
      const short = (at: string): string => at.slice(folder.length + 1);
      return from === undefined ? `${event} ${short(path!)}` : `${event} ${short(from)} to ${short(path!)}`;
    });
    read = calls.length;
    return told.toSorted();
  };
  return { folder, running, calls, news };
}

/** Everything was looked at since, twice, and there is nothing left to tell. */
async function settled(running: RunningFileWatch): Promise<void> {
  const { looks } = running.facts;
  await waitFor(() => running.facts.looks >= looks + 2 && running.facts.pending === 0);
}

describe.each([
  ['by hints', { polling: false }],
  ['by looking again and again', { polling: true }],
])('a folder is watched %s', (_, config) => {
  it('and what happens to its files is told once, as the net change [A11]', async () => {
    const folder = tempDirectory();
    const at = (name: string): string => join(folder, name);
    mkdirSync(at('deep'));
    for (const name of ['old', 'gone', 'swapped', 'deep/away', 'grown']) writeFileSync(at(name), name);
    const { news, calls, running } = await watchFolder({ folder, config });
    expect(running.facts).toMatchObject({
      files: 5,
      by: config.polling ? 'polling' : 'hints',
      problem: null,
    });
    expect(await news()).toEqual([]); // what was there is no news

    writeFileSync(at('new'), '');
    for (let n = 0; n < 20; n += 1) appendFileSync(at('new'), 'more');
    writeFileSync(at('brief'), 'x');
    unlinkSync(at('brief'));
    unlinkSync(at('gone'));
    unlinkSync(at('swapped'));
    writeFileSync(at('swapped'), 'another');
    for (let n = 0; n < 5; n += 1) appendFileSync(at('grown'), 'more');
    mkdirSync(at('made/deeper'), { recursive: true });
    renameSync(at('deep/away'), at('made/deeper/here'));
    expect(await news()).toEqual([
      'created new',
      'deleted gone',
      'modified grown',
      'modified swapped',
      'moved deep/away to made/deeper/here',
    ]);
    expect(calls[0]?.metadata).toEqual({ watch_path: folder, patterns: ['*'] });
    const created = calls.find(({ payload }) => (payload as { filename: string }).filename === 'new');
    expect(created?.payload).toEqual({
      path: at('new'),
      filename: 'new',
      event_type: 'created',
      event_types: expect.arrayContaining(['created']) as string[],
    });
    expect(created?.key).toMatch(/^[0-9a-f]{64}$/);

    renameSync(at('made'), at('renamed'));
    expect(await news()).toEqual(['moved made/deeper/here to renamed/deeper/here']);
    rmSync(at('renamed'), { recursive: true });
    expect(await news()).toEqual(['deleted renamed/deeper/here']);
  });

  it('and only what is asked for is told: names and events [A11]', async () => {
    const { folder, news } = await watchFolder({
      config: { ...config, patterns: ['*.csv', '*.json'], events: ['created', 'modified'] },
    });
    const at = (name: string): string => join(folder, name);
    writeFileSync(at('a.txt'), '');
    // Written aside and put in place, as is the custom.
    writeFileSync(at('a.csv.part'), 'a');
    renameSync(at('a.csv.part'), at('a.csv'));
    expect(await news()).toEqual(['created a.csv']);
    writeFileSync(at('b.part'), 'other');
    renameSync(at('b.part'), at('a.csv'));
    expect(await news()).toEqual(['modified a.csv']);
    renameSync(at('a.csv'), at('b.json'));
    expect(await news()).toEqual(['created b.json']);
    unlinkSync(at('b.json'));
    expect(await news()).toEqual([]);
    writeFileSync(at('b.json'), '');
    expect(await news()).toEqual(['created b.json']);
  });

  it('and the folder itself may be deleted and made again', async () => {
    const folder = join(tempDirectory(), 'in', 'box');
    const { news, running } = await watchFolder({ folder, config });
    writeFileSync(join(folder, 'a'), '');
    expect(await news()).toEqual(['created a']);
    for (let round = 0; round < 3; round += 1) {
      rmSync(join(folder, '..'), { recursive: true });
      expect(await news()).toEqual(['deleted a']);
      await waitFor(() => running.facts.problem?.code === 'trigger.folder-gone');
      mkdirSync(join(folder, 'sub'), { recursive: true });
      writeFileSync(join(folder, 'a'), '');
      expect(await news()).toEqual(['created a']);
      // Hints come from the new one, too.
      writeFileSync(join(folder, 'sub', 'b'), '');
      expect(await news()).toEqual(['created sub/b']);
      unlinkSync(join(folder, 'sub', 'b'));
      expect(await news()).toEqual(['deleted sub/b']);
      expect(running.facts.problem).toBeNull();
    }
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    writeFileSync(join(folder, 'a'), 'again');
    expect(await news()).toEqual(['modified a']);
  });

  it('and a journal in it is left out, which would be told of for ever', async () => {
    const { folder, news, running } = await watchFolder({ config });
    const journal = join(folder, 'journal');
    mkdirSync(join(journal, '.holdfast'), { recursive: true });
    writeFileSync(join(journal, MARKER_FILE), '');
    await news();
    for (let entry = 0; entry < 5; entry += 1) {
      appendFileSync(join(journal, 'clerk.jsonl'), `${entry}\n`);
      writeFileSync(join(journal, '.holdfast', `${entry}.txt`), '');
    }
    writeFileSync(join(folder, 'a.csv'), 'a');
    expect(await news()).toEqual(['created a.csv']);
    // What is no journal any more is a folder like any other.
    rmSync(join(journal, MARKER_FILE));
    expect(await news()).toContain('created journal/clerk.jsonl');
    // Where the folder itself becomes one, nothing more is told, and that is said.
    writeFileSync(join(folder, MARKER_FILE), '');
    await waitFor(() => running.facts.problem?.code === 'trigger.bad-path', { what: 'the problem' });
  });

  it('and links lead to files, not around in circles', async () => {
    const folder = tempDirectory();
    const elsewhere = join(tempDirectory(), 'target');
    const at = (name: string): string => join(folder, name);
    mkdirSync(at('sub'));
    symlinkSync(folder, at('sub/loop'));
    symlinkSync('self', at('self'));
    symlinkSync('nowhere', at('dangling'));
    const { news, running } = await watchFolder({ folder, config });
    expect(running.facts).toMatchObject({ files: 0, problem: null });
    writeFileSync(elsewhere, '1');
    symlinkSync(elsewhere, at('link'));
    symlinkSync('..', at('sub/up'));
    expect(await news()).toEqual(['created link']);
    // No hint is given of what lies elsewhere: a look at everything finds it.
    writeFileSync(elsewhere, '22');
    expect(await news()).toEqual(['modified link']);
    unlinkSync(elsewhere);
    expect(await news()).toEqual(['deleted link']);
  });

  it('and what is moved away and back is news each time, with a key of its own', async () => {
    const { folder, news, calls } = await watchFolder({ config });
    const [inside, outside] = [join(folder, 'a'), join(tempDirectory(), 'a')];
    writeFileSync(inside, 'a');
    expect(await news()).toEqual(['created a']);
    for (let round = 0; round < 2; round += 1) {
      renameSync(inside, outside);
      expect(await news()).toEqual(['deleted a']);
      renameSync(outside, inside);
      expect(await news()).toEqual(['created a']);
    }
    expect(new Set(calls.map(({ key }) => key)).size).toBe(5);
  });
});

it('a change is told soon after it has come to rest, by a hint alone', async () => {
  const { folder, calls, running } = await watchFolder({ times: { reconcileMs: 3_600_000 } });
  await waitFor(() => running.facts.looks >= 2); // hints are on
  writeFileSync(join(folder, 'a'), 'a');
  await waitFor(() => calls.length === 1);
});

it('a file that is being written is told of when it is whole', async () => {
  const { folder, news, calls } = await watchFolder({ config: { debounceMs: 1_000 } });
  // Where the machine had no time for this program, the file did lie still.
  let longest = 0;
  let last = performance.now();
  for (let n = 0; n < 10; n += 1) {
    appendFileSync(join(folder, 'upload'), 'part');
    await delay(30);
    const told = calls.length;
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    expect(longest < 1_000 ? told : 0).toBe(0);
  }
  const [first] = await news();
  expect(first).toBe('created upload');
});

it('a write of as many bytes, and one that sets the time back, are seen; a look at it is not', async () => {
  const { folder, news } = await watchFolder();
  const file = join(folder, 'a');
  writeFileSync(file, 'one');
  expect(await news()).toEqual(['created a']);
  writeFileSync(file, 'two');
  expect(await news()).toEqual(['modified a']);
  utimesSync(file, 1_000_000, 1_000_000);
  expect(await news()).toEqual(['modified a']);
  linkSync(file, join(folder, 'b'));
  expect(await news()).toEqual(['created b']);
});

describe('what is refused', () => {
  it('is told later, merged with what came since, and nothing is dropped [A12] [P1]', async () => {
    const folder = tempDirectory();
    const at = (name: string): string => join(folder, name);
    for (const name of ['kept', 'gone', 'back']) writeFileSync(at(name), name);
    let refusal: Error | null = new AppError('process.queue-full', 'The queue is full.');
    let asked = 0;
    const { news, running, calls } = await watchFolder({
      folder,
      sink: async () => {
        asked += 1;
        if (refusal !== null) throw refusal;
        return { kind: 'accepted', eventId: 'e' };
      },
    });
    const { looks } = running.facts;
    for (let n = 0; n < 60; n += 1) writeFileSync(at(`n${n}`), 'x');
    writeFileSync(at('kept'), 'changed');
    unlinkSync(at('gone'));
    writeFileSync(at('back'), 'changed');
    await waitFor(() => asked > 40 && running.facts.pending === 63);
    expect(running.facts.problem).toMatchObject({ code: 'process.queue-full' });
    // Meanwhile some of it comes to nothing, some to something else.
    for (let n = 0; n < 20; n += 1) unlinkSync(at(`n${n}`));
    for (let n = 20; n < 40; n += 1) writeFileSync(at(`n${n}`), 'more');
    for (let n = 40; n < 50; n += 1) renameSync(at(`n${n}`), at(`m${n}`));
    writeFileSync(at('gone'), 'here again');
    unlinkSync(at('back'));
    await waitFor(() => running.facts.looks >= looks + 3);
    expect(running.facts.pending).toBeLessThanOrEqual(63 + 10);
    refusal = null;
    const expected = [
      ...Array.from({ length: 20 }, (_, n) => `created n${n + 20}`),
      ...Array.from({ length: 10 }, (_, n) => `created m${n + 40}`),
      ...Array.from({ length: 10 }, (_, n) => `created n${n + 50}`),
      'deleted back',
      'modified gone',
      'modified kept',
    ];
    expect(await news()).toEqual(expected.toSorted());
    expect(running.facts).toMatchObject({ problem: null, pending: 0 });
    expect(new Set(calls.map(({ key }) => key)).size).toBe(calls.length);
  });

  it('by a journal, an error or for one file only stops no other', async () => {
    const { folder, news } = await watchFolder({
      sink: async ({ payload }) => {
        const { filename } = payload as { filename: string };
        if (filename === 'poison' && calls < 7) {
          calls += 1;
          throw calls % 2 === 0 ? new TypeError('broken') : new AppError('journal.disk-full', 'full');
        }
        return filename.endsWith('3') ? { kind: 'known' } : { kind: 'filtered', why: 'no' };
      },
    });
    let calls = 0;
    writeFileSync(join(folder, 'poison'), '');
    for (let n = 0; n < 50; n += 1) writeFileSync(join(folder, `n${n}`), '');
    expect(await news()).toHaveLength(51);
    expect(calls).toBe(7);
  });

  it('is asked again under the same key, at longer and longer intervals', async () => {
    const asked: { readonly at: number; readonly key: string | undefined }[] = [];
    const { folder, news } = await watchFolder({
      times: { retryMs: 40 },
      sink: async ({ key }) => {
        asked.push({ at: performance.now(), key });
        if (asked.length < 5) throw new AppError('process.held', 'held');
        return { kind: 'accepted', eventId: 'e' };
      },
    });
    writeFileSync(join(folder, 'a'), '');
    expect(await news()).toEqual(['created a']);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
    const waits = asked.slice(1).map(({ at }, n) => at - asked[n]!.at);
    expect(waits.map((ms, n) => ms >= 40 * 2 ** n - 2)).toEqual([true, true, true, true]);
  });
});

it('what comes while it is being told is told next', async () => {
  const gate = Promise.withResolvers<TriggerAnswer>();
  let asked = 0;
  const { folder, news } = await watchFolder({
    sink: () => {
      asked += 1;
      return asked === 1 ? gate.promise : Promise.resolve({ kind: 'accepted', eventId: 'e' });
    },
  });
  writeFileSync(join(folder, 'a'), '1');
  await waitFor(() => asked === 1);
  writeFileSync(join(folder, 'a'), '22');
  writeFileSync(join(folder, 'b'), '');
  await waitFor(() => asked === 2); // another path does not wait
  gate.resolve({ kind: 'accepted', eventId: 'e' });
  expect(await news()).toEqual(['created a', 'created b', 'modified a']);
});

it('ends when it is disposed, after what is being told, and tells nothing more', async () => {
  const gate = Promise.withResolvers<TriggerAnswer>();
  let asked = 0;
  const { folder, running } = await watchFolder({
    sink: () => {
      asked += 1;
      return gate.promise;
    },
  });
  writeFileSync(join(folder, 'a'), '1');
  await waitFor(() => asked === 1);
  let isOver = false;
  const ending = running[Symbol.asyncDispose]().then(() => {
    isOver = true;
  });
  const other = await watchFolder({ folder });
  writeFileSync(join(folder, 'b'), '1');
  expect(await other.news()).toEqual(['created b']); // and this one would have been told, too
  expect([isOver, asked]).toEqual([false, 1]);
  gate.resolve({ kind: 'accepted', eventId: 'e' });
  await ending;
  expect(asked).toBe(1);
});
