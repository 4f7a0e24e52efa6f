// What processes say to each other, and how they share the machine: real workers on a real journal.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { matchesTopic, topicProblem } from '../../core/model/messages.ts';
import {
  DEFAULT_PROCESS_CONFIG,
  type ProcessConfig,
  type ProcessDefinition,
  type TriggerConfig,
} from '../../core/model/process-config.ts';
import { OPERATOR, startRuntime } from '../support/runtime.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

interface Agent {
  readonly source: string;
  readonly triggers?: readonly TriggerConfig[];
  readonly config?: Partial<ProcessConfig>;
}

async function several(
  agents: Readonly<Record<string, Agent>>,
  directory = tempDirectory(),
  maxWorkers = 16,
) {
  const ledger = join(directory, 'ledger.txt');
  const definitions = Object.entries(agents).map(
    ([name, { source, triggers = [], config }]): ProcessDefinition => {
      const entrypoint = join(directory, `${name}.ts`);
      writeFileSync(
        entrypoint,
        `import { appendFileSync } from 'node:fs';
       import { setTimeout as delay } from 'node:timers/promises';
       import { defineAgent } from 'holdfast';
       const note = (line) => appendFileSync(${JSON.stringify(ledger)}, line + '\\n');
       export default defineAgent({ async onTrigger(ctx, event) { ${source} } });`,
      );
      return {
        name,
        description: '',
        entrypoint,
        config: { ...DEFAULT_PROCESS_CONFIG, restartBackoffMs: 20, triggers, ...config },
        configHash: 'test',
        codeHash: 'test',
      };
    },
  );
  const { journal, runtime, quit } = await startRuntime(join(directory, 'journal'), definitions, {
    maxWorkers,
  });
  const lines = (): string[] =>
    existsSync(ledger)
      ? readFileSync(ledger, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : [];
  return { directory, journal, runtime, quit, lines };
}

const EVENT: TriggerConfig = { type: 'event', eventType: 'price.*', eventSource: null };
const HEAR = `note(ctx.process + ' ' + JSON.stringify(event.payload));`;

test('[S38] an event reaches all who listen for its type, and a message all who listen to its topic; each once', async () => {
  const w = await several({
    sender: {
      source: `await ctx.emit('price.up', { by: 1 }); await ctx.send('orders/new', 7); await ctx.emit('other');`,
    },
    one: { source: HEAR, triggers: [EVENT] },
    two: { source: HEAR, triggers: [{ type: 'message', topic: 'orders/*' }, EVENT] },
    deaf: { source: HEAR, triggers: [{ type: 'event', eventType: 'price.*', eventSource: 'somebody else' }] },
  });
  await w.runtime.process('sender').accept('manual', 'manual', null);
  await waitFor(() => w.lines().length === 3, { what: 'what was heard' });
  await waitFor(() => w.runtime.process('sender').snapshot.outbox.length === 0, { what: 'the delivery' });
  const event = JSON.stringify({
    event_type: 'price.up',
    event_id: 'sender/1',
    source: 'sender',
    data: { by: 1 },
  });
  const message = JSON.stringify({
    topic: 'orders/new',
    message_id: 'sender/2',
    sender: 'sender',
    content: 7,
  });
  expect(w.lines().sort()).toEqual([`one ${event}`, `two ${event}`, `two ${message}`].sort());
});

test('[P2] [S38] a re-run sends nothing again, and a host that dies before delivering delivers at the next start', async () => {
  const agents = {
    sender: {
      source: `await ctx.send('x', 1); await ctx.promise('go'); await ctx.send('x', 2);`,
      config: { workerIdleMs: 50 },
    },
    receiver: { source: HEAR, triggers: [{ type: 'message', topic: 'x' }] as const },
  };
  const w = await several(agents);
  await w.runtime.process('receiver').stop(OPERATOR);
  await w.runtime.process('receiver').start(OPERATOR);
  await w.runtime.process('sender').accept('manual', 'manual', null);
  await waitFor(() => w.runtime.process('sender').snapshot.lifecycle === 'awaiting', { what: 'awaiting' });
  await waitFor(() => w.lines().length === 1, { what: 'the first' });
  await w.quit();
  const next = await several(agents, w.directory);
  const sender = next.runtime.process('sender');
  await sender.desk.settlePromise(
    sender.snapshot.open[0]!.waits[0]!.waitId,
    { status: 'resolved', value: null },
    OPERATOR,
  );
  await waitFor(() => next.lines().length === 2, { what: 'the second' });
  expect(next.lines().map((line) => /"content":(\d)/.exec(line)![1])).toEqual(['1', '2']);
  expect(next.runtime.process('receiver').snapshot.heard).toEqual({ sender: 2 });
});

test('[S34] what is sent to a suspended process waits in its queue', async () => {
  const w = await several({
    sender: { source: `await ctx.send('x', 1);` },
    receiver: { source: HEAR, triggers: [{ type: 'message', topic: 'x' }] },
  });
  await w.runtime.process('receiver').suspend(OPERATOR);
  await w.runtime.process('sender').accept('manual', 'manual', null);
  await waitFor(() => w.runtime.process('receiver').snapshot.queue.length === 1, { what: 'it to be queued' });
  expect(w.lines()).toEqual([]);
  await w.runtime.process('receiver').resume(OPERATOR);
  await waitFor(() => w.lines().length === 1, { what: 'it to be handled' });
});

test('more processes than workers: each gets its turn, and none waits for one that never ends', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `p${n}`);
  const w = await several(
    Object.fromEntries(
      names.map((name) => [
        name,
        { source: `note(ctx.process); await ctx.sleep(5);`, config: { concurrency: 1 } },
      ]),
    ),
    tempDirectory(),
    2,
  );
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(names.map((name) => w.runtime.process(name).accept('manual', 'manual', null)));
  }
  await waitFor(() => w.lines().length >= 36, { what: 'all of them', patienceMs: 60_000 });
  for (const name of names) expect(w.lines().filter((line) => line === name)).toHaveLength(3);
  const workers = [...w.runtime.processes.values()].filter(({ live }) => live.worker !== null);
  expect(workers.length).toBeLessThanOrEqual(2);
});

test('a busy process gives up its worker to others after its turn', async () => {
  const w = await several(
    {
      busy: { source: `note('busy'); await delay(200);` },
      quiet: { source: `note('quiet');` },
    },
    tempDirectory(),
    1,
  );
  const busy = w.runtime.process('busy');
  for (let n = 0; n < 40; n += 1) await busy.accept('manual', 'manual', null);
  await waitFor(() => w.lines().length > 0, { what: 'the busy one' });
  await w.runtime.process('quiet').accept('manual', 'manual', null);
  await waitFor(() => w.lines().includes('quiet'), { what: 'the quiet one', patienceMs: 20_000 });
  expect(w.lines().filter((line) => line === 'busy').length).toBeLessThan(40);
});

test.each([
  ['a', 'a', true],
  ['a', 'b', false],
  ['*', '', true],
  ['reports.*', 'reports.daily.eu', true],
  ['*.eu', 'reports.eu', true],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b', 'a-b-c', false],
])('the pattern %s and the topic %s: %s', (pattern, topic, expected) => {
  expect(matchesTopic(pattern, topic)).toBe(expected);
});

test('a topic that only a listener may use is refused', () => {
  expect(topicProblem('a.*')).toMatch(/listener/);
  expect(topicProblem('')).toMatch(/text/);
  expect(topicProblem('orders/new')).toBeNull();
});
