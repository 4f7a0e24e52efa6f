// What Prometheus is told of a workspace: worked out when it asks, of what every process knows of itself anyway. Nothing is
// counted on the side while processes work.

import { Counter, Gauge, Registry } from 'prom-client';
import { CAP_NAMES } from '../model/cap-names.ts';
import { CAP_LIMITS } from '../model/caps.ts';
import { LIMITS } from '../model/budget.ts';
import { needsOperator } from '../model/effects.ts';
import { budgetOf, healthOf } from '../model/gauges.ts';
import { LIFECYCLE_STATES } from '../model/lifecycle.ts';
import { METERS } from '../model/meters.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import { LOOP_TURN_MS, type LiveWorkspace } from './live-workspace.ts';
import { processLabels } from './metric-labels.ts';

const NANOS = 1e9;
const VERDICTS = ['unknown', 'ok', 'failing', 'unwell'] as const;

interface Row {
  readonly label: string;
  readonly process: AgentProcess;
}

/** In the text format of Prometheus. A name ends in `_total` where it only grows, except that a rewind may take it back. */
export async function metricsOf(live: LiveWorkspace, version: string): Promise<string> {
  const registry = new Registry();
  const processes = [...live.runtime.processes.values()];
  const labels = processLabels(processes.map(({ name }) => name));
  const rows = processes.map((process, at): Row => ({ label: labels[at]!, process }));
  hostMetrics(registry, live, processes, version);
  lifecycleMetrics(registry, rows);
  workMetrics(registry, rows);
  budgetMetrics(registry, rows);
  capMetrics(registry, live);
  return registry.metrics();
}

/** In seconds, of nanoseconds between two turns. */
function lateness(betweenNanos: number): number {
  return Math.max(0, betweenNanos / NANOS - LOOP_TURN_MS / 1_000);
}

type Labels = Readonly<Record<string, string>>;

/** A metric, and how to say a value of it; what is unknown is not said [P5]. */
function told(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly string[] = [],
): (value: number | null, labels?: Labels) => void {
  const metric = { name, help, labelNames: [...labelNames], registers: [registry] };
  if (name.endsWith('_total')) {
    const counter = new Counter(metric);
    return (value, labels = {}) => {
      if (value !== null) counter.inc(labels, value);
    };
  }
  const gauge = new Gauge(metric);
  // Without labels it would say 0 before anything is said.
  if (labelNames.length === 0) gauge.remove();
  return (value, labels = {}) => {
    if (value !== null && Number.isFinite(value)) gauge.set(labels, value);
  };
}

function hostMetrics(
  registry: Registry,
  live: LiveWorkspace,
  processes: readonly AgentProcess[],
  version: string,
): void {
  told(registry, 'holdfast_build_info', 'The version that runs this workspace.', ['version'])(1, { version });
  told(registry, 'holdfast_host_uptime_seconds', 'Since the host was started.')(process.uptime());
  told(
    registry,
    'holdfast_host_resident_memory_bytes',
    'Of the host, without its workers.',
  )(process.memoryUsage.rss());
  const lag = told(registry, 'holdfast_host_event_loop_lag_seconds', 'Since it was last asked for.', [
    'quantile',
  ]);
  const delay = live.loopDelay;
  // Nothing was measured in the moment after it was asked for.
  if (delay.count > 0) {
    for (const quantile of [50, 99]) {
      lag(lateness(delay.percentile(quantile)), { quantile: String(quantile / 100) });
    }
    lag(lateness(delay.max), { quantile: '1' });
    delay.reset();
  }
  const workers = processes.filter((one) => one.live.worker !== null).length;
  told(registry, 'holdfast_workers', 'Worker processes that run.')(workers);
  told(registry, 'holdfast_journal_bytes', 'Size of the entries of the workspace on disk.')(live.sizeBytes());
  const isHeld = (live.runtime.triggerSwitch.standing?.pause ?? null) !== null;
  told(registry, 'holdfast_triggers_held', '1 while the triggers of all processes are held.')(isHeld ? 1 : 0);
}

