// A disk that fails once, at every place where it can. Whoever insists gets its entries acknowledged; what was acknowledged
// before, during and after the fault is there after a kill and after a power cut [J7]; and all that is thrown is ours.

import { expect, test } from 'vitest';
import { budget, SEED } from './budget.ts';
import { emptyTally, tryFault } from './explore.ts';
import { everyFault } from './faults.ts';
import { FAILING, type Failing, type Fault } from './faulty-disk.ts';
import { seeded } from './random.ts';
import { stubborn } from './workloads.ts';

const OPTIONS = {
  segmentBytes: 4 * 1024,
  retention: { maxAgeDays: null, maxBytes: 2_000 },
  isKnown: true,
} as const;
const NOTHING_WRONG = { examples: [], problems: emptyTally().problems };
const ALL: Fault[] = [];

async function faultsOn(root: string, kind: Failing): Promise<readonly Fault[]> {
  if (ALL.length === 0) ALL.push(...(await everyFault(root, stubborn, OPTIONS)));
  return ALL.filter(({ on }) => on === kind);
}

test.each([...FAILING])('[J7, P1] %s fails', { timeout: 300_000 }, async (kind) => {
  using explorer = budget({ ms: 1_800, leastStates: 0 });
  const faults = await faultsOn(explorer.root, kind);
  expect(faults.length).toBeGreaterThan(0);
  const order = shuffled(faults, SEED);
  // Every sync once, whatever it takes: what a failed sync leaves is the worst to get wrong.
  const must = order.filter(({ on, code, times }) => on === 'sync' && code === 'EIO' && times === undefined);
  for (const fault of must)
    await tryFault({ ...explorer, goesOn: () => true }, stubborn, fault, OPTIONS, { perPoint: 3, points: 2 });
  for (const fault of order) {
    if (!explorer.goesOn()) break;
    await tryFault({ ...explorer, goesOn: () => true }, stubborn, fault, OPTIONS, { perPoint: 4, points: 4 });
  }
  expect(explorer.tally).toMatchObject(NOTHING_WRONG);
});

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seeded(seed);
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
