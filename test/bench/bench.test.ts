// What benchmarks conclude from what they measured, and what they measure with. No speed is asserted.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { InMemoryJournal } from '../../core/journal/memory-journal.ts';
import { sameJson, type Json } from '../../core/model/json.ts';
import { ReplayEngine } from '../../core/replay/replay-engine.ts';
import { startNode } from '../support/child.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { AFTER_CHECKPOINT, AGENT, writeLife } from './life.ts';
import { describeMachine } from './machine.ts';
import { atLeast, atMost, measured, percentile, spread, type BenchResult } from './result.ts';
import { takeTurns, type Contender } from './rounds.ts';
import { newOrder, performerOf, settle } from './steps.ts';
import { tableOf } from './table.ts';

test('a median stands in the middle, or between the two that do', () => {
  expect(spread([3, 1, 2], 'ms')).toEqual({ median: 2, min: 1, max: 3, unit: 'ms' });
  expect(spread([10, 4, 1, 2], 'ms')).toEqual({ median: 3, min: 1, max: 10, unit: 'ms' });
  expect(spread([7], 'ms')).toEqual({ median: 7, min: 7, max: 7, unit: 'ms' });
  expect(() => spread([], 'ms')).toThrow('Nothing was measured');
});

test('a percentile is a sample that so many do not exceed', () => {
  const samples = Array.from({ length: 200 }, (_, at) => 200 - at);
  expect(percentile(samples, 0.99)).toBe(198);
  expect(percentile(samples, 1)).toBe(200);
  expect(percentile([5], 0.99)).toBe(5);
});

test('a target is for the ratio where there is one, and else for the median', () => {
  const limit = spread([200], 'entries/s');
  const judged = measured('ours', [100, 90, 120], 'entries/s', {
    to: ['limit', limit],
    target: atLeast(0.5),
  });
  expect(judged).toEqual({
    name: 'ours',
    median: 100,
    min: 90,
    max: 120,
    unit: 'entries/s',
    rounds: 3,
    ratio: { to: 'limit', value: 0.5 },
    target: { op: '>=', value: 0.5 },
    met: true,
  });
  expect(measured('slow', [99], 'entries/s', { to: ['limit', limit], target: atLeast(0.5) }).met).toBe(false);
  expect(measured('time', [5], 'ms', { target: atMost(5) }).met).toBe(true);
  expect(measured('time', [5.1], 'ms', { target: atMost(5) }).met).toBe(false);
  expect(measured('alone', [1], 'ms')).not.toHaveProperty('met');
});

test('contenders take turns, another one first each time, and the round that warms up does not count', async () => {
  const order: string[] = [];
  const contender =
    (name: string): Contender =>
    () => {
      order.push(name);
      return { [name]: order.length };
    };
  const rounds = await takeTurns(['a', 'b', 'c'].map(contender), 2);
  expect(order).toEqual(['a', 'b', 'c', 'b', 'c', 'a', 'c', 'a', 'b']);
  expect(rounds('a')).toEqual([6, 8]);
  expect(rounds('nobody')).toEqual([]);
});

test('the journal that is measured has as many lines as asked for, and as many behind its checkpoint as ever', async () => {
  const journal = new InMemoryJournal();
  const state = await writeLife(journal, 1_000);
  expect(await journal.read(AGENT)).toHaveLength(1_000);
  const recovered = await new ReplayEngine(journal).recover(AGENT);
  expect(recovered.entries_replayed).toBe(AFTER_CHECKPOINT);
  expect(sameJson(recovered.snapshot as unknown as Json, state as unknown as Json)).toBe(true);
});

