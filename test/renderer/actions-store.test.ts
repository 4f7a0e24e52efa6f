import { expect, test } from 'vitest';
import { UNREACHABLE } from '../../renderer/client/bridge-client.ts';
import type { ProcessRow } from '../../core/contract/views.ts';
import { effectOf, fleetOf, NOW, rowOf } from './fixtures.ts';
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

test.each(['stop', 'kill-worker', 'force-recover'] as const)(
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
  console.actions.chooseResolution(row, effect, 'happened');
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