function lifecycleMetrics(registry: Registry, rows: readonly Row[]): void {
  const states = told(registry, 'holdfast_processes', 'Processes by their state.', ['state']);
  const count = (state: string): number =>
    rows.filter(({ process }) => process.snapshot.lifecycle === state).length;
  for (const state of LIFECYCLE_STATES) states(count(state), { state });
  const own = ['process'] as const;
  const trouble = told(registry, 'holdfast_process_trouble', '1 for a process whose journal failed.', own);
  const holds = told(registry, 'holdfast_process_holds', 'What holds it, by kind.', [...own, 'hold']);
  const restarts = told(
    registry,
    'holdfast_process_restarts',
    'Automatic restarts since its last success.',
    own,
  );
  const verdict = told(
    registry,
    'holdfast_process_health',
    '1 for the verdict on its health, 0 for the others.',
    [...own, 'verdict'],
  );
  for (const {
    label,
    process: { snapshot, live },
  } of rows) {
    trouble(live.trouble === null ? 0 : 1, { process: label });
    for (const { kind } of snapshot.holds) holds(1, { process: label, hold: kind });
    restarts(snapshot.restarts, { process: label });
    const health = healthOf(snapshot).verdict;
    for (const one of VERDICTS) verdict(one === health ? 1 : 0, { process: label, verdict: one });
  }
}

function workMetrics(registry: Registry, rows: readonly Row[]): void {
  const own = ['process'] as const;
  const invocations = told(
    registry,
    'holdfast_invocations_total',
    'Invocations that succeeded, and attempts that failed, since the journal began.',
    [...own, 'result'],
  );
  const open = told(registry, 'holdfast_invocations_open', 'Begun and not ended.', own);
  const queued = told(registry, 'holdfast_queue_length', 'Events accepted and not begun.', own);
  const letters = told(registry, 'holdfast_dead_letters', 'Events that were given up.', own);
  const effects = told(
    registry,
    'holdfast_effects_total',
    'Effects by how they ended, since the journal began.',
    [...own, 'end'],
  );
  const doubts = told(registry, 'holdfast_doubts', 'Effects in doubt that somebody has to decide.', own);
  const entries = told(registry, 'holdfast_journal_entries', 'Entries in its journal.', own);
  for (const {
    label,
    process: { snapshot },
  } of rows) {
    const of = { process: label };
    const { tally } = snapshot;
    invocations(snapshot.invocationCount, { ...of, result: 'done' });
    invocations(tally.failed, { ...of, result: 'failed' });
    open(snapshot.open.length, of);
    queued(snapshot.queue.length, of);
    letters(snapshot.deadLetters.length, of);
    effects(tally.done, { ...of, end: 'done' });
    effects(tally.didNotHappen, { ...of, end: 'did_not_happen' });
    effects(tally.inDoubt, { ...of, end: 'in_doubt' });
    doubts(snapshot.open.flatMap((one) => one.effects).filter(needsOperator).length, of);
    entries(snapshot.seq, of);
  }
}

function budgetMetrics(registry: Registry, rows: readonly Row[]): void {
  const of = ['process', 'meter'] as const;
  const spent = told(registry, 'holdfast_budget_spent', 'Used on the present day of the budget.', of);
  const reserved = told(registry, 'holdfast_budget_reserved', 'Of what is under way.', of);
  const limit = told(
    registry,
    'holdfast_budget_limit',
    'The most that may be used, with what was granted above it.',
    ['process', 'limit'],
  );
  const nowMs = Date.now();
  for (const {
    label,
    process: { snapshot, settings },
  } of rows) {
    const { budget } = settings.config;
    const gauge = budgetOf(snapshot, { nowMs, config: budget });
    // Of a day that is over nothing counts, and one that nobody opened is not metered [P5].
    const isToday = gauge.until !== null;
    for (const meter of METERS) {
      spent(isToday ? (snapshot.budget.spent[meter] ?? 0) : null, { process: label, meter });
      reserved(snapshot.budget.reserved[meter] ?? 0, { process: label, meter });
    }
    for (const one of gauge.limits) limit(one.max, { process: label, limit: one.limit });
  }
}

function capMetrics(registry: Registry, { runtime: { caps } }: LiveWorkspace): void {
  const used = told(registry, 'holdfast_cap_used', 'Used and reserved of a cap by all together, today.', [
    'cap',
    'limit',
  ]);
  const most = told(registry, 'holdfast_cap_limit', 'The most that all together may use in a day.', [
    'cap',
    'limit',
  ]);
  for (const cap of CAP_NAMES) {
    const standing = caps.standing(cap);
    if (standing === null) continue;
    for (const limit of CAP_LIMITS) {
      const { meter } = LIMITS[limit];
      const max = standing.config.limits[limit];
      if (max === undefined) continue;
      most(max, { cap, limit });
      used((standing.spent[meter] ?? 0) + (standing.reserved[meter] ?? 0), { cap, limit });
    }
  }
}
