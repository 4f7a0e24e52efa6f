// What operators do to a process as a whole, one thing at a time. Their decisions about its work are operator-desk.ts, those
// about its bounds governance-orders.ts.

import { AppError } from '../model/errors.ts';
import { isOperators, OPERATORS_HOLDS } from '../model/holds.ts';
import { isFollower, type FollowStep } from './follow-parent.ts';
import type { Actor } from './lifecycle-driver.ts';
import type { ProcessParts } from './process-parts.ts';

export interface OrdersOptions extends Pick<
  ProcessParts,
  | 'definition'
  | 'recorder'
  | 'guard'
  | 'lifecycle'
  | 'runner'
  | 'triggers'
  | 'heartbeat'
  | 'restart'
  | 'health'
  | 'secrets'
  | 'commands'
  | 'watch'
  | 'going'
  | 'onChange'
> {
  /** Takes the process over from its journal; nothing moves yet. */
  readonly recover: () => Promise<void>;
}

export class ProcessOrders {
  readonly #parts: OrdersOptions;

  constructor(parts: OrdersOptions) {
    this.#parts = parts;
  }

  start(actor: Actor): Promise<void> {
    const { guard, restart, heartbeat, lifecycle, health, secrets } = this.#parts;
    return guard.exclusivelyIfSound(() => {
      // One that is missing is told to whoever starts it, and nothing has changed.
      if (lifecycle.can('start')) secrets.resolve(isPerson(actor));
      restart.cancel();
      heartbeat.worked();
      // Started with its parent, it is as held as it was.
      if (lifecycle.can('start') && !isFollower(actor.name)) {
        health.beginAnew(actor);
        lifecycle.lift(OPERATORS_HOLDS, actor);
      }
      lifecycle.change('start', actor);
    });
  }

  suspend(actor: Actor): Promise<void> {
    const { guard, lifecycle } = this.#parts;
    return guard.exclusively(async () => {
      if (guard.trouble !== null) {
        await this.#standStill();
        return;
      }
      const { state } = lifecycle;
      if (state !== 'suspended' && !lifecycle.can('suspend')) {
        throw this.#refusal('not-running', `is ${state}, so there is nothing to suspend.`);
      }
      lifecycle.hold('operator', actor);
    });
  }

  /** The journal can't take it; nothing moves any more all the same [S36]. */
  async #standStill(): Promise<void> {
    const { triggers, runner } = this.#parts;
    triggers.close();
    runner.pause(true);
    await runner.endWorker();
  }

  /** Lifts what an operator may lift; other holds stay, and the process with them. */
  resume(actor: Actor): Promise<void> {
    const { guard, heartbeat, lifecycle, recorder, health } = this.#parts;
    return guard.exclusivelyIfSound(() => {
      const { state } = lifecycle;
      if (state !== 'suspended') {
        throw this.#refusal('not-suspended', `is ${state}, not suspended, so there is nothing to resume.`);
      }
      const { holds } = recorder().snapshot;
      const forBudget = holds.find(({ kind }) => kind === 'budget');
      if (forBudget !== undefined && !holds.some(({ kind }) => isOperators(kind))) {
        const { exceeded } = recorder().snapshot.budget;
        const of = exceeded?.of ?? this.#parts.definition.name;
        const own = of === this.#parts.definition.name ? 'Extend that limit' : `Extend that limit of ${of}`;
        const more = exceeded?.cap === undefined ? own : 'Raise that cap in holdfast.yaml';
        throw this.#refusal(
          'held-by-budget',
          `has used what it may: ${forBudget.reason}. ${more}; resuming it would change nothing.`,
        );
      }
      heartbeat.worked();
      if (holds.some(({ kind }) => kind === 'health')) health.beginAnew(actor);
      lifecycle.lift(OPERATORS_HOLDS, actor);
    });
  }

  stop(actor: Actor): Promise<void> {
    const { guard, restart, lifecycle, commands, secrets } = this.#parts;
    return guard.exclusively(async () => {
      restart.cancel();
      if (guard.trouble !== null) {
        await this.#standStill();
        secrets.drop();
        return;
      }
      const { state } = lifecycle;
      if (state === 'stopped') return;
      if (state !== 'stopping') lifecycle.change('stop', actor);
      await commands.stopped;
    });
  }

  /** Stops it, whatever it is doing, and starts it again. */
  async restart(actor: Actor): Promise<void> {
    const { guard, lifecycle } = this.#parts;
    guard.refuseTrouble();
    if (lifecycle.can('stop') || lifecycle.state === 'stopping') await this.stop(actor);
    await this.start(actor);
  }

  /** With the policy always it begins anew, which is no restart; otherwise it stops. */
  lifetimeOver(actor: Actor): void {
    const { restartPolicy } = this.#parts.definition.config;
    const end = restartPolicy === 'always' ? this.restart(actor) : this.stop(actor);
    end.catch(() => {}); // A host that closes meanwhile stops it all the same.
  }

  /** It used what it may, its mission is over, or it behaves as it should not; and its manifest says that it stops then. */
  end(actor: Actor): void {
    this.stop(actor).catch(() => {}); // A host that closes meanwhile stops it all the same.
  }

  /** What follows from what was done to the process that began it. */
  follow(step: FollowStep, actor: Actor): Promise<void> {
    switch (step) {
      case 'suspend':
        return this.suspend(actor);
      case 'stop':
        return this.stop(actor);
      case 'start':
        return this.start(actor);
      case 'resume': {
        const { guard, lifecycle } = this.#parts;
        return guard.exclusivelyIfSound(() => lifecycle.lift(['operator'], actor));
      }
    }
  }

  /** Ends the worker as an accident would. */
  killWorker(): Promise<void> {
    const { guard, runner } = this.#parts;
    return guard.exclusively(() => {
      if (runner.killWorker()) return;
      throw this.#refusal('no-worker', 'has no worker right now: one is started when there is work.');
    });
  }

  /** Rebuilds from the journal and takes over, whatever the state: the worker is ended first, and then nothing is assumed. */
  forceRecover(actor: Actor): Promise<void> {
    const { definition, guard, restart, lifecycle, health } = this.#parts;
    const { runner, recorder, heartbeat, watch, going, recover, onChange } = this.#parts;
    return guard.exclusively(async () => {
      if (definition.config.journalLevel === 'none') {
        throw new AppError(
          'journal.required',
          `${definition.name} keeps no journal, so there is nothing to rebuild it from. Stop and start it instead.`,
          { process: definition.name },
        );
      }
      restart.cancel();
      watch.close();
      runner.pause(true);
      await runner.endWorker();
      await recover();
      guard.refuseTrouble();
      going.noteRecovered({ forced: true, actor: actor.name, reason: actor.reason });
      if (lifecycle.can('start')) health.beginAnew(actor);
      // A journal that still takes nothing is told to whoever asked, before anything moves.
      await recorder().settled();
      guard.refuseTrouble();
      going.setGoing(actor);
      watch.open();
      heartbeat.start();
      onChange();
    });
  }

  #refusal(what: string, why: string): AppError {
    const { name } = this.#parts.definition;
    return new AppError(`process.${what}`, `${name} ${why}`, { process: name });
  }
}

function isPerson({ name }: Actor): boolean {
  return name !== 'host';
}
