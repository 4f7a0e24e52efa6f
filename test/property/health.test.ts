// Whatever runs do, whenever their host dies, and wherever its clock is set to: what is found is what somebody finds who reads
// all that was done, with other means. HOLDFAST_RUNS=2000 tries so many instead of a few.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ANOMALY_TYPES, type AnomalyType, type HealthConfig } from '../../core/model/health.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { foldEntries, FOLD_VERSION } from '../../core/model/fold.ts';
import { cloneJson, textAt } from '../../core/model/json.ts';
import { health } from '../support/health.ts';
import { HealthLife } from '../support/health-life.ts';
import { OPERATOR } from '../support/runtime.ts';

const RUNS = Number(process.env['HOLDFAST_RUNS'] ?? 150);
const HOUR_MS = 3_600_000;

const CONFIG: HealthConfig = health('log', {
  stuckThreshold: 3,
  loopWindow: 9,
  loopMinRepeats: 2,
  emptyThreshold: 2,
  emptyMaxChars: 10,
  errorWindow: 5,
  errorMinRuns: 3,
  errorRateThreshold: 0.5,
  silentAfterMs: null,
  slow: null,
  cooldownMs: 5_000,
}).health;

type Step =
  | { readonly do: 'begin' | 'crash' | 'checkpoint' }
  | { readonly do: 'call'; readonly of: number; readonly letter: string }
  | { readonly do: 'end'; readonly of: number; readonly isOk: boolean; readonly reply: number | null }
  | { readonly do: 'clear'; readonly type: AnomalyType | null }
  | { readonly do: 'wait' | 'set'; readonly ms: number };

const of = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ do: 'begin' } as const) },
  {
    weight: 30,
    arbitrary: fc.record({ do: fc.constant('call' as const), of, letter: fc.constantFrom('a', 'b', 'c') }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      of,
      isOk: fc.boolean(),
      reply: fc.constantFrom(null, 0, 5, 50),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'crash' } as const) },
  { weight: 2, arbitrary: fc.constant({ do: 'checkpoint' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('clear' as const),
      type: fc.constantFrom(null, ...ANOMALY_TYPES),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(4_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('set' as const), ms: fc.constantFrom(-HOUR_MS, HOUR_MS) }),
  },
);

/** Reads letters and counts time, and knows neither entries nor clocks. */
class Reader {
  readonly told = new Map<AnomalyType, string[]>(ANOMALY_TYPES.map((type) => [type, []]));
  readonly #open = new Map<AnomalyType, string>();
  readonly #coolUntil = new Map<AnomalyType, number>();
  readonly #calls = new Map<string, string>();
  /** How many calls of a run are not looked at any more. */
  readonly #from = new Map<string, number>();
  #runs: boolean[] = [];
  #replies: number[] = [];
  at = 0;

  #saw(type: AnomalyType, is: boolean, whose: string): void {
    const open = this.#open.get(type);
    if (!is && open === whose) this.#over(type);
    if (!is || open === whose || this.at < (this.#coolUntil.get(type) ?? 0)) return;
    this.#open.set(type, whose);
    this.#coolUntil.set(type, this.at + CONFIG.cooldownMs);
    this.told.get(type)!.push(`found ${whose}`);
  }

  #over(type: AnomalyType): void {
    this.#open.delete(type);
    this.told.get(type)!.push('over');
  }

