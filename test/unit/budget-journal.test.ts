// What a journal says of limits and use that no host of ours would have written, or that a crash has cut short.

import { expect, test } from 'vitest';
import { parseLossless } from '../../core/journal/lossless.ts';
import { DEFAULT_BUDGET, fitsNow, overrun } from '../../core/model/budget.ts';
import { isFullCheckpoint, snapshotToState } from '../../core/model/checkpoint.ts';
import { FOLD_VERSION, foldEntries, type FoldedEntry } from '../../core/model/fold.ts';
import { budgetOf } from '../../core/model/gauges.ts';
import type { Json, JsonObject } from '../../core/model/json.ts';
import { RewindScan } from '../../core/model/rewind.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';

const AT = '2026-01-05T09:00:00.000+00:00';
const NOW = { nowMs: Date.parse(AT) };

function entries(...drafts: readonly (readonly [string, JsonObject])[]): FoldedEntry[] {
  return drafts.map(([entry_type, data], at) => ({ seq: at + 1, timestamp: AT, entry_type, data }));
}

const begun = (...eventIds: readonly string[]): [string, JsonObject][] =>
  eventIds.flatMap((event_id): [string, JsonObject][] => [
    ['trigger_event', { event_id, trigger_id: 'manual', trigger_type: 'manual', payload: null }],
    ['invocation_start', { event_id, attempt: 1 }],
  ]);

const started = (event_id: string, effect_id: string, booked: Json): [string, JsonObject] => [
  'effect_started',
  { event_id, effect_id, name: 'charge', class: 'ask', attempt: 1, booked },
];
const ended = (event_id: string, effect_id: string, end: string): [string, JsonObject] => [
  'effect_finished',
  { event_id, effect_id, end, result: null, error: '' },
];
const exceeded = (limit: string, event_id: string | null): [string, JsonObject] => [
  'budget_exceeded',
  { limit, max: 1, spent: 1, reserved: 0, asked: 1, ...(event_id === null ? {} : { event_id }) },
];
const held: [string, JsonObject] = ['hold_placed', { hold: 'budget', reason: 'too much', actor: 'host' }];

/** The checkpoint of a state, with something else in its budget. */
function forged(state: ProcessSnapshot, budget: Json): FoldedEntry[] {
  const data = parseLossless(JSON.stringify({ state: snapshotToState(state, FOLD_VERSION) })) as JsonObject;
  const mark = (data['state'] as JsonObject)['holdfast'] as Record<string, Json>;
  mark['budget'] = { ...(mark['budget'] as JsonObject), ...(budget as JsonObject) };
  return entries(['checkpoint', data]);
}

test('[P8] bookings that are no amounts count nothing, and huge ones stay numbers', () => {
  const huge = { toolCalls: 1e308, cost: 1e308 };
  const state = foldEntries(
    entries(
      ...begun('e'),
      started('e', 'a', { toolCalls: -5, cost: 'much', money: null, runs: 0, nonsense: 3 }),
      started('e', 'b', huge),
      started('e', 'c', huge),
      started('e', 'd', [1]),
      ended('e', 'a', 'done'),
      ended('e', 'b', 'done'),
      ended('e', 'c', 'done'),
      ['budget_extended', { limit: 'max_cost_per_day', amount: 1e308, actor: 'x', reason: '' }],
      ['budget_extended', { limit: 'max_cost_per_day', amount: 1e308, actor: 'x', reason: '' }],
      ['budget_extended', { limit: 'max_cost_per_day', amount: -1, actor: 'x', reason: '' }],
      ['budget_extended', { limit: 'max_wishes', amount: 1, actor: 'x', reason: '' }],
      [
        'budget_extended',
        { limit: 'max_cost_per_run', amount: 1, event_id: 'nobody', actor: 'x', reason: '' },
      ],
    ),
  );
  expect(state.budget).toMatchObject({ spent: { runs: 1, toolCalls: 1e15, cost: 1e15 }, reserved: {} });
  expect(state.budget.extensions.map(({ limit }) => limit)).toEqual(['max_cost_per_day', 'max_cost_per_day']);
  expect(isFullCheckpoint({ state: snapshotToState(state, FOLD_VERSION) })).toBe(true);
  const config = { ...DEFAULT_BUDGET, limits: { max_cost_per_day: 5 } };
  for (const { max, spent } of budgetOf(state, { ...NOW, config }).limits) {
    expect(Number.isFinite(max) && Number.isFinite(spent)).toBe(true);
  }
});

