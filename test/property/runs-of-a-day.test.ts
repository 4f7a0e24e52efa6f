// What counts for the day, on clocks as people have them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEntry, type FoldedEntry } from '../../core/model/fold.ts';
import { DEFAULT_BUDGET } from '../../core/model/budget.ts';
import { budgetOf } from '../../core/model/gauges.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { timestampOf } from '../../core/model/time.ts';

const HOUR_MS = 3_600_000;

interface Step {
  readonly what: 'accept' | 'begin' | 'retry' | 'end';
  readonly which: number;
  readonly byMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('accept', 'accept', 'begin', 'begin', 'retry', 'end'),
  which: fc.nat({ max: 5 }),
  // Mostly on, sometimes back, as a clock that is set does.
  byMs: fc.oneof(fc.integer({ min: 0, max: 9 * HOUR_MS }), fc.integer({ min: -3 * HOUR_MS, max: 0 })),
});

/** The entry of a step, or null where there is nothing to do it to. */
function entryOf(
  { what, which }: Step,
  snapshot: ProcessSnapshot,
): Pick<FoldedEntry, 'entry_type' | 'data'> | null {
  const { queue, open, seq } = snapshot;
  const under = open.length === 0 ? undefined : open[which % open.length]!;
  const event_id = under?.event.eventId ?? '';
  switch (what) {
    case 'accept':
      return {
        entry_type: 'trigger_event',
        data: { event_id: `event-${seq}`, trigger_id: 'manual', trigger_type: 'manual', payload: null },
      };
    case 'begin':
      return queue.length === 0
        ? null
        : { entry_type: 'invocation_start', data: { event_id: queue[0]!.eventId, attempt: 1 } };
    case 'retry':
      return under === undefined
        ? null
        : { entry_type: 'invocation_start', data: { event_id, attempt: under.attempt + 1 } };
    case 'end':
      return under === undefined
        ? null
        : { entry_type: 'invocation_result', data: { event_id, success: true } };
  }
}

test('[C18] [S22] each run counts once, side by side or tried again; each day begins once, at midnight and on a clock set back over it', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
      let snapshot = emptySnapshot();
      let now = Date.parse('2026-03-28T20:00:00Z');
      let day = '';
      let runs = 0;
      const begun: string[] = [];
      for (const each of steps) {
        now += each.byMs;
        const entry = entryOf(each, snapshot);
        if (entry === null) continue;
        const today = new Date(now).toISOString().slice(0, 10);
        if (entry.entry_type === 'invocation_start' && entry.data['attempt'] === 1) {
          if (today > day) {
            begun.push(today);
            runs = 0;
            day = today;
          }
          runs += 1;
        }
        snapshot = applyEntry(snapshot, { seq: snapshot.seq + 1, timestamp: timestampOf(now), ...entry });
        const shown = budgetOf(snapshot, { nowMs: now, config: DEFAULT_BUDGET }).runs;
        expect(shown).toBe(today > day ? 0 : runs);
      }
      expect(new Set(begun).size).toBe(begun.length);
    }),
    { numRuns: 300 },
  );
});
