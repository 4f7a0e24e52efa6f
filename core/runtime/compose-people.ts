import type { AgentProcess } from './agent-process.ts';
import { ApprovalDesk } from './approval-desk.ts';
import { ApprovalDoor } from './approval-door.ts';
import { GovernanceOrders } from './governance-orders.ts';
import { OperatorDesk } from './operator-desk.ts';
import { ProcessOrders } from './process-orders.ts';
import type { PeopleParts, ProcessParts } from './process-parts.ts';
import { RewindDesk } from './rewind-desk.ts';

/** What people may ask of a process, and decide for it. */
export function composePeople(
  parts: Omit<ProcessParts, keyof PeopleParts>,
  self: () => AgentProcess,
): PeopleParts {
  const { definition, dependencies, clock, recorder, guard, exclusively, lifecycle, onChange } = parts;
  const { runner, waits, intake, motion, room } = parts;
  const process = definition.name;
  const orders = new ProcessOrders({ ...parts, recover: () => self().recover() });
  const governance = new GovernanceOrders({ ...parts, self });
  const desk = new OperatorDesk({
    definition,
    clock,
    recorder,
    runner,
    waits,
    exclusively,
    onDecided: (actor) => {
      lifecycle.lift(['in_doubt'], actor);
      room.relieve('there is room in its budget again');
      onChange();
    },
    onWork: (why) => motion.wake(why),
    accept: (tick) => intake.accept(tick),
  });
  const approvals = new ApprovalDesk({
    process,
    snapshot: () => recorder().snapshot,
    scrubbed: (value) => recorder().scrubbed(value),
    settle: (promiseId, settlement, actor) => desk.settlePromise(promiseId, settlement, actor),
  });
  const door = new ApprovalDoor({
    process,
    config: definition.config.approvalWebhook,
    servers: dependencies.servers,
    desk: approvals,
    clock,
    trouble: () => guard.trouble,
    knowSecret: (secret) => dependencies.vault.know(`the approvals of ${process}`, 'hmac_secret', secret),
    onProblem: dependencies.onUntold,
  });
  const rewinds = new RewindDesk({
    process,
    journal: dependencies.journal,
    recorder,
    isAtRest: () => lifecycle.state !== 'running' && runner.runningCount === 0 && runner.worker === null,
    suspend: (actor) => orders.suspend(actor),
    endWorker: () => runner.endWorkerGently(),
    exclusively,
    onChange,
  });
  return { orders, governance, desk, approvals, door, rewinds };
}
