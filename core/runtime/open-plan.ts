import type { AgentPlan, ToolServer } from '../model/agent-plan.ts';
import type { SelfState } from '../model/self-change.ts';

/**
 * What an agent is made of that begins now: its manifest's plan, with the servers that it connected itself as long as it may.
 * Where the manifest has one of that name since, that is the one.
 */
export function openPlanned(plan: AgentPlan | null, { servers }: SelfState): AgentPlan | null {
  if (plan === null || plan.open?.mayConnectServers !== true || Object.keys(servers).length === 0)
    return plan;
  return {
    ...plan,
    servers: { ...(servers as unknown as Readonly<Record<string, ToolServer>>), ...plan.servers },
  };
}
