import { AutomaticRestart } from './automatic-restart.ts';
import { Heartbeat } from './heartbeat.ts';
import { LifecycleCommands } from './lifecycle-commands.ts';
import { ProcessBeat } from './process-beat.ts';
import { ProcessMotion } from './process-motion.ts';
import type {
  GovernanceParts,
  GroundParts,
  MotionParts,
  TriggerParts,
  Whole,
  WorkParts,
} from './process-parts.ts';
import { ProcessWatch } from './process-watch.ts';
import { SettingGoing } from './setting-going.ts';

/** What moves a process: what it does by itself, what its lifecycle commands, and what time brings. */
export function composeMotion(
  parts: GroundParts & GovernanceParts & TriggerParts & WorkParts,
  whole: Whole,
): MotionParts {
  const { definition, clock, recorder } = parts;
  const { config } = definition;
  const beat = new ProcessBeat({ ...parts, onLifetimeOver: (actor) => whole().orders.lifetimeOver(actor) });
  const heartbeat = new Heartbeat({
    clock,
    intervalMs: config.heartbeatIntervalMs,
    onBeat: (idleMs) => beat.beat(idleMs),
  });
  const motion = new ProcessMotion({ ...parts, heartbeat });
  const restart = new AutomaticRestart({
    config,
    clock,
    recorder,
    onDue: (reason) => motion.restartDue(reason),
  });
  const commands = new LifecycleCommands({ ...parts, restart, motion });
  const watch = new ProcessWatch(parts);
  const going = new SettingGoing({ ...parts, heartbeat, restart, motion, commands, watch });
  return { heartbeat, restart, motion, commands, watch, going };
}
