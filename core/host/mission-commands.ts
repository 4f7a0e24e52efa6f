// What operators do about missions.

import type { RequestOf } from '../contract/requests.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';

/** Resolves with a sentence about what was done. */
export async function changeMission(
  process: AgentProcess,
  { order }: RequestOf<'mission.change'>,
  actor: Actor,
): Promise<string> {
  const wasHeld = isHeld(process);
  await process.governance.changeMission(order, actor);
  const { name } = process;
  switch (order) {
    case 'pause':
      return `The mission of ${name} is paused: it is not judged, and its limits wait. The process goes on.`;
    case 'resume':
      return `The mission of ${name} is active again${wasHeld ? `, and ${heldNow(process)}` : ''}.`;
    case 'fail':
      return `The mission of ${name} has failed, and the process is held until somebody resumes it.`;
    case 'complete':
      return `The mission of ${name} is completed; the process ${thenOf(process)}.`;
  }
}

function isHeld({ snapshot }: AgentProcess): boolean {
  return snapshot.holds.some(({ kind }) => kind === 'mission');
}

function heldNow({ snapshot }: AgentProcess): string {
  const left = snapshot.holds.map(({ kind }) => kind.replace('_', ' ')).join(', ');
  return left === '' ? 'the process goes on' : `the process goes on once this is lifted: ${left}`;
}

function thenOf({ definition }: AgentProcess): string {
  switch (definition.config.mission?.onComplete ?? 'continue') {
    case 'stop':
      return 'stops';
    case 'suspend':
      return 'is held until somebody resumes it';
    case 'continue':
      return 'goes on';
  }
}
