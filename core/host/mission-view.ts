// A mission as the console gets it: every text of it is bounded.

import type { MissionView } from '../contract/mission-view.ts';
import { missionGauge } from '../model/mission-gauge.ts';
import type { MissionConfig } from '../model/mission.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { cut } from './cut.ts';
import { MAX_LINE, MAX_SENTENCE, MAX_WORD } from './view-limits.ts';

/** `config`: null where nobody runs it here. */
export function missionView(
  snapshot: Readonly<ProcessSnapshot>,
  config: MissionConfig | null,
): MissionView | null {
  const gauge = missionGauge(snapshot, config);
  if (gauge === null) return null;
  const { unknown, history, orders } = gauge;
  return {
    ...gauge,
    objective: cut(gauge.objective, MAX_SENTENCE),
    successCriteria: cut(gauge.successCriteria, MAX_SENTENCE),
    since: cut(gauge.since, MAX_WORD),
    reason: cut(gauge.reason, MAX_SENTENCE),
    actor: cut(gauge.actor, MAX_WORD),
    startedAt: cut(gauge.startedAt, MAX_WORD),
    advancedAt: cut(gauge.advancedAt, MAX_WORD),
    history: history.map((one) => ({
      ...one,
      at: cut(one.at, MAX_WORD),
      reasoning: cut(one.reasoning, MAX_LINE),
    })),
    unknown:
      unknown === null
        ? null
        : {
            reason: cut(unknown.reason, MAX_SENTENCE),
            at: cut(unknown.at, MAX_WORD),
            attempts: unknown.attempts,
            isForBudget: unknown.isForBudget,
          },
    orders: [...orders],
  };
}
