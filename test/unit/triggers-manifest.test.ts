// Triggers as manifests say them: read, refused by name, and known by what they listen to.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLiveWorkspace } from '../../core/host/open-workspace.ts';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import { isVariable, withVariables } from '../../core/manifest/variables.ts';
import { openConsole, command, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { freePort } from '../support/webhooks.ts';
import { waitFor } from '../support/wait-for.ts';

/** A workspace of one agent with these triggers. */
function withTriggers(triggers: string): string {
  const indented = triggers.trim().replaceAll(/^/gm, '  ');
  return workspaceOf({ clerk: '' }, triggers === '' ? '' : `triggers:\n${indented}\n`);
}

function problemOf(triggers: string): string {
  const { definitions, problems } = loadWorkspace(withTriggers(triggers));
  expect(definitions).toEqual([]);
  expect(problems).toHaveLength(1);
  return problems[0]!.message;
}

test('every key of every trigger, with the defaults of Promptise', () => {
  const workspace = withTriggers(`
- type: cron
  cron_expression: "0 9 * * *"
- type: cron
  cron_expression: "0 9 * * * 30"
  cron_timezone: Europe/Zurich
  filter_expression: "scheduled_time"
  holdfast: { missed: once }
- type: webhook
- type: webhook
  webhook_path: /orders
  webhook_port: 9191
  webhook_host: 0.0.0.0
  hmac_secret: plain
  signature_scheme: stripe
  signature_header: X-Signed
  signature_tolerance: 60
  allowed_sources: [10.0.0.0/8]
  holdfast: { max_body_kilobytes: 8 }
- type: file_watch
  watch_path: ./inbox
- type: file_watch
  watch_path: /srv/inbox
  watch_patterns: ["*.csv"]
  watch_events: [deleted, moved]
  watch_debounce_seconds: 2
  holdfast: { polling: true }
- type: event
  event_type: price.*
  event_source: market
- type: message
  topic: orders
- type: manual`);
  const { definitions, problems } = loadWorkspace(workspace);
  expect(problems).toEqual([]);
  const webhook = {
    type: 'webhook',
    host: '127.0.0.1',
    port: 9_090,
    path: '/webhook',
    secret: null,
    scheme: 'generic',
    signatureHeader: null,
    toleranceMs: 300_000,
    allowedSources: [],
    maxBodyBytes: 1024 * 1024,
    filter: null,
  };
  const files = {
    type: 'file_watch',
    path: join(workspace, 'inbox'),
    patterns: ['*'],
    events: ['created', 'modified'],
    debounceMs: 500,
    polling: null,
    filter: null,
  };
  expect(definitions[0]!.config.triggers).toEqual([
    { type: 'cron', cronExpression: '0 9 * * *', cronTimezone: 'UTC', missed: 'skip', filter: null },
    {
      type: 'cron',
      cronExpression: '0 9 * * * 30',
      cronTimezone: 'Europe/Zurich',
      missed: 'once',
      filter: 'scheduled_time',
    },
    webhook,
    {
      ...webhook,
      host: '0.0.0.0',
      port: 9_191,
      path: '/orders',
      secret: 'plain',
      scheme: 'stripe',
      signatureHeader: 'x-signed',
      toleranceMs: 60_000,
      allowedSources: ['10.0.0.0/8'],
      maxBodyBytes: 8 * 1024,
    },
    files,
    {
      ...files,
      path: '/srv/inbox',
      patterns: ['*.csv'],
      events: ['deleted', 'moved'],
      debounceMs: 2_000,
      polling: true,
    },
    { type: 'event', eventType: 'price.*', eventSource: 'market', filter: null },
    { type: 'message', topic: 'orders', filter: null },
    { type: 'manual' },
  ]);
});

test.each([
  ['a misspelt key', '- { type: cron, cron_expression: "0 9 * * *", cron_timzone: UTC }', 'cron_timzone'],
  ['one under holdfast', '- { type: cron, cron_expression: "0 9 * * *", holdfast: { mised: all } }', 'mised'],
  ['a key of another type', '- { type: webhook, watch_path: /a }', 'watch_path'],
  ['a type that there is not', '- { type: webhok }', 'type'],
  ['a port that only root may have', '- { type: webhook, webhook_port: 80 }', 'webhook_port'],
  [
    'a scheme that there is not',
    '- { type: webhook, hmac_secret: a, signature_scheme: gitlab }',
    'signature_scheme',
  ],
  ['what stands for a secret', '- { type: webhook, hmac_secret: "**********" }', 'hmac_secret'],
  ['a header without a secret', '- { type: webhook, signature_header: X-Signed }', 'signature_header'],
  ['a scheme without a secret', '- { type: webhook, signature_scheme: github }', 'signature_scheme'],
  ['no path', '- { type: file_watch }', 'watch_path'],
  ['a port of the system', '- { type: webhook, webhook_port: 443 }', 'a port from 1025 to 65535'],
  ['a header that can not be', '- { type: webhook, hmac_secret: a, signature_header: "X Signed" }', 'header'],
  ['a type that there is not', '- { type: cronn }', 'one of cron, manual, event, message, webhook'],
  [
    'an event that there is not',
    '- { type: file_watch, watch_path: a, watch_events: [touched] }',
    'watch_events',
  ],
  [
    'a policy that there is not',
    '- { type: cron, cron_expression: "0 9 * * *", holdfast: { missed: some } }',
    'missed',
  ],
])('[A14] %s is refused, and named', (_what, triggers, name) => {
  expect(problemOf(triggers)).toContain(name);
});

test.each([
  ['- { type: cron, cron_expression: "61 * * * *" }', /61/],
  ['- { type: cron, cron_expression: "0 9 31 2 *" }', /./],
  ['- { type: cron, cron_expression: "0 9 * * *", cron_timezone: Mars/Olympus }', /Mars/],
  ['- { type: event, event_type: a, filter_expression: "payload.total >" }', /payload\.total|column|filter/],
  ['- { type: webhook, webhook_path: orders }', /orders.*slash/],
  ['- { type: webhook, allowed_sources: [10.0.0.0/8, everybody] }', /everybody/],
  ['- { type: file_watch, watch_path: in, watch_patterns: ["in/*.csv"] }', /in\/\*\.csv/],
  [
    `- { type: event, event_type: a, filter_expression: "${'a'.repeat(2_001)}" }`,
    /column 2001, .* 2,000 characters/,
  ],
])('[A13] what could never come due is refused when its workspace is opened: %s', async (triggers, why) => {
  const live = await openLiveWorkspace({
    workspace: withTriggers(triggers),
    workerHost: childProcessWorkerHost(),
    knownJournals: null,
    onChange: () => {},
    onFailure: (error) => {
      throw error;
    },
  });
  onTestFinished(() => live.close());
  expect(live.runtime.processes.size).toBe(0);
  expect(live.problems.map(({ message }) => message).join()).toMatch(why);
});

test('variables: of the environment, with a default, and refused by name where there is neither', () => {
  const environment = { NAME: 'value', EMPTY: '' };
  expect(withVariables('a ${NAME} b', environment)).toBe('a value b');
  expect(withVariables('${EMPTY:-other} ${NONE:-z}x', { ...environment, NONE: 'y' })).toBe('other yx');
  expect(withVariables('$NAME {NAME} $${', environment)).toBe('$NAME {NAME} $${');
  expect(() => withVariables('${NONE}', environment)).toThrow(/\$\{NONE\} is not set/);
  expect(['${NAME}', '${A}${B}', 'a${NAME}', '${NAME:-secret}', ''].map(isVariable)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('[A15] a secret may come from the environment, and neither it nor another one changes the hash of its configuration', () => {
  const hashOf = (secret: string): string =>
    loadWorkspace(withTriggers(`- { type: webhook, hmac_secret: "${secret}" }`)).definitions[0]!.configHash;
  process.env['HOLDFAST_TEST_SECRET'] = 'sesame';
  onTestFinished(() => void delete process.env['HOLDFAST_TEST_SECRET']);
  expect(hashOf('${HOLDFAST_TEST_SECRET}')).toBe(hashOf('another'));
  delete process.env['HOLDFAST_TEST_SECRET'];
  expect(problemOf('- { type: webhook, hmac_secret: "${HOLDFAST_TEST_SECRET}" }')).toContain(
    'HOLDFAST_TEST_SECRET',
  );
});

test('[A15] [C23] a console: what a trigger is, is done to, and says, without its secret', async () => {
  const port = await freePort();
  const workspace = withTriggers(
    `- { type: webhook, webhook_port: ${port}, hmac_secret: sesame-open-5f1d, filter_expression: "kind == 'order'" }`,
  );
  const console = await openConsole(workspace, tempDirectory());
  const fleet = await console.get('fleet.read', {});
  const { journalId } = fleet.processes[0]!;
  const target = { journalId, process: 'clerk' };
  const detail = () => console.get('processes.read', target);
  await waitFor(async () => (await detail()).triggers[0]!.address !== null, { what: 'the port' });
  const [shown] = (await detail()).triggers;
  expect(shown).toMatchObject({
    id: `webhook-${port}/webhook`,
    type: 'webhook',
    address: `http://127.0.0.1:${port}/webhook`,
    filter: "kind == 'order'",
    isAdded: false,
    paused: null,
  });
  const added = await console.get('triggers.add', {
    ...target,
    ...command(),
    configText: '{"type":"cron","cron_expression":"0 9 * * *"}',
  });
  expect(JSON.stringify(added)).toContain('cron-');
  const cronId = (await detail()).triggers.find(({ type }) => type === 'cron')!.id;
  await console.get('triggers.pause', { ...target, ...command(), triggerId: cronId });
  expect((await detail()).triggers.find(({ id }) => id === cronId)).toMatchObject({
    isAdded: true,
    next: null,
    paused: { actor: 'operator:tester', reason: 'test' },
  });
  await console.get('triggers.pause', { ...target, ...command(), triggerId: null });
  expect((await detail()).triggersPaused).toMatchObject({ reason: 'test' });
  await console.get('triggers.resume', { ...target, ...command(), triggerId: null });
  await console.get('triggers.remove', { ...target, ...command(), triggerId: cronId });
  expect((await detail()).triggers).toHaveLength(1);
  // Whoever fires it wants it to run: no filter is asked, and no signature.
  await console.get('triggers.fire', {
    ...target,
    ...command(),
    triggerId: shown!.id,
    payloadText: '{"n":1}',
  });
  await waitFor(async () => (await detail()).row.invocations === 1, { what: 'the run' });
  const none = await console.ask('triggers.fire', { ...target, ...command(), triggerId: 'cron-none' });
  expect(none).toMatchObject({ ok: false, error: { code: 'trigger.not-found' } });
  const bad = await console.ask('triggers.add', { ...target, ...command(), configText: '[1]' });
  expect(bad).toMatchObject({ ok: false, error: { code: 'trigger.invalid' } });
  expect(JSON.stringify([await detail(), console.events]).includes('sesame-open-5f1d')).toBe(false);
});

test('a folder in a manifest is one of its workspace, wherever the host was started', () => {
  const workspace = join(tempDirectory(), 'a b');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'clerk.ts'), '');
  writeFileSync(
    join(workspace, 'clerk.agent'),
    'name: clerk\nentrypoint: ./clerk.ts\ntriggers: [{ type: file_watch, watch_path: in }]\n',
  );
  const [definition] = loadWorkspace(workspace).definitions;
  expect(definition!.config.triggers).toMatchObject([{ path: join(workspace, 'in') }]);
});