test('[S18] a checkpoint with less than nothing in it is not believed', () => {
  const state = foldEntries(entries(...begun('e')));
  for (const budget of [
    { spent: { toolCalls: -100 } },
    { reserved: { cost: -1 } },
    { spent: { toolCalls: 1e300 } },
    { extensions: [{ limit: 'max_cost_per_day', amount: -3, until: null, eventId: null }] },
  ]) {
    expect(isFullCheckpoint(forged(state, budget)[0]!.data)).toBe(false);
  }
});

test('[P8] limits that this version does not know are none, and what else the checkpoint says is believed', () => {
  const overrunOf = { max: 1, spent: 1, reserved: 0, asked: 1, eventId: null };
  const state = foldEntries([
    ...forged(foldEntries(entries(...begun('e'))), {
      warned: ['max_wishes', 'max_cost_per_day', 'constructor'],
      extensions: [{ limit: 'toString', amount: 3, until: null, eventId: null }],
      exceeded: { ...overrunOf, limit: 'max_wishes' },
    }),
    { ...entries(started('e', 'a', { toolCalls: 1 }))[0]!, seq: 2 },
    { ...entries(ended('e', 'a', 'did_not_happen'))[0]!, seq: 3 },
  ]);
  expect(state.open).toHaveLength(1);
  expect(state.budget).toMatchObject({ warned: ['max_cost_per_day'], extensions: [], exceeded: null });
  expect(budgetOf(state, { ...NOW, config: DEFAULT_BUDGET }).exceeded).toBeNull();
});

test('[P4] [P8] the runs of a day that an earlier version counted still count', () => {
  const [checkpoint] = forged(foldEntries([]), {});
  const mark = (checkpoint!.data['state'] as JsonObject)['holdfast'] as Record<string, Json>;
  delete mark['budget'];
  mark['runsToday'] = { day: '2026-01-05', runs: 3 };
  const state = foldEntries([checkpoint!, ...entries(...begun('e')).map((entry) => ({ ...entry, seq: 9 }))]);
  expect(state.budget).toMatchObject({ period: { id: '2026-01-05', until: null }, spent: { runs: 4 } });
  mark['runsToday'] = 'many';
  expect(foldEntries([checkpoint!]).budget.period).toBeNull();
});

test("[P5] Promptise's journal says nothing of limits: its runs of a UTC day are counted, and nothing else is known", () => {
  const state = foldEntries(
    entries(
      ['trigger_event', { event_id: 'e', trigger_id: 't', trigger_type: 'cron', payload: {} }],
      ['invocation_start', { invocation: 1, event_id: 'e' }],
      ['tool_call', { tool: 'send', args: {} }],
      ['tool_result', { tool: 'send', result: 'ok' }],
      ['invocation_result', { invocation: 1, event_id: 'e', duration_ms: 3, response: '' }],
      ['invocation_result', { invocation: 2, event_id: 'f', duration_ms: 3, response: '' }],
    ),
  );
  expect(budgetOf(state, { ...NOW, config: null })).toMatchObject({
    runs: 2,
    cost: null,
    until: null,
    limits: [],
  });
  expect(budgetOf(foldEntries([]), { ...NOW, config: null })).toMatchObject({ runs: null, cost: null });
});

test('[P4] killed between what did not fit and its hold: whoever takes over asks again', () => {
  const cut = entries(...begun('e'), exceeded('max_cost_per_run', 'e'));
  const after = (...more: readonly (readonly [string, JsonObject])[]): ProcessSnapshot =>
    foldEntries([...structuredClone(cut), ...entries(...more).map((entry) => ({ ...entry, seq: 9 }))]);
  expect(after().budget.exceeded).toMatchObject({ limit: 'max_cost_per_run' });
  expect(after(['recovered', { from: 'running' }]).budget.exceeded).toBeNull();
  expect(after(held, ['recovered', { from: 'suspended' }]).budget.exceeded).not.toBeNull();
  expect(after(held, ['hold_lifted', { hold: 'budget' }]).budget.exceeded).toBeNull();
  expect(
    after(['state_transition', { from_state: 'stopped', to_state: 'starting' }]).budget.exceeded,
  ).toBeNull();
});

test('room that another run makes is no room for a run at its own limit, and is for one at that of the day', () => {
  const life = (limit: string) =>
    foldEntries(
      entries(
        ...begun('e', 'f'),
        started('f', 'a', { toolCalls: 1 }),
        exceeded(limit, 'e'),
        ended('f', 'a', 'did_not_happen'),
      ),
    );
  expect(life('max_tool_calls_per_run').budget.exceeded).not.toBeNull();
  expect(life('max_cost_per_day').budget.exceeded).not.toBeNull();
  expect(life('max_tool_calls_per_day').budget.exceeded).toBeNull();
});

