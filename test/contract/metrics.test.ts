// What Prometheus is told, read by a reader of its own.

import { expect, test } from 'vitest';
import { processLabels } from '../../core/host/metric-labels.ts';
import { FAR_HOUR } from '../support/budgets.ts';
import { parsePrometheus, type Family } from '../support/prometheus.ts';
import { openConsole, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const MANIFEST = `budget:
  max_tool_calls_per_day: 3
  daily_reset_hour_utc: ${FAR_HOUR}
  tool_costs: { charge: { cost_weight: 2.5 } }
`;
const CHARGES = `for (let n = 0; n < event.payload; n += 1) await ctx.effect('charge', { class: 'ask', args: { n } }, async () => n);`;

/** "process=clerk,meter=cost 5" */
const told = (family: Family | undefined): readonly string[] =>
  (family?.samples ?? []).map(
    ({ labels, value }) =>
      `${Object.entries(labels)
        .map(([label, is]) => `${label}=${is}`)
        .join(',')} ${value}`,
  );

test('[P5] all that there is to measure, by the names and in the format of Prometheus; what is unknown is not told', async () => {
  const workspace = workspaceOf(
    { clerk: CHARGES, fails: `throw new Error('it broke');`, rests: '' },
    MANIFEST,
  );
  const { get } = await openConsole(workspace, tempDirectory());
  const { journals } = await get('fleet.read', {});
  const journalId = journals[0]!.id;
  const trigger = (process: string, payloadText: string) =>
    get('processes.trigger', { journalId, process, commandId: crypto.randomUUID(), reason: '', payloadText });
  await trigger('clerk', '5');
  await trigger('fails', '0');
  const read = async () => parsePrometheus((await get('metrics.read', { journalId })).text);
  await waitFor(async () => told((await read()).get('holdfast_process_holds')).length === 1, {
    what: 'the hold',
  });
  await waitFor(
    async () =>
      told((await read()).get('holdfast_invocations_total')).includes('process=fails,result=failed 1'),
    { what: 'the failure' },
  );
  const metrics = await read();
  const of = (name: string): readonly string[] => told(metrics.get(name));
  expect([...metrics.keys()]).toEqual([
    'holdfast_build_info',
    'holdfast_host_uptime_seconds',
    'holdfast_host_resident_memory_bytes',
    'holdfast_host_event_loop_lag_seconds',
    'holdfast_workers',
    'holdfast_journal_bytes',
    'holdfast_triggers_held',
    'holdfast_processes',
    'holdfast_process_trouble',
    'holdfast_process_holds',
    'holdfast_process_restarts',
    'holdfast_process_health',
    'holdfast_invocations_total',
    'holdfast_invocations_open',
    'holdfast_queue_length',
    'holdfast_dead_letters',
    'holdfast_effects_total',
    'holdfast_doubts',
    'holdfast_journal_entries',
    'holdfast_budget_spent',
    'holdfast_budget_reserved',
    'holdfast_budget_limit',
    'holdfast_cap_used',
    'holdfast_cap_limit',
  ]);
  expect(of('holdfast_build_info')).toEqual(['version=0 1']);
  expect(of('holdfast_processes')).toContain('state=running 2');
  expect(of('holdfast_processes')).toContain('state=suspended 1');
  expect(of('holdfast_process_holds')).toEqual(['process=clerk,hold=budget 1']);
  expect(of('holdfast_invocations_open')).toContain('process=clerk 1');
  expect(of('holdfast_effects_total')).toContain('process=clerk,end=done 3');
  expect(of('holdfast_budget_spent')).toContain('process=clerk,meter=cost 7.5');
  expect(of('holdfast_budget_limit')).toContain('process=clerk,limit=max_tool_calls_per_day 3');
  // Too few runs to judge by [P5].
  // One run says nothing yet.
  expect(of('holdfast_process_health').filter((line) => line.startsWith('process=fails'))).toEqual([
    'process=fails,verdict=unknown 1',
    'process=fails,verdict=ok 0',
    'process=fails,verdict=failing 0',
    'process=fails,verdict=unwell 0',
  ]);
  // Nobody has opened a day of it.
  expect(of('holdfast_cap_used')).toEqual([]);
  expect(Number(of('holdfast_journal_bytes')[0])).toBeGreaterThan(1_000);
  expect(of('holdfast_triggers_held')).toEqual([' 0']);
});

test('names of processes are bounded, of one line, and no two alike', () => {
  const long = 'x'.repeat(4_000);
  const labels = processLabels([
    long,
    `${long}y`,
    'a"b\\c',
    'two\nlines',
    'two\u2028lines',
    '',
    '\uD800',
    `${'x'.repeat(119)}😀`,
  ]);
  expect(new Set(labels).size).toBe(labels.length);
  for (const label of labels) {
    expect(label.length).toBeLessThan(130);
    expect(label).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(label.isWellFormed()).toBe(true);
  }
  expect(labels.slice(2, 4)).toEqual(['a"b\\c', 'two\u{FFFD}lines']);
});

test('hostile names come back from the text as they were given to it', async () => {
  const name = 'say "hi" \\ {x="1"} # HELP';
  const workspace = workspaceOf({ plain: '' });
  const { get } = await openConsole(workspace, tempDirectory());
  const { journals } = await get('fleet.read', {});
  const journalId = journals[0]!.id;
  const before = (await get('processes.read', { journalId, process: 'plain' })).row.entries;
  await get('fork.apply', {
    journalId,
    process: 'plain',
    commandId: crypto.randomUUID(),
    reason: 'a name',
    at: before,
    name,
    set: {},
    configure: {},
  });
  const { text } = await get('metrics.read', { journalId });
  const names = parsePrometheus(text)
    .get('holdfast_journal_entries')!
    .samples.map(({ labels }) => labels['process']);
  expect(names).toEqual(['plain', name]);
});
