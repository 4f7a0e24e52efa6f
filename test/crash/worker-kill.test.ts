// Workers killed again and again, at moments that nobody chose.

import { expect, test } from 'vitest';
import { bench, folded, isIdle } from '../support/runtime.ts';

const EVENTS = 6;
const STEPS = 4;
const KILLS = 25;

/** Spread over the life of a worker, from before it is ready to the middle of its effects. */
const momentMs = (kill: number): number => (kill * 37) % 140;

test(
  '[P2] [P3] 25 kills while six events are handled: each effect is in the world once, each event ends once',
  { timeout: 120_000 },
  async () => {
    const b = await bench(
      `for (let step = 0; step < ${STEPS}; step += 1) {
       await ctx.effect('book', { class: 'idempotent', args: { step } }, async ({ key }) => {
         await delay(10);
         note(key);
         await delay(10);
       });
       await ctx.state.update('steps', (steps) => (steps ?? 0) + 1);
     }`,
      { maxRestarts: 10_000, restartBackoffMs: 1 },
    );
    for (let event = 0; event < EVENTS; event += 1) await b.trigger();
    for (let kill = 0; kill < KILLS && !isIdle(b.process); kill += 1) {
      await b.until('a worker', (process) => process.live.worker !== null || isIdle(process));
      await new Promise((resolve) => void setTimeout(resolve, momentMs(kill)));
      if (b.process.live.worker !== null) await b.process.killWorker().catch(() => {}); // it may just have ended
    }
    await b.until('the end', isIdle);
    // What an idempotent provider does: the same key twice is one act.
    expect(new Set(b.ledger()).size).toBe(EVENTS * STEPS);
    expect(b.process.snapshot).toMatchObject({ invocationCount: EVENTS, context: { steps: EVENTS * STEPS } });
    await b.quit();
    const results = (await b.entries()).filter((entry) => entry.entry_type === 'invocation_result');
    expect(new Set(results.map((entry) => entry.data['event_id'])).size).toBe(EVENTS);
    expect(results).toHaveLength(EVENTS);
    expect(await folded(b)).toEqual(b.process.snapshot);
  },
);
