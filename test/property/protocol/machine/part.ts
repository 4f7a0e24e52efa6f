import type { EntryType } from '../../../../core/model/entry.ts';
import type { JsonObject } from '../../../../core/model/json.ts';
import type { ProcessSnapshot } from '../../../../core/model/snapshot.ts';
import type { Place, Promised } from '../journal.ts';
import type { Machine, Model } from '../machine.ts';
import type { Rules } from '../rules.ts';
import type { Host, State, Want } from '../state.ts';

/** One job of the host or its worker: it holds nothing, and reaches the others through the machine. */
export abstract class Part {
  protected readonly on: Machine;

  constructor(on: Machine) {
    this.on = on;
  }

  protected get model(): Model {
    return this.on.model;
  }

  protected get rules(): Rules {
    return this.on.rules;
  }

  protected get state(): State {
    return this.on.state;
  }

  protected get host(): Host {
    return this.on.host;
  }

  protected get snapshot(): Readonly<ProcessSnapshot> {
    return this.on.snapshot;
  }

  protected get head(): Place {
    return this.on.head;
  }

  protected get nowMs(): number {
    return this.on.nowMs;
  }

  protected note(type: EntryType, data: JsonObject, want: Want | null = null, isSynced = false): void {
    this.on.recorder.note(type, data, want, isSynced);
  }

  protected blame(promise: Promised, what: string): void {
    this.on.blame(promise, what);
  }
}
