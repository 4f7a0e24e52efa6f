// How a process is set going that its journal left in some state: when its host starts, when somebody starts it, and when it
// was rebuilt.

import type { JsonObject } from '../model/json.ts';
import { withoutSecrets } from '../model/process-config.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { restingAs } from '../model/standing.ts';
import { host, type Actor } from './lifecycle-driver.ts';
import { liftedAtStart } from './motion-decisions.ts';
import type { ProcessParts } from './process-parts.ts';

export type SettingGoingOptions = Pick<
  ProcessParts,
  | 'definition'
  | 'clock'
  | 'recorder'
  | 'guard'
  | 'caps'
  | 'settings'
  | 'lifecycle'
  | 'runner'
  | 'triggers'
  | 'gate'
  | 'heartbeat'
  | 'restart'
  | 'room'
  | 'motion'
  | 'commands'
  | 'watch'
  | 'onChange'
>;

export class SettingGoing {
  readonly #parts: SettingGoingOptions;
  /** Why it is set going. */
  #why = 'the host started';

  constructor(parts: SettingGoingOptions) {
    this.#parts = parts;
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#parts.recorder().snapshot;
  }

  /** As its journal left it; `why` where that is not the start of its host. */
  begin(why?: string): void {
    if (why !== undefined) this.#why = why;
    const { guard, lifecycle, restart, gate, heartbeat, settings, caps, watch, onChange } = this.#parts;
    if (guard.trouble !== null) return;
    this.#configure();
    settings.refit();
    caps.turn();
    if (this.#snapshot.lifecycle !== 'created') this.noteRecovered({});
    if (lifecycle.state === 'failed') {
      restart.takeUp();
      gate.close();
    } else if (lifecycle.state !== 'stopped') this.setGoing(host('start() called'));
    watch.open();
    heartbeat.start();
    onChange();
  }

  /** From whatever state there is; a state of rest is started. */
  setGoing(actor: Actor): void {
    const { lifecycle, clock, gate, room, motion, commands } = this.#parts;
    room.turnAndRelieve();
    if (motion.failsWithoutSecrets()) return;
    switch (lifecycle.state) {
      case 'created':
        this.#applyInitialState();
        lifecycle.change('start', actor);
        return;
      case 'stopped':
      case 'failed':
        lifecycle.change('start', actor);
        return;
      case 'starting':
        commands.carryOut('prepare');
        return;
      case 'running':
        motion.goOn();
        return;
      case 'suspended':
        this.#setGoingSuspended();
        return;
      case 'awaiting':
        gate.open();
        // What came due meanwhile fires now; unless that or something else gives it work, it goes on waiting.
        if (restingAs(this.#snapshot, clock.now()) !== 'awaiting') motion.wake('it has something to do');
        return;
      case 'stopping':
        commands.carryOut('finish-stopping');
        return;
    }
  }

  #configure(): void {
    const { definition, recorder, triggers } = this.#parts;
    const { configHash, codeHash, config } = definition;
    if (this.#snapshot.configHash === configHash) return;
    recorder().note('configured', {
      hash: configHash,
      code_hash: codeHash,
      config: withoutSecrets(config) as unknown as JsonObject,
      trigger_ids: [...triggers.configuredIds],
    });
  }

  #applyInitialState(): void {
    const { definition, recorder } = this.#parts;
    for (const [key, value] of Object.entries(definition.config.initialState)) {
      recorder().note('context_update', { key, value, source: 'system' });
    }
  }

  /** Promptise's keys of this type, and why it came to it. Recovering is no transition [S35]. */
  noteRecovered(more: JsonObject): void {
    const { lifecycle, seq, context, invocationCount } = this.#snapshot;
    this.#parts.recorder().note('recovered', {
      from: lifecycle,
      lifecycle_state: lifecycle,
      entries_replayed: seq,
      context_keys: Object.keys(context).length,
      invocation_count: invocationCount,
      ...more,
    });
  }

  #setGoingSuspended(): void {
    const { lifecycle, runner, gate } = this.#parts;
    const lifted = liftedAtStart(this.#snapshot, runner.doubt() === null);
    if (lifted !== null) lifecycle.lift(lifted, host(this.#why));
    // What is queued waits; cron keeps at most one event for each trigger [S42].
    if (lifecycle.state === 'suspended') gate.open();
  }
}
