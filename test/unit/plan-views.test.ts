import { expect, test } from 'vitest';
import { REWIND_VERBS } from '../../core/cli/rewind-verbs.ts';
import { ForkPlanView } from '../../core/contract/rewind-views.ts';
import { forkPlanView } from '../../core/host/plan-views.ts';

const LEFT = { queue: [], inbox: [], promises: [], timers: [] };

test('[S40] of more unfinished invocations than are listed it is told how many there are', () => {
  const unfinished = Array.from({ length: 321 }, (_, at) => ({ eventId: `event-${at}`, effects: at }));
  const plan = forkPlanView('copy', {
    lineage: { process: 'agent', journalId: 'j', seq: 9 },
    left: LEFT,
    unfinished,
    contextKeys: 0,
    conversation: 0,
  });
  expect(ForkPlanView.parse(plan)).toEqual(plan);
  expect(plan.unfinished).toHaveLength(200);
  expect(plan.unfinishedCount).toBe(321);
  const lines = REWIND_VERBS.find(({ asks }) => asks === 'fork.apply')!.plan!.says!(plan);
  expect(lines).toContain('Unfinished invocations that it would go on with: 321.');
  expect(lines).toContain('  … and 121 more');
});
