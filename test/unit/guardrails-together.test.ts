// Guardrails that meet: each does its own, whatever the others do, and none of it is lost between two lines of the journal.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CostHistory, type CostRow } from '../../core/model/cost-history.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import type { CapConfig, CapLimits } from '../../core/model/caps.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import { budget, CHARGES, extend, isHeld, written } from '../support/budgets.ts';
import { causesOf, escalating, escalation, eventOf } from '../support/escalations.ts';
import { health, isHeldByHealth } from '../support/health.ts';
import { achievedAt, entriesOf, isMission, judged, mission, runs, verdictsOf } from '../support/missions.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { PLANTED, secretsOf } from '../support/secrets.ts';
import { SteppedClock } from '../support/stepped-clock.ts';

const cap = (limits: CapLimits): { readonly caps: { readonly workspace: CapConfig } } => ({
  caps: { workspace: { limits, resetHour: 0, resetZone: 'UTC' } },
});
const TOLD: Pick<ProcessConfig, 'escalation'> = escalation(eventOf('ops.alert'), { secret: null });
const kindsOf = ({ process }: Bench): readonly string[] => process.snapshot.holds.map(({ kind }) => kind);
const keysOf = (of: Bench): readonly string[] => causesOf(of).map(({ key }) => key);

/** As a host leaves a journal that is killed right behind this entry. */
async function killedBehind(
  of: Bench,
  ...entries: readonly (readonly [type: string, data: JsonObject])[]
): Promise<void> {
  await of.quit();
  const journal = openFileJournal(join(of.directory, 'journal'));
  for (const [entry_type, data] of entries) await journal.append({ process_id: 'agent', entry_type, data });
  await journal.close();
}

test('[P4] what a judge costs counts under a cap, for how fast the process spends, and in its cost history', async () => {
  const agent = judged(
    achievedAt(9),
    "await ctx.effect('charge', { class: 'ask', args: event.payload }, async () => void note('charge'));",
  );
  const limits = budget({ limits: { max_cost_per_day: 100 } });
  const config = { ...mission({ judgeCost: 2 }), ...limits };
  const b = await bench(agent, config, undefined, cap({ max_cost_per_day: 3 }));
  await runs(b, 1);
  await b.until('the verdict', (process) => verdictsOf(process) === 1);
  const { snapshot } = b.process;
  expect(snapshot.caps.workspace?.spent).toMatchObject({ cost: 3 });
  expect(snapshot.budget.spending.minutes.reduce((sum, { spent }) => sum + (spent.cost ?? 0), 0)).toBe(3);
  await b.trigger();
  await b.until('the hold', isHeld(b));
  expect(b.process.snapshot.holds[0]!.reason).toMatch(/^cost of a day: 3 of 3 used .*cap of workspace/);
  expect((await folded(b)).caps).toEqual(b.process.snapshot.caps);
  const history = new CostHistory();
  const rows = (await b.entries()).flatMap((entry): CostRow[] => {
    const row = history.feed(entry);
    return row === null ? [] : [row];
  });
  expect(rows.map(({ effect, outcome, spent }) => [effect, outcome, spent.cost])).toEqual([
    ['charge', 'done', 1],
    ['mission.judge', 'done', 2],
  ]);
  // Resuming says what would help.
  await expect(b.process.resume(OPERATOR)).rejects.toThrow(/Raise that cap in holdfast\.yaml/);
  await expect(extend(b, 'max_runs_per_day', 1)).rejects.toThrow(/waits for the cap of workspace/);
});

test('[C13] held by a cap, with on_exceeded: escalate: somebody is told, and which cap it is', async () => {
  const b = await bench(CHARGES, escalating(9), undefined, cap({ max_tool_calls_per_day: 1 }));
  await b.trigger('2');
  await b.until('the hold', isHeld(b));
  await b.until('the cause', () => causesOf(b).length === 1);
  const [raised] = await entriesOf(b, 'escalation_raised');
  expect(raised!.data).toMatchObject({
    key: 'budget/max_tool_calls_per_day',
    summary: expect.stringContaining('cap of workspace'),
    detail: { violation: { limit_value: 1, current_value: 1 }, cap: 'workspace' },
  });
  b.runtime.changeCaps({});
  await b.until('the end', isIdle);
  expect(causesOf(b)).toMatchObject([{ overWhy: 'nothing waits for its budget any more' }]);
});

