// How much a filter may do. Every operation that walks over what it is given pays for it first, so that neither an
// expression nor an event can hold up the host.

/** Characters made, and sixteen for each element looked at: some tenths of a second at most. */
const MAX_STEPS = 10_000_000;

/** Levels of lists in lists; events are refused long before. */
const MAX_DEPTH = 500;

/** An operation that Python would raise an error for. */
export class FilterFault extends Error {}

export interface Work {
  left: number;
}

export function newWork(): Work {
  return { left: MAX_STEPS };
}

export function spend(work: Work, steps: number): void {
  work.left -= steps;
  if (work.left < 0) throw new FilterFault('it is too much work for a filter');
}

export function deeper(depth: number): number {
  if (depth >= MAX_DEPTH) throw new FilterFault(`it is nested more than ${MAX_DEPTH} levels deep`);
  return depth + 1;
}
