/** Numbers in [0, 1) that look random and are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function below(random: () => number, limit: number): number {
  return Math.floor(random() * limit);
}

/** At most `limit` of the items, in their order. */
export function sample<T>(items: readonly T[], limit: number, random: () => number): readonly T[] {
  if (items.length <= limit) return items;
  const chosen = new Set<number>();
  while (chosen.size < limit) chosen.add(below(random, items.length));
  return items.filter((_, at) => chosen.has(at));
}
