// What an agent without code is told of its process when an invocation begins: what is left of its budget, and its mission.
// It is recorded with the beginning, so that a re-run is told the same [S25].

import { LIMIT_NAMES, LIMITS, limitNow, type BudgetConfig } from './budget.ts';
import type { MissionEvaluation } from './mission-state.ts';
import type { ProcessConfig } from './process-config.ts';
import type { ProcessSnapshot } from './snapshot.ts';
import { total } from './meters.ts';

/** For a model to read; what is left out there is nothing to tell of. */
export interface ToldAtStart {
  readonly budget?: string;
  readonly mission?: string;
}

const MAX_TOLD = 2_000;

/** Nothing for a code agent, which reads none of it. */
export function toldAtStart(
  { agent, budget, mission }: Pick<ProcessConfig, 'agent' | 'budget' | 'mission'>,
  snapshot: Readonly<ProcessSnapshot>,
  nowMs: number,
): ToldAtStart {
  if (agent === null) return {};
  const left = agent.tellsBudget ? budgetLeft(budget, snapshot, nowMs) : '';
  const aim = mission === null ? '' : missionNow(snapshot);
  return { ...(left === '' ? {} : { budget: left }), ...(aim === '' ? {} : { mission: aim }) };
}

/** Of each limit that there is, as it stands when a run begins. */
function budgetLeft(config: BudgetConfig, snapshot: Readonly<ProcessSnapshot>, nowMs: number): string {
  return LIMIT_NAMES.flatMap((limit) => {
    const now = limitNow(config, snapshot, { limit, eventId: null, nowMs });
    if (now === null) return [];
    // The one that begins is among them.
    const begun = LIMITS[limit].meter === 'runs' ? 1 : 0;
    const left = Math.max(0, total(now.max, -now.spent, -now.reserved, -begun));
    return [`${LIMITS[limit].words}: ${left} of ${now.max} left`];
  }).join('\n');
}

function progressOf({ progress }: MissionEvaluation): string {
  return progress === null ? '' : `, ${Math.round(progress * 100)} % of the way`;
}

function missionNow({ mission }: Readonly<ProcessSnapshot>): string {
  if (mission === null) return '';
  const { objective, successCriteria, status, runs, history } = mission;
  const last = history.at(-1);
  return [
    `Objective: ${objective}`,
    ...(successCriteria === '' ? [] : [`Success criteria: ${successCriteria}`]),
    `Status: ${status}, ${runs} ${runs === 1 ? 'run' : 'runs'} so far`,
    // What its judge made of the words of strangers is not told: it would be read as the host's.
    ...(last === undefined ? [] : [`Last verdict: ${last.outcome.replaceAll('_', ' ')}${progressOf(last)}`]),
  ]
    .join('\n')
    .slice(0, MAX_TOLD);
}