test('the table says of each thing what it was, what it was compared with, and whether that was enough', () => {
  const limit = spread([1_234_567], 'entries/s');
  const result: BenchResult = {
    bench: 'append',
    at: '2026-01-05T09:00:00.000Z',
    machine: { cpu: 'CPU', cores: 2, memoryGiB: 4, kernel: 'Linux 6', fileSystem: 'ext4', node: '24.0.0' },
    limits: { 'N1: no sync': limit },
    results: [
      measured('ours', [123_456], 'entries/s', { to: ['N1: no sync', limit], target: atLeast(0.2) }),
      measured('time', [0.01234], 'ms', { target: atMost(5) }),
      measured('nothing', [0], 'bytes'),
    ],
  };
  const lines = tableOf(result).split('\n');
  expect(lines[0]).toBe('append: CPU, 2 cores, 4 GiB, Linux 6, ext4, Node 24.0.0');
  expect(lines[2]).toMatch(/^N1: no sync +1,234,567 +1,234,567 +1,234,567 +entries\/s$/);
  expect(lines[3]).toMatch(/^ours +123,456 .* entries\/s +0\.1 of N1 +>= 0\.2 +MISSED$/);
  expect(lines[4]).toMatch(/^time +0\.0123 .* ms +<= 5 +met$/);
  expect(lines[5]).toMatch(/^nothing +0 +0 +0 +bytes$/);
});

test('a machine is described without a name or a path', () => {
  const text = JSON.stringify(describeMachine());
  expect(text).not.toMatch(/[/\\](tmp|home|root|work)|[\w-]+\.local/);
});

test('a ledger tells of a step that is missing or was repeated, and lets the one repeat that was killed', async () => {
  const directory = tempDirectory();
  const after = async (holdIn: number | null, ...performed: readonly number[]) => {
    const order = newOrder(join(directory, `${holdIn} ${performed.join(' ')}`), 2, holdIn);
    using performer = performerOf({ ...order, holdIn: null });
    for (const step of performed) await performer.perform(step);
    return () => settle(order, 'It').repeated;
  };
  expect((await after(null, 0, 1))()).toBe(0);
  expect((await after(1, 0, 1, 1))()).toBe(1);
  expect(await after(null, 0)).toThrow('It never performed step 1 of 2');
  expect(await after(1, 0, 0, 1)).toThrow('It performed step 0 2 times');
  expect(await after(1, 0, 1, 2)).toThrow('It performed more than the 2 steps');
});

test.each(['effects', 'resume'])(
  'the benchmark %s works: every effect is performed and on record',
  async (name) => {
    const json = join(tempDirectory(), 'result.json');
    const { code, stdout, stderr } = await startNode(RUN, [name, '--json', json], {
      env: { ...process.env, HOLDFAST_BENCH_SMALL: '1', HOLDFAST_BENCH_PEERS: 'none' },
    }).ended;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('DBOS is left out: HOLDFAST_BENCH_PEERS is none');
    expect(stdout).toContain(`${name}: `);
    const { results } = JSON.parse(readFileSync(json, 'utf8')) as BenchResult;
    expect(results.every(({ rounds, median }) => rounds > 0 && Number.isFinite(median))).toBe(true);
    const repeated = results.filter(({ name }) => name.includes('repeated'));
    expect(repeated.map(({ median }) => median)).toEqual(name === 'resume' ? [1] : []);
  },
);

test('the benchmark turn works: every turn has its calls, and the reply that it should', async () => {
  const json = join(tempDirectory(), 'result.json');
  const { code, stderr } = await startNode(RUN, ['turn', '--json', json], {
    env: { ...process.env, HOLDFAST_BENCH_SMALL: '1', HOLDFAST_BENCH_PEERS: 'none' },
  }).ended;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as BenchResult;
  expect(results.map(({ name }) => name)).toEqual(['Holdfast']);
});

test('the benchmark governance works: every effect is permitted, and counted where there are limits', async () => {
  const json = join(tempDirectory(), 'result.json');
  const { code, stderr } = await startNode(RUN, ['governance', '--json', json], {
    env: { ...process.env, HOLDFAST_BENCH_SMALL: '1' },
  }).ended;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as BenchResult;
  expect(results.map(({ name }) => name)).toEqual([
    'with all limits',
    'what all limits add',
    'with 20 secrets',
    'what 20 secrets add',
    'with health',
    'what health adds',
    'with a mission',
    'what a mission adds',
    'with all of it',
    'what all of it adds',
  ]);
});

const RUN = fileURLToPath(new URL('run.ts', import.meta.url));
