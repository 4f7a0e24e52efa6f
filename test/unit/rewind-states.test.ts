// Whatever a process is doing or waiting for, a rewind leaves it still, and nothing that was done is done again for it.

import { expect, test } from 'vitest';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import { seeded } from '../crash/random.ts';
import { bench, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { startStepped, type SteppedHost } from '../support/stepped-host.ts';

const AGAIN = { isHandledAgain: true };
/** What its worker was performing is not waited for as long as it would be. */
const IMPATIENT = { workerLimits: { memoryMb: null, startDeadlineMs: 30_000, stopDeadlineMs: 600 } };

async function firstOf(b: Bench, type: string): Promise<number> {
  return (await b.entries()).find(({ entry_type }) => entry_type === type)!.seq;
}

async function stepped(config: Partial<ProcessConfig> = {}): Promise<SteppedHost> {
  const host = await startStepped(seeded(1), config);
  host.world.isKind = true;
  return host;
}

/** One that failed by its only errand, and the entry before that. */
async function failed(config: Partial<ProcessConfig>) {
  const host = await stepped({
    maxConsecutiveFailures: 1,
    delivery: { ...DEFAULT_DELIVERY, maxRetries: 0 },
    ...config,
  });
  const { agent } = host;
  await host.settled();
  const target = agent.snapshot.seq;
  await host.outcome('accepting', agent.trigger({ errand: 'fail' }));
  await host.until('the failure', ({ snapshot }) => snapshot.lifecycle === 'failed');
  return { host, agent, target };
}

test('[S39] a process that has failed is held, so that the restart that is due does not set it going', async () => {
  const { host, agent, target } = await failed({ restartBackoffMs: 60_000 });
  await host.until('a restart that is due', ({ live }) => live.restartAt !== null);
  await host.outcome('the rewind', agent.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR));
  expect(agent.snapshot).toMatchObject({ lifecycle: 'failed', consecutiveFailures: 0, deadLetters: [] });
  const holds = [{ kind: 'operator', actor: OPERATOR.name, reason: OPERATOR.reason }];
  expect(agent.snapshot.holds).toMatchObject(holds);
  host.clock.pass(10 * 60_000);
  await host.until('the restart', ({ snapshot }) => snapshot.lifecycle === 'suspended');
  await host.turns(20);
  expect(agent.snapshot).toMatchObject({ lifecycle: 'suspended', holds, open: [{ attempt: 2 }] });
  expect(agent.live.worker).toBeNull();
  expect(await host.wrong()).toBeNull();
  // Its one effect was done the first time.
  await host.outcome('resuming', agent.resume(OPERATOR));
  await host.until('the second failure', ({ snapshot }) => snapshot.lifecycle === 'failed');
  expect(host.world.deeds).toHaveLength(1);
});

test('[S39] started by hand, one that failed and was rewound goes on', async () => {
  const { host, agent, target } = await failed({ restartPolicy: 'never' });
  await host.outcome('the rewind', agent.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR));
  await host.outcome('starting', agent.start(OPERATOR));
  expect(agent.snapshot).toMatchObject({ lifecycle: 'running', holds: [] });
  await host.until('its work', ({ snapshot }) => snapshot.lifecycle === 'failed');
  expect(host.world.deeds).toHaveLength(1);
});

test('[P2] [S30] [S39] what its worker was doing when it was ended is in doubt, and not done again behind the rewind', async () => {
  const b = await bench(
    `await ctx.effect('pay', {}, async () => {
       note('pay ' + event.payload);
       if (event.payload === 'slow') await delay(600_000);
       return 'paid';
     });`,
    IMPATIENT,
  );
  await b.process.settled();
  const target = b.process.snapshot.seq;
  await b.trigger('slow');
  await b.until('the effect', () => b.ledger().length === 1);
  const plan = await b.process.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR);
  expect(plan.facts).toMatchObject([{ kind: 'event' }, { kind: 'effect', text: 'pay null', end: null }]);
  await b.process.resume(OPERATOR);
  await b.until('the doubt', ({ snapshot: { holds } }) => holds.some(({ kind }) => kind === 'in_doubt'));
  expect(b.process.snapshot.lifecycle).toBe('suspended');
  // Somebody who goes back once more is still asked.
  await b.process.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR);
  await b.process.resume(OPERATOR);
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'suspended', holds: [{ kind: 'in_doubt' }] });
  const { effectId } = b.process.snapshot.open[0]!.effects[0]!;
  await b.process.desk.resolveEffect(effectId, { kind: 'happened', result: 'paid' }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['pay slow']);
});

test('[P2] [S23] [S39] the clock says what it said: an effect that is called with the time gets its record', async () => {
  const b = await bench(
    `await ctx.effect('charge', { args: { at: ctx.now(), id: ctx.uuid(), die: ctx.random() } }, async () =>
       void note('charge'));`,
  );
  await b.process.settled();
  const target = b.process.snapshot.seq;
  await b.trigger('a');
  await b.until('the end', isIdle);
  await b.process.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR);
  await b.process.resume(OPERATOR);
  await b.until('the end of the re-run', isIdle);
  expect(b.process.snapshot.holds).toEqual([]);
  expect(b.ledger()).toEqual(['charge']);
});

test('[S39] a process that stops meanwhile is rewound where it stopped', async () => {
  const b = await bench(
    `await ctx.effect('look', { class: 'retry' }, async ({ attempt }) => {
       note('look');
       if (attempt === 1) await delay(600_000);
     });`,
    IMPATIENT,
  );
  await b.process.settled();
  const target = b.process.snapshot.seq;
  await b.trigger('a');
  await b.until('the effect', () => b.ledger().length === 1);
  const [, plan] = await Promise.all([
    b.process.stop(OPERATOR),
    b.process.rewinds.apply({ to: target, ...AGAIN }, 1, OPERATOR),
  ]);
  expect(plan.undone).toHaveLength(1);
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'stopped', open: [{ attempt: 2 }] });
  await b.process.start(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['look', 'look']);
});

test('[S39] two who rewind at once do so one after the other, and the state is that of the second', async () => {
  const b = await bench(
    `await ctx.state.set('count', (ctx.state.get('count') ?? 0) + 1);
     await ctx.effect('charge', { args: event.payload }, async () => void note(event.payload));`,
  );
  await b.process.settled();
  const start = b.process.snapshot.seq;
  for (const payload of ['a', 'b']) {
    await b.trigger(payload);
    await b.until(`the end of ${payload}`, isIdle);
  }
  const middle = await firstOf(b, 'invocation_result');
  const rewinds = [start, middle].map((to) => b.process.rewinds.apply({ to, ...AGAIN }, null, OPERATOR));
  const ended = await Promise.allSettled(rewinds);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  const asked = (await b.entries()).filter(({ entry_type }) => entry_type === 'rewind');
  const last = asked.at(-1)!.data['target_seq'];
  expect(asked).toHaveLength(2);
  expect(b.process.snapshot.context).toEqual(last === start ? {} : { count: 1 });
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.process.snapshot.context).toEqual({ count: 2 });
  expect(b.ledger()).toEqual(['a', 'b']);
});
