// What operators take back of what an agent changed about itself.

import type { RequestOf } from '../contract/requests.ts';
import { AppError } from '../model/errors.ts';
import { describeChange, standing } from '../model/self-change.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';

/** Resolves with a sentence about what was done. @throws `self.no-change` */
export async function undoChanges(
  process: AgentProcess,
  { changes }: Pick<RequestOf<'self.undo'>, 'changes'>,
  actor: Actor,
): Promise<string> {
  const { name, snapshot } = process;
  const inForce = standing(snapshot.self);
  const missing = (changes ?? []).filter((seq) => !inForce.some((change) => change.seq === seq));
  if (missing.length > 0 || inForce.length === 0) {
    const those = inForce.map((change) => `${change.seq} (${describeChange(change)})`).join(', ');
    throw new AppError(
      'self.no-change',
      `${name} has no change ${missing.join(', ') || 'of its own'} in force. ${those === '' ? 'It has changed nothing about itself.' : `There are: ${those}.`}`,
      { process: name },
    );
  }
  const undone = await process.governance.undoSelf(changes, actor);
  return `Undone what ${name} changed about itself: ${undone.map(describeChange).join(', ')}.`;
}
