// Limits that are changed at random moments, under random steps and crashes: the limit that is in force is the one that an
// independent reading of the journal gives, and no day does more than it was at most allowed.

import { expect, test } from 'vitest';
import { objectsAt, textAt, type Json } from '../../core/model/json.ts';
import { SEED } from '../crash/budget.ts';
import { below, seeded } from '../crash/random.ts';
import { written } from '../support/budgets.ts';
import { OPERATOR } from '../support/runtime.ts';
import { SteppedHost } from '../support/stepped-host.ts';
import { endWorld } from '../support/stepped-world.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { randomStep, type Done } from './operator-steps.ts';
import { refused } from '../support/refused.ts';

const FIRST_SEED = Number(process.env['HOLDFAST_SEED'] ?? SEED);
const STEPS_OF_A_RUN = 50;
const RUNS = Math.ceil(Number(process.env['HOLDFAST_STEPS'] ?? 2 * STEPS_OF_A_RUN) / STEPS_OF_A_RUN);
const MAX_TURNS = 20;
const DAY = 'budget.max_tool_calls_per_day';
const RUN = 'budget.max_tool_calls_per_run';
const MANIFEST = { max_tool_calls_per_run: 5, max_tool_calls_per_day: 12 } as const;

test(
  '[P4] [S25] changed at any moment, and through any crash, the limits in force are those that the journal tells',
  { timeout: 3_600_000 },
  async () => {
    for (let run = 0; run < RUNS; run += 1) expect(await runSteps(FIRST_SEED + run)).toBeNull();
  },
);

async function runSteps(seed: number): Promise<string | null> {
  const random = seeded(seed);
  const host = new SteppedHost(
    tempDirectory(),
    random,
    written({ ...MANIFEST, holdfast: { reset_hour: 5 } }),
  );
  const done: Done = { accepted: [], toRepeat: [], redelivered: [], dropped: [], undone: [] };
  const taken: string[] = [];
  const about = (): string => `seed ${seed} (HOLDFAST_SEED=${seed}), after: ${taken.slice(-12).join(', ')}`;
  await host.start();
  try {
    for (let at = 0; at < STEPS_OF_A_RUN; at += 1) {
      const isChange = random() < 0.25;
      const step = randomStep(random);
      taken.push(isChange ? 'change' : step.name);
      await host.outcome(
        taken.at(-1)!,
        refused(isChange ? change(host, random) : step.act(host, random, done)),
      );
      const found = (await host.wrong()) ?? (await differs(host));
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

async function change({ agent }: SteppedHost, random: () => number): Promise<void> {
  const path = random() < 0.7 ? DAY : RUN;
  // Some of them make no sense, or nothing is there to take back: that is refused, and changes nothing.
  if (random() < 0.2) await agent.governance.changeSettings({ set: {}, undo: [path] }, OPERATOR);
  else {
    const value: Json = random() < 0.15 ? null : below(random, 20) - 1;
    await agent.governance.changeSettings({ set: { [path]: value }, undo: [] }, OPERATOR);
  }
}

/** The last word on each path, read as plain lines; and what was done, against the most that each day allowed. */
async function differs(host: SteppedHost): Promise<string | null> {
  if (host.agent.live.trouble !== null) return null;
  const limits: Record<string, Json> = {
    [DAY]: MANIFEST.max_tool_calls_per_day,
    [RUN]: MANIFEST.max_tool_calls_per_run,
  };
  let most = 0;
  let ofDay = Number(limits[DAY]);
  for (const { entry_type, data } of await host.entries()) {
    if (entry_type === 'budget_period_started') {
      most += ofDay;
      ofDay = limitOf(limits[DAY]);
    }
    if (entry_type !== 'settings_changed') continue;
    for (const one of objectsAt(data, 'changes')) limits[textAt(one, 'path')] = one['to'] ?? null;
    ofDay = Math.max(ofDay, limitOf(limits[DAY]));
  }
  const inForce = host.agent.settings.config.budget.limits;
  for (const [path, value] of Object.entries(limits)) {
    const name = path.slice(path.indexOf('.') + 1) as keyof typeof MANIFEST;
    if ((inForce[name] ?? null) !== value)
      return `${path} is ${inForce[name]}, and the journal says ${JSON.stringify(value)}`;
  }
  const { length } = host.world.deeds;
  return length > most + ofDay ? `${length} things were done, and at most ${most + ofDay} may be` : null;
}

function limitOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : Number.POSITIVE_INFINITY;
}