test('[S25] on_exceeded that is made escalate while it is held tells at once', async () => {
  const b = await bench(CHARGES, { ...written({ max_tool_calls_per_day: 1 }), ...TOLD });
  await b.trigger('2');
  await b.until('the hold', isHeld(b));
  expect(causesOf(b)).toEqual([]);
  const set = { 'budget.on_exceeded': 'escalate' };
  await b.process.governance.changeSettings({ set, undo: [] }, OPERATOR);
  expect(keysOf(b)).toEqual(['budget/max_tool_calls_per_day']);
  await b.process.governance.changeSettings(
    { set: { 'budget.max_tool_calls_per_day': 2 }, undo: [] },
    OPERATOR,
  );
  await b.until('the end', isIdle);
  expect(causesOf(b)).toMatchObject([{ repeats: 0, overWhy: 'nothing waits for its budget any more' }]);
});

test('[S34] held by its budget and by its health, it goes on when each of the two is lifted', async () => {
  const b = await bench(
    `await Promise.all([0, 1].map((n) => ctx.effect('charge', { class: 'ask', args: 1 }, async () => void note('charge ' + n))));
     await ctx.effect('end', { class: 'ask' }, async () => void note('end'));`,
    { ...budget({ limits: { max_tool_calls_per_day: 2 } }), ...health('pause', { stuckThreshold: 3 }) },
  );
  await b.trigger();
  await b.until('the hold', isHeld(b));
  await killedBehind(b, [
    'health_anomaly',
    {
      anomaly_type: 'high_error_rate',
      description: 'half of the runs failed',
      action: 'pause',
      cooldown_ms: 0,
    },
  ]);
  const c = await b.again();
  expect(kindsOf(c)).toEqual(['budget', 'health']);
  expect(isHeldByHealth(c.process)).toBe(true);
  await extend(c, 'max_tool_calls_per_day', 1);
  expect(kindsOf(c)).toEqual(['health']);
  await c.process.resume(OPERATOR);
  await c.until('the end', isIdle);
  expect(c.ledger().at(-1)).toBe('end');
});

test('[S34] held by its budget when its mission fails: resuming lifts the one, and more of the limit the other', async () => {
  const agent = judged(
    achievedAt(9),
    "for (const n of [1, 2]) await ctx.effect('charge', { class: 'ask', args: n }, async () => void note('charge ' + n));",
  );
  const b = await bench(agent, { ...mission(), ...budget({ limits: { max_tool_calls_per_day: 1 } }) });
  await b.trigger();
  await b.until('the hold', isHeld(b));
  await b.process.governance.changeMission('fail', OPERATOR);
  await b.until('both', () => kindsOf(b).length === 2);
  await b.process.resume(OPERATOR);
  expect(kindsOf(b)).toEqual(['budget']);
  expect(b.process.snapshot.lifecycle).toBe('suspended');
  await extend(b, 'max_tool_calls_per_day', 1);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['charge 1', 'charge 2']);
});

test('[P4] killed between finding and telling: what its health was found to be is told in the next life, once', async () => {
  const config = { ...health('escalate'), ...TOLD };
  const b = await bench('', config);
  await killedBehind(b, [
    'health_anomaly',
    { anomaly_type: 'high_error_rate', description: 'half failed', action: 'escalate', cooldown_ms: 0 },
  ]);
  const c = await b.again();
  expect(causesOf(c)).toMatchObject([{ key: 'health/high_error_rate', summary: 'agent: half failed' }]);
  const d = await c.again();
  expect(causesOf(d)).toMatchObject([{ key: 'health/high_error_rate', repeats: 0, overAt: null }]);
  expect(await entriesOf(d, 'escalation_raised')).toHaveLength(1);
});

const verdict = (outcome: string, confidence: number): readonly [string, JsonObject] => [
  'mission_evaluated',
  { run: 1, invocation: 1, achieved: true, confidence, reasoning: 'saw it', outcome },
];

test.each([
  ['mission/low-confidence', {}, [verdict('unsure', 0.5)]],
  ['mission/achieved', { autoComplete: false }, [verdict('achieved', 0.9)]],
  [
    'mission/failed',
    {},
    [['mission_failed', { why: 'operator', next: 'suspend', actor: 'host', reason: 'no' }]],
  ],
] as const)(
  '[P4] killed between a verdict and telling of it: %s is told in the next life, once',
  async (key, more, entries) => {
    const b = await bench(judged(achievedAt(9)), { ...mission({ evalEvery: 5, ...more }), ...TOLD });
    await b.until('its start', isMission('active'));
    await killedBehind(b, ...entries);
    const c = await b.again();
    await c.until('the cause', () => keysOf(c).includes(key));
    const d = await c.again();
    await d.trigger();
    expect(keysOf(d)).toEqual([key]);
    expect(await entriesOf(d, 'escalation_raised')).toHaveLength(1);
  },
);

