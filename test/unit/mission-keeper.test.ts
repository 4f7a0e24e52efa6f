// The keeper of a mission over a judge that is no worker: whoever answers may be one. Its clock stands still unless it is told
// to go on.

import { expect, test } from 'vitest';
import { BudgetKeeper } from '../../core/governance/budget-keeper.ts';
import { MissionKeeper } from '../../core/governance/mission-keeper.ts';
import { InMemoryJournal } from '../../core/journal/index.ts';
import { DEFAULT_BUDGET } from '../../core/model/budget.ts';
import type { Cause } from '../../core/model/escalation.ts';
import type { Json } from '../../core/model/json.ts';
import type { Judge, JudgeCall, JudgeView } from '../../core/model/judge.ts';
import { DEFAULT_MISSION, type MissionConfig } from '../../core/model/mission.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { Recorder } from '../../core/runtime/recorder.ts';
import { noCaps } from '../support/budgets.ts';
import { SteppedClock } from '../support/stepped-clock.ts';
import { waitFor } from '../support/wait-for.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-01T12:00:00Z');

interface Asked {
  readonly view: JudgeView;
  readonly call: JudgeCall;
  readonly answer: (opinion: Json) => void;
  readonly fail: (error: Error) => void;
}

interface Kept {
  readonly clock: SteppedClock;
  readonly keeper: MissionKeeper;
  /** Everything that a judge was asked, in order; it says nothing by itself. */
  readonly asked: readonly Asked[];
  readonly told: readonly Cause[];
  readonly done: readonly string[];
  readonly snapshot: () => Readonly<ProcessSnapshot>;
  /** One run more. */
  readonly ran: () => void;
  /** The same, and, once it is asked, what the judge says of it. */
  readonly run: (opinion: Json) => Promise<void>;
}

function kept(more: Partial<MissionConfig> = {}): Kept {
  const clock = new SteppedClock(START);
  const journal = new InMemoryJournal();
  const ids = { next: () => crypto.randomUUID() };
  const recorder = new Recorder(emptySnapshot(), {
    journal,
    process: 'agent',
    level: 'checkpoint',
    checkpointEvery: 'auto',
    clock,
    ids,
    onFailure: (error) => {
      throw error;
    },
  });
  const asked: Asked[] = [];
  const told: Cause[] = [];
  const done: string[] = [];
  const judge: Judge = {
    judge: (view, call) => {
      call.onBegan();
      const { promise, resolve, reject } = Promise.withResolvers<Json>();
      asked.push({ view, call, answer: resolve, fail: reject });
      return promise;
    },
    idle: async () => {},
  };
  const budget = new BudgetKeeper({
    process: 'agent',
    config: () => DEFAULT_BUDGET,
    caps: noCaps(clock),
    recorder: () => recorder,
    clock,
    onExceeded: () => {},
    onReleased: () => {},
  });
  const keeper = new MissionKeeper({
    process: 'agent',
    config: { ...DEFAULT_MISSION, objective: 'ship', ...more },
    recorder: () => recorder,
    clock,
    judge,
    budget,
    escalate: (cause) => void told.push(cause),
    mayMove: () => true,
    mayJudge: () => true,
    onOver: (what, { reason }) => {
      done.push(`${what}: ${reason}`);
      if (what === 'suspend') recorder.note('hold_placed', { hold: 'mission', reason, actor: 'host' });
      else recorder.note('state_transition', { from_state: 'running', to_state: 'stopping', reason });
    },
    onRoom: () => {},
    onChange: () => {},
  });
  keeper.look();
  const ran = (): void => {
    recorder.note('invocation_result', { invocation: asked.length + 1, event_id: 'e', response: '' });
    keeper.look();
  };
  return {
    clock,
    keeper,
    asked,
    told,
    done,
    snapshot: () => recorder.snapshot,
    ran,
    run: async (opinion) => {
      const before = asked.length;
      ran();
      await waitFor(() => asked.length > before, { what: 'the judge' });
      asked.at(-1)!.answer(opinion);
      await waitFor(() => recorder.snapshot.mission!.judging === null, { what: 'its answer' });
    },
  };
}

const NOT = { achieved: false, confidence: 0.1 };
const UNSURE = { achieved: true, confidence: 0.5, reasoning: 'looks like it' };

test('achieved with too little confidence is told once, and again only after it was not', async () => {
  const { run, told, snapshot } = kept();
  for (const opinion of [UNSURE, UNSURE, NOT, UNSURE]) await run(opinion);
  expect(snapshot().mission).toMatchObject({ status: 'active', outcome: 'unsure', evaluations: 4 });
  expect(told).toHaveLength(2);
  expect(told[0]).toMatchObject({
    kind: 'mission',
    key: 'mission/low-confidence',
    detail: { type: 'low_confidence', process_id: 'agent', confidence: 0.5, reasoning: 'looks like it' },
    target: null,
  });
});

test('a mission that is late fails by itself, is told to whoever the manifest names, and the process is held', async () => {
  const target = { webhookUrl: null, eventType: 'mission.trouble' };
  const { clock, told, done, snapshot } = kept({ timeoutMs: 2 * HOUR, escalation: target });
  clock.pass(2 * HOUR - 1);
  expect(snapshot().mission!.status).toBe('active');
  clock.pass(1);
  expect(snapshot().mission).toMatchObject({ status: 'failed', reason: 'it was not achieved within 2 h' });
  expect(done).toEqual(['suspend: mission failed: it was not achieved within 2 h']);
  expect(told).toMatchObject([{ key: 'mission/failed', detail: { why: 'timeout' }, target }]);
});

test('[S22] a clock that is set back by an hour, or by a day, ends nothing early and nothing late', async () => {
  const { clock, keeper, snapshot } = kept({ timeoutMs: 2 * HOUR });
  clock.pass(HOUR);
  clock.set(-HOUR);
  keeper.look();
  clock.pass(HOUR - 1);
  keeper.look();
  expect(snapshot().mission!.status).toBe('active');
  clock.pass(1);
  keeper.look();
  expect(snapshot().mission!.status).toBe('failed');
});

test('a judge that hangs is told to end, and what it says later is nobody’s; it is asked again after a while that doubles, and no more than it may', async () => {
  const { clock, keeper, asked, snapshot, ran } = kept({
    judgeTimeoutMs: 5_000,
    judgeBackoffMs: 1_000,
    judgeRetries: 2,
  });
  const recorderSays = (attempts: number): Promise<unknown> =>
    waitFor(() => snapshot().mission!.unknown?.attempts === attempts, { what: `attempt ${attempts}` });
  const next = async (count: number): Promise<Asked> => {
    await waitFor(() => asked.length === count, { what: `asking ${count}` });
    return asked[count - 1]!;
  };
  ran();
  const first = await next(1);
  clock.pass(5_000);
  await recorderSays(1);
  expect(first.call.callOff.aborted).toBe(true);
  expect(snapshot().mission!.unknown!.reason).toBe('the judge gave no verdict within 5 s');
  first.answer({ achieved: true, confidence: 1 });
  clock.pass(999);
  expect(asked).toHaveLength(1);
  clock.pass(1);
  (await next(2)).fail(new Error('no idea'));
  await recorderSays(2);
  clock.pass(1_999);
  expect(asked).toHaveLength(2);
  clock.pass(1);
  (await next(3)).answer('yes');
  await recorderSays(3);
  clock.pass(10 * HOUR);
  keeper.look();
  expect(asked).toHaveLength(3);
  expect(snapshot().mission).toMatchObject({ status: 'active', evaluations: 0 });
});
