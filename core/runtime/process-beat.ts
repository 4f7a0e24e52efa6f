// What is looked at as time goes by, a process's beat after the other.

import { isActive } from '../model/lifecycle.ts';
import { host, type Actor } from './lifecycle-driver.ts';
import { whyIdle, whyTooOld } from './motion-decisions.ts';
import type { ProcessParts } from './process-parts.ts';

export interface BeatOptions extends Pick<
  ProcessParts,
  | 'definition'
  | 'clock'
  | 'recorder'
  | 'guard'
  | 'lifecycle'
  | 'runner'
  | 'triggers'
  | 'waits'
  | 'room'
  | 'health'
  | 'mission'
  | 'onChange'
> {
  /** It has lived for as long as it may: it begins anew, or stops. */
  readonly onLifetimeOver: (actor: Actor) => void;
}

export class ProcessBeat {
  readonly #parts: BeatOptions;

  constructor(parts: BeatOptions) {
    this.#parts = parts;
  }

  /** @param idleMs how long there was nothing to do */
  beat(idleMs: number): void {
    const { recorder, guard, lifecycle, runner, triggers, waits, room, health, mission } = this.#parts;
    if (guard.trouble === null && isActive(lifecycle.state)) {
      recorder().lookAtClock();
      // Where nothing waits for it, a day begins with the first that is done in it.
      if (recorder().snapshot.holds.some(({ kind }) => kind === 'budget')) room.turnAndRelieve();
      health.settle();
    }
    if (guard.trouble === null && isActive(lifecycle.state)) mission.look();
    triggers.check();
    const { isAnswering } = runner;
    void runner.beat();
    // Whether it answers is all that a beat tells.
    if (runner.isAnswering !== isAnswering) this.#parts.onChange();
    waits.look();
    if (guard.trouble === null) this.#restWhereItMust(idleMs);
  }

  #restWhereItMust(idleMs: number): void {
    const { definition, clock, recorder, lifecycle, onLifetimeOver } = this.#parts;
    const tooOld = whyTooOld(definition.config, recorder().snapshot, clock.now());
    const idle = whyIdle(definition.config, recorder().snapshot, idleMs);
    if (tooOld !== null) onLifetimeOver(host(tooOld));
    else if (idle !== null) lifecycle.hold('idle', host(idle));
  }
}