test('[J10] a mission whose objective holds a secret is one mission, and not another at every look', async () => {
  const b = await bench(
    judged(achievedAt(9)),
    {
      ...mission({ objective: `use ${PLANTED} well`, maxInvocations: 3, evalEvery: 3 }),
      ...secretsOf(['API_KEY']),
    },
    undefined,
    { environment: { API_KEY: PLANTED } },
  );
  await runs(b, 2);
  expect(await entriesOf(b, 'mission_started')).toHaveLength(1);
  expect(b.process.snapshot.mission).toMatchObject({ objective: 'use [secret:API_KEY] well', runs: 2 });
  const c = await b.again();
  await runs(c, 1);
  await c.until('its failure', isMission('failed'));
  expect(await entriesOf(c, 'mission_started')).toHaveLength(1);
});

test('[S39] taken back to before its mission failed: limits, caps and what was used stay, and nobody is told of it any more', async () => {
  const agent = judged(
    achievedAt(9),
    "await ctx.effect('charge', { class: 'ask', args: event.payload }, async () => void note('charge'));",
  );
  const config = { ...written({ max_tool_calls_per_day: 5 }), ...mission({ evalEvery: 2 }), ...TOLD };
  const b = await bench(
    agent,
    { ...config, ...health('escalate') },
    undefined,
    cap({ max_cost_per_day: 50 }),
  );
  await runs(b, 1);
  await b.until('the end', isIdle);
  const to = b.process.snapshot.seq;
  const set = { 'budget.max_tool_calls_per_day': 4 };
  await b.process.governance.changeSettings({ set, undo: [] }, OPERATOR);
  await runs(b, 1);
  await b.until('the verdict', (process) => verdictsOf(process) === 1);
  await b.process.governance.changeMission('fail', OPERATOR);
  await b.until('the cause', () => keysOf(b).length === 1);
  const before = b.process.snapshot;
  const { undone } = await b.process.rewinds.plan({ to, isHandledAgain: false });
  await b.process.rewinds.apply({ to, isHandledAgain: false }, undone.length, OPERATOR);
  const after = b.process.snapshot;
  expect(after.mission).toMatchObject({ status: 'active', runs: 1, evaluations: 0 });
  expect(after.budget.spent).toEqual(before.budget.spent);
  expect([after.caps, after.settings, after.secrets]).toEqual([before.caps, before.settings, before.secrets]);
  expect(causesOf(b)).toMatchObject([{ key: 'mission/failed', overWhy: 'its mission goes on' }]);
  const c = await b.again();
  expect(c.process.snapshot.caps).toEqual(after.caps);
  expect(c.process.settings.config.budget.limits).toEqual({ max_tool_calls_per_day: 4 });
  await c.process.resume(OPERATOR);
  await runs(c, 1);
  await c.until('the verdict', (process) => verdictsOf(process) === 1);
  const { budget: used, mission: now, caps, settings, escalations } = await folded(c);
  expect({ ...c.process.snapshot }).toMatchObject({
    budget: used,
    mission: now,
    caps,
    settings,
    escalations,
  });
});

test('[S22] a clock that jumps back an hour makes nothing that was granted for a minute last longer', async () => {
  const clock = new SteppedClock(Date.now());
  const b = await bench(CHARGES, budget({ limits: { max_tool_calls_per_day: 1 } }), undefined, { clock });
  await b.process.governance.extendBudget(
    { limit: 'max_tool_calls_per_day', amount: 9, forMs: 60_000 },
    OPERATOR,
  );
  clock.set(-3_600_000);
  await b.trigger('2');
  await b.until('two more', () => b.ledger().length === 2 && isIdle(b.process));
  clock.pass(60_001);
  await b.trigger('1');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(2);
  expect((await folded(b)).budget).toEqual(b.process.snapshot.budget);
});

test('[S3] without a journal all of them guard it all the same', async () => {
  const config = { journalLevel: 'none' as const, ...mission({ onComplete: 'suspend' }), ...health('pause') };
  const b = await bench(judged(achievedAt(2)), { ...config, ...escalating(9), ...TOLD });
  await runs(b, 2);
  await b.until('the end', isMission('completed'));
  await b.until('the hold', () => kindsOf(b).includes('mission'));
  await b.process.resume(OPERATOR);
  await runs(b, 1);
  expect(b.process.snapshot.mission?.status).toBe('completed');
});
