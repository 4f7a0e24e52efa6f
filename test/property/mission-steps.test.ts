// Missions while operators, the world, judges and bad luck do whatever they may: what is due is judged once, or again only
// after there was no verdict, and every count is what the journal gives.
//
// HOLDFAST_STEPS=10000 tries so many steps instead of a few.

import { expect, test } from 'vitest';
import { DEFAULT_BUDGET } from '../../core/model/budget.ts';
import { total } from '../../core/model/meters.ts';
import { dueRun } from '../../core/model/mission-step.ts';
import {
  DEFAULT_MISSION,
  MISSION_ORDERS,
  ON_COMPLETE,
  type MissionConfig,
} from '../../core/model/mission.ts';
import { SEED } from '../crash/budget.ts';
import { below, seeded } from '../crash/random.ts';
import { OPERATOR } from '../support/runtime.ts';
import { SteppedHost } from '../support/stepped-host.ts';
import { endWorld } from '../support/stepped-world.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { countMission } from './mission-count.ts';
import { randomStep, type Done } from './operator-steps.ts';
import { refused } from '../support/refused.ts';

const FIRST_SEED = Number(process.env['HOLDFAST_SEED'] ?? SEED);
const STEPS_OF_A_RUN = 60;
const RUNS = Math.ceil(Number(process.env['HOLDFAST_STEPS'] ?? 3 * STEPS_OF_A_RUN) / STEPS_OF_A_RUN);
/** Between two steps. */
const MAX_TURNS = 25;
const RETRIES = 2;

test(
  '[C17] [P4] [S39] after any steps of operators and any faults each run that is due has one verdict, and every count is in the journal',
  { timeout: 3_600_000 },
  async () => {
    for (let run = 0; run < RUNS; run += 1) expect(await runSteps(FIRST_SEED + run)).toBeNull();
  },
);

function randomMission(random: () => number): MissionConfig {
  return {
    ...DEFAULT_MISSION,
    objective: 'every errand is run',
    evalEvery: 1 + below(random, 3),
    onComplete: ON_COMPLETE[below(random, ON_COMPLETE.length)]!,
    maxInvocations: random() < 0.3 ? 4 + below(random, 6) : 0,
    timeoutMs: random() < 0.3 ? 3_600_000 : 0,
    autoComplete: random() < 0.7,
    judgeTimeoutMs: 2_000,
    judgeRetries: RETRIES,
    judgeBackoffMs: 300,
    judgeCost: 1.5,
  };
}

/** What went wrong; null for nothing. */
async function runSteps(seed: number): Promise<string | null> {
  const random = seeded(seed);
  const mission = randomMission(random);
  const limits = random() < 0.5 ? { max_cost_per_day: 12 } : {};
  const host = new SteppedHost(tempDirectory(), random, {
    mission,
    budget: { ...DEFAULT_BUDGET, limits, resetHour: 5 },
  });
  const done: Done = { accepted: [], toRepeat: [], redelivered: [], dropped: [], undone: [] };
  const taken: string[] = [];
  const about = (): string => `seed ${seed} (HOLDFAST_SEED=${seed}), after: ${taken.slice(-12).join(', ')}`;
  await host.start();
  try {
    for (let at = 0; at < STEPS_OF_A_RUN; at += 1) {
      const order = random() < 0.12 ? MISSION_ORDERS[below(random, MISSION_ORDERS.length)]! : null;
      const step = randomStep(random);
      taken.push(order ?? step.name);
      const act =
        order === null ? step.act(host, random, done) : host.agent.governance.changeMission(order, OPERATOR);
      const wrong = await host.outcome(taken.at(-1)!, refused(act));
      const found = wrong ?? (await host.wrong()) ?? (await miscounted(host)) ?? reservedWrongly(host);
      if (found !== null) return `${found}\n${about()}`;
      await host.turns(below(random, MAX_TURNS));
    }
    const left = await forgotten(host, mission);
    return left === null ? null : `${left}\n${about()}`;
  } finally {
    host.isFull = false;
    await host.outcome('quitting', host.quit());
    endWorld(host.name);
  }
}

/** Against a plain reading of the journal, as far as what is live: it goes on meanwhile. */
async function miscounted(host: SteppedHost): Promise<string | null> {
  if ((await host.settled()) === null) return null;
  const entries = await host.entries();
  const { mission, seq } = host.agent.snapshot;
  if (entries.at(-1)?.seq !== seq) return miscounted(host);
  const counted = countMission(entries, { retries: RETRIES });
  if (mission === null || counted === null) {
    return (mission === null) === (counted === null) ? null : 'one of two has no mission';
  }
  const { status, runs, judged, evaluations, judging } = mission;
  const told = { status, runs, judged, verdicts: evaluations, isJudging: judging !== null };
  const isSame = JSON.stringify(told) === JSON.stringify(sorted(counted));
  return isSame
    ? null
    : `the mission is ${JSON.stringify(told)}, and counted it is ${JSON.stringify(counted)}`;
}

function sorted({ status, runs, judged, verdicts, isJudging }: NonNullable<ReturnType<typeof countMission>>) {
  return { status, runs, judged, verdicts, isJudging };
}

/** What is reserved is what runs have reserved, and the judge. */
function reservedWrongly({ agent }: SteppedHost): string | null {
  const { budget, open, mission } = agent.snapshot;
  const ofRuns = total(...open.map(({ reserved }) => reserved?.cost ?? 0));
  const all = total(ofRuns, mission?.judging?.booked.cost ?? 0);
  const reserved = budget.reserved.cost ?? 0;
  return reserved === all ? null : `${reserved} is reserved, and ${all} is under way`;
}

/** With a kind world and a judge who answers, nothing that is due stays undone. */
async function forgotten(host: SteppedHost, mission: MissionConfig): Promise<string | null> {
  host.isFull = false;
  host.world.isKind = true;
  await host.outcome('quitting', host.quit());
  await host.start();
  const { agent } = host;
  if (agent.snapshot.mission?.status === 'paused') {
    await host.outcome('the mission', refused(agent.governance.changeMission('resume', OPERATOR)));
  }
  if (agent.snapshot.lifecycle === 'suspended') await host.outcome('it', refused(agent.resume(OPERATOR)));
  // The longest of all waits for another try.
  await host.settledTurns(320, 100);
  const { snapshot } = agent;
  const isGoing = snapshot.lifecycle === 'running' || snapshot.lifecycle === 'awaiting';
  if (snapshot.mission?.status !== 'active' || !isGoing) return null;
  const { judging, unknown } = snapshot.mission;
  const due = dueRun(mission, snapshot.mission);
  if (due === null || judging !== null || unknown?.isForBudget === true) return null;
  return `run ${due} is due and not judged: ${JSON.stringify(snapshot.mission)}`;
}
