// What processes say to each other, and how they share the machine: real workers on a real journal.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isFullCheckpoint, snapshotToState } from '../../core/model/checkpoint.ts';
import { heardFrom } from '../../core/model/fold-invocation.ts';
import { FOLD_VERSION, foldEntries } from '../../core/model/fold.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { matchesTopic, topicProblem } from '../../core/model/messages.ts';
import {
  DEFAULT_PROCESS_CONFIG,
  type ProcessConfig,
  type ProcessDefinition,
} from '../../core/model/process-config.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import type { EventTriggerConfig, TriggerConfig } from '../../core/model/trigger-config.ts';
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
        directory,
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
    existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').slice(0, -1) : [];
  return { directory, journal, runtime, quit, lines };
}

const messagesTo = (topic: string): TriggerConfig => ({ type: 'message', topic, filter: null });
const EVENT: EventTriggerConfig = { type: 'event', eventType: 'price.*', eventSource: null, filter: null };
const HEAR = `note(ctx.process + ' ' + JSON.stringify(event.payload));`;

test('[S38] an event reaches all who listen for its type, and a message all who listen to its topic; each once', async () => {
  const w = await several({
    sender: {
      source: `await ctx.emit('price.up', { by: 1 }); await ctx.send('orders/new', 7); await ctx.emit('other');`,
    },
    one: { source: HEAR, triggers: [EVENT] },
    two: { source: HEAR, triggers: [messagesTo('orders/*'), EVENT] },
    deaf: { source: HEAR, triggers: [{ ...EVENT, eventSource: 'somebody else' }] },
  });
  await w.runtime.process('sender').trigger(null);
  await waitFor(() => w.lines().length === 3, { what: 'what was heard' });
  await waitFor(() => w.runtime.process('sender').snapshot.outbox.length === 0, { what: 'the delivery' });
  const { numbering } = w.runtime.process('sender').snapshot;
  const event = JSON.stringify({
    event_type: 'price.up',
    event_id: `sender/${numbering}/1`,
    source: 'sender',
    data: { by: 1 },
  });
  const message = JSON.stringify({
    topic: 'orders/new',
    message_id: `sender/${numbering}/2`,
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
    receiver: { source: HEAR, triggers: [messagesTo('x')] },
  };
  const w = await several(agents);
  await w.runtime.process('receiver').stop(OPERATOR);
  await w.runtime.process('receiver').start(OPERATOR);
  await w.runtime.process('sender').trigger(null);
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
  const { numbering } = sender.snapshot;
  expect(next.runtime.process('receiver').snapshot.heardOf).toEqual({ sender: [{ numbering, number: 2 }] });
});

/** Everything that a journal directory has of a process. */
function forget(directory: string, name: string): void {
  for (const at of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (at.name === name || at.name.startsWith(`${name}.`)) {
      rmSync(join(at.parentPath, at.name), { recursive: true, force: true });
    }
  }
}

test('[P1] [S38] a sender whose journal begins anew counts from 1 again, and what it says is heard', async () => {
  const agents = {
    sender: { source: `for (const n of event.payload) await ctx.send('x', n);` },
    receiver: { source: HEAR, triggers: [messagesTo('x')] },
  };
  const w = await several(agents);
  await w.runtime.process('sender').trigger([1, 2, 3]);
  await waitFor(() => w.lines().length === 3, { what: 'the first three' });
  await waitFor(() => w.runtime.process('sender').snapshot.outbox.length === 0, { what: 'the delivery' });
  await w.quit();
  forget(join(w.directory, 'journal'), 'sender');
  const next = await several(agents, w.directory);
  await next.runtime.process('sender').trigger([4, 5]);
  await waitFor(() => next.lines().length === 5, { what: 'the next two' });
  const heard = next
    .lines()
    .map((line) => JSON.parse(line.slice('receiver '.length)) as { content: number; message_id: string });
  expect(heard.map(({ content }) => content)).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(heard.map(({ message_id }) => message_id)).size).toBe(5);
  // And each once, as before.
  await next.quit();
  const last = await several(agents, w.directory);
  await last.runtime.process('sender').trigger([6]);
  await waitFor(() => last.lines().length === 6, { what: 'the last' });
  expect(last.runtime.process('sender').snapshot.sent).toBe(3);
});

