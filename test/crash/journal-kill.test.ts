// P1 with a real kill: a process appends, says what was acknowledged, and is shot at a random moment; many times, on the
// same journal, so that every round also reopens what the last one left.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { readHolder } from '../../core/journal/lock.ts';
import { openFileJournal } from '../../core/journal/index.ts';
import { entriesForwards, isBad } from '../../core/journal/read-entries.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { startNode } from '../support/child.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const APPEND = fileURLToPath(new URL('../support/append-until-killed.ts', import.meta.url));
const BUDGET_MS = 10_000;
const LEAST_ROUNDS = 3;

test('[P1, J4] whatever was acknowledged before a kill is there: verified, in one unbroken chain', async () => {
  const directory = join(tempDirectory(), 'journal');
  const acknowledged = new Map<string, Set<number>>();
  const checked = new Map<string, number>();
  let epoch = 0;
  const started = performance.now();

  for (let round = 0; round < LEAST_ROUNDS || performance.now() - started < BUDGET_MS; round += 1) {
    const child = startNode(APPEND, [directory]);
    onTestFinished(() => {
      child.process.kill('SIGKILL');
    });
    // From the first acknowledgement on, any moment is as good as another.
    const enough = Math.floor(Math.random() * 400);
    await waitFor(() => child.stdout().length > enough * 8 || child.process.exitCode !== null, {
      what: 'the first acknowledgements',
    });
    child.process.kill('SIGKILL');
    const { stdout, stderr, signal } = await child.ended;
    expect(stderr).toBe('');
    expect(signal).toBe('SIGKILL');
    // A line that was cut by the kill was not said.
    for (const line of stdout.split('\n').slice(0, -1)) {
      const [name, seq] = line.split(' ') as [string, string];
      if (!acknowledged.has(name)) acknowledged.set(name, new Set());
      const known = acknowledged.get(name)!;
      expect(known.has(Number(seq)), `${line} is given out twice`).toBe(false);
      known.add(Number(seq));
    }

    for (const [name, numbers] of acknowledged) {
      const items = [...entriesForwards(join(directory, `${name}.jsonl`))];
      expect(items.map((item) => (isBad(item) ? item.reason : item.verification))).toEqual(
        items.map(() => 'verified'),
      );
      const present = new Set(items.map((item) => item.seq));
      expect([...numbers].filter((seq) => !present.has(seq))).toEqual([]);
      expect(items.map((item) => item.seq)).toEqual(items.map((_, at) => at + 1));
      checked.set(name, items.length);
    }
    const holder = readHolder(directory)!;
    expect(holder.epoch).toBeGreaterThan(epoch);
    epoch = holder.epoch;
  }

  const journal = openFileJournal(directory);
  for (const [name, count] of checked) {
    await journal.append({ process_id: name, entry_type: 'log', data: {} });
    expect((await journal.read(name)).length).toBeGreaterThan(count);
    expect((await new ReplayEngine(journal).recover(name)).damage).toEqual([]);
  }
  await journal.close();
  expect([...acknowledged.values()].reduce((sum, numbers) => sum + numbers.size, 0)).toBeGreaterThan(100);
});
