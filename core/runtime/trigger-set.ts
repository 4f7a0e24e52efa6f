// The triggers of one process, opened and closed together, and each of them added, taken away and paused while it lives.

import { triggerOf } from '../model/fold-triggers.ts';
import type { TriggerEvent } from '../model/entry.ts';
import type { AppError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { timestampOf } from '../model/time.ts';
import { pauseOfAll, scheduledFrom, type Pause } from '../model/trigger-record.ts';
import type { Recorder } from './recorder.ts';
import { MANUAL_TRIGGER, withIds } from './trigger-id.ts';
import { describeTrigger, triggerList, type KnownTrigger, type TriggerList } from './trigger-list.ts';
import { TriggerSource, type SourceDependencies, type TriggerProblem } from './trigger-source.ts';

export interface TriggerView {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  /** ISO 8601; null when it is closed, or wakes only when told to. */
  readonly next: string | null;
  readonly address: string | null;
  readonly filter: string | null;
  readonly isAdded: boolean;
  readonly paused: Pause | null;
  readonly problem: TriggerProblem | null;
  readonly accepted: number;
  readonly filtered: number;
  readonly missed: number;
  readonly lastEventAt: string | null;
}

/** A trigger's call, before it is an event. */
export type Tick = Pick<TriggerEvent, 'triggerId' | 'triggerType' | 'payload' | 'metadata' | 'missed'>;

export interface TriggerSetOptions extends Omit<SourceDependencies, 'process' | 'since'> {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly clock: Clock;
  /** Told of each that callers sign with, before anything is opened. */
  readonly knowSecret?: (secret: string) => void;
}

const CLOSED = { next: null, address: null, problem: null } as const;

export class TriggerSet {
  readonly #options: TriggerSetOptions;
  readonly #sources = new Map<string, TriggerSource>();
  /** What was closed last, by id: what is opened anew waits for it. */
  readonly #closing = new Map<string, Promise<void>>();
  #list: { readonly of: readonly unknown[]; readonly at: string; readonly list: TriggerList } | null = null;
  #mode: 'open' | 'answering' | 'closed' = 'closed';

  constructor(options: TriggerSetOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#mode === 'open';
  }

  /** Of the manifest's, those that were taken away among them. */
  get configuredIds(): readonly string[] {
    return withIds(this.#options.definition.config.triggers.map((trigger) => ({ trigger }))).map(
      ({ id }) => id,
    );
  }

  /** Resolves when nothing that was closed is still ending. */
  async closed(): Promise<void> {
    await Promise.all(this.#closing.values());
  }

  open(): void {
    this.#mode = 'open';
    this.refresh();
  }

  /** Nothing is accepted, and those who call a webhook are told so, and to try again later [A12]. */
  answer(): void {
    this.#mode = 'answering';
    this.refresh();
  }

  close(): void {
    this.#mode = 'closed';
    for (const id of this.#sources.keys()) this.#close(id);
  }

  /** Opens what is wanted and closes what is not: after something was added, taken away, paused or resumed. */
  refresh(): void {
    if (this.#mode === 'closed') return;
    const wanted = this.known().filter(
      ({ id, trigger }) =>
        this.#pauseOf(id) === null && (this.#mode === 'open' || trigger.type === 'webhook'),
    );
    const ids = new Set(wanted.map(({ id }) => id));
    for (const id of this.#sources.keys()) if (!ids.has(id)) this.#close(id);
    for (const known of wanted) if (!this.#sources.has(known.id)) this.#open(known);
  }

  /** Opens it anew, from where its record says; with null, all of them. */
  reopen(id: string | null): void {
    for (const one of id === null ? [...this.#sources.keys()] : [id]) this.#close(one);
    this.refresh();
  }

  /** Resolves when it was tried to open it, with why it could not be; null where it could, or is not wanted. */
  async tried(id: string): Promise<TriggerProblem | null> {
    return (await this.#sources.get(id)?.tried()) ?? null;
  }

  /** Looks at clocks, and at what was refused. */
  check(): void {
    for (const source of this.#sources.values()) source.check();
  }

  known(): readonly KnownTrigger[] {
    return this.#listed().list.usable;
  }

  /** What is on record is parsed when it changes, and not for each event. */
  #listed(): { readonly at: string; readonly list: TriggerList } {
    const { definition, recorder, clock, knowSecret } = this.#options;
    const { triggers } = recorder().snapshot;
    const of = [triggers.added, triggers.removed];
    if (this.#list?.of.every((one, at) => one === of[at]) === true) return this.#list;
    const list = triggerList(definition.config.triggers, triggers);
    for (const { trigger } of list.usable) {
      if (trigger.type === 'webhook' && trigger.secret !== null) knowSecret?.(trigger.secret);
    }
    this.#list = { of, at: timestampOf(clock.now()), list };
    return this.#list;
  }

  find(id: string): KnownTrigger | undefined {
    return this.known().find((known) => known.id === id);
  }

  /** What is wrong with a trigger that makes no sense (any more); null where there is no such one. */
  whyUnusable(id: string): AppError | null {
    return this.#listed().list.unusable.find((one) => one.id === id)?.error ?? null;
  }

  /** Those that hear what other processes say. */
  listening(): readonly KnownTrigger[] {
    return this.known().filter(
      ({ id, trigger }) =>
        (trigger.type === 'event' || trigger.type === 'message') && this.#pauseOf(id) === null,
    );
  }

  /** The one that comes due first; null when none does. */
  get next(): { readonly id: string; readonly at: string } | null {
    let first: { readonly id: string; readonly at: string } | null = null;
    for (const [id, { facts }] of this.#sources) {
      const { next: at } = facts;
      if (at !== null && (first === null || at < first.at)) first = { id, at };
    }
    return first;
  }

  /** What keeps the first of them that does not work from waking the process; null for nothing. */
  get problem(): TriggerProblem | null {
    const { at, list } = this.#listed();
    const [unusable] = list.unusable;
    if (unusable !== undefined) return { code: unusable.error.code, message: unusable.error.message, at };
    for (const { trouble } of this.#sources.values()) if (trouble !== null) return trouble;
    return null;
  }

  views(): readonly TriggerView[] {
    const { at, list } = this.#listed();
    const usable = list.usable.map(({ id, trigger, isAdded }) => ({
      id,
      type: trigger.type,
      description: describeTrigger(trigger),
      filter: trigger.type === 'manual' ? null : trigger.filter,
      isAdded,
      ...this.#recorded(id),
      ...(this.#sources.get(id)?.facts ?? CLOSED),
    }));
    const unusable = list.unusable.map(({ id, type, isAdded, error: { code, message } }) => ({
      id,
      type,
      description: 'makes no sense here',
      filter: null,
      isAdded,
      ...this.#recorded(id),
      ...CLOSED,
      problem: { code, message, at },
    }));
    return [...usable, ...unusable];
  }

  #recorded(id: string): Pick<TriggerView, 'accepted' | 'filtered' | 'missed' | 'lastEventAt' | 'paused'> {
    const { accepted, filtered, missed, lastEventAt } = triggerOf(this.#options.recorder().snapshot, id);
    return { accepted, filtered, missed, lastEventAt, paused: this.#pauseOf(id) };
  }

  #pauseOf(id: string): Pause | null {
    const { snapshot } = this.#options.recorder();
    // Whoever asks for it in person is no trigger that acts by itself.
    if (id === MANUAL_TRIGGER) return null;
    return triggerOf(snapshot, id).paused ?? pauseOfAll(snapshot.triggers);
  }

  #open(known: KnownTrigger): void {
    const { definition, clock, recorder } = this.#options;
    const after = this.#closing.get(known.id) ?? Promise.resolve();
    const since = (id: string): number => {
      const { snapshot } = recorder();
      return scheduledFrom(triggerOf(snapshot, id), snapshot.triggers) ?? clock.now();
    };
    const source = new TriggerSource(known, { ...this.#options, process: definition.name, since }, after);
    this.#sources.set(known.id, source);
  }

  #close(id: string): void {
    const source = this.#sources.get(id);
    if (source === undefined) return;
    this.#sources.delete(id);
    const closing = source.close().finally(() => {
      if (this.#closing.get(id) === closing) this.#closing.delete(id);
    });
    this.#closing.set(id, closing);
  }
}
