// What the journal tells of a mission, and what is to be done next: pure, on any order of events.

import { expect, test } from 'vitest';
import { checkpointToSnapshot, isFullCheckpoint, snapshotToState } from '../../core/model/checkpoint.ts';
import { DEFAULT_BUDGET } from '../../core/model/budget.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { foldEntries, FOLD_VERSION, type FoldedEntry } from '../../core/model/fold.ts';
import { MAX_HISTORY, type MissionState } from '../../core/model/mission-state.ts';
import { driftOf, missionRoom, missionStep, type MissionStep } from '../../core/model/mission-step.ts';
import { DEFAULT_MISSION, type MissionConfig } from '../../core/model/mission.ts';
import { overshootOf } from '../../core/model/overshoot.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { timestampOf } from '../../core/model/time.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Line = readonly [type: string, data: JsonObject, atMs?: number];
const line = ([entry_type, data, atMs = 0]: Line, at: number): FoldedEntry => ({
  seq: at + 1,
  timestamp: timestampOf(START + atMs),
  entry_type,
  data,
});
const fold = (...lines: readonly Line[]): ProcessSnapshot => foldEntries(lines.map(line));
const missionOf = (...lines: readonly Line[]): MissionState => fold(...lines).mission!;

const begins: Line = ['mission_started', { objective: 'ship', success_criteria: 'all', actor: 'host' }];
const ran = (atMs = 0): Line => ['invocation_result', { invocation: 1, event_id: 'e' }, atMs];
const asked = (run: number): Line => ['mission_judging', { run, booked: { cost: 2 } }];
const said = (run: number, more: JsonObject = {}, atMs = 0): Line => [
  'mission_evaluated',
  { run, achieved: false, confidence: 0.5, outcome: 'not_achieved', reasoning: '', ...more },
  atMs,
];
const unknown = (run: number, more: JsonObject = {}, atMs = 0): Line => [
  'mission_evaluated',
  { run, unknown: 'no idea', ...more },
  atMs,
];

const config: MissionConfig = { ...DEFAULT_MISSION, objective: 'ship', successCriteria: 'all' };

/** What is due, so long after the start. */
const step = (
  lines: readonly Line[],
  more: Partial<MissionConfig> = {},
  { atMs = 0, isJudging = false, mayJudge = true, tooMuch = null as string | null } = {},
): MissionStep =>
  missionStep({ ...config, ...more }, fold(...lines), {
    nowMs: START + atMs,
    isJudging,
    mayJudge,
    tooMuch: () => tooMuch,
  });

test('a mission begins with the process, once, and another objective is another one', () => {
  expect(step([])).toEqual({ kind: 'start' });
  expect(step([], {}, { mayJudge: false })).toEqual({ kind: 'rest', forMs: null });
  expect(step([begins])).toEqual({ kind: 'rest', forMs: null });
  expect(step([begins], { successCriteria: 'most' })).toEqual({ kind: 'start' });
  const facts = { nowMs: START, isJudging: false, mayJudge: true, tooMuch: () => null };
  expect(missionStep(null, fold(begins), facts)).toEqual({ kind: 'withdraw' });
  expect(fold(begins, ['mission_changed', { to: 'withdrawn' }]).mission).toBeNull();
});

test('[P4] what is due comes from the journal: after every so many runs, until there is a verdict', () => {
  const every = { evalEvery: 2 };
  expect(step([begins, ran()], every)).toMatchObject({ kind: 'rest' });
  expect(step([begins, ran(), ran()], every)).toEqual({ kind: 'judge', run: 2 });
  expect(step([begins, ran(), ran(), ran()], every)).toEqual({ kind: 'judge', run: 2 });
  expect(step([begins, ran(), ran(), asked(2)], every, { isJudging: true })).toMatchObject({ kind: 'rest' });
  // Asked by a host that is gone: that is said, and then it is due as before.
  expect(step([begins, ran(), ran(), asked(2)], every)).toEqual({ kind: 'lost', run: 2 });
  expect(step([begins, ran(), ran(), asked(2), unknown(2)], every, { atMs: HOUR })).toEqual({
    kind: 'judge',
    run: 2,
  });
  expect(step([begins, ran(), ran(), asked(2), said(2)], every)).toMatchObject({ kind: 'rest' });
});

