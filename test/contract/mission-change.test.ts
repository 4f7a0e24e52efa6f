// A mission, as a console sees it and decides about it.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { MissionView } from '../../core/contract/mission-view.ts';
import type { RequestOf } from '../../core/contract/requests.ts';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import { command, openConsole, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';

const MANIFEST = `mission:
  objective: every order is shipped
  success_criteria: none is open
  eval_every: 2
  max_invocations: 20
  timeout_hours: 5
  on_complete: suspend
  holdfast: { drift_after: 600, judge_retries: 0 }
`;
const JUDGE = `if (view.runs === 4) throw new Error('out of order'); return { achieved: false, confidence: 0.25, progress: 0.5, reasoning: 'half' };`;
/** A whole module in the place of a body: its onTrigger does nothing. */
const CLERK = `return 'done'; } , async judge(view) { ${JUDGE} `;

interface Judged extends TestConsole {
  readonly workspace: string;
  readonly detail: () => Promise<ProcessDetail>;
  readonly mission: () => Promise<MissionView>;
  readonly trigger: (times: number) => Promise<void>;
  readonly change: (
    order: RequestOf<'mission.change'>['order'],
    reason?: string,
  ) => RequestOf<'mission.change'>;
}

async function judged(): Promise<Judged> {
  const workspace = workspaceOf({ clerk: CLERK }, MANIFEST);
  const console = await openConsole(workspace, null);
  const { journals } = await console.get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: 'clerk' };
  const detail = (): Promise<ProcessDetail> => console.get('processes.read', target);
  const mission = async (): Promise<MissionView> => (await detail()).mission!;
  return {
    ...console,
    workspace,
    detail,
    mission,
    trigger: async (times) => {
      const { runs } = await mission();
      for (let n = 1; n <= times; n += 1) {
        await console.get('processes.trigger', { ...target, ...command() });
        await waitFor(async () => (await mission()).runs === runs + n, { what: 'the run' });
      }
    },
    change: (order, reason = 'asked') => ({ ...target, ...command(), reason, order }),
  };
}

test('the view tells objective, verdicts, drift, what comes next and what may be decided', async () => {
  const { mission, trigger } = await judged();
  const started = await mission();
  expect(started).toMatchObject({
    objective: 'every order is shipped',
    successCriteria: 'none is open',
    status: 'active',
    history: [],
    evaluations: 0,
    unknown: null,
    terms: { evalEvery: 2, threshold: 0.7, maxInvocations: 20, nextIn: 2 },
    orders: ['pause', 'fail', 'complete'],
  });
  const { startedAt, terms } = started;
  expect(Date.parse(terms!.endsAt!) - Date.parse(startedAt)).toBe(5 * 3_600_000);
  expect(Date.parse(terms!.driftsAt!) - Date.parse(started.advancedAt)).toBe(600_000);
  await trigger(2);
  await waitFor(async () => (await mission()).evaluations === 1, { what: 'a verdict' });
  const once = await mission();
  expect(once.history).toMatchObject([
    { invocation: 2, achieved: false, confidence: 0.25, progress: 0.5, reasoning: 'half' },
  ]);
  expect(Date.parse(once.advancedAt)).toBeGreaterThan(Date.parse(startedAt));
  await trigger(2);
  await waitFor(async () => (await mission()).unknown !== null, { what: 'the unknown' });
  expect(await mission()).toMatchObject({
    evaluations: 1,
    unknown: { reason: 'the judge threw: out of order', attempts: 1, isForBudget: false },
    terms: { nextIn: 2 },
  });
});

test('[P7] who decided what about it and why is on record before it is done; asked twice it is done once', async () => {
  const { get, ask, change, detail, mission, workspace } = await judged();
  const request = change('pause', 'its judge is out of order');
  const answers = await Promise.all([get('mission.change', request), get('mission.change', request)]);
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0].message).toBe(
    'The mission of clerk is paused: it is not judged, and its limits wait. The process goes on.',
  );
  expect(await mission()).toMatchObject({
    status: 'paused',
    reason: 'its judge is out of order',
    actor: 'operator:tester',
    terms: { nextIn: null, endsAt: null },
    orders: ['resume', 'fail', 'complete'],
  });
  const entries = await readFileJournal(join(workspace, '.holdfast-journal')).read('clerk');
  const about = entries.filter(
    ({ entry_type }) => entry_type.startsWith('operator_') || entry_type === 'mission_changed',
  );
  expect(
    about.map(({ entry_type, data }) => [entry_type, data['action'] ?? data['to'] ?? data['ok']]),
  ).toEqual([
    ['operator_action', 'mission-pause'],
    ['mission_changed', 'paused'],
    ['operator_outcome', true],
  ]);
  const again = await ask('mission.change', change('pause'));
  expect(again).toMatchObject({ ok: false, error: { code: 'mission.not-now' } });
  expect(await ask('mission.change', change('resume', ''))).toMatchObject({
    ok: false,
    error: { code: 'request.invalid' },
  });
  const { message } = await get('mission.change', change('complete', 'checked'));
  expect(message).toBe('The mission of clerk is completed; the process is held until somebody resumes it.');
  const { row, holds } = await detail();
  expect(row.state).toBe('suspended');
  expect(row.why).toBe('mission: mission completed: checked');
  expect(holds).toMatchObject([{ kind: 'mission', actor: 'operator:tester' }]);
  expect(row.actions).toContain('resume');
  const resumed = await get('mission.change', change('resume', 'more of it'));
  expect(resumed.message).toBe('The mission of clerk is active again, and the process goes on.');
  expect((await detail()).row.state).toBe('running');
});

test('[S41] looked at where nobody runs it, its terms are unknown and nothing can be decided', async () => {
  const { host, workspace } = await judged();
  await host.close();
  const elsewhere = await openConsole(null, null);
  const { id } = await elsewhere.get('journals.open', { path: workspace });
  const { mission } = await elsewhere.get('processes.read', { journalId: id, process: 'clerk' });
  expect(mission).toMatchObject({ objective: 'every order is shipped', terms: null, orders: [] });
});
