// What operators do about limits.

import type { RequestOf } from '../contract/requests.ts';
import { isLimitName, LIMITS } from '../model/budget.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';

/** Resolves with a sentence about what was done. */
export async function extendBudget(
  process: AgentProcess,
  { limit, amount, forMs }: RequestOf<'budget.extend'>,
  actor: Actor,
): Promise<string> {
  const wasHeld = isHeld(process);
  await process.governance.extendBudget({ limit, amount, forMs }, actor);
  const until = forMs === null ? `until its ${scopeOf(limit)} is over` : `for ${spanOf(forMs)}`;
  return `${limit} of ${process.name} is ${amount} more ${until}${wasHeld ? `: ${wentOn(process)}` : ''}.`;
}

function isHeld({ snapshot }: AgentProcess): boolean {
  return snapshot.holds.some(({ kind }) => kind === 'budget');
}

/** What was granted may not be enough, and another limit may be reached as well. */
function wentOn(process: AgentProcess): string {
  if (isHeld(process)) return 'what waits does not fit yet';
  const left = process.snapshot.holds.map(({ kind }) => kind.replace('_', ' ')).join(', ');
  return left === ''
    ? 'what waited for it goes on'
    : `what waited for it goes on once this is lifted: ${left}`;
}

function scopeOf(limit: string): 'run' | 'day' {
  return isLimitName(limit) ? LIMITS[limit].scope : 'day';
}

function spanOf(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  return ms % 60_000 === 0 ? `${ms / 60_000} m` : `${ms / 1_000} s`;
}