test('no verdict is asked for again after a while that grows, so often and no more, and with the next run that is due', () => {
  const few = { judgeRetries: 1, judgeBackoffMs: 1_000 };
  const once = [begins, ran(), asked(1), unknown(1)];
  expect(step(once, few)).toEqual({ kind: 'rest', forMs: 1_000 });
  expect(step(once, few, { atMs: 1_000 })).toEqual({ kind: 'judge', run: 1 });
  const twice = [...once, asked(1), unknown(1, {}, 1_000)];
  expect(step(twice, few, { atMs: HOUR })).toEqual({ kind: 'rest', forMs: null });
  expect(step([...twice, ran()], few, { atMs: HOUR })).toEqual({ kind: 'judge', run: 2 });
  // Called off is not tried.
  const off = [begins, ran(), asked(1), unknown(1, { called_off: true })];
  expect(step(off, { judgeRetries: 0 })).toEqual({ kind: 'judge', run: 1 });
  expect(missionOf(...off).unknown).toMatchObject({ attempts: 0 });
});

test('a judge that the budget has no room for waits, which is said once', () => {
  const due = [begins, ran()];
  expect(step(due, {}, { tooMuch: 'spent' })).toEqual({ kind: 'unaffordable', run: 1, why: 'spent' });
  const told = [...due, unknown(1, { waits_for_budget: true })];
  expect(step(told, {}, { tooMuch: 'spent' })).toMatchObject({ kind: 'rest' });
  expect(step(told)).toEqual({ kind: 'judge', run: 1 });
});

test('[C17] max_invocations: the last run is judged, and then it has failed; what is under way counts', () => {
  const most = { maxInvocations: 2, evalEvery: 9 };
  const two = [begins, ran(), ran()];
  expect(step(two, most)).toEqual({ kind: 'judge', run: 2 });
  expect(step([...two, asked(2), said(2)], most)).toEqual({ kind: 'fail', why: 'max_invocations' });
  expect(step([...two, asked(2), said(2, { achieved: true, outcome: 'achieved' })], most)).toEqual({
    kind: 'complete',
  });
  const open = [
    ['trigger_event', { event_id: 'x', trigger_id: 't', trigger_type: 'manual', payload: null }],
    ['invocation_start', { event_id: 'x', invocation: 2 }],
  ] as const satisfies readonly Line[];
  expect(missionRoom({ ...config, ...most }, fold(begins, ran()))).toBe(1);
  expect(missionRoom({ ...config, ...most }, fold(begins, ran(), ...open))).toBe(0);
  expect(missionRoom(config, fold(begins, ran(), ...open))).toBe(Infinity);
  expect(missionRoom({ ...config, ...most }, fold(...two, ['mission_changed', { to: 'paused' }]))).toBe(
    Infinity,
  );
});

test('timeout_hours counts from the recorded start; a clock that is set back ends nothing early, and one that was asleep went on', () => {
  const hours = { timeoutMs: 2 * HOUR };
  expect(step([begins], hours, { atMs: HOUR })).toEqual({ kind: 'rest', forMs: HOUR });
  expect(step([begins], hours, { atMs: 2 * HOUR })).toEqual({ kind: 'fail', why: 'timeout' });
  // After an hour it is set back by one: an hour is left, and at once it is the same time as at the start.
  const back: Line = ['clock_changed', { by_ms: -HOUR }, 0];
  expect(step([begins, back], hours, { atMs: 0 })).toEqual({ kind: 'rest', forMs: HOUR });
  expect(step([begins, back], hours, { atMs: HOUR })).toEqual({ kind: 'fail', why: 'timeout' });
  // Set right again, nothing is left of it.
  const right: Line = ['clock_changed', { by_ms: HOUR }, HOUR];
  expect(step([begins, back, right], hours, { atMs: HOUR })).toEqual({ kind: 'rest', forMs: HOUR });
  // Ahead by itself: it slept.
  expect(step([begins, right], hours, { atMs: HOUR })).toEqual({ kind: 'rest', forMs: HOUR });
  // What a pause takes is not counted.
  const pause: Line = ['mission_changed', { to: 'paused' }, HOUR];
  const resume: Line = ['mission_changed', { to: 'active' }, 5 * HOUR];
  expect(step([begins, pause], hours, { atMs: 9 * HOUR })).toMatchObject({ kind: 'rest' });
  expect(step([begins, pause, resume], hours, { atMs: 5.5 * HOUR })).toEqual({
    kind: 'rest',
    forMs: HOUR / 2,
  });
});

