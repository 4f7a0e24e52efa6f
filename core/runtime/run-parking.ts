// Runs that only wait. They take no room: what they waited for is kept for them until there is room to move again, and
// what goes on waiting is journaled, so that no worker has to be kept for it.

import type { HealthKeeper } from '../governance/health-keeper.ts';
import { MAX_TOLD_WAITS } from '../model/limits.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { openOf } from '../model/snapshot.ts';
import type { WaitEnd } from '../model/waits.ts';
import type { ToWorker } from '../model/worker-protocol.ts';
import { Delay } from './delay.ts';
import type { Recorder } from './recorder.ts';
import type { Run, RunSet } from './run-set.ts';
import type { TimeLimit } from './time-limit.ts';

/** What waits for less than this keeps its worker, and the journal hears nothing of it. */
const PARKING_MS = 1_000;

export interface ParkingOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly clock: Clock;
  readonly runs: RunSet;
  readonly limit: TimeLimit;
  readonly health: Pick<HealthKeeper, 'heard'>;
  readonly send: (message: ToWorker) => void;
  /** A run takes no room any more, or could do with some. */
  readonly onRoom: () => void;
  /** What waits has waited for a while, and the journal says so. */
  readonly onSettled: () => void;
  readonly onChange: () => void;
}

export class RunParking {
  readonly #options: ParkingOptions;
  readonly #delay: Delay;

  constructor(options: ParkingOptions) {
    this.#options = options;
    this.#delay = new Delay(options.clock);
  }

  /** Every run is parked, and the journal says so. */
  get isAllOnRecord(): boolean {
    return this.#options.runs.all().every((run) => run.isParkedOnRecord);
  }

  // --- telling a run what happened, in the order of the journal, and only while there is room for it to move

  tellWaitEnded(eventId: string, waitId: string, end: WaitEnd): void {
    this.#tell(eventId, (run) => ({ type: 'wait-ended', run, waitId, end }));
  }

  tellSignal(eventId: string, signalId: string): void {
    const open = openOf(this.#options.recorder().snapshot, eventId);
    const signal = open?.signals.find((candidate) => candidate.signalId === signalId);
    if (signal !== undefined) this.#tell(eventId, (run) => ({ type: 'signal', run, signal }));
  }

  #tell(eventId: string, message: (run: number) => ToWorker): void {
    const run = this.#options.runs.of(eventId);
    if (run === undefined || !run.isHandedOver) return;
    run.unsaid.push(message(run.number));
    if (run.isParked) this.#options.onRoom();
    else this.#say(run);
    this.#options.onChange();
  }

  #say(run: Run): void {
    for (const message of run.unsaid.splice(0)) {
      run.told += 1;
      this.#options.send(message);
    }
  }

  // --- parking

  /** Its code waits, having heard so much; where it was told more since, it does not any more. */
  waits(run: Run, heard: number): void {
    if (run.isParked || heard !== run.told || run.unsaid.length > 0) return;
    run.isParked = true;
    run.isParkedOnRecord = false;
    this.#watchLimit();
    this.settleDown();
    this.#options.onRoom();
  }

  /** There is room: what has happened to parked runs is told to them, as long as fewer than `concurrency` move. */
  unpark(concurrency: number): void {
    const { runs } = this.#options;
    for (const run of runs.eager()) {
      if (runs.movingCount >= concurrency) return;
      this.moves(run);
      this.#say(run);
    }
  }

  moves(run: Run): void {
    if (!run.isParked) return;
    run.isParked = false;
    run.movingSince = this.#options.clock.monotonic();
    this.#options.health.heard(run);
    this.#watchLimit();
    // Many short waits, one after the other, are no long one.
    const others = this.#options.runs.all();
    if (!others.some((other) => other.isParked && !other.isParkedOnRecord)) this.#delay.cancel();
  }

  #watchLimit(): void {
    this.#options.limit.watch(this.#options.runs.all());
  }

  // --- settling down

  /** What goes on waiting for a while is journaled, and then the worker is not kept for it. */
  settleDown(): void {
    if (this.#delay.at !== null) return;
    const patience = Math.min(PARKING_MS, this.#options.definition.config.workerIdleMs);
    this.#delay.start(patience, () => {
      this.record();
      this.#options.onSettled();
    });
  }

  /** Its worker goes. */
  stop(): void {
    this.#delay.cancel();
  }

  record(): void {
    const { recorder, runs } = this.#options;
    for (const run of runs.all()) {
      if (!run.isParked || run.isParkedOnRecord || run.unsaid.length > 0) continue;
      run.isParkedOnRecord = true;
      const open = openOf(recorder().snapshot, run.eventId);
      const waits = (open?.waits ?? []).filter(({ end }) => end === null).map(({ waitId }) => waitId);
      recorder().note('invocation_waiting', { event_id: run.eventId, for: waits.slice(0, MAX_TOLD_WAITS) });
    }
  }
}
