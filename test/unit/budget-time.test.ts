// Limits while time goes by, on a clock that stands still until it is told to go on.

import { expect, test } from 'vitest';
import { DEFAULT_BUDGET, type BudgetConfig } from '../../core/model/budget.ts';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import { seeded } from '../crash/random.ts';
import { OPERATOR } from '../support/runtime.ts';
import { startStepped, type SteppedHost } from '../support/stepped-host.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Its errand `effects` has seven of them. */
async function stepped(
  limits: BudgetConfig['limits'],
  more: Partial<BudgetConfig> = {},
  config: Partial<ProcessConfig> = {},
): Promise<SteppedHost> {
  const host = await startStepped(seeded(7), {
    budget: { ...DEFAULT_BUDGET, limits, ...more },
    idleTimeoutMs: 0,
    heartbeatIntervalMs: 10_000,
    ...config,
  });
  host.world.isKind = true;
  return host;
}

const isHeld = ({ snapshot }: AgentProcess): boolean => snapshot.holds.some(({ kind }) => kind === 'budget');
const isIdle = ({ snapshot }: AgentProcess): boolean => snapshot.open.length + snapshot.queue.length === 0;

async function errand(host: SteppedHost, name = 'effects'): Promise<void> {
  await host.outcome('accepting', host.agent.trigger({ errand: name }));
}

async function extend(host: SteppedHost, limit: string, amount: number, forMs: number | null): Promise<void> {
  await host.outcome('extending', host.agent.governance.extendBudget({ limit, amount, forMs }, OPERATOR));
}

async function count(host: SteppedHost, type: string): Promise<number> {
  await host.settled();
  return (await host.entries()).filter(({ entry_type }) => entry_type === type).length;
}

/** Effects whose end is on record, too. */
function usedToday({ agent }: SteppedHost): number {
  return agent.snapshot.budget.spent.toolCalls ?? 0;
}

/** Effects in the world. */
const deeds = (host: SteppedHost): number => host.world.deeds.length;

test('[C18] what waits for another day goes on when it begins, and not before', async () => {
  const host = await stepped({ max_tool_calls_per_day: 4 }, { resetHour: 9, resetZone: 'Europe/Berlin' });
  await errand(host);
  await host.until('the hold', isHeld);
  expect(deeds(host)).toBe(4);
  const { period } = host.agent.snapshot.budget;
  // It is midnight in UTC, and nine o'clock in the summer of Berlin is seven in UTC.
  expect(period).toEqual({
    id: '2020-06-01T00:00:00.000+00:00',
    until: '2020-06-01T07:00:00.000+00:00',
  });
  host.clock.pass(Date.parse(period!.until!) - host.clock.now() - 1);
  await host.turns(5, 0);
  expect(isHeld(host.agent)).toBe(true);
  await host.until('the end', isIdle);
  expect(deeds(host)).toBe(7);
  expect(host.agent.snapshot.budget).toMatchObject({
    period: { until: '2020-06-02T07:00:00.000+00:00' },
    spent: { toolCalls: 3 },
    exceeded: null,
  });
  expect(await host.wrong()).toBeNull();
});

test('[C18] [S22] midnight is no reset where another hour is, and a clock that is set back begins no day again', async () => {
  const host = await stepped({ max_tool_calls_per_day: 100 }, { resetHour: 9 });
  // To ten, to ten in the evening, to four, back over midnight and over the reset, and on to the afternoon.
  for (const hours of [10, 12, 6, -6, 1, -24, 24, 15]) {
    const byMs = hours * HOUR_MS;
    if (byMs < 0) host.clock.set(byMs);
    else host.clock.pass(byMs);
    await host.turns(3, 1_000);
    await errand(host, 'count');
    await host.until('the end', isIdle);
  }
  await host.settled();
  const days = (await host.entries()).flatMap(({ entry_type, data }) =>
    entry_type === 'budget_period_started' ? [data['until']] : [],
  );
  expect(days).toEqual([
    '2020-06-01T09:00:00.000+00:00',
    '2020-06-02T09:00:00.000+00:00',
    '2020-06-03T09:00:00.000+00:00',
  ]);
});

test('a run whose own limit is reached does not go on by another day, and one more day changes nothing for it', async () => {
  const host = await stepped({ max_tool_calls_per_run: 4 });
  await errand(host);
  await host.until('the hold', isHeld);
  host.clock.pass(2 * DAY_MS);
  await host.turns(20);
  expect(isHeld(host.agent)).toBe(true);
  expect(deeds(host)).toBe(4);
  await extend(host, 'max_tool_calls_per_run', 3, null);
  await host.until('the end', isIdle);
  expect(deeds(host)).toBe(7);
});

