// Limits as manifests say them: Promptise's keys and defaults, and one clear error for each slip.

import { expect, test } from 'vitest';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import { DEFAULT_BUDGET, type BudgetConfig } from '../../core/model/budget.ts';
import { workspaceOf } from '../support/run-host.ts';

const withBudget = (budget: string) =>
  loadWorkspace(
    workspaceOf({ clerk: '' }, budget === '' ? '' : `budget:\n${budget.trim().replaceAll(/^/gm, '  ')}\n`),
  );

function configOf(budget: string): BudgetConfig {
  const { definitions, problems } = withBudget(budget);
  expect(problems).toEqual([]);
  return definitions[0]!.config.budget;
}

test('every key, with the defaults of Promptise', () => {
  expect(configOf('')).toEqual(DEFAULT_BUDGET);
  expect(
    configOf(`
max_tool_calls_per_run: 10
max_cost_per_run: 2.5
max_irreversible_per_run: 0
max_tool_calls_per_day: 100
max_runs_per_day: 50
max_cost_per_day: 40
tool_costs:
  pay: { cost_weight: 2.5, irreversible: true }
  look: {}
on_exceeded: stop
holdfast:
  max_irreversible_per_day: 3
  warn_at: 0.5
  reset_hour: 6
  reset_timezone: Europe/Zurich`),
  ).toEqual({
    limits: {
      max_tool_calls_per_run: 10,
      max_cost_per_run: 2.5,
      max_irreversible_per_run: 0,
      max_tool_calls_per_day: 100,
      max_runs_per_day: 50,
      max_cost_per_day: 40,
      max_irreversible_per_day: 3,
    },
    effectCosts: {
      pay: { cost: 2.5, isIrreversible: true },
      look: { cost: 1, isIrreversible: false },
    },
    onExceeded: 'stop',
    escalation: null,
    warnAt: 0.5,
    resetHour: 6,
    resetZone: 'Europe/Zurich',
    prices: null,
    unpriced: 'hold',
  });
});

test("Promptise's hour is one of UTC; a budget that is not enabled limits nothing", () => {
  expect(configOf('daily_reset_hour_utc: 5')).toMatchObject({ resetHour: 5, resetZone: 'UTC' });
  expect(configOf('enabled: false\nmax_runs_per_day: 5').limits).toEqual({});
  expect(configOf('max_runs_per_day: null').limits).toEqual({});
});

test.each([
  ['max_runs_per_day: -1', /budget\.max_runs_per_day: .*>=1/],
  ['max_runs_per_day: 0', /budget\.max_runs_per_day: .*>=1/],
  ['max_tool_calls_per_run: 1.5', /budget\.max_tool_calls_per_run: .*int/],
  ['max_cost_per_day: 0', /budget\.max_cost_per_day: .*>0/],
  ['max_cost_per_day: -2.5', /budget\.max_cost_per_day: .*>0/],
  ['max_cost_per_day: .nan', /budget\.max_cost_per_day: .*NaN/],
  ['max_cost_per_day: .inf', /budget\.max_cost_per_day: .*/],
  ['max_cost_per_run: 1e13', /budget\.max_cost_per_run: .*<=1000000000000/],
  ['max_runs_per_day: 1e10', /budget\.max_runs_per_day: .*<=1000000000/],
  ['max_runs_per_day: "5"', /budget\.max_runs_per_day: .*expected number/],
  ['max_irreversible_per_run: -1', /budget\.max_irreversible_per_run: .*>=0/],
  ['tool_costs: { pay: { cost_weight: 0 } }', /budget\.tool_costs\.pay\.cost_weight: .*>0/],
  ['on_exceeded: explode', /budget\.on_exceeded: .*"pause"\|"stop"\|"escalate"/],
  ['daily_reset_hour_utc: 24', /budget\.daily_reset_hour_utc: .*<=23/],
  ['holdfast: { warn_at: 0 }', /budget\.holdfast\.warn_at: .*>0/],
  ['holdfast: { warn_at: 80 }', /budget\.holdfast\.warn_at: .*<=1/],
  ['holdfast: { reset_hour: -1 }', /budget\.holdfast\.reset_hour: .*>=0/],
  [
    'holdfast: { reset_timezone: Mars/Olympus }',
    /budget\.holdfast\.reset_timezone: there is no such time zone: .*Europe\/Berlin/,
  ],
  ['holdfast: { reset_timezone: "+02:00" }', /budget\.holdfast\.reset_timezone: there is no such time zone/],
  ['holdfast: { reset_timezone: "" }', /budget\.holdfast\.reset_timezone: there is no such time zone/],
  [
    'max_cost_per_run: 50\nmax_cost_per_day: 40',
    /budget\.max_cost_per_run: a run may use 50, which is more than the 40 of max_cost_per_day/,
  ],
  [
    'max_irreversible_per_run: 2\nholdfast: { max_irreversible_per_day: 1 }',
    /budget\.max_irreversible_per_run: a run may use 2, which is more than the 1 of max_irreversible_per_day/,
  ],
  [
    'daily_reset_hour_utc: 5\nholdfast: { reset_hour: 5 }',
    /budget\.daily_reset_hour_utc: the hour is given twice: leave it out/,
  ],
  [
    'daily_reset_hour_utc: 5\nholdfast: { reset_timezone: Europe/Zurich }',
    /budget\.daily_reset_hour_utc: the hour is given twice/,
  ],
  [
    'max_run_per_day: 5',
    /budget has "max_run_per_day", which is not a setting; there are enabled, .*max_runs_per_day, /,
  ],
  ['on_exceeded: escalate\nescalation: {}', /budget\.escalation: names nobody to tell/],
  [
    'escalation: { event_type: ops.alert }',
    /budget\.escalation: nobody is told with on_exceeded: pause; make it escalate/,
  ],
  ['holdfast: { warn: 1 }', /budget\.holdfast has "warn", which is not a setting; there are .*warn_at/],
  [
    'tool_costs: { pay: { cost: 1 } }',
    /budget\.tool_costs\.pay has "cost", which is not a setting; there are cost_weight, irreversible\./,
  ],
])('%j is one clear error', (budget, message) => {
  const { definitions, problems } = withBudget(budget);
  expect(definitions).toEqual([]);
  expect(problems.map(({ code }) => code)).toEqual(['manifest.invalid']);
  expect(problems[0]!.message).toMatch(message);
  expect(problems[0]!.detail['problems']).toHaveLength(1);
});
