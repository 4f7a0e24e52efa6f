// Caps: limits on what all processes together use in a day, checked before each effect beside the process's own. A cap has a
// day of its own, at its own hour, and each process's journal tells what of it that process has used [P4, S21].

import { LIMITS, type LimitName } from './budget.ts';
import type { Overrun } from './budget-state.ts';
import type { CapName } from './cap-names.ts';
import { total, type Amounts, type Meter } from './meters.ts';

export const CAP_LIMITS = [
  'max_tool_calls_per_day',
  'max_runs_per_day',
  'max_cost_per_day',
  'max_irreversible_per_day',
  'max_llm_turns_per_day',
  'max_tokens_per_day',
  'max_money_per_day',
] as const satisfies readonly LimitName[];
export type CapLimits = Readonly<Partial<Record<(typeof CAP_LIMITS)[number], number>>>;

export interface CapConfig {
  readonly limits: CapLimits;
  readonly resetHour: number;
  readonly resetZone: string;
}

export type CapConfigs = Readonly<Partial<Record<CapName, CapConfig>>>;

/** What one process has used of the day of a cap, as its journal tells it. Never changed in place. */
export interface CapRecord {
  readonly limits: CapLimits;
  readonly id: string;
  /** When its day ends. */
  readonly until: string;
  readonly spent: Amounts;
}

export type CapRecords = Readonly<Partial<Record<CapName, CapRecord>>>;

/** The first limit of a cap that so much more would pass; null where it fits. */
export function overCap(
  cap: CapName,
  limits: CapLimits,
  {
    spent,
    reserved,
    asked,
    freed,
    eventId,
  }: {
    readonly spent: Amounts;
    readonly reserved: Amounts;
    readonly asked: Amounts;
    readonly freed: Amounts;
    readonly eventId: string | null;
  },
): Overrun | null {
  for (const limit of CAP_LIMITS) {
    const max = limits[limit];
    const meter: Meter = LIMITS[limit].meter;
    const more = asked[meter] ?? 0;
    if (max === undefined || more === 0) continue;
    const used = spent[meter] ?? 0;
    const underWay = total(reserved[meter] ?? 0, -(freed[meter] ?? 0));
    if (total(used, underWay, more) > max) {
      return { limit, max, spent: used, reserved: underWay, asked: more, eventId, cap };
    }
  }
  return null;
}
