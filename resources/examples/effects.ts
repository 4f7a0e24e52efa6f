// The four classes of effects. Each is killed once, right after it has acted and before anybody could record that: it is in
// doubt, and its class says what happens then.
//
//   node resources/examples/effects.ts

import { defineAgent, type Reconciled } from 'holdfast';
import { act, lookAround } from './world.ts';

/** The worst moment: it has happened, and nobody was told. */
function die(attempt: number): void {
  if (attempt === 1) process.kill(process.pid, 'SIGKILL');
}

export default defineAgent({
  async onTrigger(ctx, { payload }) {
    const { world } = payload as { world: string };

    // Harmless to repeat, so it is repeated.
    const price = await ctx.effect('read price', { class: 'retry' }, async ({ attempt }) => {
      act(world, 'the price was read');
      die(attempt);
      return 5;
    });

    // Repeated with the same key; whoever it is done with knows the key, and does nothing twice.
    await ctx.effect('charge', { class: 'idempotent', args: { price } }, async ({ key, attempt, args }) => {
      if (!lookAround(world).some((line) => line.endsWith(key)))
        act(world, `charged ${args.price} under ${key}`);
      die(attempt);
      return 'charged';
    });

    // Not repeated before whoever it was done with has been asked what became of it.
    const reconcile = async (): Promise<Reconciled<string>> =>
      lookAround(world).includes('a parcel was sent')
        ? { happened: true, result: 'parcel 17' }
        : { happened: false };
    const parcel = await ctx.effect('send parcel', { class: 'reconcile', reconcile }, async ({ attempt }) => {
      act(world, 'a parcel was sent');
      die(attempt);
      return 'parcel 17';
    });

    // Nobody can be asked but a person. This is the default.
    const call = await ctx.effect('call the customer', { class: 'ask' }, async ({ attempt }) => {
      act(world, 'the customer was called');
      die(attempt);
      return 'reached';
    });
    return `${price}, ${parcel}, ${call}`;
  },
});

if (import.meta.main) {
  const { OPERATOR, runAgent } = await import('./run-agent.ts');
  await runAgent(import.meta.filename, async (agent, world) => {
    await agent.trigger();
    await agent.until(({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
    const { name, effectId } = agent.process().snapshot.open[0]!.effects.at(-1)!;
    console.log(`held: did "${name}" happen? you say: yes, reached after all`);
    await agent
      .process()
      .desk.resolveEffect(effectId, { kind: 'happened', result: 'reached after all' }, OPERATOR);
    console.log(`ended: ${await agent.ended()}`);
    for (const line of lookAround(world)) console.log(`world: ${line.replace(/ under .*/, '')}`);
  });
}
