// Our contender's agent.

import { defineAgent } from '../../core/agent/index.ts';
import type { EffectClass } from '../../core/model/effects.ts';
import { performerOf, STEP, type Order } from './steps.ts';

/** What an event carries. */
export interface AgentOrder extends Order {
  readonly effectClass: EffectClass;
}

export default defineAgent({
  async onTrigger(ctx, { payload }) {
    const order = payload as unknown as AgentOrder;
    using performer = performerOf(order);
    for (let step = 0; step < order.steps; step += 1) {
      await ctx.effect(STEP, { class: order.effectClass, args: { step } }, () => performer.perform(step));
    }
  },
});
