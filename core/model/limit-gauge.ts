import type { LimitName, LimitScope } from './budget.ts';

/** One limit, and how much of it is used: of a run, by the run that has used most of it. */
export interface LimitGauge {
  readonly limit: LimitName;
  readonly scope: LimitScope;
  readonly words: string;
  readonly max: number;
  readonly spent: number;
  readonly reserved: number;
  /** How far it can be passed at most by what is under way; null where nobody knows [P5]. */
  readonly overshoot: number | null;
  /** Of money: calls of which not all that they cost is in it, so that it is *at least* so much. */
  readonly unpriced: number;
}

/** 0 to 1, and more where a limit was lowered. What is under way counts as used. */
export function shareOf({ spent, reserved, max }: Pick<LimitGauge, 'spent' | 'reserved' | 'max'>): number {
  const used = spent + reserved;
  return max === 0 ? Math.min(used, 1) : used / max;
}

/** The one of which most is used, the first of equals; null where there is none. */
export function fullestOf<T extends LimitGauge>(limits: readonly T[]): T | null {
  return limits.reduce<T | null>(
    (most, limit) => (most === null || shareOf(limit) > shareOf(most) ? limit : most),
    null,
  );
}