test('what was granted for a while is over then: nothing is woken or held for that, and the next effect waits', async () => {
  const host = await stepped({ max_tool_calls_per_day: 7 });
  await errand(host);
  await host.until('the end', isIdle);
  await errand(host);
  await host.until('the hold', isHeld);
  await extend(host, 'max_tool_calls_per_day', 100, HOUR_MS);
  await host.until('the end', isIdle);
  expect(deeds(host)).toBe(14);
  const before = await count(host, 'state_transition');
  host.clock.pass(2 * HOUR_MS);
  await host.turns(20);
  expect(await count(host, 'state_transition')).toBe(before);
  expect(host.agent.snapshot).toMatchObject({ lifecycle: 'running', holds: [] });
  await errand(host);
  await host.until('the hold', isHeld);
  expect(deeds(host)).toBe(14);
  expect(host.agent.snapshot.holds[0]!.reason).toContain('14 of 7 used');
});

test('what was granted until its day is over ends with it; what was granted for longer does not', async () => {
  const host = await stepped({ max_tool_calls_per_day: 2 });
  await extend(host, 'max_tool_calls_per_day', 1, null);
  await extend(host, 'max_tool_calls_per_day', 3, 1.5 * DAY_MS);
  await errand(host);
  await host.until('the hold', (agent) => isHeld(agent) && usedToday(host) === 6);
  host.clock.pass(DAY_MS);
  await host.until('the end', isIdle);
  await errand(host);
  await host.until('the hold of the next day', (agent) => isHeld(agent) && usedToday(host) === 5);
  host.clock.pass(DAY_MS + 1);
  await host.until('another day, and its hold', (agent) => isHeld(agent) && usedToday(host) === 2);
  await host.turns(50);
  expect(deeds(host)).toBe(6 + 5 + 2);
});

test('to wait for its budget is no slowness: an invocation is not given up for it', async () => {
  const host = await stepped(
    { max_tool_calls_per_run: 4 },
    {},
    { maxInvocationTimeMs: HOUR_MS, delivery: { ...DEFAULT_DELIVERY, maxRetries: 0 } },
  );
  await errand(host);
  await host.until('the hold', isHeld);
  for (let time = 0; time < 5; time += 1) {
    host.clock.pass(2 * HOUR_MS);
    await host.turns(5);
  }
  expect(host.agent.live.worker).not.toBeNull();
  await extend(host, 'max_tool_calls_per_run', 3, null);
  await host.until('the end', isIdle);
  expect(await count(host, 'error')).toBe(0);
  expect(deeds(host)).toBe(7);
});

test('[P4] a host that is gone over midnight finds its process held, and sets it going for the new day', async () => {
  const host = await stepped({ max_tool_calls_per_day: 4 });
  await errand(host);
  await host.until('the hold', isHeld);
  await host.outcome('quitting', host.quit());
  host.clock.set(DAY_MS);
  await host.start();
  await host.until('the end', isIdle);
  expect(deeds(host)).toBe(7);
  await host.settled();
  const behind = (await host.entries()).map(({ entry_type }) => entry_type);
  const recovered = behind.lastIndexOf('recovered');
  expect(behind.indexOf('hold_lifted')).toBeGreaterThan(recovered);
  expect(await host.wrong()).toBeNull();
});

test('[P4] stopped, and started on another day, it goes on without being held first', async () => {
  const host = await stepped({ max_tool_calls_per_day: 4 }, { onExceeded: 'pause' });
  await errand(host);
  await host.until('the hold', isHeld);
  await host.outcome('stopping', host.agent.stop(OPERATOR));
  host.clock.pass(3 * DAY_MS);
  await host.turns(5);
  expect(await count(host, 'budget_period_started')).toBe(1);
  await host.outcome('starting', host.agent.start(OPERATOR));
  expect(host.agent.snapshot.lifecycle).toBe('running');
  await host.until('the end', isIdle);
  expect(await count(host, 'budget_period_started')).toBe(2);
  expect(deeds(host)).toBe(7);
});

test('a run that is one too many begins with the next day', async () => {
  const host = await stepped({ max_runs_per_day: 2 }, {}, { concurrency: 1 });
  for (let n = 0; n < 3; n += 1) await errand(host, 'count');
  await host.until('the hold', isHeld);
  expect(host.agent.snapshot.queue).toHaveLength(1);
  host.clock.pass(DAY_MS);
  await host.until('the end', isIdle);
  expect(host.agent.snapshot.budget.spent).toEqual({ runs: 1 });
});
