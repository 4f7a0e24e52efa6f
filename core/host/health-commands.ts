// What operators do about what was found of a process's health.

import type { RequestOf } from '../contract/requests.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';

/** Resolves with a sentence about what was done. */
export async function clearHealth(
  process: AgentProcess,
  { type }: RequestOf<'health.clear'>,
  actor: Actor,
): Promise<string> {
  const isHeld = (): boolean => process.snapshot.holds.some(({ kind }) => kind === 'health');
  const wasHeld = isHeld();
  await process.governance.clearHealth(type, actor);
  const what = type === null ? 'What was found of' : `${type.replaceAll('_', ' ')} of`;
  const hold = isHeld()
    ? ' It stays held: something else was found.'
    : wasHeld
      ? ' It is not held by its health any more.'
      : '';
  return `${what} ${process.name} is cleared, and is looked for anew.${hold}`;
}
