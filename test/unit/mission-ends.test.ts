// How a mission ends, with real workers on a real journal, and what becomes of the process then.

import { expect, test } from 'vitest';
import { budget } from '../support/budgets.ts';
import {
  achievedAt,
  entriesOf,
  evaluations,
  isMission,
  judged,
  mission,
  runs,
  verdictsOf,
} from '../support/missions.ts';
import { bench, folded, isIdle, OPERATOR } from '../support/runtime.ts';

test('[C17] success is what the function of the module says: it is asked after every so many runs, and the mission is completed', async () => {
  const b = await bench(judged(achievedAt(4)), mission({ evalEvery: 2, onComplete: 'continue' }));
  await runs(b, 2);
  await b.until('the first verdict', (process) => verdictsOf(process) === 1);
  await runs(b, 1);
  expect(b.process.snapshot.mission).toMatchObject({
    status: 'active',
    runs: 3,
    judged: 2,
    outcome: 'not_achieved',
  });
  await runs(b, 1);
  await b.until('the end', isMission('completed'));
  expect(await evaluations(b)).toMatchObject([
    { run: 2, achieved: false, confidence: 0.1, progress: 0.5, outcome: 'not_achieved' },
    { run: 4, achieved: true, confidence: 0.9, progress: 1, outcome: 'achieved', reasoning: 'saw 4' },
  ]);
  const { history, lastRun } = b.process.snapshot.mission!;
  expect(history.map(({ invocation }) => invocation)).toEqual([2, 4]);
  expect(lastRun).toMatchObject({ invocation: 4, triggerType: 'manual', response: 'run 4' });
  // Once it is over nobody is asked, and the process goes on.
  await runs(b, 2);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['judge 2', 'judge 4']);
  expect((await folded(b)).mission).toEqual(b.process.snapshot.mission);
});

test.each([
  ['stop', 'stopped', []],
  ['suspend', 'suspended', ['mission']],
  ['continue', 'running', []],
] as const)('[C17] on_complete: %s', async (onComplete, lifecycle, holds) => {
  const b = await bench(judged(achievedAt(1)), mission({ onComplete }));
  await runs(b, 1);
  await b.until('the end', isMission('completed'));
  await b.until('what then', ({ snapshot }) => snapshot.lifecycle === lifecycle);
  expect(b.process.snapshot.holds.map(({ kind }) => kind)).toEqual(holds);
  expect(b.process.snapshot.mission).toMatchObject({ pending: null, reason: expect.stringMatching(/judge/) });
  // Another life finds it as it was, and does nothing again.
  const c = await b.again();
  await c.until('the same', ({ snapshot }) => snapshot.lifecycle === lifecycle);
  expect(await entriesOf(c, 'mission_completed')).toHaveLength(1);
});

test('[S34] a process that is held because its mission is over goes on when an operator resumes it', async () => {
  const b = await bench(judged(achievedAt(1)), mission({ onComplete: 'suspend' }));
  await runs(b, 1);
  await b.until('the hold', ({ snapshot }) => snapshot.lifecycle === 'suspended');
  expect(b.process.snapshot.holds[0]!.reason).toBe('mission completed: the judge says that it is achieved');
  await b.process.resume(OPERATOR);
  await runs(b, 2);
  expect(b.process.snapshot.mission).toMatchObject({ status: 'completed', runs: 1 });
  expect(b.ledger()).toEqual(['judge 1']);
});

