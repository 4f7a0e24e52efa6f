// Whatever operators do and whatever goes wrong, in any order: after every step the process is in a state that its table
// leads to, nothing hangs, the journal is whole, and what it gives is what is live. In the end everything accepted has ended,
// and nothing happened twice that nobody asked for.
//
// HOLDFAST_STEPS=10000 tries so many steps instead of as many as fit into a while.

import { expect, test } from 'vitest';
import { needsOperator } from '../../core/model/effects.ts';
import { textAt } from '../../core/model/json.ts';
import { SEED } from '../crash/budget.ts';
import { below, seeded } from '../crash/random.ts';
import { OPERATOR } from '../support/runtime.ts';
import { endWorld } from '../support/stepped-world.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { randomStep, type Done } from './operator-steps.ts';
import { SteppedHost } from '../support/stepped-host.ts';
import { refused } from '../support/refused.ts';

const STEPS = Number(process.env['HOLDFAST_STEPS'] ?? 0);
const FIRST_SEED = Number(process.env['HOLDFAST_SEED'] ?? SEED);
const BUDGET_MS = 20_000;
const STEPS_OF_A_RUN = 60;
const LEAST_STEPS = 2 * STEPS_OF_A_RUN;
/** Between two steps. */
const MAX_TURNS = 25;
const HEALING_ROUNDS = 1_000;
/** Longer than anything here waits by itself. */
const A_WHILE_MS = 90_000;

test(
  '[P1] [P2] [P3] [S34] [S35] [T26] after any steps of operators and any faults a process is where its table leads, and nothing hangs',
  { timeout: 3_600_000 },
  async () => {
    const until = performance.now() + BUDGET_MS;
    let steps = 0;
    for (let run = 0; ; run += 1) {
      if (STEPS > 0 ? steps >= STEPS : steps >= LEAST_STEPS && performance.now() > until) break;
      await runSteps(FIRST_SEED + run);
      steps += STEPS_OF_A_RUN;
    }
    expect(steps).toBeGreaterThan(0);
  },
);

async function runSteps(seed: number): Promise<void> {
  const random = seeded(seed);
  const host = new SteppedHost(tempDirectory(), random);
  const done: Done = { accepted: [], toRepeat: [], redelivered: [], dropped: [], undone: [] };
  const taken: string[] = [];
  const check = async (what: string, wrong: string | null | void): Promise<void> => {
    const found = wrong ?? (await host.wrong());
    if (found !== null)
      throw new Error(`${what}: ${found}\nseed ${seed}, after: ${taken.slice(-12).join(', ')}`);
  };
  await host.start();
  try {
    for (let at = 0; at < STEPS_OF_A_RUN; at += 1) {
      const step = randomStep(random);
      taken.push(step.name);
      const wrong = await host.outcome(
        `${step.name} (seed ${seed}, step ${at})`,
        refused(step.act(host, random, done)),
      );
      await check(step.name, wrong);
      await host.turns(below(random, MAX_TURNS));
    }
    await heal(host);
    await check('in the end', null);
    await check('in the end', await judge(host, done));
  } catch (error) {
    const about = `seed ${seed} (HOLDFAST_SEED=${seed}), after: ${taken.slice(-12).join(', ')}`;
    throw error instanceof Error && error.message.includes('seed ')
      ? error
      : new Error(about, { cause: error });
  } finally {
    host.isFull = false;
    await host.outcome('quitting', host.quit());
    endWorld(host.name);
  }
}

/** Somebody sees to everything, until nothing is left to do. */
async function heal(host: SteppedHost): Promise<void> {
  host.isFull = false;
  host.world.isKind = true;
  host.workers.failNext(0);
  for (let round = 0; round < HEALING_ROUNDS; round += 1) {
    const { agent } = host;
    const { open, queue, lifecycle } = agent.snapshot;
    const isAtRest = agent.live.trouble === null && open.length + queue.length === 0;
    if (isAtRest && lifecycle !== 'stopping') return;
    await host.outcome('healing', refused(healOnce(host)));
    await host.settledTurns(5, 100);
    setRight(host);
    // Agents say that they wait after a moment of real time.
    if (round % 20 === 19) await new Promise((resolve) => void setTimeout(resolve, 30));
  }
  const { lifecycle, lifecycleReason, holds, open } = host.agent.snapshot;
  throw new Error(
    `it does not come to an end: ${JSON.stringify({ lifecycle, lifecycleReason, holds, open })}`,
  );
}

/** What waits for a moment of a clock that was set back meanwhile waits long: somebody sets it right. */
function setRight({ agent, clock }: SteppedHost): void {
  const { dueAt } = agent.live;
  if (dueAt !== null && dueAt > clock.now() + A_WHILE_MS) clock.set(dueAt - clock.now());
}

async function healOnce({ agent, world }: SteppedHost): Promise<void> {
  const { open, lifecycle, holds } = agent.snapshot;
  if (agent.live.trouble !== null) return agent.forceRecover(OPERATOR);
  if (lifecycle === 'stopped' || lifecycle === 'failed') return agent.start(OPERATOR);
  for (const { effects, waits, event } of open) {
    const doubt = agent.live.isRunning(event.eventId) ? undefined : effects.find(needsOperator);
    if (doubt !== undefined) {
      const result = world.look(doubt.key);
      const resolution =
        result === null ? ({ kind: 'skip' } as const) : ({ kind: 'happened', result } as const);
      return agent.desk.resolveEffect(doubt.effectId, resolution, OPERATOR);
    }
    const promise = waits.find(({ kind, end }) => kind === 'promise' && end === null);
    if (promise !== undefined) {
      await agent.desk.settlePromise(promise.waitId, { status: 'resolved', value: 'yes' }, OPERATOR);
      return undefined;
    }
  }
  if (lifecycle === 'suspended' && holds.some(({ kind }) => kind !== 'in_doubt'))
    return agent.resume(OPERATOR);
  return undefined;
}

/** What became of what was accepted, and what is in the world. */
async function judge(host: SteppedHost, done: Done): Promise<string | null> {
  const ends = new Map<string, number>();
  const results = new Map<string, number>();
  for (const { entry_type, data } of await host.entries()) {
    const eventId = textAt(data, 'event_id');
    const isEnd = entry_type === 'invocation_result' || (entry_type === 'error' && data['final'] === true);
    if (isEnd) ends.set(eventId, (ends.get(eventId) ?? 0) + 1);
    if (entry_type === 'invocation_result') results.set(eventId, (results.get(eventId) ?? 0) + 1);
  }
  const count = (items: readonly string[], item: string): number =>
    items.filter((other) => other === item).length;
  for (const eventId of done.accepted) {
    const undone = count(done.undone, eventId);
    const most = 1 + count(done.redelivered, eventId) + undone;
    const found = ends.get(eventId) ?? 0;
    if (found < 1 || found > most) return `${eventId} ended ${found} times, and may ${most} times`;
    if ((results.get(eventId) ?? 0) > 1 + undone) return `${eventId} was handled well twice`;
  }
  for (const { key, name, effectClass } of host.world.deeds) {
    if (effectClass === 'retry') continue;
    const most = 1 + count(done.toRepeat, key);
    const found = host.world.deeds.filter((deed) => deed.key === key).length;
    if (found > most) return `${name} (${effectClass}) happened ${found} times, and may ${most} times`;
  }
  return null;
}
