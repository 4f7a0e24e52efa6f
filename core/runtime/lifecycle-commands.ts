// What the lifecycle table commands on the way to another state, carried out.

import { stopsEffects } from '../model/holds.ts';
import type { LifecycleCommand } from '../model/lifecycle.ts';
import { isFollower } from './follow-parent.ts';
import { host } from './lifecycle-driver.ts';
import type { ProcessParts } from './process-parts.ts';

export type CommandsOptions = Pick<
  ProcessParts,
  'recorder' | 'guard' | 'lifecycle' | 'runner' | 'restart' | 'gate' | 'mission' | 'secrets' | 'motion'
>;

export class LifecycleCommands {
  readonly #parts: CommandsOptions;
  #stopping: Promise<void> = Promise.resolve();

  constructor(parts: CommandsOptions) {
    this.#parts = parts;
  }

  /** Resolves when what was being stopped is. */
  get stopped(): Promise<void> {
    return this.#stopping;
  }

  carryOut(command: LifecycleCommand): void {
    const { recorder, lifecycle, runner, restart, gate, mission, motion } = this.#parts;
    switch (command) {
      case 'prepare':
        if (motion.failsWithoutSecrets()) return;
        lifecycle.change('started', host('startup complete'));
        return;
      case 'open-triggers':
        gate.open();
        return;
      case 'close-triggers':
        gate.close();
        mission.callOff('the process ended while the judge was asked');
        return;
      case 'dispatch':
        motion.goOn();
        return;
      case 'checkpoint':
        runner.pause(stopsEffects(recorder().snapshot.holds));
        void recorder()
          .checkpoint()
          .catch(() => {}); // the recorder has told us
        return;
      case 'release-workers':
        runner.pause(true);
        void runner.endWorker();
        return;
      case 'finish-stopping':
        runner.pause(true);
        this.#stopping = this.#finishStopping();
        return;
      case 'consider-restart':
        restart.consider();
        return;
    }
  }

  async #finishStopping(): Promise<void> {
    const { recorder, guard, lifecycle, runner, secrets } = this.#parts;
    await runner.endWorkerGently();
    secrets.stopped();
    if (guard.trouble === null && lifecycle.state === 'stopping') {
      // What was stopped with its parent is started with it again.
      const { lifecycleActor } = recorder().snapshot;
      const complete = host('shutdown complete');
      const actor = isFollower(lifecycleActor) ? { ...complete, name: lifecycleActor } : complete;
      lifecycle.change('stopped', actor);
    }
  }
}
