// Who is told, as manifests say it: one clear error for each slip, and nothing in a journal that is as good as a password.

import { afterEach, expect, test, vi } from 'vitest';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import { withoutSecrets, type ProcessConfig } from '../../core/model/process-config.ts';
import { workspaceOf } from '../support/run-host.ts';

afterEach(() => void vi.unstubAllEnvs());

const load = (manifest: string) => loadWorkspace(workspaceOf({ clerk: '' }, `${manifest}\n`));

function configOf(manifest: string): ProcessConfig {
  const { definitions, problems } = load(manifest);
  expect(problems).toEqual([]);
  return definitions[0]!.config;
}

const general = (keys: string): string => `holdfast: { escalation: { ${keys} } }`;
const HOOK = 'webhook_url: "https://hooks.example/a/b?c=d"';

test('every key; what is left out is nobody, nothing and not allowed', () => {
  expect(configOf('')).toMatchObject({ escalation: null, budget: { escalation: null } });
  expect(configOf(general('event_type: ops.alert')).escalation).toEqual({
    target: { webhookUrl: null, eventType: 'ops.alert' },
    secret: null,
    allowPrivate: false,
  });
  expect(
    configOf(general('webhook_url: "http://127.0.0.1:9/x", allow_private: true')).escalation,
  ).toMatchObject({
    target: { webhookUrl: 'http://127.0.0.1:9/x' },
    allowPrivate: true,
  });
  const { budget } = configOf(
    `budget: { on_exceeded: escalate, escalation: { ${HOOK}, event_type: ops.alert } }`,
  );
  expect(budget).toMatchObject({
    onExceeded: 'escalate',
    escalation: { webhookUrl: 'https://hooks.example/a/b?c=d', eventType: 'ops.alert' },
  });
});

test('variables are those of the host; neither a secret nor the path of an address is shown', () => {
  vi.stubEnv('HOOK_PATH', 'T0PS3CRET');
  vi.stubEnv('HOOK_KEY', 'the-key');
  const config = configOf(
    `${general('webhook_url: "https://hooks.example/${HOOK_PATH}", secret: "${HOOK_KEY}"')}\nbudget: { on_exceeded: escalate, escalation: { webhook_url: "https://x.example/\${HOOK_PATH}" } }`,
  );
  expect(config.escalation).toMatchObject({
    target: { webhookUrl: 'https://hooks.example/T0PS3CRET' },
    secret: 'the-key',
  });
  const shown = JSON.stringify(withoutSecrets(config));
  expect(shown).not.toMatch(/T0PS3CRET|the-key/);
  expect(shown).toContain('https://hooks.example/…');
});

test.each([
  [general(''), /holdfast\.escalation: names nobody to tell: give it a webhook_url, an event_type, or both/],
  [general('webhook_url: null'), /holdfast\.escalation: names nobody to tell/],
  [general('webhook_url: "hooks"'), /holdfast\.escalation\.webhook_url: it must be an address on the web/],
  [
    general('webhook_url: "ftp://hooks.example/"'),
    /holdfast\.escalation\.webhook_url: it must be an address/,
  ],
  [general('webhook_url: ""'), /holdfast\.escalation\.webhook_url: /],
  [
    general('webhook_url: "https://me:pass@hooks.example/"'),
    /webhook_url: a name and a password in it are not sent/,
  ],
  [
    general('webhook_url: "http://127.0.0.1/x"'),
    /webhook_url: 127\.0\.0\.1 is not a public address \(loopback\): .*allow_private/,
  ],
  [general('webhook_url: "http://10.1.2.3/x"'), /webhook_url: 10\.1\.2\.3 is not a public address/],
  [general('webhook_url: "http://[::ffff:10.0.0.1]/"'), /webhook_url: 10\.0\.0\.1 is not a public address/],
  [general('webhook_url: "http://localhost:3000/"'), /webhook_url: localhost is this machine/],
  [
    general('webhook_url: "http://169.254.169.254/", allow_private: true'),
    /webhook_url: 169\.254\.169\.254 is not a public address \(link local\)/,
  ],
  [
    'budget: { on_exceeded: escalate, escalation: { webhook_url: "http://192.168.0.9/" } }',
    /budget\.escalation\.webhook_url: 192\.168\.0\.9 is not a public address \(private\): .*allow_private/,
  ],
  [general('event_type: "ops.*"'), /holdfast\.escalation\.event_type: it holds one of/],
  [
    general('event_type: x, secret: y'),
    /holdfast\.escalation\.secret: nothing is signed without a webhook_url/,
  ],
  [
    general('event_type: x, allow_private: true'),
    /holdfast\.escalation\.allow_private: there is no webhook_url/,
  ],
  [
    general(`${HOOK}, secret: "**********"`),
    /holdfast\.escalation\.secret: this is what stands where a secret/,
  ],
  [
    general(`${HOOK}, secret: "\${NOT_SET_ANYWHERE}"`),
    /holdfast\.escalation\.secret: .*NOT_SET_ANYWHERE.* is not set/,
  ],
  [
    general(`${HOOK}, url: x`),
    /holdfast\.escalation has "url", which is not a setting; there are webhook_url, event_type, secret, allow_private/,
  ],
  [
    'budget: { on_exceeded: escalate, escalation: { event_type: x, secret: y } }',
    /budget\.escalation has "secret", which is not a setting; there are webhook_url, event_type/,
  ],
])('%j is one clear error', (manifest, message) => {
  const { definitions, problems } = load(manifest);
  expect(definitions).toEqual([]);
  expect(problems.map(({ code }) => code)).toEqual(['manifest.invalid']);
  expect(problems[0]!.message).toMatch(message);
  expect(problems[0]!.detail['problems']).toHaveLength(1);
});
