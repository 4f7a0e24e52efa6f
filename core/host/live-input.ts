// What the views of a process are made of that this host runs: what its journal says, and how it stands at this moment.

import type { ProcessDetail } from '../contract/process-detail.ts';
import { planOf, type MemoryPlan } from '../model/agent-plan.ts';
import { missionRoom } from '../model/mission-step.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import { receiversOf } from './escalation-views.ts';
import type { DetailInput } from './read-model.ts';
import { secretViews } from './secret-commands.ts';

export function liveInput(journalId: string, process: AgentProcess): DetailInput {
  const { live, definition, snapshot, triggers } = process;
  return {
    journalId,
    name: process.name,
    description: definition.description,
    snapshot,
    live: {
      trouble: live.trouble?.message ?? null,
      worker: live.worker,
      hasWorker: live.worker !== null,
      isRunning: live.isRunning,
      isSpawning: live.isSpawning,
      isAnswering: live.isAnswering,
      isInLine: live.isInLine,
      saying: live.saying,
      respawnsAt: isoOf(live.respawnAt),
      restartsAt: isoOf(live.restartAt),
      nextTrigger: triggers.next,
      triggerProblem: triggers.problem?.message ?? null,
      waitsForVerdict: missionRoom(definition.config.mission, snapshot) === 0,
    },
    unknown: null,
    budget: process.settings.config.budget,
    receivers: receiversOf(definition.config),
    mission: definition.config.mission,
    nowMs: Date.now(),
    triggers: triggers.views().map((trigger) => ({ ...trigger })),
    journalLevel: definition.config.journalLevel,
    health: definition.config.health,
    workerDetail: workerView(process),
    secrets: secretViews(process.secrets.standings()),
    memory: liveMemoryPlan(process),
  };
}

/** That of its manifest, with which the next invocation begins. */
export function liveMemoryPlan({ definition, snapshot }: AgentProcess): MemoryPlan | null {
  return (definition.config.agent ?? planOf(snapshot.plan))?.memory ?? null;
}

function workerView(process: AgentProcess): ProcessDetail['workerDetail'] {
  const facts = process.runner.facts();
  if (facts === null) return null;
  const { pid, generation, startedAt, rssBytes, cpuPercent } = facts;
  const { isAnswering } = process.live;
  return { pid, generation, startedAt: isoOf(startedAt), rssBytes, cpuPercent, isAnswering };
}

/** Everything that its row is made of: an entry more, or another live state, is another row. */
export function liveFacts({ snapshot, live, triggers }: AgentProcess): readonly unknown[] {
  const { trouble, worker, isSpawning, isAnswering, isInLine, saying, respawnAt, restartAt } = live;
  const next = triggers.next;
  return [
    snapshot,
    snapshot.seq,
    trouble,
    worker?.pid,
    worker?.generation,
    isSpawning,
    isAnswering,
    isInLine,
    saying?.wait?.text,
    saying?.wait?.untilMs,
    respawnAt,
    restartAt,
    next?.id,
    next?.at,
    triggers.problem?.message,
  ];
}

function isoOf(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
