// Asks the judge of an agent's module about its mission. It gets a view and no `ctx`: it looks, and does nothing that would
// be on record.

import { codeOf, messageOf } from '../model/errors.ts';
import type { JudgeView } from '../model/judge.ts';
import { recordable } from '../model/json.ts';
import { MAX_CODE, MAX_ERROR_TEXT, refuseTooLarge } from '../model/limits.ts';
import type { QueryAnswer } from '../model/worker-protocol.ts';
import type { AgentDefinition, Opinion } from './define-agent.ts';

/** What it says, whatever that is: whether it is a verdict is the host's to judge. */
export async function judgeMission(
  { judge }: Pick<AgentDefinition, 'judge'>,
  view: JudgeView,
): Promise<QueryAnswer> {
  if (judge === undefined) {
    return {
      ok: false,
      code: 'mission.no-judge',
      message:
        'the agent module has no judge, so nobody can say whether the mission is achieved: give it one, defineAgent({ onTrigger, judge(view) { … } })',
    };
  }
  try {
    const opinion: Opinion | undefined = await judge(view);
    const value = recordable(opinion ?? null, 'what the judge answered');
    refuseTooLarge('mission', 'What the judge answered', value);
    return { ok: true, value };
  } catch (error) {
    const code = codeOf(error).slice(0, MAX_CODE);
    return { ok: false, code, message: `the judge threw: ${messageOf(error)}`.slice(0, MAX_ERROR_TEXT) };
  }
}
