// One process is watched, the one that was asked for last, and of it every new entry is told once.

import { expect, onTestFinished, test } from 'vitest';
import type { ConsoleEvent } from '../../core/contract/console-host.ts';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import type { TimelinePage, TimelineRow } from '../../core/contract/timeline-views.ts';
import type { JournalSource } from '../../core/host/journal-source.ts';
import { asRecorded, badLineRow, processDetail } from '../../core/host/read-model.ts';
import { watchedProcess, type WatchedProcess } from '../../core/host/watched-process.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { waitFor } from '../support/wait-for.ts';

const rowAt = (seq: number): TimelineRow => badLineRow({ seq, offset: seq, sizeBytes: 1, reason: '' });

const detailOf = (name: string): ProcessDetail => processDetail(asRecorded('j', name, emptySnapshot()));

/** A journal of numbered lines whose pages come when the test lets them. */
class Numbered implements JournalSource {
  readonly id = 'j';
  readonly directory = '';
  seq = 0;
  /** Limits that were asked for. */
  readonly asked: number[] = [];
  readonly #gates = new Map<string, Promise<void>>();

  holdBack(process: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gates.set(process, promise);
    return resolve;
  }

  async timeline(process: string, limit: number): Promise<TimelinePage> {
    await this.#gates.get(process);
    this.asked.push(limit);
    const last = this.seq;
    const length = Math.min(limit, last);
    return {
      rows: Array.from({ length }, (_, at) => rowAt(last - at)),
      before: length < last ? 'more' : null,
    };
  }

  detail(process: string): ProcessDetail {
    return detailOf(process);
  }
  memoryOf(): never {
    throw new Error('not asked for');
  }
  tools(): never {
    throw new Error('Nobody asks for its tools.');
  }
  view(): never {
    throw new Error('nobody asks');
  }
  rows(): never {
    throw new Error('nobody asks');
  }
  waiting(): never {
    throw new Error('nobody asks');
  }
  async close(): Promise<void> {}
}

type Told = Extract<ConsoleEvent, { name: 'process.changed' }>['payload'];

function watch(): { watched: WatchedProcess; told: Told[] } {
  const told: Told[] = [];
  const watched = watchedProcess(
    (event) => void (event.name === 'process.changed' && told.push(event.payload)),
    (error) => {
      throw error;
    },
  );
  onTestFinished(() => watched[Symbol.dispose]());
  return { watched, told };
}

test('a slow start does not win over the one that was asked for after it', async () => {
  const source = new Numbered();
  const { watched, told } = watch();
  const go = source.holdBack('slow');
  const slow = watched.start(source, 'slow');
  await watched.start(source, 'quick');
  go();
  await slow;
  watched.touch(null);
  await waitFor(() => told.length > 0);
  watched.touch('slow');
  expect(told.map(({ process }) => process)).toEqual(['quick']);
});

test('a stop during a start is a stop', async () => {
  const source = new Numbered();
  const { watched, told } = watch();
  const go = source.holdBack('slow');
  const slow = watched.start(source, 'slow');
  watched.stop();
  go();
  await slow;
  watched.touch(null);
  await watched.start(source, 'other');
  await waitFor(() => told.length > 0);
  expect(told.map(({ process }) => process)).toEqual(['other']);
});

test.each([1, 15, 16, 17, 99, 100])('%i new entries are told once each, without a gap', async (count) => {
  const source = new Numbered();
  source.seq = 500;
  const { watched, told } = watch();
  await watched.start(source, 'a');
  source.seq += count;
  await waitFor(() => told.flatMap(({ rows }) => rows).length >= count);
  expect(told.flatMap(({ rows }) => rows.map(({ seq }) => seq))).toEqual(
    Array.from({ length: count }, (_, at) => 500 + count - at),
  );
  expect(told.some(({ gap }) => gap)).toBe(false);
});

test('more new entries than are told at once are a gap', async () => {
  const source = new Numbered();
  source.seq = 500;
  const { watched, told } = watch();
  await watched.start(source, 'a');
  source.seq += 101;
  await waitFor(() => told.length > 0);
  expect(told[0]).toMatchObject({ gap: true });
  expect(told[0]!.rows).toHaveLength(100);
});

test('few new entries are not looked for far back', async () => {
  const source = new Numbered();
  source.seq = 500;
  const { watched, told } = watch();
  await watched.start(source, 'a');
  source.seq += 3;
  await waitFor(() => told.length > 0);
  expect(Math.max(...source.asked)).toBeLessThan(20);
});
