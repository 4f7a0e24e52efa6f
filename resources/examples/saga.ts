// A saga: steps that can't be undone by forgetting them are undone by others. The last booking is refused, so the ones
// before it are cancelled in reverse order; the worker is killed in the middle of that, and it goes on where it was.
//
//   node resources/examples/saga.ts

import { defineAgent, EffectFailed, DidNotHappen, TerminalError, type EffectCall } from 'holdfast';
import { act, lookAround } from './world.ts';

const TRIP = ['flight', 'hotel', 'car'] as const;

/** Whoever books knows the key, so that it may be asked twice for the same. */
function bookings(world: string) {
  const once = (line: string, key: string): void => {
    if (!lookAround(world).includes(`${line}, ${key}`)) act(world, `${line}, ${key}`);
  };
  return {
    book: async ({ args, key }: EffectCall<{ what: string }>): Promise<null> => {
      if (args.what === 'car') throw new DidNotHappen('no cars left');
      once(`booked ${args.what}`, key);
      return null;
    },
    cancel: async ({ args, key, attempt }: EffectCall<{ what: string }>): Promise<null> => {
      once(`cancelled ${args.what}`, key);
      if (args.what === 'hotel' && attempt === 1) process.kill(process.pid, 'SIGKILL');
      return null;
    },
  };
}

export default defineAgent({
  async onTrigger(ctx, { payload }) {
    const { world } = payload as { world: string };
    const { book, cancel } = bookings(world);
    const booked: string[] = [];
    try {
      for (const what of TRIP) {
        await ctx.effect(`book ${what}`, { class: 'idempotent', args: { what } }, book);
        booked.push(what);
      }
    } catch (error) {
      if (!(error instanceof EffectFailed)) throw error;
      for (const what of booked.toReversed())
        await ctx.effect(`cancel ${what}`, { class: 'idempotent', args: { what } }, cancel);
      // Trying again would book and cancel once more.
      throw new TerminalError(`no trip: ${error.message}`);
    }
    return 'a trip';
  },
});

if (import.meta.main) {
  const { runAgent } = await import('./run-agent.ts');
  await runAgent(import.meta.filename, async (agent, world) => {
    await agent.trigger();
    console.log(`ended: ${await agent.ended()}`);
    console.log(`workers it took: ${agent.process().snapshot.generation}`);
    for (const line of lookAround(world)) console.log(`world: ${line.replace(/, .*/, '')}`);
  });
}