test('[P4] what was still to be done when the host died is done in the next life, and an operator who decides otherwise is heard', () => {
  const over: Line = ['mission_completed', { next: 'stop', actor: 'host', reason: 'done' }];
  const achieved = [begins, ran(), asked(1), said(1, { achieved: true, outcome: 'achieved' })];
  expect(step(achieved)).toEqual({ kind: 'complete' });
  expect(step(achieved, { autoComplete: false })).toMatchObject({ kind: 'rest' });
  expect(step([...achieved, over])).toEqual({ kind: 'carry-out', what: 'stop' });
  const transition = (to_state: string): Line => ['state_transition', { from_state: 'running', to_state }];
  expect(step([...achieved, over, transition('stopping')])).toMatchObject({ kind: 'rest' });
  const failed: Line = ['mission_failed', { next: 'suspend', actor: 'host', reason: 'late' }];
  expect(step([begins, failed])).toEqual({ kind: 'carry-out', what: 'suspend' });
  expect(step([begins, failed, ['hold_placed', { hold: 'mission', reason: 'x' }]])).toMatchObject({
    kind: 'rest',
  });
  expect(step([begins, failed, transition('starting')])).toMatchObject({ kind: 'rest' });
});

test('a mission that is taken up again after its end begins its limits anew, and keeps its history', () => {
  const failed: Line = ['mission_failed', { next: 'suspend', actor: 'host', reason: 'late' }];
  const again: Line = ['mission_changed', { to: 'active', actor: 'operator:ann', reason: 'more' }, HOUR];
  const mission = missionOf(begins, ran(), asked(1), said(1), failed, again);
  expect(mission).toMatchObject({
    status: 'active',
    runs: 0,
    judged: 0,
    outcome: null,
    pending: null,
    evaluations: 1,
    startedMs: START + HOUR,
  });
  expect(mission.history).toHaveLength(1);
});

test('drift is the time since the last verdict that gave more than every one before, or that it is achieved', () => {
  const lines = [
    begins,
    said(1, { confidence: 0.4, progress: 0.2 }, MINUTE),
    said(2, { confidence: 0.3, progress: 0.3 }, 2 * MINUTE),
    // Back and forth is no advance.
    said(3, { confidence: 0.2, progress: 0.1 }, 3 * MINUTE),
    said(4, { confidence: 0.4, progress: 0.3 }, 4 * MINUTE),
  ];
  expect(driftOf(missionOf(begins), START + MINUTE)).toBe(MINUTE);
  expect(driftOf(missionOf(...lines), START + 10 * MINUTE)).toBe(8 * MINUTE);
  const achieved = said(5, { confidence: 0.4, achieved: true, outcome: 'unsure' }, 9 * MINUTE);
  expect(driftOf(missionOf(...lines, achieved), START + 10 * MINUTE)).toBe(MINUTE);
  expect(driftOf(missionOf(...lines, unknown(5, {}, 9 * MINUTE)), START + 10 * MINUTE)).toBe(8 * MINUTE);
  expect(driftOf(missionOf(...lines), START)).toBe(0);
});

test('what the judge costs is reserved before it is asked, and spent with whatever it said', () => {
  expect(fold(begins, ran(), asked(1)).budget).toMatchObject({ reserved: { cost: 2 }, spent: {} });
  expect(fold(begins, ran(), asked(1), said(1)).budget).toMatchObject({ reserved: {}, spent: { cost: 2 } });
  expect(fold(begins, ran(), asked(1), unknown(1)).budget).toMatchObject({ spent: { cost: 2 } });
  // It had not begun.
  expect(fold(begins, ran(), asked(1), unknown(1, { used: {} })).budget.spent['cost']).toBeUndefined();
  // Nobody will say any more.
  expect(fold(begins, ran(), asked(1), begins).budget).toMatchObject({ reserved: {}, spent: { cost: 2 } });
});

test('[S17] all of it is in every checkpoint, which an older one without it still is', () => {
  const snapshot = fold(begins, ran(), asked(1), said(1, { progress: 0.5 }), ran(), unknown(2), asked(2));
  const state = JSON.parse(JSON.stringify(snapshotToState(snapshot, FOLD_VERSION))) as JsonObject;
  expect(isFullCheckpoint({ state })).toBe(true);
  expect(checkpointToSnapshot({ state }, emptySnapshot()).mission).toEqual(snapshot.mission);
  const { mission: _, ...older } = state['holdfast'] as JsonObject;
  const before = { state: { ...state, holdfast: older } };
  expect(isFullCheckpoint(before)).toBe(true);
  expect(checkpointToSnapshot(before, emptySnapshot()).mission).toBeNull();
});

