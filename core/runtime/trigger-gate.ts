// Whether what may wake a process does.

import { mayHaveTriggers } from './motion-decisions.ts';
import type { ProcessParts } from './process-parts.ts';

export class TriggerGate {
  readonly #parts: Pick<ProcessParts, 'recorder' | 'lifecycle' | 'triggers'>;

  constructor(parts: Pick<ProcessParts, 'recorder' | 'lifecycle' | 'triggers'>) {
    this.#parts = parts;
  }

  get #mayOpen(): boolean {
    return mayHaveTriggers(this.#parts.recorder().snapshot);
  }

  open(): void {
    if (this.#mayOpen) this.#parts.triggers.open();
  }

  /** One that failed goes on telling its callers that it takes nothing [A12]. */
  close(): void {
    const { lifecycle, triggers } = this.#parts;
    if (lifecycle.state === 'failed' && this.#mayOpen) triggers.answer();
    else triggers.close();
  }
}
