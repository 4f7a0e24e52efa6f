// A manifest means the same to Promptise and to us: what it takes we take, with the same defaults of all that both have, and
// what it refuses we refuse, but for the differences that are listed here with their reasons. All of them in one Python
// process. [B3]

import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../core/model/json.ts';
import { MANIFEST_TEMPLATES, templateText } from '../../core/manifest/manifest-templates.ts';
import { editedManifest, manifestText } from '../../core/manifest/manifest-text.ts';
import { processOf, type ReadProcess } from '../../core/manifest/process-of.ts';
import { answersIn, needPromptise } from './ask-promptise.ts';
import { ENVIRONMENT, manifests } from './manifest-cases.ts';
import { HARMS } from './manifest-harms.ts';
import { ourMeaning, theirMeaning } from './manifest-meaning.ts';
import { promptisePython, runPython } from './promptise.ts';

const GENERATED = 400;
const HARMED = 210;
const SEED = Date.now() % 2 ** 31;

/** What is not as in Promptise, on purpose; whether they and we take it. */
const INTENDED: readonly (readonly [reason: string, text: string, theirs: boolean, ours: boolean])[] = [
  ['a way to work that is none of ours', 'agent_pattern: debate', true, false],
  [
    'hooks are commands that may block what it does: leaving them out would let it through',
    'hooks: [{ event: session_start, command: [a] }]',
    true,
    false,
  ],
  ['no credential of an identity is presented', 'identity: { provider: entra }', true, false],
  ['guardrails would not guard', 'config: { guardrails: x }', true, false],
  ['payloads are not scanned', 'config: { trigger_delivery: { scan_payloads: true } }', true, false],
  [
    'a payload is never an instruction',
    'triggers: [{ type: event, event_type: a, trusted: true }]',
    true,
    false,
  ],
  ['a type of trigger of somebody’s own', 'triggers: [{ type: mqtt }]', true, false],
  [
    'a secret that is compared, not signed with',
    'triggers: [{ type: webhook, hmac_secret: "${HF_TOKEN}", signature_scheme: telegram }]',
    true,
    false,
  ],
  [
    'folders inside are always watched',
    'triggers: [{ type: file_watch, watch_path: /a, watch_recursive: false }]',
    true,
    false,
  ],
  ['a store of memories that is not built in', 'memory: { provider: chroma }', true, false],
  ['a store of memories that is not theirs', 'memory: { provider: sqlite }', false, true],
  ['a journal that is on no disk', 'journal: { backend: memory }', true, false],
  ['a process always goes on from its journal', 'journal: { recover_on_start: false }', true, false],
  ['files that are mounted', 'context: { file_mounts: { a: /b } }', true, false],
  ['variables by the beginning of their names', 'context: { env_prefix: MY_ }', true, false],
  ['a tool that writes to the state', 'context: { state_tool: true }', true, false],
  [
    'a credential that stands in the manifest',
    'servers: { a: { url: "http://a", bearer_token: abc-123 } }',
    true,
    false,
  ],
  ['a credential that would be written into the journal', 'instructions: "${HF_TOKEN}"', true, false],
  [
    'a value that stands in the manifest',
    'secrets: { enabled: true, secrets: { a: literal-9 } }',
    true,
    false,
  ],
  [
    'a secret with text around it',
    'secrets: { enabled: true, secrets: { a: "x-${HF_TOKEN}" } }',
    true,
    false,
  ],
  ['a provider that is not known', 'model: groq:llama', true, false],
  [
    'a run may use no more than a day',
    'budget: { enabled: true, max_cost_per_run: 9, max_cost_per_day: 3 }',
    true,
    false,
  ],
  [
    'somebody to tell who is never told',
    'budget: { enabled: true, escalation: { event_type: a } }',
    true,
    false,
  ],
  ['a mission without an objective', 'mission: { enabled: true }', true, false],
  ['a number in quotes', 'config: { concurrency: "3" }', true, false],
  ['a key given twice', 'model: openai:a\nmodel: openai:b', true, false],
  ['a text that is true in YAML 1.1', 'world: { a: yes }', true, false],
  ['a number of another base in YAML 1.1', 'world: { a: 0123 }', true, false],
  ['a name that tools can’t be called by', 'servers: { "a b": { command: x } }', true, false],
  [
    'an option of another type of trigger, as it is by default',
    'triggers: [{ type: cron, cron_expression: "* * * * *", webhook_port: 9090 }]',
    true,
    false,
  ],
  ['a list of settings of ours', 'holdfast: { max_steps: 3 }', false, true],
  ['delivery by itself', 'trigger_delivery: { max_retries: 3 }', false, true],
  [
    'a missing variable of what is only needed when it runs',
    'servers: { a: { command: x, env: { A_TOKEN: "${HF_NONE}" } } }',
    false,
    true,
  ],
];

