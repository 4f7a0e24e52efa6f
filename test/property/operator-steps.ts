// What operators, the world and bad luck may do to an agent at any moment.

import { isDeepStrictEqual } from 'node:util';
import type { Resolution } from '../../core/model/effects.ts';
import { needsOperator } from '../../core/model/effects.ts';
import { foldEntries } from '../../core/model/fold.ts';
import { below } from '../crash/random.ts';
import { OPERATOR } from '../support/runtime.ts';
import { ERRANDS } from '../support/stepped-world.ts';
import type { SteppedHost } from '../support/stepped-host.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What was done so far, as whoever did it knows it. */
export interface Done {
  /** Events that were accepted. */
  readonly accepted: string[];
  /** Keys of effects that an operator said did not happen, once for each time. */
  readonly toRepeat: string[];
  /** Events handled again as what they were, once for each time. */
  readonly redelivered: string[];
  readonly dropped: string[];
  /** Events whose invocation a rewind took back, once for each time. */
  readonly undone: string[];
}

export interface Step {
  readonly name: string;
  /** How often, beside the others. */
  readonly weight: number;
  /** Resolves with what is wrong right after it; null or nothing for nothing. */
  readonly act: (host: SteppedHost, random: () => number, done: Done) => Promise<string | null | void>;
}

const pick = <T>(items: readonly T[], random: () => number): T | undefined =>
  items[below(random, items.length)];

