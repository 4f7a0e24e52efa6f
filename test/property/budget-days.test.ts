// Days of a budget on clocks as people have them: by the hour on the wall, in zones that change theirs, and on clocks that
// are set.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BudgetKeeper } from '../../core/governance/budget-keeper.ts';
import { InMemoryJournal } from '../../core/journal/memory-journal.ts';
import { DEFAULT_BUDGET } from '../../core/model/budget.ts';
import { applyEntry } from '../../core/model/fold.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { timestampOf } from '../../core/model/time.ts';
import { Recorder } from '../../core/runtime/recorder.ts';
import { noCaps } from '../support/budgets.ts';
import { SteppedClock } from '../support/stepped-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Every zone is so many minutes, or twice or more as many, from UTC, and changes on such minutes. */
const GRAIN_MS = 15 * 60_000;
const BEGINNING = Date.parse('2026-01-01T12:00:00Z');
const END = BEGINNING + 2 * 365 * DAY_MS;

interface Place {
  readonly resetZone: string;
  readonly resetHour: number;
}

/** On the hours at which their clocks change, and beside them. */
const PLACES: readonly Place[] = [
  { resetZone: 'UTC', resetHour: 9 },
  { resetZone: 'Europe/Berlin', resetHour: 2 },
  { resetZone: 'America/New_York', resetHour: 1 },
  // Half an hour, and the other way round in the year.
  { resetZone: 'Australia/Lord_Howe', resetHour: 2 },
  // At midnight: what is skipped, and what would come twice, is the beginning of the day.
  { resetZone: 'America/Havana', resetHour: 0 },
  { resetZone: 'America/Santiago', resetHour: 0 },
  { resetZone: 'Africa/Cairo', resetHour: 23 },
  { resetZone: 'Asia/Kathmandu', resetHour: 0 },
];

/** The day that it is there, as a text in its order: before its hour it is still the day before. */
function dayIn({ resetZone, resetHour }: Place): (ms: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: resetZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  return (ms) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const date = `${parts['year']}-${parts['month']}-${parts['day']}`;
    if (Number(parts['hour']) >= resetHour) return date;
    return timestampOf(Date.parse(`${date}T00:00:00Z`) - DAY_MS).slice(0, 10);
  };
}

/** Every moment at which another day begins there, found by looking at the clock on the wall every quarter of an hour. */
function beginnings(place: Place): readonly number[] {
  const dayOf = dayIn(place);
  const found: number[] = [];
  let day = dayOf(BEGINNING);
  for (let ms = BEGINNING + GRAIN_MS; ms <= END + 10 * DAY_MS; ms += GRAIN_MS) {
    const now = dayOf(ms);
    if (now <= day) continue;
    day = now;
    found.push(ms);
  }
  return found;
}

/** Keeps a budget on a clock, and what it opened. */
class Kept {
  readonly clock = new SteppedClock(BEGINNING);
  readonly opened: { readonly at: number; readonly until: number }[] = [];
  readonly keeper: BudgetKeeper;
  #recorder: Recorder;

  constructor(place: Place) {
    this.#recorder = this.#newRecorder(emptySnapshot());
    const config = { ...DEFAULT_BUDGET, ...place };
    this.keeper = new BudgetKeeper({
      process: 'agent',
      config: () => config,
      caps: noCaps(this.clock),
      recorder: () => this.#recorder,
      clock: this.clock,
      onExceeded: () => {},
      onReleased: () => {},
    });
  }

  #newRecorder(snapshot: ProcessSnapshot): Recorder {
    return new Recorder(snapshot, {
      journal: new InMemoryJournal(),
      process: 'agent',
      level: 'none',
      checkpointEvery: 'auto',
      clock: this.clock,
      ids: { next: () => '1' },
      onFailure: () => {},
    });
  }

  get snapshot(): Readonly<ProcessSnapshot> {
    return this.#recorder.snapshot;
  }

  /** Looks at the clock, and is used. */
  look(): void {
    const before = this.snapshot.budget.period?.until;
    this.keeper.turn();
    const until = this.snapshot.budget.period!.until!;
    if (until !== before) this.opened.push({ at: this.clock.now(), until: Date.parse(until) });
    this.#recorder.note('invocation_start', { event_id: 'e', attempt: 1 });
  }

  /** Another host takes it over. */
  crash(): void {
    this.#recorder = this.#newRecorder(structuredClone(this.snapshot));
  }
}

test.each(PLACES)(
  '[C18] two years of $resetZone by its clock, from $resetHour: one day of the budget for each of its days, each from its hour on',
  { timeout: 120_000 },
  (place) => {
    const kept = new Kept(place);
    kept.look();
    for (let ms = BEGINNING; ms < END; ms += GRAIN_MS) {
      kept.clock.pass(GRAIN_MS);
      kept.look();
    }
    const expected = beginnings(place);
    const days = expected.filter((ms) => ms <= END);
    expect(kept.opened.map(({ at }) => at)).toEqual([BEGINNING, ...days]);
    expect(kept.opened.map(({ until }) => until)).toEqual(expected.slice(0, days.length + 1));
    expect(days.length).toBeGreaterThanOrEqual(2 * 365 - 1);
  },
);

const jumps = fc.array(
  fc.record({
    byMs: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 * HOUR_MS }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 9 * DAY_MS }) },
      { weight: 2, arbitrary: fc.integer({ min: -2 * DAY_MS, max: 0 }) },
    ),
    isCrash: fc.boolean(),
  }),
  { minLength: 20, maxLength: 150, size: 'max' },
);

test.each(PLACES)(
  '[C18] [S22] on a clock that is set at random no day of $resetZone is begun twice, and each by the first look at it',
  { timeout: 120_000 },
  (place) => {
    const all = beginnings(place);
    const dayOf = dayIn(place);
    fc.assert(
      fc.property(jumps, (steps) => {
        const kept = new Kept(place);
        kept.look();
        let runs = 1;
        let until = all.find((ms) => ms > BEGINNING)!;
        let last = dayOf(BEGINNING);
        for (const { byMs, isCrash } of steps) {
          const to = kept.clock.now() + byMs;
          if (to > END || to < BEGINNING) continue;
          kept.clock.set(byMs);
          if (isCrash) kept.crash();
          const count = kept.opened.length;
          kept.look();
          const isAnother = to >= until;
          if (isAnother) {
            runs = 0;
            until = all.find((ms) => ms > to)!;
          }
          const day = isAnother ? dayOf(to) : last;
          expect(kept.opened.length - count).toBe(isAnother ? 1 : 0);
          expect(kept.opened.at(-1)!.until).toBe(until);
          expect(day > last).toBe(isAnother);
          last = day;
          runs += 1;
          expect(kept.snapshot.budget.spent).toEqual({ runs });
        }
      }),
      { numRuns: 30 },
    );
  },
);

test('a day whose end is no time opens nothing', () => {
  const at = { seq: 1, timestamp: timestampOf(BEGINNING), entry_type: 'budget_period_started' };
  const nonsense = applyEntry(emptySnapshot(), { ...at, data: { id: 'x', until: 'tomorrow' } });
  expect(nonsense.budget.period).toBeNull();
  const day = { id: timestampOf(BEGINNING), until: timestampOf(BEGINNING + DAY_MS) };
  const opened = applyEntry(emptySnapshot(), { ...at, data: day });
  expect(applyEntry(opened, { ...at, seq: 2, data: { id: 'x' } }).budget.period).toEqual(day);
});
