import { eventIntake } from './event-intake.ts';
import type { GroundParts, TriggerParts, Whole } from './process-parts.ts';
import { TriggerDesk } from './trigger-desk.ts';
import { TriggerGate } from './trigger-gate.ts';
import { TriggerSet } from './trigger-set.ts';

/** What wakes a process, and what becomes of each call before it is an event. */
export function composeTriggers(ground: GroundParts, whole: Whole): TriggerParts {
  const { definition, dependencies, clock, recorder, guard, exclusively, lifecycle, onChange } = ground;
  const process = definition.name;
  const intake = eventIntake({
    process,
    ids: dependencies.ids,
    recorder,
    state: () => lifecycle.state,
    ready: () => guard.ready(),
    filterOf: (triggerId) => triggers.find(triggerId)?.filter ?? null,
    onAccepted: (triggerId) => whole().motion.accepted(triggerId),
  });
  const triggers: TriggerSet = new TriggerSet({
    definition,
    recorder,
    clock,
    servers: dependencies.servers,
    needsPolling: dependencies.needsPolling,
    sink: (known) => (call) => intake.take(known, call),
    onDue: (known, due) => intake.due(known, due),
    health: () => ({
      reason: (guard.trouble ?? intake.refusal())?.code ?? null,
      queueSize: recorder().snapshot.queue.length,
    }),
    knowSecret: (secret) => dependencies.vault.know(`the triggers of ${process}`, 'hmac_secret', secret),
    onChange,
  });
  const gate = new TriggerGate({ recorder, lifecycle, triggers });
  const triggerDesk = new TriggerDesk({ process, recorder, triggers, exclusively, onChange });
  return { intake, triggers, gate, triggerDesk };
}