test('[C17] max_invocations: not one run more begins, the last one is judged, and then it has failed and is held', async () => {
  const b = await bench(judged(achievedAt(99)), {
    concurrency: 2,
    ...mission({ maxInvocations: 3, evalEvery: 2 }),
  });
  for (let n = 0; n < 6; n += 1) await b.trigger();
  await b.until('its failure', isMission('failed'));
  await b.until('the hold', ({ snapshot }) => snapshot.lifecycle === 'suspended');
  expect(b.process.snapshot).toMatchObject({
    invocationCount: 3,
    open: [],
    holds: [{ kind: 'mission', reason: 'mission failed: it was not achieved in 3 invocations' }],
  });
  expect(b.process.snapshot.queue).toHaveLength(3);
  expect((await evaluations(b)).at(-1)).toMatchObject({ run: 3, outcome: 'not_achieved' });
  expect((await entriesOf(b, 'mission_failed'))[0]!.data).toMatchObject({ why: 'max_invocations' });
  // Taken up again it has as many once more, and what waited goes on.
  await b.process.governance.changeMission('resume', { ...OPERATOR, reason: 'three more' });
  await b.until('its failure, once more', ({ snapshot }) => snapshot.invocationCount === 6);
  await b.until('the hold, once more', ({ snapshot }) => snapshot.lifecycle === 'suspended');
  expect(b.process.snapshot).toMatchObject({ queue: [], mission: { status: 'failed', runs: 3 } });
});

test('a mission that is achieved in the last run that it may have is completed, not failed', async () => {
  const b = await bench(judged(achievedAt(2)), mission({ maxInvocations: 2, onComplete: 'continue' }));
  for (let n = 0; n < 4; n += 1) await b.trigger();
  await b.until('the end', isMission('completed'));
  await b.until('what waited', ({ snapshot }) => snapshot.invocationCount === 4);
  expect(await entriesOf(b, 'mission_failed')).toEqual([]);
});

test('what the judge is not sure enough of changes nothing, and is told once', async () => {
  const b = await bench(judged(achievedAt(1, 0.5)), mission({ confidenceThreshold: 0.8 }));
  await runs(b, 1);
  await b.until('a verdict', (process) => verdictsOf(process) === 1);
  await runs(b, 1);
  await b.until('another', (process) => verdictsOf(process) === 2);
  expect(b.process.snapshot).toMatchObject({
    lifecycle: 'running',
    mission: { status: 'active', outcome: 'unsure', judged: 2 },
  });
  expect((await evaluations(b)).map(({ outcome }) => outcome)).toEqual(['unsure', 'unsure']);
});

test('auto_complete: false leaves it to an operator, who says who and why [P7]', async () => {
  const b = await bench(judged(achievedAt(1)), mission({ autoComplete: false }));
  await runs(b, 2);
  await b.until('the verdicts', (process) => verdictsOf(process) === 2);
  expect(b.process.snapshot.mission).toMatchObject({ status: 'active', outcome: 'achieved' });
  await b.process.governance.changeMission('complete', { name: 'operator:ann', reason: 'checked it' });
  await b.until('the stop', ({ snapshot }) => snapshot.lifecycle === 'stopped');
  expect((await entriesOf(b, 'mission_completed'))[0]!.data).toMatchObject({
    actor: 'operator:ann',
    reason: 'checked it',
    next: 'stop',
  });
});

test('a paused mission is neither judged nor limited, and goes on where it was', async () => {
  const b = await bench(judged(achievedAt(9)), mission({ maxInvocations: 3 }));
  await runs(b, 1);
  await b.until('a verdict', (process) => verdictsOf(process) === 1);
  await b.process.governance.changeMission('pause', OPERATOR);
  await runs(b, 4);
  expect(b.process.snapshot.mission).toMatchObject({ status: 'paused', runs: 1, evaluations: 1 });
  await expect(b.process.governance.changeMission('pause', OPERATOR)).rejects.toMatchObject({
    code: 'mission.not-now',
    message: expect.stringMatching(/paused.*resume, fail, complete/),
  });
  const c = await b.again();
  expect(c.process.snapshot.mission).toMatchObject({ status: 'paused' });
  await c.process.governance.changeMission('resume', OPERATOR);
  await runs(c, 1);
  await c.until('another verdict', (process) => verdictsOf(process) === 2);
  expect(c.process.snapshot.mission).toMatchObject({ status: 'active', runs: 2 });
});

