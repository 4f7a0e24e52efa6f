// An agent that does what its event says, in a world that is in this very process.

import { DidNotHappen, defineAgent, type AgentContext, type Reconciled } from '../../core/agent/index.ts';
import type { EffectClass } from '../../core/model/effects.ts';
import { worldOf, type Errand } from './stepped-world.ts';

export default defineAgent({
  judge: ({ process }) => worldOf(process).opinion(),
  async onTrigger(ctx, event) {
    const { errand, timeoutMs = 60_000 } = event.payload as {
      readonly errand: Errand;
      readonly timeoutMs?: number;
    };
    ctx.onQuery('errand', () => errand);
    const effect = (name: string, effectClass: EffectClass): Promise<string> =>
      effectOf(ctx, name, effectClass);
    switch (errand) {
      case 'count':
        await ctx.state.update<number>('count', (count) => (count ?? 0) + 1);
        return 'counted';
      case 'effects':
        await effect('quote', 'retry');
        await effect('charge', 'idempotent');
        await effect('order', 'reconcile');
        await effect('mail', 'ask');
        await Promise.all([effect('left', 'ask'), effect('middle', 'retry'), effect('right', 'idempotent')]);
        await ctx.conversation.append({ role: 'assistant', content: 'done' });
        return 'done';
      case 'promise': {
        const answer = await ctx.promise<string>('approval', { data: null });
        await effect('mail', 'ask');
        return answer;
      }
      case 'sleep':
        await ctx.sleep(2_000);
        await effect('charge', 'idempotent');
        return 'slept';
      case 'signal': {
        let heard = 0;
        ctx.onSignal('go', () => {
          heard += 1;
        });
        const isHeard = await ctx.until(() => heard > 0, { timeoutMs });
        return isHeard ? 'heard' : 'heard nothing';
      }
      case 'fail':
        await effect('mail', 'ask');
        throw new Error('its code fails');
    }
  },
});

function effectOf(ctx: AgentContext, name: string, effectClass: EffectClass): Promise<string> {
  const world = worldOf(ctx.process);
  const reconcile = async ({ key }: { readonly key: string }): Promise<Reconciled<string>> => {
    const result = await world.find(key);
    return result === null ? { happened: false } : { happened: true, result };
  };
  const options = {
    class: effectClass,
    retry: { backoffMs: 1 },
    ...(effectClass === 'reconcile' ? { reconcile } : {}),
  };
  return ctx.effect<string>(name, options, async ({ key }) => {
    const done = await world.perform({ name, effectClass, key });
    if (done === 'refused') throw new DidNotHappen('the world refuses');
    if (done === 'lost') throw new Error('the answer was lost');
    return done.result;
  });
}
