// What a benchmark finds, and how it is judged. Speeds differ from machine to machine; what is judged are ratios to limits
// and peers that were measured in the same minutes.

import type { Machine } from './machine.ts';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly unit: string;
}

export interface Target {
  readonly op: '>=' | '<=';
  readonly value: number;
}

export interface Measured extends Spread {
  readonly name: string;
  readonly rounds: number;
  /** The median divided by that of what it is compared with. */
  readonly ratio?: { readonly to: string; readonly value: number };
  /** For the ratio where there is one, else for the median. */
  readonly target?: Target;
  readonly met?: boolean;
}

/** The JSON that a benchmark writes. */
export interface BenchResult {
  readonly bench: string;
  /** ISO 8601. */
  readonly at: string;
  readonly machine: Machine;
  readonly limits: Readonly<Record<string, Spread>>;
  readonly results: readonly Measured[];
}

/** @throws RangeError for no samples */
export function spread(samples: readonly number[], unit: string): Spread {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  if (low === undefined || high === undefined) throw new RangeError('Nothing was measured.');
  return { median: (low + high) / 2, min: sorted[0]!, max: sorted.at(-1)!, unit };
}

export interface Judgement {
  readonly to?: readonly [name: string, other: Spread] | undefined;
  readonly target?: Target;
}

/** One line of the result. */
export function measured(
  name: string,
  samples: readonly number[],
  unit: string,
  { to, target }: Judgement = {},
): Measured {
  const found = spread(samples, unit);
  const value = to === undefined ? found.median : found.median / to[1].median;
  return {
    name,
    ...found,
    rounds: samples.length,
    ...(to === undefined ? {} : { ratio: { to: to[0], value } }),
    ...(target === undefined ? {} : { target, met: isMet(value, target) }),
  };
}

function isMet(value: number, { op, value: wanted }: Target): boolean {
  switch (op) {
    case '>=':
      return value >= wanted;
    case '<=':
      return value <= wanted;
  }
}

export function atLeast(value: number): Target {
  return { op: '>=', value };
}

export function atMost(value: number): Target {
  return { op: '<=', value };
}

/** The nearest-rank percentile. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
