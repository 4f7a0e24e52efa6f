// An agent with effects of each class, one after the other and side by side; each that is performed is a line in the ledger.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from 'holdfast';
import type { EffectClass } from '../../core/model/effects.ts';

const LEDGER = process.env['BUDGET_LEDGER']!;
/** Before and after something is done, so that there is a time to be killed in. */
const BESIDE_MS = 4;

function linesOf(key: string): number {
  const text = existsSync(LEDGER) ? readFileSync(LEDGER, 'utf8') : '';
  return text.split('\n').filter((line) => line === key).length;
}

export default defineAgent({
  async onTrigger(ctx) {
    const effect = (name: string, effectClass: EffectClass): Promise<unknown> =>
      ctx.effect(
        name,
        {
          class: effectClass,
          ...(effectClass === 'reconcile'
            ? {
                reconcile: async ({ key }) =>
                  linesOf(key) === 0 ? { happened: false } : { happened: true, result: null },
              }
            : {}),
        },
        async ({ key }) => {
          await delay(BESIDE_MS);
          appendFileSync(LEDGER, `${key}\n`);
          await delay(BESIDE_MS);
          return null;
        },
      );
    await effect('look', 'retry');
    await effect('order', 'reconcile');
    await effect('mail', 'ask');
    await Promise.all([effect('pay', 'idempotent'), effect('left', 'retry'), effect('right', 'reconcile')]);
  },
});
