// The keeper of a process's health on a journal in memory, with a clock in hand: what a runtime would tell it is told by a test.

import { HealthKeeper, type Anomaly, type WatchedRun } from '../../core/governance/health-keeper.ts';
import { InMemoryJournal } from '../../core/journal/memory-journal.ts';
import { effectIdOf } from '../../core/model/effects.ts';
import { foldEntries } from '../../core/model/fold.ts';
import type { HealthConfig } from '../../core/model/health.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { Recorder } from '../../core/runtime/recorder.ts';
import { SteppedClock } from './stepped-clock.ts';

const AGENT = 'agent';

/** Whose timers may come late. */
class LateClock extends SteppedClock {
  lateMs = 0;

  override after(delayMs: number, callback: () => void): () => void {
    return super.after(delayMs + this.lateMs, callback);
  }
}

export class HealthLife {
  readonly clock = new LateClock(Date.parse('2026-03-28T09:00:00Z'));
  readonly journal = new InMemoryJournal();
  readonly acted: Anomaly[] = [];
  readonly #config: HealthConfig;
  keeper!: HealthKeeper;
  recorder!: Recorder;
  moving: WatchedRun[] = [];
  #ids = 0;

  constructor(config: HealthConfig) {
    this.#config = config;
    this.#wake(emptySnapshot());
  }

  #wake(snapshot: ProcessSnapshot): void {
    this.recorder = new Recorder(snapshot, {
      journal: this.journal,
      process: AGENT,
      level: 'checkpoint',
      checkpointEvery: 'auto',
      clock: this.clock,
      ids: { next: () => crypto.randomUUID() },
      onFailure: (error) => {
        throw error;
      },
    });
    this.keeper = new HealthKeeper({
      process: AGENT,
      config: this.#config,
      recorder: () => this.recorder,
      clock: this.clock,
      moving: () => this.moving,
      onAnomaly: (anomaly) => this.acted.push(anomaly),
    });
  }

  get health(): ProcessSnapshot['health'] {
    return this.recorder.snapshot.health;
  }

  begin(): string {
    this.#ids += 1;
    const event_id = `event-${this.#ids}`;
    this.recorder.note('trigger_event', { event_id, trigger_id: 'manual', trigger_type: 'manual' });
    this.recorder.note('invocation_start', { event_id, invocation: this.#ids, attempt: 1 });
    return event_id;
  }

  /** The run has it in hand. */
  handOver(eventId: string): WatchedRun {
    const run = { eventId, heardAt: this.clock.monotonic() };
    this.moving.push(run);
    this.keeper.begun();
    return run;
  }

  /** Asks for an effect; the id of it. */
  announce(event_id: string, name: string, argsHash: string): string {
    this.#ids += 1;
    const effect_id = effectIdOf(event_id, name, this.#ids);
    const about = { event_id, effect_id, name, occurrence: this.#ids, args_hash: argsHash };
    this.recorder.note('effect_started', { ...about, class: 'retry', key: effect_id, attempt: 1 });
    this.keeper.announced(event_id);
    return effect_id;
  }

  end(event_id: string, effect_id: string): void {
    const tookMs = this.keeper.ended(effect_id);
    const took = tookMs === null ? {} : { took_ms: tookMs };
    this.recorder.note('effect_finished', { event_id, effect_id, end: 'done', result: null, ...took });
  }

  /** One effect, that takes so long. */
  perform(eventId: string, name: string, ms: number): void {
    const effectId = this.announce(eventId, name, String(this.#ids));
    this.keeper.permitted(effectId, eventId, name);
    this.clock.pass(ms);
    this.end(eventId, effectId);
  }

  over(event_id: string, isOk: boolean, replyChars: number | null): void {
    if (isOk) {
      const reply = replyChars === null ? {} : { reply_chars: replyChars };
      this.recorder.note('invocation_result', { event_id, response: '', ...reply });
    } else {
      this.recorder.note('error', { event_id, error_type: 'boom', error: 'it broke', final: true });
    }
    this.moving = this.moving.filter(({ eventId }) => eventId !== event_id);
    this.keeper.runEnded();
  }

  /** Its host dies, and another takes it over from the journal alone. */
  async crash(): Promise<void> {
    await this.recorder.settled();
    this.moving = [];
    this.keeper.rest();
    this.#wake(await this.folded());
  }

  async folded(): Promise<ProcessSnapshot> {
    await this.recorder.settled();
    return foldEntries(await this.journal.read(AGENT));
  }

  async entries(): ReturnType<InMemoryJournal['read']> {
    await this.recorder.settled();
    return this.journal.read(AGENT);
  }
}
