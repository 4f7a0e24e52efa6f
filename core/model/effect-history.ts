// How long effects of a name usually take, in a few numbers that stay few: counts by duration, of which older ones weigh
// less and less.

import type { EffectHistory } from './health.ts';

/** Buckets of a decade of milliseconds, by their upper ends. */
const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8] as const;
const DECADES = 8;
const EDGES: readonly number[] = Array.from({ length: DECADES }, (_, decade) =>
  STEPS.map((step) => step * 10 ** decade),
).flat();

/** Of one name; then what was counted before counts half. */
const MAX_COUNT = 1_000;
/** More names than that are not told apart for long: those that were not seen for the longest time go. */
const MAX_NAMES = 32;

function bucketOf(ms: number): number {
  let low = 0;
  let high = EDGES.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (EDGES[middle]! >= ms) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** With one more. */
export function withDuration(
  histories: readonly EffectHistory[],
  { name, ms, seq }: { readonly name: string; readonly ms: number; readonly seq: number },
): readonly EffectHistory[] {
  const at = histories.findIndex((history) => history.name === name);
  const before = at < 0 ? { name, seq, count: 0, buckets: {} } : histories[at]!;
  const after = counted(before.count >= MAX_COUNT ? halved(before) : before, bucketOf(ms), seq);
  if (at >= 0) return histories.with(at, after);
  return [...(histories.length < MAX_NAMES ? histories : withoutOldest(histories)), after];
}

function counted({ name, count, buckets }: EffectHistory, bucket: number, seq: number): EffectHistory {
  return { name, seq, count: count + 1, buckets: { ...buckets, [bucket]: (buckets[bucket] ?? 0) + 1 } };
}

function halved(history: EffectHistory): EffectHistory {
  const left = Object.entries(history.buckets).flatMap(([bucket, count]): [string, number][] =>
    count < 2 ? [] : [[bucket, Math.floor(count / 2)]],
  );
  return {
    ...history,
    count: left.reduce((sum, [, count]) => sum + count, 0),
    buckets: Object.fromEntries(left),
  };
}

function withoutOldest(histories: readonly EffectHistory[]): readonly EffectHistory[] {
  const oldest = histories.reduce((a, b) => (b.seq < a.seq ? b : a));
  return histories.filter((history) => history !== oldest);
}

/** No more than this many milliseconds took `percentile` of a hundred of them: the upper end of their bucket. */
export function usualMs({ count, buckets }: EffectHistory, percentile: number): number {
  const rank = Math.ceil((percentile / 100) * count);
  let seen = 0;
  for (const [at, edge] of EDGES.entries()) {
    seen += buckets[at] ?? 0;
    if (seen >= rank) return edge;
  }
  return EDGES.at(-1)!;
}
