// A cap on processes that run side by side, with limits that are changed and hosts that crash at any moment: what all of them
// have used and reserved on a day of the cap is never more than it was at most allowed on that day, as counted another way.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BudgetKeeper } from '../../core/governance/budget-keeper.ts';
import { CapBook } from '../../core/governance/cap-book.ts';
import { InMemoryJournal } from '../../core/journal/memory-journal.ts';
import { DEFAULT_BUDGET, type BudgetConfig } from '../../core/model/budget.ts';
import type { CapConfigs } from '../../core/model/caps.ts';
import { foldEntries } from '../../core/model/fold.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { Recorder } from '../../core/runtime/recorder.ts';
import { SteppedClock } from '../support/stepped-clock.ts';

const BEGINNING = Date.parse('2026-03-28T20:00:00Z');
const NAMES = ['one', 'two', 'three'] as const;
const HOUR_MS = 3_600_000;
const COSTS = { pay: 2.3, look: 0.4 } as const;

const CONFIG: BudgetConfig = {
  ...DEFAULT_BUDGET,
  effectCosts: {
    pay: { cost: COSTS.pay, isIrreversible: false },
    look: { cost: COSTS.look, isIrreversible: false },
  },
};

const step = fc.record({
  name: fc.oneof(
    { weight: 10, arbitrary: fc.constant('announce' as const) },
    { weight: 4, arbitrary: fc.constant('done' as const) },
    ...(['refuse', 'doubt', 'crash', 'hours', 'cap', 'checkpoint', 'end'] as const).map((name) => ({
      weight: 1,
      arbitrary: fc.constant(name),
    })),
  ),
  pick: fc.nat(1_000_000),
});

/** As it is counted here: an effect that was announced, and what became of it. */
interface Counted {
  readonly process: number;
  readonly cost: number;
  /** Under way, given back, or spent on this day of the cap. */
  state: 'open' | 'back' | number;
}

