import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { afterHaving } from '../../core/agent/patience.ts';

/** As a machine without time for it, or SIGSTOP, does. */
function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('[S26] patience is not used up while the program stands still: what came meanwhile is heard first', async () => {
  const order: string[] = [];
  const over = new Promise<void>((resolve) => {
    afterHaving(150, () => {
      order.push('patience');
      resolve();
    });
  });
  const read = readFile(import.meta.filename).then(() => order.push('read'));
  standStill(500);
  await Promise.all([over, read]);
  expect(order).toEqual(['read', 'patience']);
});

test('patience that is called off ends nothing', async () => {
  const order: string[] = [];
  afterHaving(30, () => order.push('first')).end();
  await new Promise<void>((resolve) => void afterHaving(90, resolve));
  expect(order).toEqual([]);
});
