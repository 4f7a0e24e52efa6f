// How a process goes on, comes to rest and is woken again: what it does by itself while its host lives.

import { waitingFor } from '../model/why.ts';
import { host } from './lifecycle-driver.ts';
import { whyFailed, whyStillHeld } from './motion-decisions.ts';
import type { ProcessParts } from './process-parts.ts';

export type MotionOptions = Pick<
  ProcessParts,
  | 'definition'
  | 'recorder'
  | 'guard'
  | 'lifecycle'
  | 'runner'
  | 'triggers'
  | 'gate'
  | 'waits'
  | 'heartbeat'
  | 'room'
  | 'mission'
  | 'secrets'
  | 'onChange'
>;

export class ProcessMotion {
  readonly #parts: MotionOptions;

  constructor(parts: MotionOptions) {
    this.#parts = parts;
  }

  /** Goes on with whatever may move now. */
  goOn(): void {
    const { recorder, guard, lifecycle, runner, triggers, gate, room, mission } = this.#parts;
    if (!guard.mayMove || lifecycle.state !== 'running') return;
    if (recorder().snapshot.holds.length > 0) room.turnAndRelieve();
    // Held before it failed or was stopped, and still [S34].
    const held = whyStillHeld(recorder().snapshot);
    if (held !== null) {
      lifecycle.change('suspend', host(held));
      return;
    }
    const doubt = runner.doubt();
    if (doubt !== null) {
      this.doubted(doubt);
      return;
    }
    if (!triggers.isOpen) gate.open();
    runner.dispatch();
    runner.waitIfNothingElse();
    mission.look();
  }

  /** There may be something to go on with. */
  wake(why: string): void {
    const { guard, heartbeat, lifecycle, waits, onChange } = this.#parts;
    if (!guard.mayMove) return;
    heartbeat.worked();
    if (lifecycle.state === 'awaiting') lifecycle.change('wake', host(why));
    else this.goOn();
    waits.look();
    onChange();
  }

  /** What it has begun waits for somebody or for a moment, and there is nothing else to do. */
  waitOn(): void {
    const { recorder, guard, lifecycle } = this.#parts;
    if (guard.mayMove && lifecycle.state === 'running') {
      lifecycle.change('await', host(waitingFor(recorder().snapshot)));
    }
  }

  accepted(triggerId: string): void {
    this.#parts.heartbeat.worked();
    this.#parts.lifecycle.lift(['idle'], host(`woken by ${triggerId}`));
    this.wake(`woken by ${triggerId}`);
  }

  invocationEnded(): void {
    const { definition, recorder, heartbeat, mission } = this.#parts;
    heartbeat.worked();
    const failed = whyFailed(definition.config, recorder().snapshot);
    if (failed !== null) this.fail(failed);
    mission.look();
  }

  doubted(doubt: string): void {
    if (this.#parts.guard.trouble === null) this.#parts.lifecycle.hold('in_doubt', host(doubt));
  }

  fail(reason: string): void {
    const { lifecycle } = this.#parts;
    if (lifecycle.can('fail')) lifecycle.change('fail', host(reason));
  }

  /** Whatever is under way needs its secrets as well: one that lacks some has failed, and says why. */
  failsWithoutSecrets(): boolean {
    const { lifecycle, secrets } = this.#parts;
    if (!lifecycle.can('fail') || lifecycle.state === 'stopping') return false;
    const why = secrets.whyUnresolved();
    if (why !== null) this.fail(why.message);
    return why !== null;
  }

  restartDue(reason: string): void {
    const { guard, lifecycle } = this.#parts;
    if (guard.mayMove && lifecycle.state === 'failed') lifecycle.change('start', host(reason));
  }
}
