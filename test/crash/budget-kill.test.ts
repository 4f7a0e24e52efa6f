// Hosts and workers that are killed at random while they spend: what was done is never more than may be, and no life begins
// with more than the one before it left.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/replay-engine.ts';
import { startNode } from '../support/child.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { SEED } from './budget.ts';
import { AGENT, type SpenderOrder } from './budget-host.ts';
import { below, seeded } from './random.ts';

const HOST = fileURLToPath(new URL('budget-host.ts', import.meta.url));
const MOST = 20;
const MAX_LIVES = 40;
/** From then on nobody kills hosts any more. */
const KILLED_LIVES = 10;
/** Of a life: about what a few events take. */
const LIFE_MS = 250;

test(
  '[C2] [P2] [P4] kill -9 of hosts and workers under limits: no more is done than may be, and what was used stays used',
  { timeout: 240_000 },
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
      resetHour: (new Date().getUTCHours() + 12) % 24,
      killWorkerAfterMs: null,
    };
    const done = (): number =>
      existsSync(order.ledger) ? readFileSync(order.ledger, 'utf8').split('\n').length - 1 : 0;
    let spent = 0;
    let isHeld = false;
    let last: ProcessSnapshot['budget'] | null = null;
    for (let life = 0; !isHeld; life += 1) {
      expect(life, `seed ${seed}`).toBeLessThan(MAX_LIVES);
      const killWorkerAfterMs = random() < 0.5 ? below(random, LIFE_MS) : null;
      const host = startNode(HOST, [JSON.stringify({ ...order, killWorkerAfterMs })]);
      onTestFinished(() => void host.process.kill('SIGKILL'));
      await waitFor(() => host.stdout().includes('runs') || host.process.exitCode !== null, {
        what: 'a host that runs',
      });
      if (life < KILLED_LIVES) {
        await Promise.race([delay(below(random, LIFE_MS)), host.ended]);
        host.process.kill('SIGKILL');
      }
      const { stdout, stderr, signal } = await host.ended;
      expect(stderr, `seed ${seed}`).toBe('');
      isHeld = stdout.includes('held') && signal === null;
      const { snapshot } = await new ReplayEngine(readFileJournal(order.directory)).recover(AGENT);
      const { budget } = snapshot;
      const used = budget.spent.toolCalls ?? 0;
      expect(done(), `seed ${seed}, life ${life}`).toBeLessThanOrEqual(MOST);
      expect(used + (budget.reserved.toolCalls ?? 0), `seed ${seed}, life ${life}`).toBeLessThanOrEqual(MOST);
      expect(done(), `seed ${seed}, life ${life}`).toBeLessThanOrEqual(
        used + (budget.reserved.toolCalls ?? 0),
      );
      expect(used, `seed ${seed}, life ${life}`).toBeGreaterThanOrEqual(spent);
      spent = used;
      last = budget;
    }
    // Whatever took a booking and was not done was given back, or may have been done, or is to be repeated: the limit is used up.
    expect(last!.spent.toolCalls! + (last!.reserved.toolCalls ?? 0)).toBe(MOST);
    // One more life changes nothing.
    const after = startNode(HOST, [JSON.stringify(order)]);
    await waitFor(() => after.stdout().includes('held'), { what: 'the hold, once more' });
    await after.ended;
    const { snapshot } = await new ReplayEngine(readFileJournal(order.directory)).recover(AGENT);
    expect(snapshot).toMatchObject({
      lifecycle: 'suspended',
      budget: { spent: last!.spent, reserved: last!.reserved },
    });
    expect(snapshot.holds.find(({ kind }) => kind === 'budget')!.reason).toContain('max_tool_calls_per_day');
    expect(done()).toBeLessThanOrEqual(MOST);
  },
);
