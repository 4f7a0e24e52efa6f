// Moves a process through the lifecycle table and keeps its holds [S34]: each step is an entry with reason and actor, and
// what the table commands is carried out by the process.

import { stopsEffects, type HoldKind } from '../model/holds.ts';
import {
  isLifecycleState,
  transition,
  type LifecycleCommand,
  type LifecycleEvent,
  type LifecycleState,
} from '../model/lifecycle.ts';
import type { Recorder } from './recorder.ts';

export interface Actor {
  /** `operator:<user>` or `host`. */
  readonly name: string;
  readonly reason: string;
}

/** The host itself, for a reason. */
export function host(reason: string): Actor {
  return { name: 'host', reason };
}

export interface DriverOptions {
  readonly recorder: () => Recorder;
  /** As Promptise has it: the object's own id, in every transition. */
  readonly uuid: string;
  readonly carryOut: (command: LifecycleCommand) => void;
  /** The holds changed while the state did not. */
  readonly onHeld: (stopEffects: boolean) => void;
  readonly onChange: () => void;
}

export class LifecycleDriver {
  readonly #options: DriverOptions;

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  /** A word that is none of ours, as a hand-written journal may hold, moves nowhere but to a fresh start. */
  get state(): LifecycleState {
    const { lifecycle } = this.#recorder.snapshot;
    return isLifecycleState(lifecycle) ? lifecycle : 'failed';
  }

  get #recorder(): Recorder {
    return this.#options.recorder();
  }

  can(event: LifecycleEvent): boolean {
    return transition(this.state, event).ok;
  }

  /** @throws `process.illegal-transition` */
  change(event: LifecycleEvent, actor: Actor): void {
    const from = this.state;
    const result = transition(from, event);
    if (!result.ok) throw result.error;
    this.#recorder.note('state_transition', {
      from_state: from,
      to_state: result.state,
      reason: actor.reason,
      process_id: this.#options.uuid,
      actor: actor.name,
    });
    for (const command of result.commands) this.#options.carryOut(command);
    this.#options.onChange();
  }

  /** Adds to the reasons for which the process is suspended, and suspends it. */
  hold(kind: HoldKind, actor: Actor): void {
    const known = this.#recorder.snapshot.holds.find((hold) => hold.kind === kind);
    if (known === undefined || known.reason !== actor.reason) {
      this.#recorder.note('hold_placed', { hold: kind, reason: actor.reason, actor: actor.name });
    }
    if (this.can('suspend')) this.change('suspend', actor);
    else this.#options.onHeld(stopsEffects(this.#recorder.snapshot.holds));
    this.#options.onChange();
  }

  /** Takes reasons away, those that are there; without any left the process resumes. */
  lift(kinds: readonly HoldKind[], actor: Actor): void {
    const present = this.#recorder.snapshot.holds.filter((hold) => kinds.includes(hold.kind));
    for (const { kind } of present) {
      this.#recorder.note('hold_lifted', { hold: kind, reason: actor.reason, actor: actor.name });
    }
    const isFree = this.#recorder.snapshot.holds.length === 0;
    if (isFree && this.state === 'suspended') {
      this.change('resume', actor);
    } else if (present.length > 0) {
      this.#options.onHeld(stopsEffects(this.#recorder.snapshot.holds));
      this.#options.onChange();
    }
  }
}
