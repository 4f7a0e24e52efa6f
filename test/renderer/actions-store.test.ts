import { expect, test } from 'vitest';
import { UNREACHABLE } from '../../renderer/client/bridge-client.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { deadLetterOf, doubtOf, effectOf, fleetOf, NOW, previewOf, rowOf, waitOf } from './fixtures.ts';
import { memoryHost, ok, refused, testConsole, type MemoryHost, type TestConsole } from './memory-client.ts';

const row = rowOf();

function made(): { host: MemoryHost; console: TestConsole } {
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf([row])));
  return { host, console: testConsole(host, NOW) };
}

const pendingOf = (console: TestConsole, of: ProcessRow): string | undefined =>
  console.actions.store.getState().pending[`${of.journalId}\n${of.name}`]?.what;
const lastNotice = (console: TestConsole) => console.notices.store.getState().notices.at(-1);

test('what can be taken back is done at once, and until the answer comes it is asked for, not done', async () => {
  const { host, console } = made();
  let answer = (): void => undefined;
  host.answer(
    'processes.suspend',
    () =>
      new Promise((resolve) => {
        answer = () => resolve(ok({ state: 'running', message: 'It suspends after the current effect.' }));
      }),
  );
  console.actions.choose(row, 'suspend');
  expect(console.actions.store.getState().question).toBeNull();
  expect(pendingOf(console, row)).toBe('Suspending');
  answer();
  await expect.poll(() => pendingOf(console, row)).toBeUndefined();
  expect(lastNotice(console)).toMatchObject({ tone: 'done', title: 'market-watcher: Running' });
});

test('[P7] a second click is the same command: one request, one command id', () => {
  const { host, console } = made();
  host.answer('processes.suspend', () => new Promise(() => undefined));
  console.actions.choose(row, 'suspend');
  console.actions.choose(row, 'suspend');
  console.actions.choose(row, 'stop');
  expect(host.askedFor('processes.suspend')).toHaveLength(1);
  expect(host.askedFor('processes.suspend')[0]?.commandId).toMatch(/^[0-9a-f-]{36}$/);
  expect(console.actions.store.getState().question).toBeNull();
});

test.each(['stop', 'restart', 'kill-worker', 'force-recover'] as const)(
  '%s asks first, and cancelling sends nothing',
  (action) => {
    const { host, console } = made();
    const asked = host.asked.length;
    console.actions.choose(row, action);
    expect(console.actions.store.getState().question).toMatchObject({ action, row });
    console.actions.cancel();
    expect(console.actions.store.getState().question).toBeNull();
    expect(host.asked).toHaveLength(asked);
  },
);

test('[P7] the reason goes with the command and is offered again', async () => {
  const { host, console } = made();
  host.answer('processes.force-recover', () => ok({ state: 'running', message: '' }));
  console.actions.choose(row, 'force-recover');
  console.actions.confirm('No progress');
  expect(host.askedFor('processes.force-recover')[0]).toMatchObject({
    journalId: row.journalId,
    process: row.name,
    reason: 'No progress',
  });
  expect(console.actions.store.getState().lastReason).toBe('No progress');
  await expect.poll(() => pendingOf(console, row)).toBeUndefined();
});

test('a refusal stays until it is read, with its code', async () => {
  const { host, console } = made();
  host.answer('processes.preview', () => ok(previewOf()));
  host.answer('processes.resume', () =>
    refused({ code: 'process.not-suspended', message: 'It is running, so there is nothing to resume.' }),
  );
  console.actions.choose(row, 'resume');
  await expect.poll(() => lastNotice(console)?.code).toBe('process.not-suspended');
  console.testClock.advance(3_600_000);
  expect(console.notices.store.getState().notices).toHaveLength(1);
  expect(lastNotice(console)?.step).toBeUndefined();
});

test('[P2] a command that may not have arrived is asked again with the same command id', async () => {
  const { host, console } = made();
  host.answer('processes.trigger', () =>
    refused({ code: UNREACHABLE, message: 'It did not reach the host.' }),
  );
  console.actions.choose(row, 'trigger');
  await expect.poll(() => lastNotice(console)?.step?.label).toBe('Ask again');
  host.answer('processes.trigger', () => ok({ state: 'running', message: '' }));
  lastNotice(console)?.step?.run();
  const ids = host.askedFor('processes.trigger').map(({ commandId }) => commandId);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
});

test('an effect in doubt is resolved with the operator’s words, its result as typed', async () => {
  const { host, console } = made();
  const effect = effectOf();
  host.answer('effects.resolve', () => ok({ state: 'running', message: '' }));
  console.actions.ask({ kind: 'effect', resolution: 'happened', row, effect });
  console.actions.confirmResolution('Seen in the other system', {
    kind: 'happened',
    resultText: '{"id":12345678901234567890}',
  });
  expect(host.askedFor('effects.resolve')[0]).toMatchObject({
    effectId: effect.effectId,
    reason: 'Seen in the other system',
    resolution: { kind: 'happened', resultText: '{"id":12345678901234567890}' },
  });
});

