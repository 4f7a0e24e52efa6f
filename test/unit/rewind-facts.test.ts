import { expect, test } from 'vitest';
import { rewindPlanView } from '../../core/host/plan-views.ts';
import type { EntryType } from '../../core/model/entry.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { RewindScan, type RewindPlan } from '../../core/model/rewind.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';

type Said = readonly [type: EntryType, data: JsonObject];

const BEGUN: readonly Said[] = [
  ['trigger_event', { event_id: 'e1', trigger_id: 'manual', trigger_type: 'manual', payload: null }],
  ['invocation_start', { event_id: 'e1', invocation: 1, attempt: 1 }],
];

const started = (name: string, args: string, attempt = 1): Said => [
  'effect_started',
  {
    event_id: 'e1',
    effect_id: `e1/${name}#0`,
    name,
    class: 'ask',
    args_hash: `hash of ${args}`,
    args_preview: args,
    attempt,
  },
];
const finished = (name: string, end: string): Said => [
  'effect_finished',
  { event_id: 'e1', effect_id: `e1/${name}#0`, end, error: '', result: null },
];
const resolved = (name: string, resolution: string): Said => [
  'effect_resolved',
  { effect_id: `e1/${name}#0`, resolution, again: resolution === 'did_not_happen' },
];

function planOf(...entries: readonly Said[]): RewindPlan {
  const scan = new RewindScan(emptySnapshot());
  for (const [at, [entry_type, data]] of [...BEGUN, ...entries].entries())
    scan.feed({ seq: at + 1, timestamp: '2026-01-05T09:00:00.000+00:00', entry_type, data });
  return scan.plan('agent', { seq: 0, timestamp: '', entryType: 'log' }, true);
}

const effectsOf = ({ facts }: RewindPlan): readonly (readonly [string, string | null])[] =>
  facts.filter(({ kind }) => kind === 'effect').map(({ text, end }) => [text, end]);

test('[S39] an effect is one fact however often it was tried, and its end is the last', () => {
  const plan = planOf(
    started('charge', '5'),
    finished('charge', 'did_not_happen'),
    started('charge', '5', 2),
    finished('charge', 'in_doubt'),
    started('charge', '5', 3),
    finished('charge', 'done'),
  );
  expect(effectsOf(plan)).toEqual([['charge 5', 'done']]);
  expect(plan.factCount.effect).toBe(1);
});

test.each([
  ['happened', 'done'],
  ['did_not_happen', 'did_not_happen'],
  ['skip', 'in_doubt'],
])('[P5] [S39] of an effect in doubt an operator said %s: then it is told as %s', (resolution, end) => {
  const plan = planOf(started('charge', '5'), finished('charge', 'in_doubt'), resolved('charge', resolution));
  expect(effectsOf(plan)).toEqual([['charge 5', end]]);
  expect(plan.facts.at(-1)!.seq).toBe(5);
  expect(plan.facts.filter(({ kind }) => kind === 'decision')).toMatchObject([
    { text: 'charge 5', end: resolution },
  ]);
});

test('[P5] [S39] one that is under way is told as unknown, also where an earlier try of it had ended', () => {
  const plan = planOf(
    started('charge', '5'),
    finished('charge', 'did_not_happen'),
    started('charge', '5', 2),
    started('mail', 'ann'),
  );
  expect(effectsOf(plan)).toEqual([
    ['charge 5', null],
    ['mail ann', null],
  ]);
  expect(plan.factCount.effect).toBe(2);
});

test('[P2] [S39] with other arguments behind an earlier rewind it is another deed, and both are told', () => {
  const plan = planOf(
    started('charge', '5'),
    finished('charge', 'done'),
    [
      'effect_unlike',
      { event_id: 'e1', effect_id: 'e1/charge#0', args_hash: 'hash of 6', args_preview: '6' },
    ],
    resolved('charge', 'did_not_happen'),
    started('charge', '6', 2),
    finished('charge', 'done'),
  );
  expect(effectsOf(plan)).toEqual([
    ['charge 5', 'done'],
    ['charge 6', 'done'],
  ]);
});

test('[S39] what was announced and never permitted is no fact', () => {
  const [type, data] = finished('charge', 'did_not_happen');
  expect(effectsOf(planOf(started('charge', '5'), [type, { ...data, unpermitted: true }]))).toEqual([]);
});

test('[S39] promises and timers are told by their names', () => {
  const plan = planOf(
    ['promise_created', { event_id: 'e1', promise_id: 'p-1', name: 'approval', occurrence: 0 }],
    ['timer_started', { event_id: 'e1', timer_id: 't-1', name: 'sleep', occurrence: 0 }],
    ['timer_fired', { event_id: 'e1', timer_id: 't-1' }],
    ['promise_settled', { event_id: 'e1', promise_id: 'p-1', status: 'resolved', value: 1 }],
  );
  expect(plan.facts.map(({ kind, text }) => [kind, text])).toEqual([
    ['event', 'manual'],
    ['timer', 'sleep'],
    ['promise', 'approval'],
  ]);
});

test('[P2] [S39] where there is no room for all, what was done to the world is told before anything else', () => {
  const many = Array.from({ length: 250 }, (_, at) => at);
  const plan = planOf(
    ...many.map((at): Said => ['message_sent', { number: at + 1, kind: 'event', topic: `t${at}` }]),
    ...many.map((at): Said => ['timer_fired', { timer_id: `timer-${at}` }]),
    ...many.map((at): Said => [
      'trigger_event',
      { event_id: `x${at}`, trigger_id: 'manual', trigger_type: 'manual', payload: null },
    ]),
    ...many.flatMap((at) => [started(`refused-${at}`, ''), finished(`refused-${at}`, 'did_not_happen')]),
    ...many.flatMap((at) => [started(`deed-${at}`, ''), finished(`deed-${at}`, 'done')]),
  );
  const shown = rewindPlanView(plan);
  expect(shown.facts).toHaveLength(500);
  const effects = shown.facts.filter(({ kind }) => kind === 'effect');
  expect(effects.map(({ end }) => end)).toEqual(Array.from({ length: 200 }, () => 'done'));
  expect(shown.factCount).toMatchObject({ effect: 500, message: 250, timer: 250, event: 251 });
});

test.each([
  ['invocation_result', {}, 'done'],
  ['event_refused', { trigger_id: 'manual', why: 'not for me' }, 'done'],
  ['error', { final: true }, 'failed'],
  ['error', { final: true, dead_letter: true }, 'given up'],
] as const)('[S39] how an invocation ended is told: %s %j is %s', (type, data, how) => {
  expect(planOf([type, { event_id: 'e1', ...data }]).undone).toMatchObject([{ eventId: 'e1', how }]);
});
