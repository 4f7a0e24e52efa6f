// What `holdfast triggers` says of a process: what is due, waits, is tried again, was missed, and went wrong.

import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { TRIGGER_VERBS } from '../../core/cli/trigger-verbs.ts';
import { command, openConsole, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { freePort } from '../support/webhooks.ts';

const { says, picks } = TRIGGER_VERBS.find(({ usage }) => usage.startsWith('triggers '))!;

test('[P5] [C22] what is next, queued, tried again and not open is said, and how many more there are than are shown', async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => {
    other.listen(port, '127.0.0.1', resolve);
  });
  onTestFinished(() => void other.close());
  const workspace = workspaceOf(
    { clerk: `throw new Error('no');` },
    `trigger_delivery: { max_retries: 3, retry_backoff: 600, retry_backoff_max: 600 }
triggers:
  - { type: cron, cron_expression: "0 4 1 1 *" }
  - { type: event, event_type: "price.*" }
  - { type: webhook, webhook_port: ${port} }
`,
  );
  const console = await openConsole(workspace, tempDirectory());
  const { journalId } = (await console.get('fleet.read', {})).processes[0]!;
  const target = { journalId, process: 'clerk' };
  const detail = () => console.get('processes.read', target);
  const trigger = async (): Promise<void> =>
    void (await console.get('processes.trigger', { ...target, ...command() }));
  await trigger();
  await waitFor(async () => (await detail()).open.some(({ retryAt }) => retryAt !== null), {
    what: 'the retry',
  });
  await waitFor(async () => (await detail()).triggers.some(({ problem }) => problem !== null), {
    what: 'the problem',
  });
  await console.get('processes.suspend', { ...target, ...command() });
  for (let event = 0; event < 101; event += 1) await trigger();
  const shown = await detail();
  const lines = says!(shown);
  expect(lines.slice(0, 4)).toEqual([
    expect.stringMatching(/^cron-[0-9a-f]{8}  cron  .* · next \d{4}-01-01T04:00:00\.000Z · 0 accepted/),
    expect.stringMatching(/^event-[0-9a-f]{8}  event  event price\.\* · waits · /),
    expect.stringMatching(
      /^webhook-\d+\/webhook  webhook  .* · not open · .* · trigger\.port-taken at .*: Port/,
    ),
    expect.stringMatching(/^retrying  \S+  \S+  of manual, after attempt 1$/),
  ]);
  expect(lines.filter((line) => line.startsWith('queued  '))).toHaveLength(100);
  expect(lines.at(-1)).toBe('and 1 more queued');
  expect(picks!(shown)).toMatchObject({
    retrying: [{ triggerId: 'manual', attempt: 1 }],
    counts: { triggers: 3, queued: 101 },
  });
  await console.get('processes.stop', { ...target, ...command() });
  const stopped = says!(await detail());
  for (const line of stopped.slice(0, 2)) expect(line).toContain(' · off while clerk is stopped · ');
  const more = { ...shown, counts: { ...shown.counts, triggers: 105 } };
  expect(says!(more)).toContain('and 102 more triggers');
});
