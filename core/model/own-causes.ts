// What of a process's state is told outside by itself. From the state, not from what happens: whatever a crash comes
// between is told after it, and nothing twice [P4].

import { personAsk, type PersonAsk } from './approval.ts';
import { describeOverrun, isLimitName, type BudgetConfig } from './budget.ts';
import type { Cause, EscalationConfig } from './escalation.ts';
import { HEALTH_PREFIX, isAnomalyType, type HealthConfig } from './health.ts';
import type { MissionConfig } from './mission.ts';
import type { MissionState } from './mission-state.ts';
import type { RestartPolicy } from './process-config.ts';
import type { JsonObject } from './json.ts';
import type { ProcessSnapshot } from './snapshot.ts';
import { timestampOf } from './time.ts';

/** The desktop tells of failures anyway. */
export const FAILED_KEY = 'process/failed';
const DOUBT_KEY = 'process/in-doubt';
const BUDGET_PREFIX = 'budget/';
const APPROVAL_KEY = 'approval/';
/** What is told of arguments, in characters. */
const MAX_TOLD_ARGS = 2_000;

/** What is told of a mission, and how long that is so. */
const MISSION_CAUSES: ReadonlyMap<string, (mission: MissionState) => boolean> = new Map([
  ['mission/failed', ({ status }) => status === 'failed'],
  ['mission/low-confidence', ({ status, outcome }) => status === 'active' && outcome === 'unsure'],
  ['mission/achieved', ({ status, outcome }) => status === 'active' && outcome === 'achieved'],
]);

export interface OwnCausesConfig {
  readonly restartPolicy: RestartPolicy;
  readonly budget: BudgetConfig;
  readonly health: Pick<HealthConfig, 'escalation'>;
  readonly mission: Pick<MissionConfig, 'escalation'> | null;
  readonly escalation: EscalationConfig | null;
}

/** What is to be told, as things stand. */
export function ownCauses(
  process: string,
  snapshot: Readonly<ProcessSnapshot>,
  config: OwnCausesConfig,
): readonly Cause[] {
  const { holds, lifecycle } = snapshot;
  const asked = config.escalation === null ? [] : asksPeople(process, snapshot);
  if (holds.length === 0 && lifecycle !== 'failed') return asked;
  // Of what becomes of a process they are told whom somebody named for it.
  const ofProcess =
    config.escalation === null ? [] : [...failed(process, snapshot, config), ...inDoubt(process, snapshot)];
  return [...ofProcess, ...overBudget(process, snapshot, config.budget), ...asked];
}

/** Whether an invocation waits for a person's decision. */
export function waitsForPeople({ open }: Readonly<ProcessSnapshot>): boolean {
  return open.some(({ waits }) => waits.some((wait) => wait.end === null && personAsk(wait) !== null));
}

/** Each approval and each question, until somebody decides or nobody need any more. */
function asksPeople(process: string, { open }: Readonly<ProcessSnapshot>): readonly Cause[] {
  return open.flatMap(({ waits }) =>
    waits.flatMap((wait): Cause[] => {
      const ask = wait.end === null ? personAsk(wait) : null;
      if (ask === null) return [];
      const { waitId, dueAt } = wait;
      return [
        {
          kind: 'approval',
          key: `${APPROVAL_KEY}${waitId}`,
          summary: summaryOf(process, ask),
          detail: {
            ...(ask.kind === 'question' ? { type: 'question_asked' } : {}),
            promise_id: waitId,
            expires_at: dueAt === null ? null : timestampOf(dueAt),
            ...detailOf(ask),
          },
          target: null,
        },
      ];
    }),
  );
}

function summaryOf(process: string, ask: PersonAsk): string {
  if (ask.kind === 'question') return `${process} asks: ${ask.question}`;
  return `${process} waits for an approval to call ${ask.tool}${ask.why === '' ? '' : `: ${ask.why}`}`;
}

