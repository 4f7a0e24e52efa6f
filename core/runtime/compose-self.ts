import type { AgentProcess } from './agent-process.ts';
import type { GroundParts, SelfParts, TriggerParts } from './process-parts.ts';
import { SelfDesk } from './self-desk.ts';
import { SelfReads } from './self-reads.ts';
import { SelfSpawn } from './self-spawn.ts';
import { SelfUndo } from './self-undo.ts';

/** What the agent of a process may know and change of itself, and how that is taken back. */
export function composeSelf(parts: GroundParts & TriggerParts, self: () => AgentProcess): SelfParts {
  const { definition, dependencies, clock, recorder, guard, settings, triggers, onChange } = parts;
  const { family, journal } = dependencies;
  const selfUndo = new SelfUndo({ recorder, settings, triggers, family, self, onChange });
  const selfDesk = new SelfDesk({
    definition,
    recorder,
    settings,
    triggers,
    reads: new SelfReads(self, family, clock),
    spawn: new SelfSpawn({ definition, self, family, journal }),
    undo: selfUndo,
    refuseNow: () => {
      guard.refuseQuitting();
      guard.refuseTrouble();
    },
    onChange,
  });
  return { selfDesk, selfUndo };
}
