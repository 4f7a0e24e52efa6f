// The journal of the model: a tree of all journals that any history has written, so that each is folded once, in three ways
// that have to agree: from its beginning over every line, from its last checkpoint on as a recovery reads it [P3], and
// by the plain reading that knows nothing of either [P4].

import { isFullCheckpoint } from '../../../core/model/checkpoint.ts';
import type { EntryType } from '../../../core/model/entry.ts';
import type { FoldedEntry } from '../../../core/model/fold.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import { emptySnapshot, type OpenInvocation, type ProcessSnapshot } from '../../../core/model/snapshot.ts';
import { timestampOf } from '../../../core/model/time.ts';
import type { TriggersState } from '../../../core/model/trigger-record.ts';
import { disagreement, NO_FACTS, readOn, type Facts } from './facts.ts';
import { rewoundFacts } from './rewound-facts.ts';
import type { Rules } from './rules.ts';

export type Promised = 'P1' | 'P2' | 'P3' | 'P4' | 'one writer';
export interface Violation {
  readonly promise: Promised;
  readonly what: string;
}

const BEGINNING = Date.parse('2026-03-01T00:00:00Z');
/** An hour; the protocol counts in these. */
export const TICK_MS = 3_600_000;
export const msAt = (tick: number): number => BEGINNING + tick * TICK_MS;
const stamps = Array.from({ length: 64 }, (_, tick) => timestampOf(msAt(tick)));
export const stampAt = (tick: number): string => stamps[tick] ?? timestampOf(msAt(tick));

/** One number for each text, so that states are compared by numbers. */
export class Interned {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

type PlaceParts = Pick<
  Place,
  'before' | 'seq' | 'entry' | 'snapshot' | 'facts' | 'id' | 'violations' | 'isMove'
>;

/** A journal up to one of its lines. */
export class Place {
  readonly before: Place | null;
  readonly seq: number;
  readonly entry: FoldedEntry | null;
  /** As the process that writes it has it, and one that recovers from it. */
  readonly snapshot: ProcessSnapshot;
  readonly facts: Facts;
  readonly id: number;
  readonly violations: readonly Violation[];
  /** A checkpoint that has moved the process [S39]: unlike any other, it says what nothing before it does. */
  readonly isMove: boolean;
  readonly #behind = new Map<string, Place>();

  constructor(parts: PlaceParts) {
    this.before = parts.before;
    this.seq = parts.seq;
    this.entry = parts.entry;
    this.snapshot = parts.snapshot;
    this.facts = parts.facts;
    this.id = parts.id;
    this.violations = parts.violations;
    this.isMove = parts.isMove;
  }

  next(said: string, make: () => Place): Place {
    const known = this.#behind.get(said);
    if (known !== undefined) return known;
    const made = make();
    this.#behind.set(said, made);
    return made;
  }

  toJSON(): number {
    return this.id;
  }
}

/** The place itself, and all that it builds on, the last first. */
export function* backwards(place: Place): Iterable<Place> {
  for (let at: Place | null = place; at !== null; at = at.before) yield at;
}

export class Library {
  readonly empty: Place;
  readonly interned = new Interned();
  readonly #rules: Rules;

  constructor(rules: Rules) {
    this.#rules = rules;
    const nothing = { before: null, seq: 0, entry: null, violations: [], facts: NO_FACTS, isMove: false };
    this.empty = new Place({ ...nothing, snapshot: emptySnapshot(), id: this.interned.of('') });
  }

