// Limits while operators, the world and bad luck do whatever they may: what was done in the world is never more than was
// allowed, and what is counted is what the journal gives.
//
// HOLDFAST_STEPS=10000 tries so many steps instead of a few.

import { expect, test } from 'vitest';
import { DEFAULT_BUDGET, LIMITS, type LimitName } from '../../core/model/budget.ts';
import { numberAt, textAt } from '../../core/model/json.ts';
import { SEED } from '../crash/budget.ts';
import { below, seeded } from '../crash/random.ts';
import { OPERATOR } from '../support/runtime.ts';
import { SteppedHost } from '../support/stepped-host.ts';
import { endWorld } from '../support/stepped-world.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { randomStep, type Done } from './operator-steps.ts';
import { refused } from '../support/refused.ts';

const FIRST_SEED = Number(process.env['HOLDFAST_SEED'] ?? SEED);
const STEPS_OF_A_RUN = 60;
const RUNS = Math.ceil(Number(process.env['HOLDFAST_STEPS'] ?? 3 * STEPS_OF_A_RUN) / STEPS_OF_A_RUN);
/** Between two steps. */
const MAX_TURNS = 25;
const PER_RUN = 5;
const PER_DAY = 16;

test(
  '[C2] [P4] [S34] [S39] after any steps of operators and any faults no run and no day has done more than it may, and every count is in the journal',
  { timeout: 3_600_000 },
  async () => {
    for (let run = 0; run < RUNS; run += 1) expect(await runSteps(FIRST_SEED + run)).toBeNull();
  },
);

/** What went wrong; null for nothing. */
async function runSteps(seed: number): Promise<string | null> {
  const random = seeded(seed);
  const host = new SteppedHost(tempDirectory(), random, {
    budget: {
      ...DEFAULT_BUDGET,
      limits: {
        max_tool_calls_per_run: PER_RUN,
        max_tool_calls_per_day: PER_DAY,
        max_runs_per_day: 12,
        max_cost_per_day: 40,
      },
      effectCosts: { order: { cost: 4.1, isIrreversible: false } },
      resetHour: 5,
    },
  });
  const done: Done = { accepted: [], toRepeat: [], redelivered: [], dropped: [], undone: [] };
  const taken: string[] = [];
  const about = (): string => `seed ${seed} (HOLDFAST_SEED=${seed}), after: ${taken.slice(-12).join(', ')}`;
  await host.start();
  try {
    for (let at = 0; at < STEPS_OF_A_RUN; at += 1) {
      const isGrant = random() < 0.15;
      const step = randomStep(random);
      taken.push(isGrant ? 'grant' : step.name);
      const act = isGrant ? grant(host, random) : step.act(host, random, done);
      const wrong = await host.outcome(taken.at(-1)!, refused(act));
      const found = wrong ?? (await host.wrong()) ?? (await tooMuch(host));
      if (found !== null) return `${found}\n${about()}`;
      await host.turns(below(random, MAX_TURNS));
    }
    return null;
  } finally {
    host.isFull = false;
    await host.outcome('quitting', host.quit());
    endWorld(host.name);
  }
}

async function grant({ agent }: SteppedHost, random: () => number): Promise<void> {
  const limit = agent.snapshot.budget.exceeded?.limit ?? 'max_tool_calls_per_run';
  const forMs = random() < 0.5 ? null : 1 + below(random, 60_000);
  await agent.governance.extendBudget({ limit, amount: 1 + below(random, 3), forMs }, OPERATOR);
}

/** What was done in the world, against everything that was ever allowed. */
async function tooMuch(host: SteppedHost): Promise<string | null> {
  const granted = new Map<string, number>();
  const known = new Set<string>();
  let days = 0;
  for (const { entry_type, data } of await host.entries()) {
    if (entry_type === 'trigger_event') known.add(textAt(data, 'event_id'));
    if (entry_type === 'budget_period_started') days += 1;
    if (entry_type !== 'budget_extended') continue;
    const limit = textAt(data, 'limit') as LimitName;
    const whose = LIMITS[limit].scope === 'run' ? textAt(data, 'event_id') : limit;
    granted.set(whose, (granted.get(whose) ?? 0) + numberAt(data, 'amount'));
  }
  const { deeds } = host.world;
  const most = days * PER_DAY + (granted.get('max_tool_calls_per_day') ?? 0);
  if (deeds.length > most) return `${deeds.length} things were done in ${days} days, and ${most} may be`;
  for (const eventId of known) {
    const count = deeds.filter(({ key }) => key.includes(eventId)).length;
    const may = PER_RUN + (granted.get(eventId) ?? 0);
    if (count > may) return `${count} things were done for ${eventId}, and ${may} may be`;
  }
  return null;
}
