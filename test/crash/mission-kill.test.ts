// Hosts that are killed while a judge thinks: with kill -9, on a real journal. What was due is judged in the next life, and
// what had a verdict is not judged again.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { foldEntries } from '../../core/model/fold.ts';
import { ReplayEngine } from '../../core/replay/replay-engine.ts';
import { SEED } from './budget.ts';
import { AGENT, JUDGE_COST, RETRIES, type StriverOrder } from './mission-host.ts';
import { below, seeded } from './random.ts';
import { countMission } from '../property/mission-count.ts';
import { startNode } from '../support/child.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const HOST = fileURLToPath(new URL('mission-host.ts', import.meta.url));
const EVENTS = 9;
const EVERY = 2;
/** Lives that are killed; the one after them comes to its end. */
const KILLED_LIVES = 4;
/** About as long as its judge thinks. */
const THINKS_MS = 80;

test(
  '[C17] [P4] kill -9 between a run and its verdict: what is due is judged in the next life, once or again only after an unknown',
  { timeout: 600_000 },
  async () => {
    const seed = Number(process.env['HOLDFAST_SEED'] ?? SEED);
    const random = seeded(seed);
    const directory = tempDirectory();
    const order: StriverOrder = {
      directory: join(directory, 'journal'),
      ledger: join(directory, 'ledger'),
      events: EVENTS,
      evalEvery: EVERY,
    };
    const asked = (): number =>
      existsSync(order.ledger) ? readFileSync(order.ledger, 'utf8').split('\n').length - 1 : 0;
    let verdicts = 0;
    for (let life = 0; life <= KILLED_LIVES; life += 1) {
      const host = startNode(HOST, [JSON.stringify(order)]);
      endsWithTest(host);
      if (life < KILLED_LIVES) {
        const before = asked();
        await waitFor(() => asked() > before || host.process.exitCode !== null, { what: 'a judge' });
        await Promise.race([delay(below(random, THINKS_MS)), host.ended]);
        host.process.kill('SIGKILL');
      }
      const { stderr } = await host.ended;
      expect(stderr, `seed ${seed}`).toBe('');
      const journal = readFileJournal(order.directory);
      const entries = await journal.read(AGENT);
      const { snapshot } = await new ReplayEngine(journal).recover(AGENT);
      expect(snapshot.mission, `seed ${seed}, life ${life}`).toEqual(foldEntries(entries).mission);
      const counted = countMission(entries, { retries: RETRIES });
      const { status, runs, judged, evaluations, judging } = snapshot.mission!;
      expect({ status, runs, judged, verdicts: evaluations, isJudging: judging !== null }).toEqual(counted);
      expect(evaluations).toBeGreaterThanOrEqual(verdicts);
      verdicts = evaluations;
    }
    const { snapshot } = await new ReplayEngine(readFileJournal(order.directory)).recover(AGENT);
    expect(snapshot).toMatchObject({ invocationCount: EVENTS, lifecycle: 'suspended' });
    // The last run that was due has its verdict, and each verdict was asked for at least once.
    expect(snapshot.mission).toMatchObject({
      status: 'active',
      runs: EVENTS,
      judged: EVENTS - 1,
      judging: null,
    });
    expect(asked()).toBeGreaterThanOrEqual(snapshot.mission!.evaluations);
    // All that was asked for was paid once, by hosts that are gone as well.
    const entries = await readFileJournal(order.directory).read(AGENT);
    const judgings = entries.filter(({ entry_type }) => entry_type === 'mission_judging').length;
    expect(snapshot.budget.reserved.cost ?? 0).toBe(0);
    const paid = Math.floor((snapshot.budget.spent.cost ?? 0) / JUDGE_COST);
    expect(paid).toBeGreaterThanOrEqual(asked());
    expect(paid).toBeLessThanOrEqual(judgings);
  },
);
