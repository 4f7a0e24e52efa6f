// An agent with something of everything that a kill can interrupt: an effect of each class, effects side by side, a promise, a
// timer and a signal. What its effects do is in the ledger.

import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent, type EffectOptions, type Reconciled } from 'holdfast';
import type { EffectClass } from '../../core/model/effects.ts';
import { askLedger } from './ask-ledger.ts';

const LEDGER = process.env['SWEPT_LEDGER']!;
const LIFE = process.env['SWEPT_LIFE']!;
/** Before and after something is done, so that there is a time to be killed in. */
const BESIDE_MS = 3;
const SLEEP_MS = 20;

export default defineAgent({
  async onTrigger(ctx, event) {
    const { n } = event.payload as { readonly n: number };
    let isHeard = false;
    ctx.onSignal<{ n: number }>('go', (payload) => {
      if (payload.n === n) isHeard = true;
    });
    const effect = (name: string, effectClass: EffectClass): Promise<string> => {
      const reconcile = async ({ key }: { readonly key: string }): Promise<Reconciled<string>> => {
        const { result } = await askLedger(LEDGER, { op: 'reconcile', life: LIFE, key });
        return result === null ? { happened: false } : { happened: true, result };
      };
      const options: EffectOptions<string, { n: number }> = {
        class: effectClass,
        args: { n },
        retry: { backoffMs: 5 },
        ...(effectClass === 'reconcile' ? { reconcile } : {}),
      };
      return ctx.effect(name, options, async ({ key }) => {
        await delay(BESIDE_MS);
        const { result } = await askLedger(LEDGER, {
          op: 'act',
          life: LIFE,
          n,
          effect: name,
          effectClass,
          key,
        });
        await delay(BESIDE_MS);
        return result;
      });
    };
    await ctx.conversation.append({ role: 'user', content: `event ${n}` });
    const done = [
      await effect('quote', 'retry'),
      await effect('charge', 'idempotent'),
      await effect('order', 'reconcile'),
      await effect('mail', 'ask'),
      ...(await Promise.all([
        effect('left', 'ask'),
        effect('middle', 'idempotent'),
        effect('right', 'reconcile'),
      ])),
    ];
    await ctx.state.set(`done-${n}`, done);
    const answer = await ctx.promise<string>('approval', { data: { n } });
    await ctx.sleep(SLEEP_MS);
    await ctx.until(() => isHeard);
    await ctx.conversation.append({ role: 'assistant', content: `${answer}, and heard: ${isHeard}` });
    await ctx.state.set(`answer-${n}`, answer);
    return `event ${n} is done`;
  },
});
