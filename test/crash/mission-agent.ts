// An agent with a judge that thinks for a while, so that there is a time to be killed in; each asking is a line in the ledger.

import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from 'holdfast';

const LEDGER = process.env['MISSION_LEDGER']!;
const THINKS_MS = 60;

export default defineAgent({
  async onTrigger(ctx) {
    await ctx.effect('work', { class: 'idempotent' }, async () => {
      await delay(5);
      return null;
    });
    return 'handled';
  },
  async judge({ runs }) {
    appendFileSync(LEDGER, `${runs}\n`);
    await delay(THINKS_MS);
    return { achieved: false, confidence: Math.min(1, runs / 100) };
  },
});
