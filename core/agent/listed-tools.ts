// The tools of an invocation: from the record, or looked for once and recorded [S25]. No effect: looking changes nothing, so
// after a crash in the middle of it they are looked for again.

import type { AgentPlan } from '../model/agent-plan.ts';
import { isObject, recordable, type Json, type JsonObject } from '../model/json.ts';
import { jsonBytes } from '../model/limits.ts';
import { MAX_LIST_BYTES, MAX_PROBLEM, MAX_PROBLEMS } from '../model/tools.ts';
import type { ToolList } from './llm/tool.ts';
import type { RunScope } from './run-scope.ts';

export function listedTools(scope: RunScope): (find: () => Promise<ToolList>) => Promise<ToolList> {
  const { tools } = scope.invoke.record;
  let looked: Promise<ToolList> | null = null;

  const look = async (find: () => Promise<ToolList>): Promise<ToolList> => {
    await scope.begin('the tools that it is offered');
    // What is told meanwhile comes behind it, in every run [S26].
    const release = scope.deliveries.hold();
    try {
      const { offers, problems } = bounded(scope.secrets.json(await find()), scope.invoke.record.plan);
      scope.send({ type: 'tools-listed', offers, problems });
      return { offers: offers as unknown as ToolList['offers'], problems };
    } finally {
      release();
    }
  };

  return (find) => {
    scope.refuseUnlessOpen('listed');
    if (tools !== null) return Promise.resolve(tools as unknown as ToolList);
    looked ??= scope.track(look(find));
    return looked;
  };
}

/** As it can be recorded: every checkpoint has it while it counts. */
function bounded(
  { offers, problems }: ToolList,
  plan: AgentPlan | null,
): {
  readonly offers: readonly JsonObject[];
  readonly problems: readonly string[];
} {
  const kept: JsonObject[] = [];
  const left: string[] = [];
  let bytes = 2;
  for (const offer of offers) {
    // Whatever source it comes from.
    if (plan !== null && Object.hasOwn(plan.tools, offer.name) && plan.tools[offer.name]!.isDisabled === true)
      continue;
    const json = recordable(JSON.parse(JSON.stringify(offer)) as Json, `the tool ${offer.name}`);
    const more = jsonBytes(json) + 1;
    if (bytes + more > MAX_LIST_BYTES || !isObject(json)) left.push(offer.name);
    else {
      kept.push(json);
      bytes += more;
    }
  }
  const all =
    left.length === 0
      ? problems
      : [
          `${left.length} tools are left out, for there is no room for what they say of themselves: ${left.join(', ')}`,
          ...problems,
        ];
  return {
    offers: kept,
    problems: all.slice(0, MAX_PROBLEMS).map((problem) => problem.slice(0, MAX_PROBLEM)),
  };
}
