// An approval by durable promise. While nobody has decided, nothing of the agent runs, and its host may go away too; the
// decision finds the promise by its id.
//
//   node resources/examples/approval.ts

import { defineAgent } from 'holdfast';
import { act, lookAround } from './world.ts';

export default defineAgent({
  async onTrigger(ctx, { payload }) {
    const { world } = payload as { world: string };
    const approval = ctx.promise<{ by: string }>('refund', { data: { amount: 120 } });
    // Whoever holds the id can settle it: put it into a mail, a ticket, a link.
    await ctx.effect('ask for approval', { class: 'ask', args: { id: approval.id } }, async () =>
      act(world, 'a mail asks for approval'),
    );
    const { by } = await approval;
    await ctx.effect('refund', { class: 'ask', args: { amount: 120, by } }, async () =>
      act(world, `120 were refunded, approved by ${by}`),
    );
    return 'refunded';
  },
});

if (import.meta.main) {
  const { OPERATOR, runAgent } = await import('./run-agent.ts');
  await runAgent(import.meta.filename, async (agent, world) => {
    await agent.trigger();
    await agent.until(({ snapshot, live }) => snapshot.lifecycle === 'awaiting' && live.worker === null);
    const { name, data, waitId } = agent.process().snapshot.open[0]!.waits[0]!;
    console.log(`awaiting "${name}" ${JSON.stringify(data)}, and no worker runs`);
    await agent.stopHost();
    console.log('the host is gone');
    await agent.startHost();
    console.log(`another host: ${agent.process().snapshot.lifecycle}`);
    await agent.process().desk.settlePromise(waitId, { status: 'resolved', value: { by: 'Ada' } }, OPERATOR);
    console.log(`ended: ${await agent.ended()}`);
    for (const line of lookAround(world)) console.log(`world: ${line}`);
  });
}