  /** The journal one line further. */
  write(place: Place, type: EntryType, data: JsonObject, tick: number): Place {
    return place.next(`${tick} ${type} ${JSON.stringify(data)}`, () => this.#after(place, type, data, tick));
  }

  checkpoint(place: Place, tick: number): Place {
    return place.next(`${tick} checkpoint`, () => {
      // As a file gives it back.
      return this.#after(place, 'checkpoint', this.#written(place.snapshot), tick);
    });
  }

  /** The checkpoint that moves the process from a target on [S39]. */
  moved(place: Place, to: ProcessSnapshot, target: Place, tick: number): Place {
    const data = this.#written(to);
    return place.next(`${tick} moved ${JSON.stringify(data)}`, () => {
      const facts = rewoundFacts(place.facts, target.facts, (eventId) => {
        for (const { facts } of backwards(place)) if (facts.events[eventId]?.at === 'open') return facts;
        return null;
      });
      return this.#after(place, 'checkpoint', data, tick, facts);
    });
  }

  #written(snapshot: ProcessSnapshot): JsonObject {
    return { state: JSON.parse(JSON.stringify(this.#rules.checkpointOf(snapshot))) as JsonObject };
  }

  /** A host signs in. What it recovers is held against a fold from the first line on. */
  sign(place: Place, epoch: number, tick: number): Place {
    return place.next(`${tick} sign ${epoch}`, () => {
      const signed = this.#after(place, 'writer_opened', { epoch }, tick);
      const places = [...backwards(signed)].filter(({ entry }) => entry !== null).toReversed();
      const last = places.findLastIndex(({ entry }) => isCheckpoint(entry!));
      const recovered = this.#folded(places.slice(Math.max(0, last)).map(({ entry }) => entry!));
      const whole = this.#folded(
        places.map(({ entry, isMove }) => (isCheckpoint(entry!) && !isMove ? asNothing(entry!) : entry!)),
      );
      const violations = [
        ...signed.violations,
        ...this.#compared(whole, recovered),
        ...this.#compared(whole, signed.snapshot),
      ];
      return new Place({ ...partsOf(signed), violations });
    });
  }

  #folded(lines: readonly FoldedEntry[]): ProcessSnapshot {
    let state = emptySnapshot();
    for (const line of lines) state = this.#rules.applyEntry(state, line);
    return state;
  }

  #compared(whole: ProcessSnapshot, other: ProcessSnapshot): readonly Violation[] {
    const what = differenceOf({ ...whole, lastEntryType: '' }, { ...other, lastEntryType: '' }, 'state');
    if (what === null) return [];
    return [{ promise: 'P3', what: `from the first line and from the last checkpoint: ${what}` }];
  }

