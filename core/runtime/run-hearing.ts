// What the worker says about the runs that it has in hand: believed as far as it can be, recorded, and carried on. What an
// earlier run says belongs to nobody [S30].

import type { HealthKeeper } from '../governance/health-keeper.ts';
import { messageOf } from '../model/errors.ts';
import type { Clock, Ids } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { ServerStatus } from '../model/tools.ts';
import type { FromWorker } from '../model/worker-protocol.ts';
import type { EffectGate } from './effect-gate.ts';
import {
  recordDivergence,
  recordFailure,
  recordRefusal,
  recordSuccess,
  refuseUnended,
} from './invocation-end.ts';
import type { Recorder } from './recorder.ts';
import type { RunParking } from './run-parking.ts';
import { durationOf, sees, type Run, type RunSet } from './run-set.ts';
import type { TimeLimit } from './time-limit.ts';
import { MAX_RESPONSE, recordWord } from './worker-words.ts';

export interface HearingOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly runs: RunSet;
  readonly limit: TimeLimit;
  readonly gate: EffectGate;
  readonly health: Pick<HealthKeeper, 'heard'>;
  readonly parking: RunParking;
  readonly onSecretAsked: (asked: Extract<FromWorker, { type: 'secret-asked' }>, eventId: string) => void;
  readonly onHostAsked: (asked: Extract<FromWorker, { type: 'host-asked' }>, eventId: string) => void;
  readonly onAnswer: (answer: Extract<FromWorker, { type: 'query-answered' }>) => void;
  readonly onServers: (servers: readonly ServerStatus[]) => void;
  /** Something is waited for, or not any more. */
  readonly onWait: () => void;
  readonly onSent: () => void;
  /** A run is over, and its invocation with it where `isOver`. */
  readonly onEnded: (isOver: boolean) => void;
  /** A run is over until somebody has decided what is in doubt. */
  readonly onHeld: () => void;
  /** The process can't go on, for this reason. */
  readonly onFatal: (reason: string) => void;
  /** It said what can't be. */
  readonly onNonsense: () => void;
  readonly onChange: () => void;
}

type AboutRun = Exclude<
  FromWorker,
  { type: 'ready' | 'pong' | 'query-answered' | 'judged' | 'tool-servers' }
>;

export class RunHearing {
  readonly #options: HearingOptions;

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  /** A worker that says what can't be is ended; what it was running is handed to another. */
  heard(message: FromWorker): void {
    const { runs, recorder, onAnswer, onServers, onNonsense, onChange } = this.#options;
    // A judge is asked in a worker of its own.
    if (message.type === 'ready' || message.type === 'pong' || message.type === 'judged') return;
    if (message.type === 'query-answered') {
      onAnswer(message);
      return;
    }
    if (message.type === 'tool-servers') {
      onServers(message.servers);
      onChange();
      return;
    }
    const run = runs.get(message.run);
    if (run === undefined) return;
    this.#options.health.heard(run);
    try {
      this.#about(message, run);
    } catch (error) {
      const text = messageOf(error).slice(0, MAX_RESPONSE);
      recorder().note('log', { event_id: run.eventId, level: 'error', text });
      onNonsense();
    }
    onChange();
  }

  #about(message: AboutRun, run: Run): void {
    const { gate, parking, runs, onHeld, onSecretAsked, onHostAsked } = this.#options;
    const { eventId } = run;
    switch (message.type) {
      case 'effect-announced':
        parking.moves(run);
        gate.announced(message, eventId);
        return;
      case 'effect-ended':
        gate.ended(message, eventId);
        return;
      case 'effect-unlike':
        gate.unlike(message, eventId);
        return;
      case 'secret-asked':
        onSecretAsked(message, eventId);
        return;
      case 'host-asked':
        onHostAsked(message, eventId);
        return;
      case 'glimpsed':
        sees(run, message.saying, this.#options.clock.now());
        return;
      case 'invocation-waiting':
        parking.waits(run, message.heard);
        return;
      case 'invocation-done':
        refuseUnended(this.#options, eventId);
        recordSuccess(this.#options, eventId, {
          response: message.response,
          isText: message.isText === true,
          durationMs: this.#durationOf(run),
        });
        this.#ended(run, true);
        return;
      case 'invocation-failed':
        this.#failed(message, run);
        return;
      case 'invocation-refused':
        refuseUnended(this.#options, eventId);
        recordRefusal(this.#options, eventId, message.why);
        this.#ended(run, true);
        return;
      case 'invocation-held':
        runs.delete(run);
        onHeld();
        return;
      case 'state-written':
      case 'said':
      case 'compacted':
      case 'clock-read':
      case 'version-chosen':
      case 'wait-began':
      case 'message-sent':
      case 'tools-listed':
      case 'log':
        parking.moves(run);
        recordWord(this.#options, message, eventId);
        return;
    }
  }

  #failed(message: Extract<FromWorker, { type: 'invocation-failed' }>, run: Run): void {
    const failure = { ...message, isTerminal: message.terminal, durationMs: this.#durationOf(run) };
    if (message.code === 'replay.diverged') {
      recordDivergence(this.#options, run.eventId, failure);
      this.#options.runs.delete(run);
      this.#options.onFatal(message.message);
      return;
    }
    refuseUnended(this.#options, run.eventId);
    const isOver = recordFailure(this.#options, run.eventId, failure);
    this.#ended(run, isOver);
  }

  #ended(run: Run, isOver: boolean): void {
    const { gate, runs, limit, recorder, onEnded } = this.#options;
    gate.invocationEnded(run.eventId);
    runs.delete(run);
    limit.watch(runs.all());
    if (isOver) recorder().cycleEnded();
    onEnded(isOver);
  }

  #durationOf(run: Run): number {
    return durationOf(run, this.#options.clock.monotonic());
  }
}
