// The host of the model, step by step as core/runtime takes them, and the run of agent code in its worker, as core/agent
// does. Whatever is decided here is asked of the rules. Each part is called after the file that it mirrors.

import type { ProcessSnapshot } from '../../../core/model/snapshot.ts';
import { msAt, type Library, type Place, type Promised, type Violation } from './journal.ts';
import { AgentCode } from './machine/agent-code.ts';
import { EffectGate } from './machine/effect-gate.ts';
import { InvocationEnd } from './machine/invocation-end.ts';
import { InvocationRunner } from './machine/invocation-runner.ts';
import { PerformEffect } from './machine/perform-effect.ts';
import { AgentProcess } from './machine/process.ts';
import { Recorder } from './machine/recorder.ts';
import { RewindDesk } from './machine/rewind-desk.ts';
import { Switchboard } from './machine/switchboard.ts';
import { WaitKeeper } from './machine/wait-keeper.ts';
import type { Effect } from './programs.ts';
import type { Rules } from './rules.ts';
import { headOf, type Host, type Scenario, type State } from './state.ts';

export interface Model {
  readonly rules: Rules;
  readonly library: Library;
  readonly scenario: Scenario;
  /** Of the program, as far as it has asked for them. */
  readonly effects: Map<string, Effect>;
}

export class Machine {
  readonly model: Model;
  readonly state: State;
  readonly violations: Violation[] = [];

  readonly recorder = new Recorder(this);
  readonly process = new AgentProcess(this);
  readonly waits = new WaitKeeper(this);
  readonly runner = new InvocationRunner(this);
  readonly ends = new InvocationEnd(this);
  readonly gate = new EffectGate(this);
  readonly performer = new PerformEffect(this);
  readonly code = new AgentCode(this);
  readonly messages = new Switchboard(this);
  readonly rewinds = new RewindDesk(this);

  constructor(model: Model, state: State) {
    this.model = model;
    this.state = state;
  }

  get rules(): Rules {
    return this.model.rules;
  }

  get host(): Host {
    return this.state.host!;
  }

  /** The live state: the fold over everything that was noted. */
  get snapshot(): Readonly<ProcessSnapshot> {
    return this.head.snapshot;
  }

  get head(): Place {
    return headOf(this.state.journal);
  }

  get nowMs(): number {
    return msAt(this.state.now);
  }

  blame(promise: Promised, what: string): void {
    this.violations.push({ promise, what });
  }
}