export const STEPS: readonly Step[] = [
  { name: 'start', weight: 4, act: ({ agent }) => agent.start(OPERATOR) },
  {
    name: 'suspend',
    weight: 4,
    act: async ({ agent }) => {
      const hadTrouble = agent.live.trouble !== null;
      await agent.suspend(OPERATOR);
      // A journal that can't take it does not keep the process from standing still [S36].
      if (hadTrouble && agent.live.worker !== null) return 'it has a worker';
      if (agent.live.trouble !== null) return null;
      const { lifecycle, holds } = agent.snapshot;
      const isHeld = lifecycle === 'suspended' && holds.some(({ kind }) => kind === 'operator');
      return isHeld ? null : `it is ${lifecycle}, held by ${JSON.stringify(holds)}`;
    },
  },
  {
    name: 'resume',
    weight: 6,
    act: async ({ agent }) => {
      await agent.resume(OPERATOR);
      const left = agent.snapshot.holds.filter(({ kind }) => kind === 'operator' || kind === 'idle');
      return left.length === 0 ? null : `${left[0]!.kind} still holds it`;
    },
  },
  {
    name: 'stop',
    weight: 2,
    act: async ({ agent }) => {
      await agent.stop(OPERATOR);
      if (agent.live.worker !== null) return 'it has a worker';
      return agent.live.trouble !== null || agent.snapshot.lifecycle === 'stopped'
        ? null
        : 'it is not stopped';
    },
  },
  { name: 'restart', weight: 2, act: ({ agent }) => agent.restart(OPERATOR) },
  { name: 'kill the worker', weight: 10, act: ({ agent }) => agent.killWorker() },
  {
    name: 'force-recover',
    weight: 3,
    act: async ({ agent }) => {
      await agent.forceRecover(OPERATOR);
      return agent.live.trouble === null ? null : 'it is still in trouble';
    },
  },
  {
    name: 'trigger',
    weight: 22,
    act: async ({ agent }, random, { accepted }) => {
      accepted.push(await agent.trigger({ errand: pick(ERRANDS, random)! }));
    },
  },
  {
    name: 'signal',
    weight: 4,
    act: ({ agent }) => agent.desk.signal(crypto.randomUUID(), 'go', null, OPERATOR),
  },
  {
    name: 'ask a question',
    weight: 3,
    act: async ({ agent }, random) => {
      const { event } = pick(agent.snapshot.open, random) ?? {};
      if (event === undefined) return;
      const answer = await agent.queries.ask('errand', null, event.eventId);
      const { errand } = event.payload as { readonly errand: string };
      return answer === errand ? null : `it answers ${JSON.stringify(answer)} for ${errand}`;
    },
  },
  {
    name: 'write to the agent',
    weight: 2,
    act: ({ agent }) => {
      const note = {
        type: 'directive',
        content: 'Be brief.',
        priority: 'normal',
        expiresInMs: 60_000,
      } as const;
      return agent.desk.writeInbox({ messageId: crypto.randomUUID(), ...note }, OPERATOR);
    },
  },
  {
    name: 'settle a promise',
    weight: 8,
    act: async ({ agent }, random) => {
      const promises = agent.snapshot.open
        .flatMap(({ waits }) => waits)
        .filter(({ kind }) => kind === 'promise');
      const promise = pick(promises, random);
      if (promise === undefined) return;
      const value = { status: 'resolved', value: 'yes' } as const;
      const { isFirst } = await agent.desk.settlePromise(promise.waitId, value, OPERATOR);
      return isFirst === (promise.end === null) ? null : 'it was settled twice';
    },
  },
  {
    name: 'resolve an effect',
    weight: 12,
    act: async ({ agent }, random, { toRepeat }) => {
      const doubt = pick(agent.snapshot.open.flatMap(({ effects }) => effects).filter(needsOperator), random);
      if (doubt === undefined) return;
      const resolution = pick<Resolution>(
        [{ kind: 'happened', result: 'said so' }, { kind: 'did_not_happen' }, { kind: 'skip' }],
        random,
      )!;
      await agent.desk.resolveEffect(doubt.effectId, resolution, OPERATOR);
      if (resolution.kind === 'did_not_happen') toRepeat.push(doubt.key);
    },
  },
  {
    name: 'redeliver a dead letter',
    weight: 3,
    act: async ({ agent }, random, { accepted, redelivered }) => {
      const letter = pick(agent.snapshot.deadLetters, random);
      if (letter === undefined) return;
      const asNew = random() < 0.3;
      const eventId = await agent.desk.redeliver(letter.event.eventId, asNew, OPERATOR);
      (asNew ? accepted : redelivered).push(eventId);
    },
  },
  {
    name: 'drop a dead letter',
    weight: 1,
    act: async ({ agent }, random, { dropped }) => {
      const letter = pick(agent.snapshot.deadLetters, random);
      if (letter === undefined) return;
      await agent.desk.dropDeadLetter(letter.event.eventId, OPERATOR);
      dropped.push(letter.event.eventId);
    },
  },
  {
    name: 'rewind',
    weight: 4,
    act: async (host, random, { undone }) => {
      const { agent } = host;
      const entries = await host.entries();
      const target = below(random, entries.length + 2);
      // An entry that moves it is where it was moved to, which the next checkpoint says.
      const isMoving = entries.some(({ seq, entry_type }) => seq === target && entry_type === 'rewind');
      const last = isMoving
        ? entries.find(({ seq, entry_type }) => seq > target && entry_type === 'checkpoint')?.seq
        : target;
      const order = { to: target, isHandledAgain: random() < 0.7 };
      const plan = await agent.rewinds.apply(order, null, OPERATOR);
      undone.push(...plan.undone.map(({ eventId }) => eventId));
      const { lifecycle, context, conversation, recentRuns, rewinding, open } = agent.snapshot;
      // What came in on the way to it is behind what was read before: also the entry that it was to go to, and a failure.
      const written = await host.entries();
      const before = foldEntries(written.filter(({ seq }) => seq <= (last ?? target)));
      const { seq: movedAt } = written.findLast(({ entry_type }) => entry_type === 'rewind')!;
      // It may begin again by itself right after.
      const hasFailed = foldEntries(written.filter(({ seq }) => seq < movedAt)).lifecycle === 'failed';
      if (hasFailed && lifecycle !== 'failed') return null;
      if (lifecycle === 'running' || lifecycle === 'awaiting') return `it is ${lifecycle}`;
      if (rewinding !== null) return 'it is not where it was to go';
      const then = {
        context: before.context,
        conversation: before.conversation,
        recentRuns: before.recentRuns,
      };
      if (!isDeepStrictEqual({ context, conversation, recentRuns }, then)) {
        return `it has ${JSON.stringify({ context, conversation, recentRuns })}, and had ${JSON.stringify(then)}`;
      }
      const taken = plan.undone.filter(({ how }) => how === 'under way' || order.isHandledAgain);
      return isDeepStrictEqual(
        open.map(({ event }) => event.eventId),
        taken.map(({ eventId }) => eventId),
      )
        ? null
        : `it goes on with ${open.length} invocations, and said ${taken.length}`;
    },
  },
  {
    name: 'time goes by',
    weight: 14,
    act: async (host, random) => {
      // Agents wait for a moment of real time before they say that they wait.
      if (random() < 0.3) await new Promise((resolve) => void setTimeout(resolve, 30));
      await host.turns(8, below(random, 2_000));
    },
  },
  {
    name: 'the clock is set forward',
    weight: 2,
    act: async ({ clock }, random) => clock.set(below(random, 2 * DAY_MS)),
  },
  {
    name: 'the clock is set back',
    weight: 2,
    act: async ({ clock }, random) => clock.set(-below(random, DAY_MS / 2)),
  },
  {
    name: 'the disk is full',
    weight: 1,
    act: async (host) => {
      host.isFull = true;
    },
  },
  {
    name: 'there is room again',
    weight: 4,
    act: async (host) => {
      host.isFull = false;
    },
  },
  {
    name: 'workers are not started',
    weight: 1,
    act: async ({ workers }, random) => workers.failNext(1 + below(random, 3)),
  },
  {
    name: 'quit and start again',
    weight: 3,
    act: async (host) => {
      await host.quit();
      // A host can't open its journal on a full disk; what it does then is another test's.
      host.isFull = false;
      await host.start();
    },
  },
];

const TOTAL = STEPS.reduce((sum, { weight }) => sum + weight, 0);

export function randomStep(random: () => number): Step {
  let at = random() * TOTAL;
  for (const step of STEPS) {
    at -= step.weight;
    if (at < 0) return step;
  }
  return STEPS.at(-1)!;
}