test('what did not fit of a day is asked again on the next, whoever asked, and what did not fit of a run is not', () => {
  const next: [string, JsonObject] = [
    'budget_period_started',
    { id: AT, until: '2026-01-06T00:00:00.000+00:00' },
  ];
  for (const [limit, isOver] of [
    ['max_tool_calls_per_day', true],
    ['max_tool_calls_per_run', false],
  ] as const) {
    const { budget } = foldEntries(entries(...begun('e'), exceeded(limit, 'e'), held, next));
    expect(budget.exceeded === null).toBe(isOver);
  }
});

test('a day that is over shows nothing of what was granted or did not fit in it', () => {
  const state = foldEntries(
    entries(
      ['budget_period_started', { id: AT, until: '2026-01-06T00:00:00.000+00:00' }],
      ...begun('e'),
      started('e', 'a', { toolCalls: 1 }),
      ended('e', 'a', 'done'),
      ['budget_extended', { limit: 'max_tool_calls_per_day', amount: 5, actor: 'x', reason: '' }],
      exceeded('max_tool_calls_per_day', 'e'),
    ),
  );
  const config = { ...DEFAULT_BUDGET, limits: { max_tool_calls_per_day: 1 } };
  const tomorrow = { nowMs: Date.parse('2026-01-06T01:00:00Z'), config };
  expect(budgetOf(state, tomorrow)).toMatchObject({
    exceeded: null,
    limits: [{ limit: 'max_tool_calls_per_day', max: 1, spent: 0, reserved: 0 }],
  });
});

test('whether it fits is exact for fractions, and asked again of limits as they are now', () => {
  const state = foldEntries(
    entries(
      ...begun('e'),
      started('e', 'a', { cost: 0.1 }),
      started('e', 'b', { cost: 0.1 }),
      exceeded('max_cost_per_run', 'e'),
    ),
  );
  const of = (max_cost_per_run: number) => ({ ...DEFAULT_BUDGET, limits: { max_cost_per_run } });
  const asked = { asked: { cost: 0.1 }, eventId: 'e', ...NOW };
  expect(overrun(of(0.3), state, asked)).toBeNull();
  expect(overrun(of(0.29), state, asked)).toMatchObject({ reserved: 0.2, asked: 0.1 });
  expect(overrun(of(0.2), state, { ...asked, freed: { cost: 0.1 } })).toBeNull();
  expect(fitsNow(of(1), state, NOW.nowMs)).toBe(false);
  expect(fitsNow(of(1.2), state, NOW.nowMs)).toBe(true);
  expect(fitsNow(DEFAULT_BUDGET, state, NOW.nowMs)).toBe(true);
});

test('[S39] of a run that a rewind finds over nothing is granted, and nothing waits for it', () => {
  const at = (seq: number, entry_type: string, data: JsonObject): FoldedEntry => ({
    seq,
    timestamp: AT,
    entry_type,
    data,
  });
  const fold = (of: readonly FoldedEntry[]): ProcessSnapshot => foldEntries(structuredClone(of));
  const back = (journal: readonly FoldedEntry[], target: number): FoldedEntry[] => {
    const scan = new RewindScan(fold(journal.slice(0, target)));
    const rewind = at(journal.length + 1, 'rewind', { target_seq: target });
    for (const entry of structuredClone([...journal.slice(target), rewind])) scan.feed(entry);
    const state = JSON.stringify(snapshotToState(scan.rewound(true), FOLD_VERSION));
    return [...journal, rewind, at(rewind.seq + 1, 'checkpoint', { state: parseLossless(state) })];
  };
  const over = entries(...begun('e'), ['invocation_result', { event_id: 'e' }]);
  const again = back(over, 2);
  const granted = { limit: 'max_cost_per_run', amount: 2, event_id: 'e', actor: 'x', reason: '' };
  const waiting = [
    ...again,
    at(again.length + 1, ...started('e', 'a', { cost: 1 })),
    at(again.length + 2, 'budget_extended', granted),
    at(again.length + 3, ...exceeded('max_tool_calls_per_run', 'e')),
  ];
  expect(fold(waiting).budget).toMatchObject({
    reserved: { cost: 1 },
    extensions: [{ eventId: 'e' }],
    exceeded: { eventId: 'e' },
  });
  const left = back(waiting, 3);
  const { open, budget } = fold(left);
  expect(open).toEqual([]);
  expect(budget).toMatchObject({
    spent: { runs: 1, cost: 1 },
    reserved: {},
    extensions: [],
    exceeded: null,
  });
  // Taken up once more by another, what it left open is used already.
  const [taken] = fold(back(left, again.length + 1)).open;
  expect(taken).toMatchObject({ event: { eventId: 'e' }, spent: { cost: 1 } });
  expect(taken!.reserved).toBeUndefined();
  expect(taken!.effects.map(({ booked }) => booked)).toEqual([undefined]);
});
