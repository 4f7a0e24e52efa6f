import { BudgetKeeper } from '../governance/budget-keeper.ts';
import { EscalationKeeper } from '../governance/escalation-keeper.ts';
import { HealthKeeper } from '../governance/health-keeper.ts';
import { MissionKeeper, type MissionKeeperOptions } from '../governance/mission-keeper.ts';
import { SecretKeeper } from '../governance/secret-keeper.ts';
import { isActive } from '../model/lifecycle.ts';
import { JUDGE_NAME } from '../model/mission.ts';
import type { AgentProcess } from './agent-process.ts';
import { BudgetRoom } from './budget-room.ts';
import { GovernanceAnswers } from './governance-answers.ts';
import type { Actor } from './lifecycle-driver.ts';
import type { GovernanceParts, GroundParts, Whole } from './process-parts.ts';
import { WorkerJudge } from './worker-judge.ts';

/** What bounds a process, and what becomes of it where it meets a bound. */
export function composeGovernance(
  ground: GroundParts,
  whole: Whole,
  self: () => AgentProcess,
): GovernanceParts {
  const { definition, dependencies, clock, recorder, guard, caps, settings, lifecycle, onChange } = ground;
  const { config } = definition;
  const process = definition.name;
  const budget = new BudgetKeeper({
    process,
    config: () => settings.config.budget,
    caps,
    family: dependencies.family.member(self),
    recorder,
    clock,
    onExceeded: (overrun) => room.exceeded(overrun),
    onReleased: () => room.relieve('there is room in its budget again'),
  });
  const secrets = new SecretKeeper({
    process,
    config: config.secrets,
    recorder,
    clock,
    vault: dependencies.vault,
    places: dependencies.places,
    onChange,
  });
  const escalations = new EscalationKeeper({
    process,
    config: () => settings.config,
    recorder,
    isSound: () => guard.trouble === null,
    clock,
    ids: dependencies.ids,
    post: dependencies.post,
    onEvent: () => whole().outbox.pump(),
    onUntold: dependencies.onUntold,
    onChange,
  });
  const mission = new MissionKeeper({
    process,
    config: config.mission,
    recorder,
    clock,
    judge: judgeOf(ground, secrets),
    budget,
    escalate: (cause) => escalations.raise(cause),
    mayMove: () => guard.mayMove && isActive(lifecycle.state),
    mayJudge: () => lifecycle.state === 'running' || lifecycle.state === 'awaiting',
    onOver: (what, actor) => answers.missionOver(what, actor),
    onRoom: () => whole().motion.goOn(),
    onChange,
  });
  const health = new HealthKeeper({
    process,
    config: config.health,
    recorder,
    clock,
    moving: () => whole().runner.moving,
    onAnomaly: (anomaly) => answers.unwell(anomaly),
  });
  const end = (actor: Actor): void => whole().orders.end(actor);
  const room = new BudgetRoom({ ...ground, budget, end });
  const answers = new GovernanceAnswers({ ...ground, health, escalations, end });
  return { budget, mission, health, secrets, escalations, room, answers };
}

/** A model, where the manifest names one, or code of the agent's own. */
function judgeOf(
  { definition, dependencies }: GroundParts,
  secrets: SecretKeeper,
): MissionKeeperOptions['judge'] {
  const evalModel = definition.config.mission?.evalModel ?? null;
  if (evalModel === null) return new WorkerJudge({ definition, ...dependencies });
  return dependencies.modelJudges(evalModel, definition, (secret, run) =>
    secrets.read(secret, `${JUDGE_NAME}/${run}`),
  );
}
