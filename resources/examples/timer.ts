// A durable timer. The host goes away before it is due and comes back after: the timer fires late rather than never, and
// what was done before it is not done again.
//
//   node resources/examples/timer.ts

import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from 'holdfast';
import { act, lookAround } from './world.ts';

/** Days, where it is not an example. */
const TRIAL_MS = 4_000;

export default defineAgent({
  async onTrigger(ctx, { payload }) {
    const { world } = payload as { world: string };
    await ctx.effect('welcome', {}, async () => act(world, 'a welcome mail was sent'));
    await ctx.sleep(TRIAL_MS);
    await ctx.effect('remind', {}, async () => act(world, 'a reminder was sent'));
    return 'reminded';
  },
});

if (import.meta.main) {
  const { runAgent } = await import('./run-agent.ts');
  await runAgent(import.meta.filename, async (agent, world) => {
    await agent.trigger();
    await agent.until(({ snapshot }) => snapshot.lifecycle === 'awaiting');
    const { dueAt } = agent.process().snapshot.open[0]!.waits[0]!;
    console.log('awaiting the end of the trial');
    await agent.stopHost();
    console.log('the host is gone');
    await delay(Math.max(0, dueAt! - Date.now() + 300));
    await agent.startHost();
    console.log(`another host, after the timer was due: ${await agent.ended()}`);
    for (const line of lookAround(world)) console.log(`world: ${line}`);
  });
}
