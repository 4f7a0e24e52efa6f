// The parts of one process, tied together: group by group, each from those before it, and with callbacks into those after it.

import { asAppError } from '../model/errors.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { AgentProcess } from './agent-process.ts';
import { composeGovernance } from './compose-governance.ts';
import { composeMotion } from './compose-motion.ts';
import { composePeople } from './compose-people.ts';
import { composeSelf } from './compose-self.ts';
import { composeTriggers } from './compose-triggers.ts';
import { composeWork } from './compose-work.ts';
import { LifecycleDriver } from './lifecycle-driver.ts';
import { LiveSettings } from './live-settings.ts';
import type { ProcessDependencies } from './process-dependencies.ts';
import { ProcessGuard } from './process-guard.ts';
import { ProcessJournal } from './process-journal.ts';
import type { GroundParts, ProcessParts, Whole } from './process-parts.ts';
import type { Recorder } from './recorder.ts';

export function composeProcess(
  definition: ProcessDefinition,
  dependencies: ProcessDependencies,
  self: () => AgentProcess,
): ProcessParts {
  const whole: Whole = () => parts;
  const ground = groundOf(definition, dependencies, whole);
  const governance = composeGovernance(ground, whole, self);
  const triggers = composeTriggers(ground, whole);
  const own = composeSelf({ ...ground, ...triggers }, self);
  const work = composeWork({ ...ground, ...governance, ...own }, whole);
  const known = { ...ground, ...governance, ...triggers, ...own, ...work };
  const motion = composeMotion(known, whole);
  const people = composePeople({ ...known, ...motion }, self);
  const parts: ProcessParts = { ...known, ...motion, ...people };
  return parts;
}

function groundOf(
  definition: ProcessDefinition,
  dependencies: ProcessDependencies,
  whole: Whole,
): GroundParts {
  const { name, config } = definition;
  const { clock, ids } = dependencies;
  const journal = new ProcessJournal({
    ...dependencies,
    definition,
    onEntry: () => caps.touched(),
    onFailure: (error) => journalFailed(whole(), error),
  });
  const recorder = (): Recorder => journal.recorder;
  const caps = dependencies.caps.join(name, recorder);
  const guard = new ProcessGuard(name);
  const onChange = (): void => {
    whole().escalations.look();
    dependencies.onChange(name);
  };
  return {
    definition,
    dependencies,
    clock,
    journal,
    recorder,
    guard,
    exclusively: (act) => guard.exclusivelyIfSound(act),
    caps,
    settings: new LiveSettings({ process: name, config, recorder }),
    lifecycle: new LifecycleDriver({
      recorder,
      uuid: ids.next(),
      carryOut: (command) => whole().commands.carryOut(command),
      onHeld: (stopEffects) => whole().runner.pause(stopEffects),
      onChange,
    }),
    onChange,
  };
}

/** The journal did not take an entry: nothing may happen that it does not know of. */
function journalFailed({ guard, watch, runner, onChange }: ProcessParts, error: unknown): void {
  guard.trouble = asAppError(error);
  watch.close();
  runner.pause(true);
  void runner.endWorker();
  onChange();
}