  call(event: string, letter: string): void {
    const all = (this.#calls.get(event) ?? '') + letter;
    this.#calls.set(event, all);
    const since = (type: AnomalyType): string => all.slice(this.#from.get(`${type} ${event}`) ?? 0);
    this.#saw('stuck', /(.)\1\1$/.test(since('stuck')), event);
    const last = all.slice(-CONFIG.loopWindow);
    const seen = since('loop');
    const isLoop = [2, 3, 4].some((length) => {
      const part = last.slice(-length);
      return new Set(part).size > 1 && last.endsWith(part + part) && seen.endsWith(part + part);
    });
    this.#saw('loop', isLoop, event);
  }

  end(event: string, isOk: boolean, reply: number | null): void {
    this.#runs.push(isOk);
    if (isOk && reply !== null) this.#replies.push(reply);
    this.#calls.delete(event);
    for (const type of ['stuck', 'loop'] as const) if (this.#open.get(type) === event) this.#over(type);
    const replies = this.#replies.slice(-2);
    this.#saw('empty_response', replies.length === 2 && Math.max(...replies) <= 10, '');
    const runs = this.#runs.slice(-5);
    const failed = runs.filter((ok) => !ok).length;
    this.#saw('high_error_rate', runs.length >= 3 && failed * 2 >= runs.length, '');
  }

  /** Whether there was anything to clear. */
  clear(wanted: AnomalyType | null): boolean {
    const those = wanted === null ? [...this.#open.keys()] : this.#open.has(wanted) ? [wanted] : [];
    if (those.length === 0) return false;
    for (const type of wanted === null ? ANOMALY_TYPES : [wanted]) {
      // What never was found has nothing to begin anew from.
      if (this.told.get(type)!.length === 0) continue;
      this.#open.delete(type);
      this.#coolUntil.delete(type);
      for (const [event, calls] of this.#calls) this.#from.set(`${type} ${event}`, calls.length);
      if (type === 'empty_response') this.#replies = [];
      if (type === 'high_error_rate') this.#runs = [];
    }
    return true;
  }
}

test('[C13] [P3] [P4] [S17] [S21] [S22] whatever happens, what is found is what there is to be found', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 160, size: 'max' }), async (steps) => {
      const life = new HealthLife(CONFIG);
      const reader = new Reader();
      const open: string[] = [];
      for (const each of steps) {
        await take(each, life, reader, open);
        reader.at = life.clock.monotonic();
      }
      const entries = await life.entries();
      const told = new Map<AnomalyType, string[]>(ANOMALY_TYPES.map((type) => [type, []]));
      for (const { entry_type, data } of entries) {
        const type = textAt(data, 'anomaly_type') as AnomalyType;
        if (entry_type === 'health_anomaly') told.get(type)!.push(`found ${textAt(data, 'event_id')}`);
        if (entry_type === 'health_recovered') told.get(type)!.push('over');
      }
      expect(told).toEqual(reader.told);
      // From every checkpoint on, and from the beginning, it is the same.
      for (const [at, { entry_type }] of entries.entries()) {
        if (at > 0 && entry_type !== 'checkpoint') continue;
        expect(foldEntries(structuredClone(entries.slice(at))).health).toEqual(life.health);
      }
    }),
    { numRuns: RUNS },
  );
}, 120_000);

async function take(each: Step, life: HealthLife, reader: Reader, open: string[]): Promise<void> {
  switch (each.do) {
    case 'begin':
      if (open.length < 3) open.push(life.begin());
      return;
    case 'call': {
      const event = open[each.of];
      if (event === undefined) return;
      life.announce(event, each.letter, each.letter);
      reader.call(event, each.letter);
      return;
    }
    case 'end': {
      const [event] = open.splice(each.of, 1);
      if (event === undefined) return;
      life.over(event, each.isOk, each.reply);
      reader.end(event, each.isOk, each.reply);
      return;
    }
    case 'crash':
      await life.crash();
      return;
    case 'checkpoint': {
      const state = snapshotToState(life.recorder.snapshot, FOLD_VERSION);
      await life.recorder.record('checkpoint', { state: cloneJson(state) });
      return;
    }
    case 'clear':
      if (reader.clear(each.type)) life.keeper.clear(each.type, OPERATOR);
      return;
    case 'wait':
      life.clock.pass(each.ms);
      return;
    case 'set':
      life.clock.set(each.ms);
      life.recorder.lookAtClock();
      return;
  }
}
