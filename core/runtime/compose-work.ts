import { toldAtStart } from '../model/told.ts';
import { InvocationRunner } from './invocation-runner.ts';
import { openPlanned } from './open-plan.ts';
import { Outbox } from './outbox.ts';
import type { GovernanceParts, GroundParts, SelfParts, Whole, WorkParts } from './process-parts.ts';
import { QueryDesk } from './query-desk.ts';
import { WaitKeeper } from './wait-keeper.ts';

/** What becomes of the work of a process: its invocations, what they wait for, what they send, and what they are asked. */
export function composeWork(parts: GroundParts & GovernanceParts & SelfParts, whole: Whole): WorkParts {
  const { definition, dependencies, clock, recorder, guard, settings, onChange } = parts;
  const { budget, mission, health, secrets, selfDesk } = parts;
  const { workerHost, permits, ids, journalId, deliver } = dependencies;
  const { name } = definition;
  const runner: InvocationRunner = new InvocationRunner({
    definition,
    secrets,
    budget,
    mission,
    health,
    recorder,
    workerHost,
    permits,
    clock,
    ids,
    keyPrefix: `${journalId}/${name}`,
    instructions: () => settings.config.instructions,
    plan: () => openPlanned(settings.config.agent, recorder().snapshot.self),
    askHost: (asked) => selfDesk.answer(asked),
    told: () => toldAtStart(settings.config, recorder().snapshot, clock.now()),
    events: {
      onEnded: () => whole().motion.invocationEnded(),
      onDoubt: (doubt) => whole().motion.doubted(doubt),
      onFatal: (reason) => whole().motion.fail(reason),
      onWaiting: () => whole().motion.waitOn(),
      onWait: () => waits.look(),
      onSent: () => outbox.pump(),
      onAnswer: (answer) => queries.heard(answer),
      onRunGone: (eventId) => queries.gone(eventId),
      onChange,
    },
  });
  const waits = new WaitKeeper({
    process: name,
    clock,
    recorder,
    onEnded: (eventId, waitId, end) => {
      runner.tellWaitEnded(eventId, waitId, end);
      whole().motion.wake('something that was waited for is over');
    },
    onRetryDue: () => whole().motion.goOn(),
  });
  const outbox = new Outbox({ clock, recorder, deliver: (message) => deliver(name, message), onChange });
  const queries = new QueryDesk({
    definition,
    recorder,
    workerHost,
    runner,
    clock,
    refuseNow: () => guard.refuseQuitting(),
  });
  return { runner, waits, outbox, queries };
}
