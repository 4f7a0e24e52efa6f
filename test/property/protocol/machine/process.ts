// core/runtime/lifecycle-driver.ts and agent-process.ts: the lifecycle, its holds, and what follows from them.

import { liftsAtStart, OPERATORS_HOLDS, type HoldKind } from '../../../../core/model/holds.ts';
import {
  isLifecycleState,
  type LifecycleEvent,
  type LifecycleState,
} from '../../../../core/model/lifecycle.ts';
import { Part } from './part.ts';

export class AgentProcess extends Part {
  get lifecycle(): LifecycleState {
    const { lifecycle } = this.snapshot;
    return isLifecycleState(lifecycle) ? lifecycle : 'failed';
  }

  can(event: LifecycleEvent): boolean {
    return this.rules.transition(this.lifecycle, event).ok;
  }

  change(event: LifecycleEvent): void {
    const from = this.lifecycle;
    const result = this.rules.transition(from, event);
    if (!result.ok) {
      this.blame('P4', `the process can not ${event} while it is ${from}`);
      return;
    }
    this.note('state_transition', { from_state: from, to_state: result.state });
    for (const command of result.commands) {
      switch (command) {
        case 'prepare':
          this.change('started');
          break;
        case 'dispatch':
          this.goOn();
          break;
        case 'checkpoint':
          this.on.runner.pause();
          this.on.recorder.checkpoint();
          break;
        case 'release-workers':
          this.on.runner.pause(true);
          this.on.runner.workerGone(true);
          break;
        case 'open-triggers':
        case 'close-triggers':
        case 'finish-stopping':
        case 'consider-restart':
          break;
      }
    }
  }

  hold(kind: HoldKind, reason: string): void {
    const known = this.snapshot.holds.find((hold) => hold.kind === kind);
    if (known?.reason !== reason) this.note('hold_placed', { hold: kind, reason });
    if (this.can('suspend')) this.change('suspend');
    else this.on.runner.pause();
  }

  lift(kinds: readonly HoldKind[]): void {
    const present = this.snapshot.holds.filter((hold) => kinds.includes(hold.kind));
    for (const { kind } of present) this.note('hold_lifted', { hold: kind });
    if (this.snapshot.holds.length === 0 && this.lifecycle === 'suspended') this.change('resume');
    else if (present.length > 0) this.on.runner.pause();
  }

  resume(): void {
    this.lift(OPERATORS_HOLDS);
  }

  goOn(): void {
    if (this.lifecycle !== 'running') return;
    if (this.rules.staysHeld && this.snapshot.holds.length > 0) {
      this.change('suspend');
      return;
    }
    if (this.on.runner.doubt() !== null) {
      this.on.runner.doubted();
      return;
    }
    this.host.isWanted = true;
    this.host.isGateOpen = true;
    this.on.gate.permitAll();
    this.on.runner.handOver();
    this.on.runner.waitIfNothingElse();
  }

  wake(): void {
    if (this.lifecycle === 'awaiting') this.change('wake');
    else this.goOn();
    this.on.waits.look();
  }

  setGoing(): void {
    switch (this.lifecycle) {
      case 'created':
        this.change('start');
        return;
      case 'starting':
        this.change('started');
        return;
      case 'running':
        this.goOn();
        return;
      case 'suspended': {
        const isStale = this.rules.liftsStaleDoubt && this.on.runner.doubt() === null;
        const own = this.snapshot.holds.map(({ kind }) => kind).filter((kind) => liftsAtStart(kind, isStale));
        const isFree = this.rules.resumesWhatNothingHolds && this.snapshot.holds.length === 0;
        if (own.length > 0 || isFree) this.lift(own);
        if (!this.rules.staysHeld && this.lifecycle === 'suspended') this.change('resume');
        return;
      }
      case 'awaiting':
        if (this.rules.restingAs(this.snapshot, this.nowMs) !== 'awaiting') this.wake();
        return;
      case 'stopping':
      case 'stopped':
      case 'failed':
        return;
    }
  }
}
