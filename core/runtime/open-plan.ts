import type { AgentPlan, ToolServer } from '../model/agent-plan.ts';
import type { SelfState } from '../model/self-change.ts';
import { isNamed } from './self-guards.ts';

/**
 * What an agent is made of that begins now: its manifest's plan, with the servers that it connected itself as long as it may.
 * Where the manifest has one of that name since, that is the one.
 */
export function openPlanned(plan: AgentPlan | null, { servers }: SelfState): AgentPlan | null {
  const open = plan?.open ?? null;
  if (plan === null || open?.mayConnectServers !== true || Object.keys(servers).length === 0) return plan;
  const { allowedUrls } = open;
  const own = Object.entries(servers as unknown as Readonly<Record<string, ToolServer>>).flatMap(
    ([name, server]): (readonly [string, ToolServer])[] => {
      if (server.kind !== 'http') return [];
      const named = isNamed(server.url, allowedUrls);
      // What the manifest names may have become less since it was connected.
      if (allowedUrls.length > 0 && !named) return [];
      return [[name, { ...server, reach: named ? 'named' : 'public' }]];
    },
  );
  return { ...plan, servers: { ...Object.fromEntries(own), ...plan.servers } };
}
