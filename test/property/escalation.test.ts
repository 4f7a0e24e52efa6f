// Whatever happens to a process, to its host and to whoever is told: a cause is raised once for each time that it is there,
// nobody is forgotten over a crash, and nobody is told under two ids of the same.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EscalationKeeper } from '../../core/governance/escalation-keeper.ts';
import { MAX_ATTEMPTS } from '../../core/governance/retry-plan.ts';
import type { PostOutcome, PostRequest } from '../../core/governance/webhook-post.ts';
import { InMemoryJournal } from '../../core/journal/memory-journal.ts';
import { foldEntries } from '../../core/model/fold.ts';
import { DEFAULT_PROCESS_CONFIG, type ProcessConfig } from '../../core/model/process-config.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { Recorder } from '../../core/runtime/recorder.ts';
import { escalating, webhookAt } from '../support/escalations.ts';
import { SteppedClock } from '../support/stepped-clock.ts';

const MINUTE = 60_000;
const config: ProcessConfig = {
  ...DEFAULT_PROCESS_CONFIG,
  ...escalating(1, { escalation: webhookAt('https://hooks.example/x') }),
};
const LIMIT = { limit: 'max_tool_calls_per_day', max: 1, spent: 1, reserved: 0, asked: 1 };

type Step =
  | { readonly kind: 'exceed' | 'relieve' | 'crash' | 'again' }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'answer'; readonly with: 'ok' | 'fails' | 'refuses' | 'hangs' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Step>({ kind: 'exceed' }, { kind: 'relieve' }, { kind: 'again' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'crash' }) },
  { weight: 3, arbitrary: fc.nat(3 * MINUTE).map((ms): Step => ({ kind: 'pass', ms })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('ok' as const, 'fails' as const, 'refuses' as const, 'hangs' as const)
      .map((how): Step => ({ kind: 'answer', with: how })),
  },
);

class World {
  readonly #journal = new InMemoryJournal();
  readonly #clock = new SteppedClock(Date.UTC(2026, 0, 5));
  readonly told = new Map<string, string>();
  #count = 0;
  #answers: 'ok' | 'fails' | 'refuses' | 'hangs' = 'ok';
  #recorder!: Recorder;
  #keeper!: EscalationKeeper;
  #isHeld = false;
  #isToldOtherwise = false;
  periods = 0;

  async begin(): Promise<void> {
    const snapshot = foldEntries(await this.#journal.read('agent'), emptySnapshot());
    const ids = { next: () => `id-${(this.#count += 1)}` };
    const recorder = new Recorder(snapshot, {
      journal: this.#journal,
      process: 'agent',
      level: 'checkpoint',
      checkpointEvery: 'auto',
      clock: this.#clock,
      ids,
      onFailure: (error) => {
        throw error;
      },
    });
    this.#recorder = recorder;
    this.#keeper = new EscalationKeeper({
      process: 'agent',
      config: () => config,
      recorder: () => recorder,
      isSound: () => true,
      clock: this.#clock,
      ids,
      post: (request) => this.#post(request),
      random: () => 0.5,
      onEvent: () => {},
      onUntold: () => {},
      onChange: () => {},
    });
    this.#keeper.open();
    await this.#rest();
  }

  get snapshot(): Readonly<ProcessSnapshot> {
    return this.#recorder.snapshot;
  }

  #post({ headers, body, signal }: PostRequest): Promise<PostOutcome> {
    const id = headers['x-holdfast-delivery']!;
    if (this.#answers === 'hangs') {
      return new Promise((resolve) => {
        const end = (): void =>
          resolve({ isSent: false, reason: 'late', status: null, mayRetry: true, retryAfterMs: null });
        signal.addEventListener('abort', end);
        this.#clock.after(10_000, end);
      });
    }
    if (this.#answers === 'ok') {
      if ((this.told.get(id) ?? body) !== body) this.#isToldOtherwise = true;
      this.told.set(id, body);
      return Promise.resolve({ isSent: true, status: 204 });
    }
    const mayRetry = this.#answers === 'fails';
    return Promise.resolve({ isSent: false, reason: 'no', status: 500, mayRetry, retryAfterMs: null });
  }

  async take(one: Step): Promise<void> {
    const recorder = this.#recorder;
    switch (one.kind) {
      case 'exceed':
        if (this.#isHeld) return;
        this.#isHeld = true;
        this.periods += 1;
        recorder.note('budget_exceeded', LIMIT);
        recorder.note('hold_placed', { hold: 'budget', reason: 'too much', actor: 'host' });
        break;
      case 'relieve':
        this.#isHeld = false;
        recorder.note('hold_lifted', { hold: 'budget', reason: 'enough', actor: 'host' });
        break;
      case 'again': {
        const open = this.snapshot.escalations.find(({ overAt }) => overAt === null);
        if (open !== undefined) this.#keeper.raise({ ...open, target: null });
        break;
      }
      case 'pass':
        // In parts, so that what comes due is done before what is due behind it.
        for (let left = one.ms; left > 0; left -= 5_000) {
          this.#clock.pass(Math.min(left, 5_000));
          await this.#rest();
        }
        return;
      case 'answer':
        this.#answers = one.with;
        return;
      case 'crash':
        this.#keeper.close();
        await this.begin();
        return;
    }
    this.#keeper.look();
    await this.#rest();
  }

  /** Lets everything come to rest that waits for no time to go by. */
  async #rest(): Promise<void> {
    for (let n = 0; n < 4; n += 1) {
      await this.#recorder.settled();
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }

  wrong(): string | null {
    const { escalations } = this.snapshot;
    const open = escalations.filter(({ overAt }) => overAt === null);
    if (open.length !== (this.#isHeld ? 1 : 0)) return `${open.length} are open, and held is ${this.#isHeld}`;
    if (new Set(escalations.map(({ id }) => id)).size !== escalations.length) return 'an id is there twice';
    if (this.#isToldOtherwise) return 'the same id came with other words';
    const tooMuch = escalations.some(({ deliveries }) =>
      deliveries.some(({ attempts }) => attempts > MAX_ATTEMPTS),
    );
    return tooMuch ? 'somebody was told too often' : null;
  }

  /** Deliveries of which nobody knows what became, or something else than is true. */
  unsettled(): readonly unknown[] {
    return this.snapshot.escalations.flatMap(({ id, deliveries }) =>
      deliveries.filter(({ status, reason }) => {
        if (status === 'sent') return !this.told.has(id);
        return status === 'failed' ? reason === '' : status !== 'dropped';
      }),
    );
  }

  async journaled(): Promise<ProcessSnapshot> {
    await this.#recorder.settled();
    return foldEntries(await this.#journal.read('agent'), emptySnapshot());
  }

  async raised(): Promise<number> {
    const entries = await this.#journal.read('agent', { entryType: 'escalation_raised' });
    return entries.filter(({ data }) => !Object.hasOwn(data, 'repeated')).length;
  }
}

test(
  '[P3] [P4] on_exceeded: escalate raises once for each time that it holds, and whoever is to be told is told or given up on record',
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const world = new World();
        await world.begin();
        for (const each of steps) {
          await world.take(each);
          expect(world.wrong()).toBeNull();
        }
        expect(await world.raised()).toBe(world.periods);
        await world.take({ kind: 'answer', with: 'ok' });
        await world.take({ kind: 'pass', ms: 15 * MINUTE });
        expect(world.unsettled()).toEqual([]);
        expect((await world.journaled()).escalations).toEqual(world.snapshot.escalations);
      }),
      { numRuns: 200 },
    );
  },
);