  /** `moved`: by the plain reading, for a checkpoint that moves. */
  #after(
    before: Place,
    entry_type: EntryType,
    data: JsonObject,
    tick: number,
    moved: Facts | null = null,
  ): Place {
    const entry: FoldedEntry = { seq: before.seq + 1, timestamp: stampAt(tick), entry_type, data };
    const { applyEntry } = this.#rules;
    const isNew = isCheckpoint(entry);
    const violations: Violation[] = [];
    if (isNew && !isFullCheckpoint(data))
      violations.push({ promise: 'P3', what: 'a checkpoint that is not full' });
    const snapshot = applyEntry(isNew ? emptySnapshot() : copyOf(before.snapshot), entry);
    // A checkpoint may change nothing but the position, so without it the state is the same.
    if (isNew && moved === null)
      violations.push(...this.#compared(applyEntry(copyOf(before.snapshot), asNothing(entry)), snapshot));
    const facts = moved ?? readOn(before.facts, entry);
    const what = disagreement(facts, snapshot);
    if (what !== null) violations.push({ promise: 'P4', what });
    for (const wrong of facts.wrong.slice(before.facts.wrong.length))
      violations.push({ promise: 'P4', what: wrong });
    const id = this.interned.of(canonical(snapshot, facts));
    const isMove = moved !== null;
    return new Place({ before, seq: entry.seq, entry, snapshot, facts, id, violations, isMove });
  }
}

function isCheckpoint({ entry_type }: FoldedEntry): boolean {
  return entry_type === 'checkpoint';
}

function asNothing(entry: FoldedEntry): FoldedEntry {
  return { ...entry, entry_type: 'log', data: {} };
}

function partsOf(place: Place): PlaceParts {
  const { before, seq, entry, snapshot, facts, id, violations, isMove } = place;
  return { before, seq, entry, snapshot, facts, id, violations, isMove };
}

/** As deep as the fold changes things. */
export function copyOf(snapshot: ProcessSnapshot): ProcessSnapshot {
  return {
    ...snapshot,
    context: { ...snapshot.context },
    conversation: [...snapshot.conversation],
    queue: [...snapshot.queue],
    open: snapshot.open.map(copyOfOpen),
    deadLetters: [...snapshot.deadLetters],
    inbox: [...snapshot.inbox],
    outbox: [...snapshot.outbox],
    heard: { ...snapshot.heard },
    heardOf: { ...snapshot.heardOf },
    workers: [...snapshot.workers],
    triggers: { ...snapshot.triggers, known: copyOfKnown(snapshot.triggers.known) },
    budget: { ...snapshot.budget },
    health: { ...snapshot.health },
  };
}

function copyOfKnown(known: TriggersState['known']): TriggersState['known'] {
  return Object.fromEntries(Object.entries(known).map(([id, record]) => [id, { ...record }]));
}

function copyOfOpen(open: OpenInvocation): OpenInvocation {
  return {
    ...open,
    effects: [...open.effects],
    writes: [...open.writes],
    sayings: [...open.sayings],
    sends: [...open.sends],
    waits: [...open.waits],
    signals: [...open.signals],
    clock: [...open.clock],
    versions: { ...open.versions },
    before: { ...open.before },
  };
}

/** Where two plain values first differ; null where they are equal. */
export function differenceOf(a: unknown, b: unknown, at: string): string | null {
  if (a === b) return null;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return `${at} is ${JSON.stringify(a)} and ${JSON.stringify(b)}`;
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const difference = differenceOf(one[key], other[key], `${at}.${key}`);
    if (difference !== null) return difference;
  }
  return null;
}

/** What may decide what happens next: numbers of lines by their order alone, and none of what is only told to people. */
function canonical(snapshot: ProcessSnapshot, facts: Facts): string {
  return JSON.stringify([
    snapshot.lifecycle,
    snapshot.holds.map(({ kind, reason }) => [kind, reason]),
    snapshot.open.map(canonicalOf),
    snapshot.deadLetters.map(({ open, attempts }) => [open === null ? null : canonicalOf(open), attempts]),
    snapshot.workers.map(({ generation }) => generation),
    snapshot.generation,
    snapshot.rewinding === null ? 0 : snapshot.rewinding.target,
    // All else that the state holds is in the plain reading, which it agrees with.
    facts,
  ]);
}

export function canonicalOf(open: OpenInvocation): unknown {
  const numbers = new Set<number>([open.attemptSeq]);
  for (const { seq, endSeq, earlier } of open.effects) {
    numbers.add(seq).add(endSeq ?? 0);
    if (earlier !== undefined) numbers.add(earlier.endSeq ?? 0);
  }
  for (const { seq, endSeq } of open.waits) numbers.add(seq).add(endSeq ?? 0);
  for (const { seq } of open.sends) numbers.add(seq);
  const ordered = [...numbers].sort((a, b) => a - b);
  const rank = (seq: number | null | undefined): number => ordered.indexOf(seq ?? 0);
  return [
    open.event.eventId,
    open.attempt,
    rank(open.attemptSeq),
    open.isWaiting,
    open.retryAt,
    open.isToBegin === true,
    open.inbox.map(({ messageId }) => messageId),
    open.effects.map((one) => [
      one.effectId,
      one.effectClass,
      one.key,
      one.attempts,
      one.announcedAt,
      rank(one.seq),
      rank(one.endSeq),
      one.end,
      one.isUndone === true,
      one.earlier === undefined ? 0 : [one.earlier.end, rank(one.earlier.endSeq)],
    ]),
    open.waits.map((one) => [one.waitId, one.dueAt, one.end, rank(one.seq), rank(one.endSeq)]),
    open.sends.map((one) => [one.topic, rank(one.seq)]),
  ];
}
