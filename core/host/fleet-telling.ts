// What a console is told about its fleet: changes with a number, in batches, and notices.

import type { ConsoleEvent } from '../contract/console-host.ts';
import type { EventOf } from '../contract/events.ts';
import type { FleetView } from '../contract/fleet-views.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import { timestampOf } from '../model/time.ts';
import { changeStream } from './change-stream.ts';
import { cut } from './cut.ts';
import { fleetChanges } from './fleet-changes.ts';

export const PERIOD_MS = 100;
/** While nobody looks. */
export const HIDDEN_PERIOD_MS = 1_000;
/** Of what went wrong, in characters; names of any length go into such messages. */
export const MAX_MESSAGE = 4_000;

export type FleetParts = Pick<FleetView, 'journals' | 'processes'>;
type Notice = EventOf<'console.notice'>;

export class FleetTelling implements Disposable {
  readonly #parts: () => FleetParts;
  readonly #listeners = new Set<(event: ConsoleEvent) => void>();
  readonly #stream = changeStream(
    PERIOD_MS,
    () => this.#tellChanges(),
    (error) => this.failed(error),
  );
  readonly #notices: ConsoleEvent[] = [];
  /** Codes of what went wrong while telling: each is said once, or it would be said ten times a second. */
  readonly #failures = new Set<string>();
  #known: ReadonlyMap<string, ProcessRow> = new Map();
  #knownJournals = '';
  #sequence = 0;

  constructor(parts: () => FleetParts) {
    this.#parts = parts;
  }

  fleet(): FleetView {
    return { sequence: this.#sequence, at: timestampOf(Date.now()), ...this.#parts() };
  }

  /** Reading starts the count of changes anew, so what was told before is told again to whoever starts now. */
  read(): FleetView {
    for (const notice of this.#notices.splice(0)) setImmediate(() => this.tell(notice));
    return this.fleet();
  }

  /** The result unsubscribes. */
  subscribe(listener: (event: ConsoleEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Something in the fleet may have changed. */
  touch(): void {
    this.#stream.touch();
  }

  setPeriod(periodMs: number): void {
    this.#stream.setPeriod(periodMs);
  }

  tell(event: ConsoleEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.failed(error); // The others are told all the same.
      }
    }
  }

  /** Something that should not have happened while looking or telling; it ends nothing. */
  failed(error: unknown): void {
    const code = codeOf(error);
    if (this.#failures.has(code)) return;
    this.#failures.add(code);
    this.noticeOf(error);
  }

  noticeOf(error: unknown, tone: Notice['tone'] = 'alarm'): void {
    this.notice({ code: codeOf(error), message: messageOf(error), tone });
  }

  /** Before anybody listens it waits for the first who reads. */
  notice({ code, message, tone }: Notice): void {
    const event: ConsoleEvent = {
      name: 'console.notice',
      payload: { code, message: cut(message, MAX_MESSAGE), tone },
    };
    if (this.#listeners.size === 0) this.#notices.push(event);
    else this.tell(event);
  }

  #tellChanges(): void {
    const changes = fleetChanges(this.#known, this.fleet());
    this.#known = changes.rows;
    const journals = JSON.stringify(changes.journals);
    const journalsChanged = journals !== this.#knownJournals;
    this.#knownJournals = journals;
    if (changes.upserts.length === 0 && changes.removed.length === 0 && !journalsChanged) return;
    this.#sequence += 1;
    this.tell({
      name: 'fleet.changed',
      payload: {
        sequence: this.#sequence,
        at: timestampOf(Date.now()),
        upserts: changes.upserts,
        removed: changes.removed,
        journals: journalsChanged ? changes.journals : null,
      },
    });
  }

  [Symbol.dispose](): void {
    this.#stream[Symbol.dispose]();
    this.#listeners.clear();
  }
}
