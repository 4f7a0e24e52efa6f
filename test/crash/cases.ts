// Each workload with the settings that it is run under: what the tests take a sample of and the benchmark takes all of.

import type { RunOptions } from './record-run.ts';
import * as workloads from './workloads.ts';
import type { Workload } from './workloads.ts';

export interface Case {
  readonly name: string;
  readonly workload: Workload;
  readonly options: RunOptions;
}

const SHORT = { segmentBytes: 4 * 1024 } as const;

export const CASES: readonly Case[] = [
  { name: 'one process, entry by entry, over two lives', workload: workloads.single, options: {} },
  { name: 'batches of parallel appends', workload: workloads.batches, options: {} },
  { name: 'three processes at once', workload: workloads.several, options: {} },
  {
    name: 'checkpoints, and what comes right behind them',
    workload: workloads.checkpoints,
    options: { isKnown: true },
  },
  {
    name: 'a checkpoint among other entries in one batch',
    workload: workloads.checkpointInBatch,
    options: {},
  },
  { name: 'segments that are sealed and packed', workload: workloads.segments, options: SHORT },
  {
    name: 'two processes that seal at once',
    workload: workloads.segmentsOfTwo,
    options: { ...SHORT, isKnown: true },
  },
  {
    name: 'segments that are dropped',
    workload: workloads.segments,
    options: { ...SHORT, retention: { maxAgeDays: null, maxBytes: 1_000 } },
  },
  { name: 'large values beside the journal', workload: workloads.spills, options: SHORT },
  {
    name: 'synced every now and then',
    workload: workloads.paced,
    options: { durability: 'interval', ...SHORT },
  },
  {
    name: 'synced only where the world is touched',
    workload: workloads.several,
    options: { durability: 'os' },
  },
  { name: 'never synced', workload: workloads.batches, options: { durability: 'os' } },
  {
    name: 'never synced but at segments',
    workload: workloads.segments,
    options: { durability: 'os', ...SHORT },
  },
];
