// A host that is killed with a full queue, and one more that goes on with it.

import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { freePort, send, sendJson } from '../support/webhooks.ts';

/** Waits for a gate, then notes what it was woken by. */
const clerk = (gate: string, ledger: string): string => `
  const { appendFileSync, existsSync } = await import('node:fs');
  while (!existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 5));
  await ctx.effect('note', { class: 'ask' }, async () => {
    appendFileSync(${JSON.stringify(ledger)}, JSON.stringify([event.eventId, event.payload]) + '\\n');
  });`;

test('[C22] [P1] [S29] kill -9 with a hundred events in the queue, and ticks that come due while nobody is there: each is handled once, in order', async () => {
  const directory = tempDirectory();
  const port = await freePort();
  const [gate, ledger] = [join(directory, 'gate'), join(directory, 'ledger')];
  const manifest = `triggers:
  - { type: webhook, webhook_port: ${port} }
  - { type: cron, cron_expression: "* * * * * *", holdfast: { missed: all } }
`;
  const workspace = workspaceOf({ clerk: clerk(gate, ledger) }, manifest, join(directory, 'agents'));
  const journal = readFileJournal(join(workspace, '.holdfast-journal'));
  const url = `http://127.0.0.1:${port}/webhook`;
  const isUp = (): Promise<boolean> =>
    send(url.replace('/webhook', '/health'), { method: 'GET' }).then(
      ({ status }) => status === 200,
      () => false,
    );
  const first = await runHost(workspace);
  await waitFor(isUp, { what: 'the webhook' });
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      sendJson(url, { n }, { headers: { 'idempotency-key': `key ${n}` } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  await first.kill();
  const before = await new ReplayEngine(journal).recover('clerk');
  expect(before.snapshot.queue.length + before.snapshot.open.length).toBeGreaterThanOrEqual(100);

  // Nobody is there for some scheduled times.
  const from = Date.now();
  await waitFor(() => Date.now() - from > 2_100);
  const second = await runHost(workspace, first.data);
  await waitFor(isUp, { what: 'the webhook' });
  // A sender that never heard of it sends it again, and it is known.
  const again = await sendJson(url, { n: 0 }, { headers: { 'idempotency-key': 'key 0' } });
  expect([again.status, again.body['event_id']]).toEqual([202, null]);
  writeFileSync(gate, '');
  const lines = (): [string, { readonly n?: number; readonly scheduled_time?: string }][] =>
    existsSync(ledger)
      ? readFileSync(ledger, 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as [string, { n?: number }])
      : [];
  const ticksOf = (all: ReturnType<typeof lines>): number[] =>
    all.flatMap(([, { scheduled_time: at }]) => (at === undefined ? [] : [Date.parse(at)]));
  await waitFor(() => lines().length - ticksOf(lines()).length >= 100 && ticksOf(lines()).length >= 4, {
    what: 'the hundred, and what nobody was there for',
    patienceMs: 60_000,
  });
  await second.kill();

  const handled = lines();
  const ids = handled.map(([id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const accepted = new Set(answers.map(({ body }) => body['event_id']));
  expect(handled.filter(([id]) => accepted.has(id))).toHaveLength(100);
  // In the order in which the journal has them.
  const order = (await journal.read('clerk', { entryType: 'trigger_event' })).map(
    ({ data }) => data['event_id'],
  );
  expect(ids).toEqual(order.slice(0, ids.length));
  // Every second from the first tick on, each once: also those that nobody was there for.
  const ticks = ticksOf(handled);
  ticks.forEach((tick, at) => expect(tick).toBe(ticks[0]! + at * 1_000));
});
