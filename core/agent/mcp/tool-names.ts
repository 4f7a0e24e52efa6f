// What a model calls the tools of several servers, each by a name of its own.

import { acceptableName, MAX_TOOL_NAME } from '../tool-name.ts';

export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/** With its server in front, which means this tool whatever other servers offer. */
export function qualifiedName({ server, tool }: NamedTool): string {
  return acceptableName(`${acceptableName(server)}_${acceptableName(tool)}`);
}

/** The names of these tools, in their order: their own, or, where two are called the same, with the server in front. */
export function nameTools(tools: readonly NamedTool[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { tool } of tools) {
    const name = acceptableName(tool);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const taken = new Set<string>();
  return tools.map((named) => {
    const own = acceptableName(named.tool);
    const wanted = counts.get(own) === 1 ? own : qualifiedName(named);
    const name = free(wanted, taken);
    taken.add(name);
    return name;
  });
}

function free(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number += 1) {
    const end = `_${number}`;
    const name = wanted.slice(0, MAX_TOOL_NAME - end.length) + end;
    if (!taken.has(name)) return name;
  }
}
