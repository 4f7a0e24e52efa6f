import { expect, test } from 'vitest';
import { afterHaving } from '../../core/agent/patience.ts';

/** As a machine without time for it, or SIGSTOP, does. */
function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Something that came takes so many turns of the program to be taken up, and as long as those are. */
async function inTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

test('[S26] patience is not used up while the program stands still: what came meanwhile is heard first', async () => {
  const order: string[] = [];
  const over = new Promise<void>((resolve) => {
    afterHaving(150, () => {
      order.push('patience');
      resolve();
    });
  });
  const heard = inTurns(20).then(() => order.push('heard'));
  standStill(500);
  await Promise.all([over, heard]);
  expect(order).toEqual(['heard', 'patience']);
});

test('patience that is called off ends nothing', async () => {
  const order: string[] = [];
  afterHaving(30, () => order.push('first')).end();
  await new Promise<void>((resolve) => void afterHaving(90, resolve));
  expect(order).toEqual([]);
});
