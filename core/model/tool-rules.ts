// What a plan says of one tool: by its name, and by patterns of names.

import type { AgentPlan, ToolRule } from './agent-plan.ts';

/** The rule of a tool, by the name that the model calls it by. What a pattern asks for a rule of its own may take back. */
export function ruleFor({ tools, approval }: Pick<AgentPlan, 'tools' | 'approval'>, name: string): ToolRule {
  const rule = Object.hasOwn(tools, name) ? tools[name]! : {};
  if (rule.asks !== undefined || !(approval.patterns ?? []).some((pattern) => fits(pattern, name)))
    return rule;
  return { ...rule, asks: true };
}

/** `*` is any number of characters, `?` is one. Goes back to the last `*` alone, so that no pattern takes long. */
function fits(pattern: string, name: string): boolean {
  let [at, from, star, mark] = [0, 0, -1, 0];
  while (from < name.length) {
    const is = pattern[at];
    if (is === '*') {
      star = at;
      mark = from;
      at += 1;
    } else if (is !== undefined && (is === '?' || is === name[from])) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      at = star + 1;
      mark += 1;
      from = mark;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