function detailOf(ask: PersonAsk): JsonObject {
  if (ask.kind === 'question') return { question: ask.question, options: [...ask.options] };
  const { tool, source, effectClass, argsPreview, argsBytes, why, onExpiry } = ask;
  return {
    tool,
    source,
    class: effectClass,
    arguments: argsPreview.slice(0, MAX_TOLD_ARGS).toWellFormed(),
    arguments_bytes: argsBytes,
    why,
    on_expiry: onExpiry,
  };
}

/** One that is about to be started again is not given up. */
function failed(
  process: string,
  { lifecycle, lifecycleReason, restart, restarts, lastError }: Readonly<ProcessSnapshot>,
  { restartPolicy }: OwnCausesConfig,
): readonly Cause[] {
  if (lifecycle !== 'failed' || (restartPolicy !== 'never' && restart !== 'exhausted')) return [];
  const left = restart === 'exhausted' ? ` and has no restarts left, after ${restarts}` : '';
  return [
    {
      kind: 'process',
      key: FAILED_KEY,
      summary: `${process} has failed${left}: ${lifecycleReason || 'no reason recorded'}`,
      detail: {
        failure: { reason: lifecycleReason, restarts, error_type: lastError?.code ?? null },
      },
      target: null,
    },
  ];
}

function inDoubt(process: string, { holds }: Readonly<ProcessSnapshot>): readonly Cause[] {
  const hold = holds.find(({ kind }) => kind === 'in_doubt');
  if (hold === undefined) return [];
  return [
    {
      kind: 'process',
      key: DOUBT_KEY,
      summary: `${process} waits for somebody to decide: ${hold.reason}`,
      detail: { type: 'effect_in_doubt', doubt: { reason: hold.reason } },
      target: null,
    },
  ];
}

function overBudget(
  process: string,
  { holds, budget: { exceeded } }: Readonly<ProcessSnapshot>,
  { onExceeded, escalation }: BudgetConfig,
): readonly Cause[] {
  if (onExceeded !== 'escalate' || exceeded === null || !holds.some(({ kind }) => kind === 'budget'))
    return [];
  const { limit, max, spent, reserved, asked, eventId, cap } = exceeded;
  return [
    {
      kind: 'budget',
      key: `${BUDGET_PREFIX}${limit}`,
      summary: `${process} is held by its budget: ${describeOverrun(exceeded)}`,
      detail: {
        // Promptise's names. What did not fit is counted, not named.
        violation: { limit_name: limit, limit_value: max, current_value: spent + reserved, tool_name: null },
        asked,
        event_id: eventId,
        ...(cap === undefined ? {} : { cap }),
      },
      target: escalation,
    },
  ];
}

/** Why an open cause of these is over; null for one that is not, or that is somebody else's. */
export function ownCauseOver(
  key: string,
  { holds, lifecycle, health, mission, open }: Readonly<ProcessSnapshot>,
): string | null {
  if (key.startsWith(APPROVAL_KEY)) {
    const id = key.slice(APPROVAL_KEY.length);
    const isOpen = open.some(({ waits }) => waits.some(({ waitId, end }) => waitId === id && end === null));
    return isOpen ? null : 'it is decided, or nobody waits for it any more';
  }
  const isHeld = (kind: string): boolean => holds.some((hold) => hold.kind === kind);
  if (key === FAILED_KEY) return lifecycle === 'failed' ? null : `it is ${lifecycle}`;
  if (key === DOUBT_KEY) return isHeld('in_doubt') ? null : 'it is decided';
  const asks = MISSION_CAUSES.get(key);
  if (asks !== undefined) return mission !== null && asks(mission) ? null : 'its mission goes on';
  if (key.startsWith(HEALTH_PREFIX)) {
    const type = key.slice(HEALTH_PREFIX.length);
    const isThere = isAnomalyType(type) && health.found[type]?.overAt === null;
    return isThere ? null : 'it is well again, or somebody has seen it';
  }
  const isBudget = key.startsWith(BUDGET_PREFIX) && isLimitName(key.slice(BUDGET_PREFIX.length));
  return isBudget && !isHeld('budget') ? 'nothing waits for its budget any more' : null;
}
