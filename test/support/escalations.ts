// Processes that tell somebody, with receivers on this machine.

import { DEFAULT_BUDGET, type BudgetConfig } from '../../core/model/budget.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import type { EscalationConfig, EscalationTarget } from '../../core/model/escalation.ts';
import type { RaisedCause } from '../../core/model/escalation-state.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import type { Bench } from './runtime.ts';

export const SECRET = 'the-secret-of-the-receiver';

export const webhookAt = (webhookUrl: string): EscalationTarget => ({ webhookUrl, eventType: null });
export const eventOf = (eventType: string): EscalationTarget => ({ webhookUrl: null, eventType });

/** Everything of the process goes there. */
export const escalation = (
  target: EscalationTarget,
  more: Partial<EscalationConfig> = {},
): Pick<ProcessConfig, 'escalation'> => ({
  escalation: { target, secret: SECRET, allowPrivate: true, ...more },
});

/** May perform so many effects in a day, and tells somebody when it wants more. */
export const escalating = (
  most: number,
  more: Partial<BudgetConfig> = {},
): Pick<ProcessConfig, 'budget'> => ({
  budget: {
    ...DEFAULT_BUDGET,
    limits: { max_tool_calls_per_day: most },
    onExceeded: 'escalate',
    ...more,
  },
});

export const causesOf = ({ process }: Bench): readonly RaisedCause[] => process.snapshot.escalations;

/** The entries about escalations, without what differs from one run to the next. */
export async function escalationEntries(of: Bench): Promise<readonly StoredEntry[]> {
  return (await of.entries()).filter(({ entry_type }) => entry_type.startsWith('escalation_'));
}

export const typesOf = (entries: readonly StoredEntry[]): readonly string[] =>
  entries.map(({ entry_type }) => entry_type);

/** Whether all that is to be told is told, or given up. */
export const isTold = (of: Bench) => (): boolean =>
  causesOf(of).length > 0 &&
  causesOf(of).every(({ deliveries }) => deliveries.every(({ status }) => status !== 'pending'));