test('a resume that meets nothing is done without a question, and pressed twice it is one command', async () => {
  const { host, console } = made();
  const harmless = doubtOf({ effectClass: 'retry', next: 'performed again' });
  host.answer('processes.preview', () => ok(previewOf({ doubts: [harmless], queued: 3, deadLetters: 1 })));
  host.answer('processes.resume', () => ok({ state: 'running', message: 'It goes on.' }));
  console.actions.choose(row, 'resume');
  console.actions.choose(row, 'resume');
  expect(pendingOf(console, row)).toBe('Resuming');
  await expect.poll(() => lastNotice(console)?.title).toBe('market-watcher: Running');
  expect(console.actions.store.getState().question).toBeNull();
  expect(host.askedFor('processes.preview')).toHaveLength(1);
  expect(host.askedFor('processes.resume')).toHaveLength(1);
});

test.each([
  ['a doubt', { doubts: [doubtOf()] }],
  ['a doubt that is repeated', { doubts: [doubtOf({ next: 'performed again with the same key' })] }],
  ['a timer that is due', { timersDue: 1 }],
  ['a hold that stays', { holdsThatStay: ['budget: 50 of 50 runs'] }],
] as const)('a resume that meets %s is a question first, with what was found', async (_, over) => {
  const { host, console } = made();
  const value = previewOf({
    ...over,
    doubts: [...('doubts' in over ? over.doubts : [])],
    holdsThatStay: [...('holdsThatStay' in over ? over.holdsThatStay : [])],
  });
  host.answer('processes.preview', () => ok(value));
  console.actions.choose(row, 'resume');
  await expect
    .poll(() => console.actions.store.getState().question)
    .toMatchObject({ kind: 'action', action: 'resume', found: { ok: true } });
  expect(pendingOf(console, row)).toBeUndefined();
  expect(host.askedFor('processes.resume')).toEqual([]);
});

test('[P5] a resume that could not be looked at says so in its question', async () => {
  const { host, console } = made();
  host.answer('processes.preview', () => refused({ code: 'journal.damaged', message: 'Damaged.' }));
  console.actions.choose(row, 'resume');
  await expect
    .poll(() => console.actions.store.getState().question)
    .toMatchObject({ action: 'resume', found: { ok: false } });
});

test('what a resume finds takes no other question’s place', async () => {
  const { host, console } = made();
  const other = rowOf({ name: 'other' });
  host.answer('processes.preview', () => ok(previewOf({ timersDue: 1 })));
  console.actions.choose(row, 'resume');
  console.actions.choose(other, 'stop');
  await expect.poll(() => lastNotice(console)?.title).toBe('market-watcher: not resumed');
  expect(console.actions.store.getState().question).toMatchObject({ action: 'stop', row: other });
});

test('a promise is settled with the value as typed, and a reason', () => {
  const { host, console } = made();
  const wait = waitOf();
  console.actions.ask({ kind: 'promise', settlement: 'resolved', row, wait });
  console.actions.confirmSettlement('Approved', { kind: 'resolved', valueText: '12345678901234567890' });
  expect(host.askedFor('promises.settle')[0]).toMatchObject({
    process: row.name,
    promiseId: wait.waitId,
    reason: 'Approved',
    settlement: { kind: 'resolved', valueText: '12345678901234567890' },
  });
});

test('a signal without a payload goes without one', () => {
  const { host, console } = made();
  console.actions.ask({ kind: 'signal', row, invocations: 1 });
  console.actions.confirmSignal('', 'wake', ' ');
  console.actions.ask({ kind: 'signal', row: rowOf({ name: 'other' }), invocations: 1 });
  console.actions.confirmSignal('', 'wake', '{"n":1}');
  const [bare, full] = host.askedFor('processes.signal');
  expect(bare).not.toHaveProperty('payloadText');
  expect(full).toMatchObject({ name: 'wake', payloadText: '{"n":1}' });
});

test('[S24] redelivering goes on from the record at once; everything again, and dropping, are asked first', () => {
  const { host, console } = made();
  const letter = deadLetterOf();
  const [one, two, three] = ['one', 'two', 'three'].map((name) => rowOf({ name }));
  console.actions.redeliver(one!, letter);
  console.actions.confirmDeadLetter('nothing was asked');
  console.actions.ask({ kind: 'dead-letter', choice: 'as-new', row: two!, letter });
  console.actions.confirmDeadLetter('Its cause is repaired');
  console.actions.ask({ kind: 'dead-letter', choice: 'drop', row: three!, letter });
  console.actions.confirmDeadLetter('Bad input');
  expect(host.askedFor('deadletters.redeliver')).toMatchObject([
    { process: 'one', asNew: false, eventId: letter.eventId },
    { process: 'two', asNew: true, reason: 'Its cause is repaired' },
  ]);
  expect(host.askedFor('deadletters.drop')).toMatchObject([{ process: 'three', reason: 'Bad input' }]);
});
