import { setTimeout as delay } from 'node:timers/promises';

/** Waits until `look` gives something other than false, null or undefined, and gives that; throws what it last saw after `patienceMs`. */
export async function waitFor<T>(
  look: () => T | Promise<T>,
  {
    patienceMs = 40_000,
    what = 'what was waited for',
  }: { readonly patienceMs?: number; readonly what?: string } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== null && seen !== undefined) return seen as NonNullable<Exclude<T, false>>;
    if (performance.now() > deadline) throw new Error(`${what} did not come within ${patienceMs} ms`);
    await delay(10);
  }
}