test('[P3] a model that judges counts for the day, for caps and for how fast is spent, in the currency of its prices', () => {
  const cap: Line = ['cap_applied', { cap: 'workspace', id: 'd', until: '2026-03-02T00:00:00Z', limits: {} }];
  const model = { model: 'openai:x', prices: 'p1', currency: 'EUR' };
  const booked = { cost: 1, modelTurns: 1, unpriced: 1 };
  const limited = { ...DEFAULT_BUDGET, limits: { max_tokens_per_day: 100 } };
  const overshoot = (...lines: readonly Line[]): number | null =>
    overshootOf(limited, fold(begins, cap, ran(), ...lines), {
      limit: 'max_tokens_per_day',
      eventId: null,
      nowMs: START,
    });
  const judging = (more: JsonObject = {}): Line => ['mission_judging', { run: 1, booked, ...model, ...more }];
  expect(overshoot(judging())).toBeNull();
  expect(overshoot(judging({ most: { tokens: 350 } }))).toBe(250);
  const used = { cost: 1, modelTurns: 1, tokens: 120, tokensIn: 120, money: 0.25 };
  expect(overshoot(judging(), said(1, { used }))).toBe(20);
  const open = fold(begins, cap, ran(), judging({ most: { tokens: 350 } }));
  expect(open).toMatchObject({ budget: { reserved: booked, currency: 'EUR' } });
  const state = JSON.parse(JSON.stringify(snapshotToState(open, FOLD_VERSION))) as JsonObject;
  expect(checkpointToSnapshot({ state }, emptySnapshot()).mission).toEqual(open.mission);
  const over = fold(begins, cap, ran(), judging(), said(1, { used }));
  expect(over.budget).toMatchObject({ reserved: {}, spent: used, spending: { minutes: [{ spent: used }] } });
  expect(over.caps.workspace!.spent).toEqual({ runs: 1, ...used });
  const left = fold(begins, cap, ran(), judging(), begins);
  expect(left.budget).toMatchObject({ reserved: {}, spent: booked });
});

test('[P8] of a checkpoint whose mission is none of ours only that is not believed', () => {
  const snapshot = fold(begins, ran(), asked(1), said(1));
  const state = JSON.parse(JSON.stringify(snapshotToState(snapshot, FOLD_VERSION))) as JsonObject;
  const mark = state['holdfast'] as JsonObject;
  const withMission = (mission: JsonObject): { state: JsonObject } => ({
    state: { ...state, holdfast: { ...mark, mission } },
  });
  const mission = mark['mission'] as JsonObject;
  const none = (wrong: JsonObject): void => {
    expect(isFullCheckpoint(withMission(wrong))).toBe(true);
    expect(checkpointToSnapshot(withMission(wrong), emptySnapshot()).mission).toBeNull();
  };
  none({ ...mission, bestConfidence: '7' });
  none({ ...mission, history: [{ at: 1 }] });
  none({ ...mission, status: 'dreaming' });
  none({});
  const [verdict] = mission['history'] as JsonObject[];
  const absurd = { ...mission, history: [{ ...verdict, confidence: 7 }, verdict!] };
  expect(checkpointToSnapshot(withMission(absurd), emptySnapshot()).mission!.history).toEqual([verdict]);
});

test('the history is bounded, and what makes no sense in a line changes nothing', () => {
  const many = Array.from({ length: MAX_HISTORY + 40 }, (_, at) =>
    said(at + 1, { reasoning: 'x'.repeat(2_000) }),
  );
  const mission = missionOf(begins, ...many);
  expect(mission.history).toHaveLength(MAX_HISTORY);
  expect(mission.evaluations).toBe(MAX_HISTORY + 40);
  expect(JSON.stringify(mission).length).toBeLessThan(MAX_HISTORY * 600);
  const before = missionOf(begins, ran());
  const nonsense: readonly Line[] = [
    said(1, { confidence: 2 }),
    said(1, { achieved: 'yes' }),
    said(1, { outcome: 'maybe' }),
    ['mission_judging', { run: 0 }],
    ['mission_changed', { to: 'flying' }],
    ['mission_started', { objective: '' }],
  ];
  for (const one of nonsense) expect(missionOf(begins, ran(), one)).toEqual(before);
  expect(fold(said(1), ['mission_failed', {}], asked(1)).mission).toBeNull();
});
