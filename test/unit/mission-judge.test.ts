// A judge that gives no verdict has given none: whatever it does instead, the mission stays active, it is asked again, and
// nothing else suffers. With real workers.

import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
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
import { bench, isIdle } from '../support/runtime.ts';

test.each([
  ['throws', `throw new Error('no idea');`, /the judge threw: no idea/],
  ['says nothing', '', /it said nothing, not an object/],
  ['says a text', `return 'yes';`, /it said a string/],
  ['leaves out whether', `return { confidence: 1 };`, /achieved is neither true nor false/],
  [
    'is sure beyond one',
    `return { achieved: true, confidence: 1.5 };`,
    /confidence is no number from 0 to 1/,
  ],
  ['is sure by NaN', `return { achieved: true, confidence: NaN };`, /NaN/],
  ['is sure by a text', `return { achieved: true, confidence: '0.9' };`, /confidence is no number/],
  ['goes backwards', `return { achieved: true, confidence: 1, progress: -1 };`, /progress is no number/],
  ['invents a key', `return { achieved: true, confidence: 1, sure: 1 };`, /"sure"; there are achieved/],
  ['answers a function', `return { achieved: true, confidence: () => 1 };`, /function/],
  ['ends its worker', `process.exit(3);`, /the worker of the judge/],
])('[C17] a judge that %s: recorded as unknown, asked again, and no verdict', async (_, body, reason) => {
  const b = await bench(judged(body), mission({ judgeRetries: 1, onComplete: 'suspend' }));
  await runs(b, 1);
  await b.until('both attempts', ({ snapshot }) => snapshot.mission?.unknown?.attempts === 2);
  expect(b.ledger()).toEqual(['judge 1', 'judge 1']);
  const told = await evaluations(b);
  expect(told).toHaveLength(2);
  for (const { unknown, achieved } of told) {
    expect(unknown).toMatch(reason);
    expect(achieved).toBeUndefined();
  }
  expect(b.process.snapshot).toMatchObject({
    lifecycle: 'running',
    consecutiveFailures: 0,
    workerDeaths: 0,
    mission: { status: 'active', outcome: null, judged: 0, evaluations: 0, judging: null },
  });
});

test('[C17] a judge that is out of order for a while pauses nothing for good: the next run that is due is judged', async () => {
  const b = await bench(
    judged(`if (view.runs < 3) throw new Error('out of order'); ${achievedAt(3)}`),
    mission({ judgeRetries: 0, onComplete: 'continue' }),
  );
  await runs(b, 1);
  await b.until('the first try', ({ snapshot }) => snapshot.mission?.unknown?.run === 1);
  await runs(b, 1);
  await b.until('the second', ({ snapshot }) => snapshot.mission?.unknown?.run === 2);
  expect(b.process.snapshot.mission).toMatchObject({ status: 'active' });
  await runs(b, 1);
  await b.until('the end', isMission('completed'));
  expect(b.ledger()).toEqual(['judge 1', 'judge 2', 'judge 3']);
});

test('a judge in a busy loop is ended when its time is over, and neither an invocation nor its worker notices', async () => {
  const b = await bench(
    judged('for (;;) {}', `await ctx.effect('work', { class: 'ask' }, async () => { note('work'); });`),
    // The loop would be taken for a worker that hangs, were it in the worker of the invocations.
    {
      heartbeatIntervalMs: 50,
      workerHangMs: 6_000,
      ...mission({ judgeTimeoutMs: 9_000, judgeRetries: 0 }),
    },
  );
  await runs(b, 1);
  await b.until(
    'the judge',
    ({ snapshot }) => snapshot.mission?.judging !== null && b.ledger().includes('judge 1'),
  );
  await runs(b, 3);
  await b.until('its end', ({ snapshot }) => snapshot.mission?.unknown !== null);
  expect((await evaluations(b))[0]).toMatchObject({
    run: 1,
    unknown: 'the judge gave no verdict within 9 s',
  });
  expect(b.ledger().filter((line) => line === 'work')).toHaveLength(4);
  const exits = await entriesOf(b, 'worker_exited');
  expect(exits).toEqual([]);
  expect(b.process.snapshot).toMatchObject({ workerDeaths: 0, lifecycle: 'running' });
});

