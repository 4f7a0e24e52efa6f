import { expect, test } from 'vitest';
import { UNREACHABLE } from '../../renderer/client/bridge-client.ts';
import { fleetOf, NOW, rowOf, triggerOf } from './fixtures.ts';
import { memoryHost, ok, refused, testConsole, type MemoryHost, type TestConsole } from './memory-client.ts';

const row = rowOf();
const done = { state: 'running', message: 'Done.' };

function asking(): {
  host: MemoryHost;
  console: TestConsole;
  answer: (reason?: string) => Promise<string | null>;
} {
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf([row])));
  const console = testConsole(host, NOW);
  const trigger = triggerOf();
  console.actions.ask({ kind: 'fire-trigger', row, trigger });
  const answer = async (reason = 'a test') => {
    const told = { triggerId: trigger.id };
    const refusal = await console.actions.attempt('Test-firing', reason, told, (command) =>
      console.client.request('triggers.fire', command),
    );
    return refusal?.code ?? null;
  };
  return { host, console, answer };
}

const noticesOf = (console: TestConsole) => console.notices.store.getState().notices;
const questionOf = (console: TestConsole) => console.actions.store.getState().question;

test('a question stays open until its answer is taken, and what was refused is another command next time', async () => {
  const { host, console, answer } = asking();
  host.answer('triggers.fire', () => refused({ code: 'trigger.busy', message: 'Not now.' }));
  expect(await answer()).toBe('trigger.busy');
  expect(questionOf(console)).not.toBeNull();
  // It is said in the question, and not twice.
  expect(noticesOf(console)).toEqual([]);
  host.answer('triggers.fire', () => ok(done));
  expect(await answer()).toBeNull();
  expect(questionOf(console)).toBeNull();
  expect(noticesOf(console)).toMatchObject([{ tone: 'done', title: 'market-watcher: Running' }]);
  const ids = host.askedFor('triggers.fire').map(({ commandId }) => commandId);
  expect(new Set(ids).size).toBe(2);
});

test('[P2] an answer that may not have arrived is given again as the same command; a changed one is another', async () => {
  const { host, answer } = asking();
  host.answer('triggers.fire', () => refused({ code: UNREACHABLE, message: 'It did not reach the host.' }));
  await answer('one');
  await answer('one');
  await answer('two');
  const [first, second, third] = host.askedFor('triggers.fire').map(({ commandId }) => commandId);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test('a second press while the first waits for its answer does nothing, and says so', async () => {
  const { host, console, answer } = asking();
  let arrive = (): void => undefined;
  host.answer('triggers.fire', () => new Promise((resolve) => (arrive = () => resolve(ok(done)))));
  const first = answer();
  expect(await answer()).toBe('console.busy');
  arrive();
  expect(await first).toBeNull();
  expect(host.askedFor('triggers.fire')).toHaveLength(1);
  expect(console.actions.store.getState().pending).toEqual({});
});

test('whoever left the question while it was asked is told of a refusal, and may answer again', async () => {
  const { host, console, answer } = asking();
  let arrive = (): void => undefined;
  const refusal = refused({ code: 'trigger.busy', message: 'Not now.' });
  host.answer('triggers.fire', () => new Promise((resolve) => (arrive = () => resolve(refusal))));
  const asked = answer();
  console.actions.cancel();
  arrive();
  await asked;
  const [notice] = noticesOf(console);
  expect(notice).toMatchObject({
    tone: 'alarm',
    title: 'market-watcher: test-firing failed',
    code: 'trigger.busy',
  });
  notice!.step!.run();
  expect(questionOf(console)).toMatchObject({ kind: 'fire-trigger' });
});

test('without a question there is nothing to answer', async () => {
  const { host, console, answer } = asking();
  console.actions.cancel();
  expect(await answer()).toBeNull();
  expect(host.askedFor('triggers.fire')).toEqual([]);
});