test('an operator who says that it has failed is believed, and the process is held', async () => {
  const b = await bench(judged(achievedAt(9)), mission());
  await runs(b, 1);
  await b.process.governance.changeMission('fail', { name: 'operator:ann', reason: 'no longer wanted' });
  await b.until('the hold', ({ snapshot }) => snapshot.lifecycle === 'suspended');
  expect(b.process.snapshot.holds).toMatchObject([
    { kind: 'mission', actor: 'operator:ann', reason: 'mission failed: no longer wanted' },
  ]);
});

test('[S39] a rewind takes the mission back, and what its judge cost stays spent', async () => {
  const b = await bench(judged(achievedAt(9)), mission());
  await runs(b, 1);
  await b.until('a verdict', (process) => verdictsOf(process) === 1);
  const target = b.process.snapshot.seq;
  await runs(b, 1);
  await b.until('another', (process) => verdictsOf(process) === 2);
  const { startedAt } = b.process.snapshot.mission!;
  await b.process.rewinds.apply({ to: target, isHandledAgain: false }, null, OPERATOR);
  expect(b.process.snapshot).toMatchObject({
    mission: { status: 'active', runs: 1, judged: 1, evaluations: 1, startedAt, judging: null },
    budget: { spent: { cost: 2 }, reserved: {} },
  });
  await b.process.resume(OPERATOR);
  await runs(b, 1);
  await b.until('the second, once more', (process) => verdictsOf(process) === 2);
  expect((await evaluations(b)).map(({ run }) => run)).toEqual([1, 2, 2]);
});

test('without a mission there is none to change, and the error says so', async () => {
  const b = await bench('return "done"');
  await expect(b.process.governance.changeMission('pause', OPERATOR)).rejects.toMatchObject({
    code: 'mission.none',
    message: expect.stringMatching(/manifest sets none/),
  });
});

test('another objective is another mission, and a manifest without one withdraws it', async () => {
  const source = judged(achievedAt(9));
  const b = await bench(source, mission());
  await runs(b, 1);
  await b.until('a verdict', (process) => verdictsOf(process) === 1);
  await b.quit();
  const c = await bench(source, mission({ objective: 'every order is paid' }), b.directory);
  await c.until('the other one', ({ snapshot }) => snapshot.mission?.objective === 'every order is paid');
  expect(c.process.snapshot.mission).toMatchObject({ runs: 0, evaluations: 0, status: 'active' });
  await c.quit();
  const d = await bench(source, {}, b.directory);
  await d.until('none', ({ snapshot }) => snapshot.mission === null);
  expect((await entriesOf(d, 'mission_changed'))[0]!.data).toMatchObject({ to: 'withdrawn' });
});

test('[P4] the judge is budgeted: booked before it is asked, against the day alone, and what does not fit waits', async () => {
  const b = await bench(judged(achievedAt(9)), {
    heartbeatIntervalMs: 20,
    ...mission({ judgeCost: 2 }),
    ...budget({ limits: { max_cost_per_day: 5, max_cost_per_run: 1 } }),
  });
  await runs(b, 2);
  await b.until('two verdicts', (process) => verdictsOf(process) === 2);
  expect(b.process.snapshot.budget).toMatchObject({ spent: { cost: 4 }, reserved: {} });
  await runs(b, 1);
  await b.until('that it waits', ({ snapshot }) => snapshot.mission?.unknown?.isForBudget === true);
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'running', holds: [], budget: { exceeded: null } });
  expect((await evaluations(b)).at(-1)!['unknown']).toBe(
    'the judge waits for its budget: cost of a day: 4 of 5 used, and 2 more is asked for (max_cost_per_day)',
  );
  await b.process.governance.extendBudget({ limit: 'max_cost_per_day', amount: 1, forMs: null }, OPERATOR);
  await b.until('the third', (process) => verdictsOf(process) === 3);
  expect(b.process.snapshot.budget).toMatchObject({ spent: { cost: 6 }, reserved: {} });
  expect((await evaluations(b)).filter((one) => one['waits_for_budget'] === true)).toHaveLength(1);
  expect((await folded(b)).budget).toEqual(b.process.snapshot.budget);
});
