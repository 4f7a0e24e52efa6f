// While somebody points at the list, rows keep their places; only values change.

export interface HeldOrder {
  /** What to show, in this order. */
  readonly keys: readonly string[];
  /** How many rows would move, come or go. */
  readonly changes: number;
}

/**
 * The held order of keys, set against what it would be now. A key that left the filter stays while `exists` knows
 * it; one whose process is gone leaves at once, since nothing can be done to it.
 */
export function holdOrder(
  held: readonly string[],
  fresh: readonly string[],
  exists: (key: string) => boolean,
): HeldOrder {
  const keys = held.filter(exists);
  const place = new Map(fresh.map((key, at) => [key, at]));
  const kept = keys.flatMap((key) => place.get(key) ?? []);
  const left = keys.length - kept.length;
  const come = fresh.length - kept.length;
  const moved = kept.length - longestRise(kept);
  return { keys, changes: left + come + moved };
}

/** The length of the longest rising subsequence: the rows that could stay where they are. */
function longestRise(values: readonly number[]): number {
  const tails: number[] = [];
  for (const value of values) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tails[middle]! < value) low = middle + 1;
      else high = middle;
    }
    tails[low] = value;
  }
  return tails.length;
}
