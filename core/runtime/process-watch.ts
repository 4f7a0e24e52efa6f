// What a process keeps an eye on as long as its host lives, also where nothing moves: what is due fires, and what was sent is
// delivered.

import type { ProcessParts } from './process-parts.ts';

export type WatchOptions = Pick<
  ProcessParts,
  'triggers' | 'waits' | 'outbox' | 'escalations' | 'mission' | 'answers'
>;

export class ProcessWatch {
  readonly #parts: WatchOptions;

  constructor(parts: WatchOptions) {
    this.#parts = parts;
  }

  open(): void {
    const { waits, outbox, escalations, answers } = this.#parts;
    answers.catchUp();
    waits.open();
    outbox.open();
    escalations.open();
  }

  close(): void {
    const { triggers, waits, outbox, escalations, mission } = this.#parts;
    triggers.close();
    waits.close();
    outbox.close();
    escalations.close();
    mission.callOff('its host let go of it while the judge was asked');
  }
}