const folding = (...entries: readonly (readonly [string, JsonObject])[]) =>
  foldEntries(
    entries.map(([entry_type, data], at) => ({
      seq: at + 1,
      timestamp: '2026-01-01T00:00:00+00:00',
      entry_type,
      data,
    })),
  );

test('[S38] a numbering goes on until entries may be missing, and what was sent keeps its own', () => {
  const sent = (number: number, more: JsonObject = {}) =>
    ['message_sent', { number, kind: 'event', topic: 'x', data: null, ...more }] as const;
  const state = folding(sent(1), sent(2, { numbering: 'a' }), [
    'journal_repaired',
    { kind: 'repair', held: true, reason: 'cut' },
  ]);
  expect([state.sent, state.numbering]).toEqual([2, '']);
  expect(state.outbox.map(({ number, numbering }) => [number, numbering])).toEqual([
    [1, undefined],
    [2, 'a'],
  ]);
  expect(folding(sent(1, { numbering: 'a' }), ['hold_placed', { hold: 'operator' }]).numbering).toBe('a');
});

test('[S38] [P8] a receiver knows each numbering of a sender for itself, the nameless one of old journals too, and not more than four others', () => {
  const heard = (number: number, numbering?: string) =>
    [
      'trigger_event',
      {
        event_id: `${numbering}-${number}`,
        from: { process: 's', number, ...(numbering === undefined ? {} : { numbering }) },
      },
    ] as const;
  const state = folding(heard(7), heard(3, 'a'), heard(1, 'b'), heard(4, 'a'));
  expect([heardFrom(state, 's'), heardFrom(state, 's', 'a'), heardFrom(state, 's', 'b')]).toEqual([7, 4, 1]);
  expect([
    heardFrom(state, 's', 'c'),
    heardFrom(state, 'other', 'a'),
    heardFrom(state, 'constructor'),
  ]).toEqual([0, 0, 0]);
  const many = folding(...['a', 'b', 'c', 'd', 'e'].map((numbering) => heard(9, numbering)));
  expect(many.heardOf['s']!.map(({ numbering }) => numbering)).toEqual(['b', 'c', 'd', 'e']);
});

test('[P3] [P8] [S17] numberings are in a checkpoint, and one from before they had names is full too', () => {
  const state = folding(
    ['message_sent', { number: 1, numbering: 'a', kind: 'event', topic: 'x', data: null }],
    ['trigger_event', { event_id: 'e', from: { process: 's', number: 2, numbering: 'b' } }],
  );
  const checkpoint = snapshotToState(state, FOLD_VERSION);
  const again = (mark: JsonObject): ProcessSnapshot =>
    folding(['checkpoint', { state: { ...checkpoint, holdfast: mark } }]);
  const mark = checkpoint['holdfast'] as JsonObject;
  const { numbering: _, heardOf: __, ...older } = mark;
  expect(again(mark)).toMatchObject({
    numbering: 'a',
    heardOf: state.heardOf,
    outbox: state.outbox,
    queue: state.queue,
  });
  expect(again(older)).toMatchObject({ numbering: '', heardOf: {}, sent: 1 });
  expect(isFullCheckpoint({ state: { ...checkpoint, holdfast: older } })).toBe(true);
  expect(
    isFullCheckpoint({ state: { ...checkpoint, holdfast: { ...mark, heardOf: { s: [{ number: 1 }] } } } }),
  ).toBe(false);
});

test('[S34] what is sent to a suspended process waits in its queue', async () => {
  const w = await several({
    sender: { source: `await ctx.send('x', 1);` },
    receiver: { source: HEAR, triggers: [messagesTo('x')] },
  });
  await w.runtime.process('receiver').suspend(OPERATOR);
  await w.runtime.process('sender').trigger(null);
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
        // One that waits may lose its worker to another, and is run anew: what is recorded of it is not done again.
        {
          source: `await ctx.effect('note', { class: 'retry' }, async () => note(ctx.process)); await ctx.sleep(5);`,
          config: { concurrency: 1 },
        },
      ]),
    ),
    tempDirectory(),
    2,
  );
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(names.map((name) => w.runtime.process(name).trigger(null)));
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
  for (let n = 0; n < 40; n += 1) await busy.trigger(null);
  await waitFor(() => w.lines().length > 0, { what: 'the busy one' });
  await w.runtime.process('quiet').trigger(null);
  await waitFor(() => w.lines().includes('quiet'), { what: 'the quiet one' });
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
