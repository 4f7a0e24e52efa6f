// What the judge of a mission counts for: what the manifest sets for asking it, and, where it is a model, the call of that.
// It is in no run, and so in no limit of one.

import type { BudgetConfig } from '../model/budget.ts';
import type { JsonObject } from '../model/json.ts';
import { plus, withoutUsage, type Amounts } from '../model/meters.ts';
import type { MissionConfig } from '../model/mission.ts';
import { bookingOfCall, pricedBy, pricesOf, usedOf, type CallBooking } from '../model/model-calls.ts';
import type { Asking } from './ask-judge.ts';

type Judged = Pick<MissionConfig, 'judgeCost' | 'evalModel'>;

/** Of asking it once. How many tokens that takes nobody knows before. */
export function bookingOfJudge({ judgeCost, evalModel }: Judged, budget: BudgetConfig): CallBooking {
  const cost: Amounts = judgeCost === 0 ? {} : { cost: judgeCost };
  if (evalModel === null) return { booked: cost, asked: cost, facts: {} };
  const { booked, asked, facts } = bookingOfCall(budget, { model: evalModel, expects: null });
  return { booked: plus(cost, booked), asked: plus(cost, asked), facts };
}

/** What is known of what asking it used, as its entry has it. Where nothing is said, all that was booked counts. */
export function usedBy(
  { evalModel }: Judged,
  budget: BudgetConfig,
  { isBegun, booked, use }: Asking & { readonly booked: Amounts },
): JsonObject {
  if (!isBegun) return { used: {} };
  if (evalModel === null || use === undefined) return {};
  // Where the model refused before anything was done, asking it counts all the same.
  const used =
    use === null ? withoutUsage(booked) : usedOf(budget, { model: evalModel, booked }, 'done', use);
  return { used: { ...used }, ...pricedBy(pricesOf(budget)) };
}