const asked: string[] = [];
let answers: readonly JsonObject[] = [];
/** The number of its answer. */
function ask(text: string): number {
  return asked.push(text) - 1;
}

const generated = fc.sample(manifests, { numRuns: GENERATED, seed: SEED }).map((document) => {
  const text = manifestText(document);
  return { document, text, at: ask(text) };
});
const harmed = fc.sample(manifests, { numRuns: HARMED, seed: SEED + 1 }).map((document, number) => {
  const [what, harm] = HARMS[number % HARMS.length]!;
  const text = manifestText(harm(document));
  return { what, text, at: ask(text) };
});
const intended = INTENDED.map(([reason, text, theirs, ours]) => {
  const whole = `name: one\n${text}\n`;
  return { reason, text: whole, theirs, ours, at: ask(whole) };
});
const templates = MANIFEST_TEMPLATES.map((template) => {
  const text = editedManifest(templateText(template, 'one'), [{ place: ['holdfast'], value: undefined }]);
  return { template, text, at: ask(text) };
});

const ours = (text: string): ReadProcess =>
  processOf({ directory: '/', path: '/one.agent' }, text, ENVIRONMENT);
const problemsOf = ({ faults }: ReadProcess): readonly string[] =>
  faults.map(({ path, message }) => `${path}: ${message}`);

beforeAll(async () => {
  if (promptisePython() === null) return;
  const env = { ...ENVIRONMENT, TICKETS_TOKEN: 'tok-77-aa-19' };
  const input = asked.map((text) => `${JSON.stringify({ text, env })}\n`).join('');
  answers = answersIn(await runPython('manifest.py', [], { input }));
}, 240_000);
beforeEach(needPromptise);

test(`${GENERATED} manifests at random mean the same to both`, () => {
  for (const { text, at } of generated) {
    const [theirs, read] = [answers[at]!, ours(text)];
    expect({ text, refused: theirs['refused'] }).toEqual({ text, refused: undefined });
    expect({ text, problems: problemsOf(read) }).toEqual({ text, problems: [] });
    expect({ text, means: ourMeaning(read.definition!, ENVIRONMENT) }).toEqual({
      text,
      means: theirMeaning(theirs['config'] as JsonObject),
    });
    const { enabled, ttls, default_ttl, ...secrets } = (theirs['config'] as JsonObject)[
      'secrets'
    ] as JsonObject;
    const { sources, ttlsMs, revokeOnStop } = read.definition!.config.secrets;
    for (const name of enabled === true ? Object.keys(secrets['secrets'] as JsonObject) : []) {
      const ttl = ((ttls as JsonObject)[name] ?? default_ttl) as number | null;
      expect([sources[name], ttlsMs[name], revokeOnStop]).toEqual([
        { kind: 'variable', variable: name },
        ttl === null ? null : ttl * 1_000,
        secrets['revoke_on_stop'],
      ]);
    }
  }
});

test(`${HARMED} that are wrong in one place are refused by both`, () => {
  for (const { what, text, at } of harmed) {
    expect({ what, text, theirs: typeof answers[at]!['refused'] }).toEqual({ what, text, theirs: 'string' });
    expect({ what, text, ours: ours(text).definition }).toEqual({ what, text, ours: null });
  }
});

test('with no section at all both have the same defaults', () => {
  const text = 'name: one\n';
  const read = ours(text);
  expect(read.definition!.config.agent!.models).toEqual(['openai:gpt-5-mini']);
  expect(read.definition!.config.journalLevel).toBe('checkpoint');
});

describe('what is another on purpose', () => {
  test.each(intended)('$reason', ({ text, theirs, ours: weTake, at }) => {
    expect({ text, taken: !('refused' in answers[at]!) }).toEqual({ text, taken: theirs });
    expect({ text, taken: ours(text).definition !== null }).toEqual({ text, taken: weTake });
  });
});

test.each(templates)('the template $template is one for Promptise too, without holdfast', ({ text, at }) => {
  expect({ text, refused: answers[at]!['refused'] }).toEqual({ text, refused: undefined });
});
