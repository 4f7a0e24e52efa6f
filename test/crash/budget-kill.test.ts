// Hosts and workers that are killed at random while they spend: what was done is never more than may be, and no life begins
// with more than the one before it left.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { isInDoubt } from '../../core/model/effects.ts';
import { ReplayEngine } from '../../core/replay/replay-engine.ts';
import { FAR_HOUR } from '../support/budgets.ts';
import { startNode } from '../support/child.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { SEED } from './budget.ts';
import { AGENT, type SpenderOrder } from './budget-host.ts';
import { below, seeded } from './random.ts';

const HOST = fileURLToPath(new URL('budget-host.ts', import.meta.url));
const MOST = 20;
const MORE = 5;
const MAX_LIVES = 40;
/** From then on nobody kills hosts any more. */
const KILLED_LIVES = 10;
/** Of a life: about what a few events take. */
const LIFE_MS = 250;

test(
  '[C2] [P2] [P4] kill -9 of hosts and workers under limits: no more is done than may be, and what was used stays used',
  { timeout: 600_000 },
  async () => {
    const seed = Number(process.env['HOLDFAST_SEED'] ?? SEED);
    const random = seeded(seed);
    const directory = tempDirectory();
    const order: SpenderOrder = {
      directory: join(directory, 'journal'),
      ledger: join(directory, 'ledger'),
      events: 8,
      limits: { max_tool_calls_per_day: MOST, max_tool_calls_per_run: 7 },
      // No day ends meanwhile.
      resetHour: FAR_HOUR,
      killWorkerAfterMs: null,
      moreOfDay: 0,
    };
    const done = (): number =>
      existsSync(order.ledger) ? readFileSync(order.ledger, 'utf8').split('\n').length - 1 : 0;
    let spent = 0;
    /** One host with that much more of the day, and what has to hold behind it, whatever ended it. */
    const live = async (about: string, most: number, isKilled: boolean, moreOfDay = 0) => {
      const killWorkerAfterMs = isKilled && random() < 0.5 ? below(random, LIFE_MS) : null;
      const host = startNode(HOST, [JSON.stringify({ ...order, killWorkerAfterMs, moreOfDay })]);
      endsWithTest(host);
      await waitFor(() => host.stdout().includes('runs') || host.process.exitCode !== null, {
        what: 'a host that runs',
      });
      if (isKilled) {
        await Promise.race([delay(below(random, LIFE_MS)), host.ended]);
        host.process.kill('SIGKILL');
      }
      const { stdout, stderr, signal } = await host.ended;
      expect(stderr, about).toBe('');
      const { snapshot } = await new ReplayEngine(readFileJournal(order.directory)).recover(AGENT);
      const { spent: used, reserved } = snapshot.budget;
      const all = (used.toolCalls ?? 0) + (reserved.toolCalls ?? 0);
      expect(all, about).toBeLessThanOrEqual(most);
      expect(done(), about).toBeLessThanOrEqual(all);
      expect(used.toolCalls ?? 0, about).toBeGreaterThanOrEqual(spent);
      spent = used.toolCalls ?? 0;
      const underWay = snapshot.open.flatMap(({ effects }) => effects).filter(isInDoubt).length;
      // Whatever took a booking and was not done was given back, or may have been done, or is under way and will be repeated, for
      // which alone something stays booked: the limit is used up, to the last of it.
      const isUsedUp = signal === null && stdout.includes('held') && all === most;
      expect(isUsedUp ? (reserved.toolCalls ?? 0) : underWay, about).toBe(underWay);
      return { isUsedUp, snapshot };
    };

    let life = 0;
    for (let isUsedUp = false; !isUsedUp; life += 1) {
      expect(life, `seed ${seed}`).toBeLessThan(MAX_LIVES);
      ({ isUsedUp } = await live(`seed ${seed}, life ${life}`, MOST, life < KILLED_LIVES));
    }
    const last = await live(`seed ${seed}, once more`, MOST, false);
    expect(last).toMatchObject({ isUsedUp: true, snapshot: { lifecycle: 'suspended' } });
    expect(last.snapshot.holds.find(({ kind }) => kind === 'budget')!.reason).toContain(
      'max_tool_calls_per_day',
    );
    const again = await live(`seed ${seed}, nothing has changed`, MOST, false);
    expect(again.snapshot.budget).toEqual(last.snapshot.budget);
    // With room for more, what was under way is repeated, within that.
    const before = done();
    for (let isUsedUp = false, more = MORE; !isUsedUp; life += 1, more = 0) {
      expect(life, `seed ${seed}`).toBeLessThan(MAX_LIVES);
      ({ isUsedUp } = await live(`seed ${seed}, with more`, MOST + MORE, false, more));
    }
    expect(done()).toBeGreaterThan(before);
  },
);