class Side {
  readonly clock = new SteppedClock(BEGINNING);
  readonly #journals = NAMES.map(() => new InMemoryJournal());
  #recorders: Recorder[] = [];
  #keepers: BudgetKeeper[] = [];
  #book!: CapBook;
  #caps: CapConfigs = {
    workspace: { limits: { max_cost_per_day: 9 }, resetHour: 3, resetZone: 'Europe/Berlin' },
  };
  readonly counted = new Map<string, Counted>();
  #ids = 0;

  async start(): Promise<void> {
    const snapshots = await Promise.all(
      this.#journals.map(async (journal, at): Promise<ProcessSnapshot> => {
        const entries = await journal.read(NAMES[at]!);
        return entries.length === 0 ? emptySnapshot() : foldEntries(structuredClone(entries));
      }),
    );
    const book = new CapBook({ clock: this.clock, configs: this.#caps, ledger: null, onRoom: () => {} });
    this.#book = book;
    this.#recorders = [];
    this.#keepers = snapshots.map((snapshot, at) => {
      const caps = book.join(NAMES[at]!, () => this.#recorders[at]!);
      const recorder = new Recorder(snapshot, {
        journal: this.#journals[at]!,
        process: NAMES[at]!,
        level: 'checkpoint',
        checkpointEvery: 'auto',
        clock: this.clock,
        ids: { next: () => crypto.randomUUID() },
        onEntry: () => caps.touched(),
        onFailure: (error) => {
          throw error;
        },
      });
      this.#recorders[at] = recorder;
      return new BudgetKeeper({
        process: NAMES[at]!,
        config: () => CONFIG,
        caps,
        recorder: () => recorder,
        clock: this.clock,
        onExceeded: () => {},
        onReleased: () => {},
      });
    });
    for (const recorder of this.#recorders) this.#opened(recorder);
  }

  #opened(recorder: Recorder): string {
    const open = recorder.snapshot.open[0];
    if (open !== undefined) return open.event.eventId;
    this.#ids += 1;
    const eventId = `event-${this.#ids}`;
    recorder.note('trigger_event', {
      event_id: eventId,
      trigger_id: 'manual',
      trigger_type: 'manual',
      payload: null,
    });
    recorder.note('invocation_start', { event_id: eventId, invocation: 1, attempt: 1 });
    return eventId;
  }

  /** The day of the cap that a process is on, by its journal alone. */
  #dayOf(at: number): number {
    return Date.parse(this.#recorders[at]!.snapshot.caps.workspace?.until ?? '') || 0;
  }

  async take({ name, pick }: { readonly name: string; readonly pick: number }): Promise<void> {
    const at = pick % NAMES.length;
    const recorder = this.#recorders[at]!;
    const [effectId, effect] =
      [...this.counted]
        .filter(([, one]) => one.process === at && one.state === 'open')
        .at(pick % 3 === 0 ? 0 : -1) ?? [];
    const eventId = this.#opened(recorder);
    switch (name) {
      case 'announce': {
        const kind = pick % 2 === 0 ? 'pay' : 'look';
        const { booked } = this.#keepers[at]!.bookingOf(kind);
        if (!this.#keepers[at]!.fits({ asked: booked, eventId })) return;
        this.#ids += 1;
        const id = `${eventId}/${kind}#${this.#ids}`;
        this.counted.set(id, { process: at, cost: COSTS[kind], state: 'open' });
        recorder.note('effect_started', {
          event_id: eventId,
          effect_id: id,
          name: kind,
          occurrence: this.#ids,
          class: 'ask',
          args_hash: '',
          args_preview: '',
          key: id,
          attempt: 1,
          booked: { ...booked },
        });
        return;
      }
      case 'done':
      case 'refuse':
      case 'doubt': {
        if (effectId === undefined || effect === undefined) return;
        const end = name === 'done' ? 'done' : name === 'refuse' ? 'did_not_happen' : 'in_doubt';
        if (end === 'done') effect.state = this.#dayOf(at);
        if (end === 'did_not_happen') effect.state = 'back';
        recorder.note('effect_finished', {
          effect_id: effectId,
          event_id: eventId,
          end,
          result: null,
          error: 'why',
        });
        return;
      }
      case 'end':
        for (const one of this.counted.values()) {
          if (one.process === at && one.state === 'open') one.state = this.#dayOf(at);
        }
        recorder.note('invocation_result', { event_id: eventId, response: '' });
        return;
      case 'checkpoint':
        await recorder.checkpoint();
        return;
      case 'hours':
        this.clock.pass((pick % 14) * HOUR_MS);
        return;
      case 'cap': {
        const max = 3 + (pick % 12);
        const workspace = { ...this.#caps.workspace!, limits: { max_cost_per_day: max } };
        this.#caps = { workspace };
        this.#book.configure(this.#caps);
        return;
      }
      case 'crash':
        await Promise.all(this.#recorders.map((one) => one.settled()));
        await this.start();
    }
  }

  get max(): number {
    return this.#caps.workspace!.limits.max_cost_per_day!;
  }

  /** Spent on days of the cap that are not over, and under way. */
  used(): number {
    const now = this.clock.now();
    return [...this.counted.values()]
      .filter(({ state }) => state === 'open' || (typeof state === 'number' && state > now))
      .reduce((sum, { cost }) => sum + cost, 0);
  }

  standing(): number {
    const { spent, reserved } = this.#book.standing('workspace')!;
    return (spent.cost ?? 0) + (reserved.cost ?? 0);
  }
}

test('[P4] [S21] [S22] a cap is never passed, whatever runs side by side, crashes, or is changed, and its sum is the count', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120, size: 'max' }), async (steps) => {
      const side = new Side();
      await side.start();
      for (const one of steps) {
        const before = side.used();
        await side.take(one);
        const after = side.used();
        expect(side.standing()).toBeCloseTo(after, 6);
        // What was begun before a cap was lowered is done all the same; nothing is added above it.
        const isAdded = after > before + 1e-9;
        expect(isAdded && after > side.max + 1e-9).toBe(false);
      }
    }),
    { numRuns: 60 },
  );
});
