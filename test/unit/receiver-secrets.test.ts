// Whom a manifest tells is as good as a password: no worker gets it, and it stands in nothing that is written [J10].

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { receiverSecrets } from '../../core/governance/receiver-secrets.ts';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import { DEFAULT_PROCESS_CONFIG, withoutSecrets } from '../../core/model/process-config.ts';
import { escalating, escalation, webhookAt } from '../support/escalations.ts';
import { receiver } from '../support/receiver.ts';
import { bench, isIdle, OPERATOR } from '../support/runtime.ts';
import { openConsole, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const VARIABLES = {
  RECEIVER_PATH: 'T0001/B0002/xyzzyxyzzy',
  RECEIVER_KEY: 'signing-key-9f3',
  RECEIVER_HOST: 'hooks.example',
};

test('a manifest keeps from workers what its receivers are written with, and knows their values', () => {
  for (const [name, value] of Object.entries(VARIABLES)) {
    process.env[name] = value;
    onTestFinished(() => void delete process.env[name]);
  }
  const workspace = workspaceOf({ one: '' });
  writeFileSync(
    join(workspace, 'one.agent'),
    `version: "1.0"
name: one
entrypoint: ./one.ts
mission: { objective: x, escalation: { webhook_url: "https://other.example/\${RECEIVER_PATH}" } }
holdfast:
  escalation: { webhook_url: "https://\${RECEIVER_HOST}/in", secret: "\${RECEIVER_KEY}" }
`,
  );
  const { definitions, problems } = loadWorkspace(workspace);
  expect(problems).toEqual([]);
  const { config } = definitions[0]!;
  expect(config.secrets.withheld).toEqual(['RECEIVER_HOST', 'RECEIVER_KEY', 'RECEIVER_PATH']);
  expect(receiverSecrets(config, VARIABLES)).toEqual([
    { name: 'RECEIVER_PATH', value: VARIABLES.RECEIVER_PATH },
    { name: 'webhook_url', value: 'https://hooks.example/in' },
    { name: 'webhook_url', value: `https://other.example/${VARIABLES.RECEIVER_PATH}` },
    { name: 'escalation.secret', value: VARIABLES.RECEIVER_KEY },
  ]);
  expect(JSON.stringify(withoutSecrets(config))).not.toMatch(/xyzzy|signing-key/);
});

test('an address that is only a host is no secret', () => {
  const config = {
    ...DEFAULT_PROCESS_CONFIG,
    ...escalation(webhookAt('https://hooks.example/'), { secret: null }),
  };
  expect(receiverSecrets(config, {})).toEqual([]);
});

test('[J10] the address of a receiver, and what is signed with, are taken out wherever they turn up', async () => {
  const url = 'https://hooks.example/T0001/B0002/xyzzyxyzzy';
  const secret = 'signing-key-9f3';
  const b = await bench(
    'await ctx.state.set("seen", event.payload); return event.payload;',
    { ...escalating(9), ...escalation(webhookAt(url), { secret }) },
    undefined,
    { post: async () => ({ isSent: true, status: 204 }) },
  );
  await b.trigger(`${url} ${secret} ${Buffer.from(secret).toString('base64')}`);
  await b.until('the end', isIdle);
  await b.process.suspend({ ...OPERATOR, reason: `see ${url}` });
  expect(b.process.snapshot.context['seen']).toMatch(
    /^\[secret:webhook_url\] \[secret:escalation\.secret\] /,
  );
  expect(b.process.snapshot.holds[0]!.reason).toBe('see [secret:webhook_url]');
  expect(JSON.stringify(await b.entries())).not.toMatch(/xyzzy|signing-key/);
});

test('[J10] an address that somebody tries to set while it lives is refused, and not repeated', async () => {
  const b = await bench('', escalating(9));
  const set = { 'budget.escalation.webhook_url': 'https://hooks.example/T0001/xyzzy' };
  const refused = b.process.governance.changeSettings({ set, undo: [] }, OPERATOR);
  await expect(refused).rejects.toThrow(/budget\.escalation: whom to tell stands in the manifest alone/);
  await expect(refused).rejects.not.toThrow(/xyzzy/);
});

test('[J10] the address of the heartbeat is in no worker, and stands in nothing that is written', async () => {
  const one = await receiver();
  const url = `http://127.0.0.1:${one.port}/beat/xyzzyxyzzy`;
  for (const [name, value] of [
    ['URL', url],
    ['PRIVATE', '1'],
  ] as const) {
    process.env[`HOLDFAST_HEARTBEAT_${name}`] = value;
    onTestFinished(() => void delete process.env[`HOLDFAST_HEARTBEAT_${name}`]);
  }
  const body =
    'await ctx.state.set("seen", String(process.env.HOLDFAST_HEARTBEAT_URL) + " " + event.payload);';
  const { get } = await openConsole(workspaceOf({ one: body }), tempDirectory());
  const journalId = (await get('fleet.read', {})).journals[0]!.id;
  const command = { journalId, commandId: crypto.randomUUID(), process: 'one', reason: `see ${url}` };
  await get('processes.trigger', { ...command, payloadText: JSON.stringify(url) });
  const detail = () => get('processes.read', { journalId, process: 'one' });
  await waitFor(async () => (await detail()).context.length > 0, { what: 'the state' });
  expect((await detail()).context[0]!.text).toBe('"undefined [secret:heartbeat_url]"');
  await waitFor(() => one.received.length > 0, { what: 'a beat' });
});