test('a judge that hangs keeps nobody from stopping or quitting, and what was due is judged in the next life', async () => {
  const hangs = `await new Promise(() => setInterval(() => {}, 1_000));`;
  const b = await bench(judged(hangs), mission({ judgeTimeoutMs: 600_000 }));
  await runs(b, 1);
  await b.until('the judge', () => b.ledger().includes('judge 1'));
  await b.process.stop({ name: 'operator:ann', reason: 'enough' });
  expect(b.process.snapshot.lifecycle).toBe('stopped');
  expect((await evaluations(b))[0]).toMatchObject({ called_off: true, run: 1 });
  expect(b.process.snapshot.mission).toMatchObject({ judging: null, unknown: { attempts: 0 } });
  await b.process.start({ name: 'operator:ann', reason: 'go on' });
  await b.until('the judge again', () => b.ledger().length === 2);
  await b.quit();
  expect(b.ledger()).toEqual(['judge 1', 'judge 1']);
});

test('a module without a judge gives an unknown that says what to do', async () => {
  const b = await bench('return "done"', mission({ judgeRetries: 0 }));
  await runs(b, 1);
  await b.until('the unknown', ({ snapshot }) => snapshot.mission?.unknown !== null);
  expect((await evaluations(b))[0]!['unknown']).toMatch(/has no judge.*defineAgent\(\{ onTrigger, judge/);
  expect(b.process.snapshot.mission).toMatchObject({ status: 'active' });
});

test('a judge sees the state, the last run with what it did, and the end of the conversation, and can change none of it', async () => {
  const b = await bench(
    judged(
      `note(JSON.stringify(view)); view.state.runs = 99; view.objective = 'x'; return { achieved: false, confidence: 0 };`,
      `await ctx.effect('ship', { class: 'ask', args: { order: 7 } }, async () => 'ok');
       for (let n = 0; n < 12; n += 1) await ctx.conversation.append({ role: 'user', content: 'm' + n + 'x'.repeat(900) });`,
    ),
    mission({ successCriteria: 'none is open' }),
  );
  await b.trigger('p'.repeat(1_000));
  await b.until('a verdict', (process) => verdictsOf(process) === 1);
  const view = JSON.parse(b.ledger().find((line) => line.startsWith('{'))!) as Record<string, unknown>;
  expect(view).toMatchObject({
    process: 'agent',
    objective: 'every order is shipped',
    successCriteria: 'none is open',
    runs: 1,
    state: { runs: 1 },
    before: null,
    lastRun: { invocation: 1, response: 'run 1', effects: [{ name: 'ship', end: 'done' }] },
  });
  const { lastRun, conversation } = view as {
    lastRun: { payload: string };
    conversation: { content: string }[];
  };
  expect(lastRun.payload).toHaveLength(300);
  expect(conversation).toHaveLength(10);
  expect(conversation[9]!.content.slice(0, 3)).toBe('m11');
  expect(conversation[9]!.content).toHaveLength(500);
  expect(b.process.snapshot.context).toEqual({ runs: 1 });
});

test('runs that end while the judge thinks are judged together: the last of them, once', async () => {
  const b = await bench(
    judged(
      `while (!existsSync(view.state.go)) await delay(10); ${achievedAt(99)}`,
      `await ctx.state.set('go', event.payload);`,
    ),
    mission(),
  );
  const go = `${b.directory}/go`;
  await b.trigger(go);
  await b.until('the judge', () => b.ledger().includes('judge 1'));
  for (let n = 0; n < 4; n += 1) await b.trigger(go);
  await b.until('the runs', (process) => process.snapshot.invocationCount === 5 && isIdle(process));
  writeFileSync(go, '');
  await b.until('both verdicts', (process) => verdictsOf(process) === 2);
  expect((await evaluations(b)).map(({ run }) => run)).toEqual([1, 5]);
});
