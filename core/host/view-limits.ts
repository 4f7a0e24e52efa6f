// What crosses to a screen is bounded; the journal has the rest. In characters.

/** What requests take; a longer one leads to nothing anyway. */
export const MAX_NAME = 4_096;
export const MAX_ID = 1_000;
export const MAX_SENTENCE = 1_000;
export const MAX_LINE = 500;
export const MAX_WORD = 200;

/** A count as a journal of somebody else may have it, which need not be one. */
export function countOf(said: number): number {
  const whole = Math.trunc(said);
  return Number.isSafeInteger(whole) ? whole : 0;
}

/** As many as there is room for, in their order. Which they are is said by `wanted`, from the most wanted on. */
export function shownOf<T>(items: readonly T[], max: number, wanted: readonly T[]): readonly T[] {
  if (items.length <= max) return items;
  const shown = new Set([...new Set(wanted)].slice(0, max));
  return items.filter((item) => shown.has(item));
}
