import { backoffMs } from '../model/backoff.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessConfig } from '../model/process-config.ts';
import { Delay } from './delay.ts';
import type { Recorder } from './recorder.ts';

export interface RestartOptions {
  readonly config: ProcessConfig;
  readonly clock: Clock;
  readonly recorder: () => Recorder;
  /** Called when one is due, with its reason. */
  readonly onDue: (reason: string) => void;
}

/** Starts a failed process again, with backoff and as often as its policy allows; across restarts of the host too. */
export class AutomaticRestart {
  readonly #options: RestartOptions;
  readonly #delay: Delay;

  constructor(options: RestartOptions) {
    this.#options = options;
    this.#delay = new Delay(options.clock);
  }

  /** Epoch milliseconds; null when none is waited for. */
  get at(): number | null {
    return this.#delay.at;
  }

  /** The process has failed. */
  consider(): void {
    const { config, recorder } = this.#options;
    if (config.restartPolicy === 'never') return;
    const { restarts, lifecycleReason } = recorder().snapshot;
    if (restarts >= config.maxRestarts) {
      recorder().note('restart_exhausted', {
        reason: lifecycleReason,
        restarts,
        max_restarts: config.maxRestarts,
      });
      return;
    }
    recorder().note('restart', { reason: lifecycleReason, attempt: restarts + 1 });
    this.#wait();
  }

  /** The process is found failed: one that was waited for when the host went is still due. */
  takeUp(): void {
    const { restart } = this.#options.recorder().snapshot;
    if (restart === 'pending') this.#wait();
    else if (restart === 'none') this.consider();
  }

  cancel(): void {
    this.#delay.cancel();
  }

  #wait(): void {
    const { config, recorder, onDue } = this.#options;
    const attempt = recorder().snapshot.restarts;
    this.#delay.start(backoffMs(config.restartBackoffMs, attempt), () => {
      onDue(`restart ${attempt} of ${config.maxRestarts}`);
    });
  }
}
