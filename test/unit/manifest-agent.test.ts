// A manifest without a module is an agent that a model runs: what it is made of, and which secrets it names by that. [S25] [S32]

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forkManifest } from '../../core/host/fork-manifest.ts';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import { processOf, type ReadProcess } from '../../core/manifest/process-of.ts';
import { DEFAULT_PLAN, type AgentPlan } from '../../core/model/agent-plan.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { ruleFor } from '../../core/model/tool-rules.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const HOST = { GH_TOKEN: 'tok-3f9a-1177', PATH: '/usr/bin:/bin', LEVEL: 'debug' };

function read(text: string, environment: Readonly<Record<string, string>> = HOST): ReadProcess {
  const directory = tempDirectory();
  writeFileSync(join(directory, 'answers.yaml'), 'turns: [{ text: done }]\n');
  writeFileSync(join(directory, 'clerk.ts'), '');
  return processOf({ directory, path: join(directory, 'one.agent') }, `name: one\n${text}\n`, environment);
}

function planOf(text: string): AgentPlan {
  const { definition, faults } = read(text);
  expect(faults).toEqual([]);
  return definition!.config.agent!;
}

const problemsOf = (text: string): readonly string[] =>
  read(text).faults.map(({ path, line, message }) => `${line} ${path}: ${message}`);
const notesOf = (text: string): readonly string[] =>
  read(text).notes.map(({ path, line, message }) => `${line} ${path}: ${message}`);

test('nothing but a name is an agent with the defaults of Promptise, whose code never changes', () => {
  const { definition } = read('');
  expect(definition).toMatchObject({ name: 'one', description: '', entrypoint: '' });
  expect(definition!.config.agent).toEqual(DEFAULT_PLAN);
  expect(definition!.codeHash).toBe(read('model: anthropic:claude-sonnet-4-5').definition!.codeHash);
  expect(definition!.configHash).not.toBe(read('model: anthropic:claude-sonnet-4-5').definition!.configHash);
});

test('with an entrypoint it has code and no plan, whatever model it names', () => {
  const { definition } = read('entrypoint: ./clerk.ts\nmodel: mistral:mistral-small-latest');
  expect(definition!.config.agent).toBeNull();
  expect(definition!.config.secrets.sources).toEqual({});
});

test.each([
  ['servers: { a: { command: x } }', 'servers'],
  ['memory: {}', 'memory'],
  ['execution_mode: open', 'execution_mode'],
  ['context: { conversation_history: false }', 'context.conversation_history'],
  ['context: { memory_max: 3 }', 'context.memory_max'],
  ['config: { approval: { tools: [a] } }', 'config.approval'],
  ['holdfast: { tools: { a: { approve: true } } }', 'holdfast.tools'],
  ['holdfast: { approval: { irreversible: true } }', 'holdfast.approval'],
  ['holdfast: { fallback_models: ["openai:a"] }', 'holdfast.fallback_models'],
])(
  'what would guard or equip a model is refused for code, where it would guard nothing: %s',
  (text, place) => {
    const [problem, ...more] = problemsOf(`entrypoint: ./clerk.ts\n${text}`);
    expect(more).toEqual([]);
    expect(problem).toMatch(new RegExp(`^3 ${place.replace('.', String.raw`\.`)}: this agent has code`));
  },
);

describe('servers', () => {
  test('one that is started, with every key and with none', () => {
    const plan = planOf(`servers:
  all:
    type: stdio
    command: npx
    args: ["-y", "\${PKG:-server-everything}"]
    env: { GH_TOKEN: "\${GH_TOKEN}", MODE: "x \${GH_TOKEN} y", PATH: "\${PATH}" }
    cwd: tools
    keep_alive: true
  none: { command: node }
holdfast:
  servers: { all: { trusted: true, roots: [inbox], timeout: 5, max_result_kilobytes: 2 } }`);
    expect(plan.servers).toEqual({
      all: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', 'server-everything'],
        // What every shell has is no secret, and put in.
        env: { GH_TOKEN: '${GH_TOKEN}', MODE: 'x ${GH_TOKEN} y', PATH: HOST.PATH },
        cwd: 'tools',
        isTrusted: true,
        roots: ['inbox'],
        timeoutMs: 5_000,
        maxResultBytes: 2_048,
      },
      none: {
        kind: 'stdio',
        command: 'node',
        args: [],
        env: {},
        cwd: '',
        isTrusted: false,
        roots: [],
        timeoutMs: 60_000,
        maxResultBytes: 1_048_576,
      },
    });
  });

  test('one on the web: its token and key become headers that name the secret', () => {
    const { web, old } = planOf(`servers:
  web: { url: "https://example.com/mcp", headers: { X-Team: blue }, bearer_token: "\${GH_TOKEN}" }
  old: { type: sse, url: "http://localhost:1/sse", api_key: "\${OLD_KEY}" }`).servers;
    expect(web).toMatchObject({
      kind: 'http',
      transport: 'streamable-http',
      headers: { 'X-Team': 'blue', Authorization: 'Bearer ${GH_TOKEN}' },
    });
    expect(old).toMatchObject({ transport: 'sse', headers: { 'x-api-key': '${OLD_KEY}' } });
  });

  test.each([
    ['env: { API_KEY: sk-77, LEVEL: info }', 'env.API_KEY', 'Write API_KEY: ${API_KEY}'],
    ['env: { GH_TOKEN: "${GH_TOKEN:-sk-77}" }', 'env.GH_TOKEN', 'Write GH_TOKEN: ${GH_TOKEN}'],
  ])('[J10] a credential that stands in the manifest is refused, and not said: %s', (env, place, write) => {
    const [problem, ...more] = problemsOf(`servers: { a: { command: x, ${env} } }`);
    expect(more).toEqual([]);
    expect(problem).toContain(`2 servers.a.${place}: `);
    expect(problem).toContain(write);
    expect(problem).not.toContain('sk-77');
  });

  test.each([
    ['bearer_token: sk-77', 'bearer_token'],
    ['api_key: sk-77', 'api_key'],
    ['headers: { Authorization: "Bearer sk-77" }', 'headers.Authorization'],
    ['headers: { X-Api-Key: "sk-77" }', 'headers.X-Api-Key'],
  ])('[J10] so is one in a header: %s', (key, place) => {
    const [problem] = problemsOf(`servers: { a: { url: "http://a", ${key} } }`);
    expect(problem).toContain(`2 servers.a.${place}: the value itself stands in the manifest`);
    expect(problem).not.toContain('sk-77');
  });

  test.each(['http://me:sk-77@a/mcp', 'http://a/mcp?api_key=sk-77'])(
    '[J10] and one in an address: %s',
    (url) => {
      const [problem] = problemsOf(`servers: { a: { url: "${url}" } }`);
      expect(problem).toMatch(/^2 servers\.a\.url: .*\$\{NAME\} for the secret/);
      expect(problem).not.toContain('sk-77');
    },
  );

  test('[J10] a secret by its name, or by the manifest, stays a name in arguments and addresses; others are put in place', () => {
    const text = `servers:
  a: { command: x, args: ["--token", "\${GH_TOKEN}", "--level=\${LEVEL}", "\${HF_MODE:-fast}", "\${mine}"] }
  b: { url: "http://a/\${LEVEL}?api_key=\${GH_TOKEN}&mode=\${HF_MODE:-fast}" }
secrets: { secrets: { level: "\${LEVEL}", mine: "keychain:mine" } }`;
    const { a, b } = planOf(text).servers;
    expect(a).toMatchObject({ args: ['--token', '${GH_TOKEN}', '--level=${level}', 'fast', '${mine}'] });
    expect(b).toMatchObject({ url: 'http://a/${level}?api_key=${GH_TOKEN}&mode=fast' });
    expect(Object.keys(read(text).definition!.config.secrets.sources)).toEqual([
      'level',
      'mine',
      'GH_TOKEN',
      'OPENAI_API_KEY',
    ]);
  });

  test.each([
    ['command: x, args: ["${GH_TOKEN:-sk-77}"]', /^2 servers\.a\.args\[0\]: .*what stands behind it/],
    ['url: "http://a/${GH_TOKEN:-sk-77}"', /^2 servers\.a\.url: .*what stands behind it/],
    ['url: "http://${GH_TOKEN}/mcp"', /^2 servers\.a\.url: .*not in the name of its host/],
    ['url: "http://me:${GH_TOKEN}@a/mcp"', /^2 servers\.a\.url: .*Authorization header/],
    ['command: "${GH_TOKEN}"', /^2 servers\.a\.command: \$\{GH_TOKEN\} is a secret by its name/],
  ])('[J10] and is refused where it would be written down, or decide who gets it: %s', (server, problem) => {
    const [first] = problemsOf(`servers: { a: { ${server} } }`);
    expect(first).toMatch(problem);
    expect(first).not.toContain('sk-77');
  });

  test('what is said of a server that is not there names those that are', () => {
    expect(
      problemsOf('servers: { a: { command: x } }\nholdfast: { servers: { b: { trusted: true } } }'),
    ).toEqual(['3 holdfast.servers.b: there is no server of this name; there are: a']);
  });
});

describe('secrets that nobody need declare', () => {
  const sourcesOf = (text: string) => read(text).definition!.config.secrets;

  test('variables of servers, and keys of models, of which one that is not there is not needed', () => {
    const { sources, withheld } = sourcesOf(`model: google:gemini-flash
holdfast: { fallback_models: ["openai-compatible:llama@http://localhost:11434/v1"] }
servers: { a: { command: x, env: { T: "\${GH_TOKEN}" } } }`);
    const key = (variable: string) => ({ kind: 'variable', variable, isOptional: true });
    expect(sources).toEqual({
      GH_TOKEN: { kind: 'variable', variable: 'GH_TOKEN' },
      GOOGLE_GENERATIVE_AI_API_KEY: key('GOOGLE_GENERATIVE_AI_API_KEY'),
      GOOGLE_API_KEY: key('GOOGLE_API_KEY'),
      OPENAI_COMPATIBLE_API_KEY: key('OPENAI_COMPATIBLE_API_KEY'),
    });
    // No worker gets them by its environment.
    expect(withheld).toEqual(Object.keys(sources).sort());
  });

  test('one that is declared is that, wherever it is named', () => {
    const { sources } =
      sourcesOf(`secrets: { secrets: { GH_TOKEN: "keychain:gh", OPENAI_API_KEY: "file:key" } }
servers: { a: { command: x, env: { T: "\${GH_TOKEN:-\${x}" } } }`);
    expect(sources['GH_TOKEN']).toEqual({ kind: 'keychain', entry: 'gh' });
    expect(sources['OPENAI_API_KEY']).toMatchObject({ kind: 'file' });
  });

  test('a default counts where there is no such variable, and is no secret then', () => {
    const text = 'servers: { a: { command: x, env: { MODE: "${HF_MODE:-fast}", ZONE: "${LEVEL:-none}" } } }';
    expect(planOf(text).servers['a']).toMatchObject({ env: { MODE: 'fast', ZONE: '${LEVEL}' } });
    expect(Object.keys(sourcesOf(text).sources)).toEqual(['LEVEL', 'OPENAI_API_KEY']);
  });

  test('[S40] a fork has none of them but those that it is granted, and no worker gets their variables', () => {
    const directory = tempDirectory();
    const path = join(directory, 'one.agent');
    writeFileSync(path, 'name: one\nservers: { a: { command: x, env: { T: "${GH_TOKEN}" } } }\n');
    const forked = (changes: JsonObject) =>
      forkManifest(directory, path, 'two', changes).definition.config.secrets;
    expect(forked({})).toMatchObject({ sources: {}, ttlsMs: {}, withheld: ['GH_TOKEN', 'OPENAI_API_KEY'] });
    expect(forked({ 'secrets.secrets.GH_TOKEN': '${GH_TOKEN}' }).sources).toEqual({
      GH_TOKEN: { kind: 'variable', variable: 'GH_TOKEN' },
    });
  });

  test('a script needs none', () => {
    expect(sourcesOf('model: scripted:answers.yaml').sources).toEqual({});
  });
});

describe('tools and approvals', () => {
  test('[S32] every key of a tool', () => {
    const { tools } = planOf(`holdfast:
  tools:
    read: { class: retry, timeout: 3, approve: false }
    pay: { class: idempotent, key_argument: id, approve: true }
    drop: { class: ask, disabled: true }`);
    expect(tools).toEqual({
      read: { class: 'retry', timeoutMs: 3_000, asks: false },
      pay: { class: 'idempotent', keyArgument: 'id', asks: true },
      drop: { class: 'ask', isDisabled: true },
    });
  });

  test.each([
    ['pay: { class: idempotent }', 'holdfast.tools.pay.class: a call of a tool carries no key'],
    ['pay: { class: ask, key_argument: id }', 'holdfast.tools.pay.key_argument: a key is only given'],
    ['pay: { class: reconcile }', 'holdfast.tools.pay.class: no server can be asked'],
    ['"a b": {}', 'a tool is called by 1 to 64'],
  ])('[S32] %s', (tool, says) => {
    expect(problemsOf(`holdfast: { tools: { ${tool} } }`).join()).toContain(says);
  });

  test('Promptise’s policy, with its defaults; ours is the later word', () => {
    const policy = 'config: { approval: { tools: ["delete_*", "p?y"] } }';
    const { approval, tools } = planOf(policy);
    expect(approval).toEqual({
      asksForIrreversible: false,
      expiresAfterMs: 300_000,
      onExpiry: 'reject',
      patterns: ['delete_*', 'p?y'],
    });
    const asks = (name: string) => ruleFor({ tools, approval }, name).asks;
    expect(['delete_file', 'pay', 'play', 'undelete_x'].map(asks)).toEqual([
      true,
      true,
      undefined,
      undefined,
    ]);
    expect(ruleFor({ tools: { pay: { asks: false } }, approval }, 'pay')).toEqual({ asks: false });
    const ours = planOf(
      `${policy}\nholdfast: { approval: { irreversible: true, expires_after: null, on_expiry: approve } }`,
    );
    expect(ours.approval).toMatchObject({
      asksForIrreversible: true,
      expiresAfterMs: null,
      onExpiry: 'approve',
    });
  });

  test('a pattern of many stars takes no time', () => {
    const approval = { ...DEFAULT_PLAN.approval, patterns: [`${'*a'.repeat(90)}b`] };
    expect(ruleFor({ tools: {}, approval }, 'a'.repeat(64)).asks).toBeUndefined();
  });
});

describe('memory', () => {
  test('a section that is there remembers in SQLite, with Promptise’s defaults', () => {
    expect(planOf('memory: {}').memory).toEqual({
      provider: 'sqlite',
      collection: 'agent_memory',
      directory: null,
      userId: 'default',
      isStoredByItself: false,
      max: 5,
      minScore: 0,
      timeoutMs: 5_000,
      embeddingModel: null,
    });
    expect(planOf('memory: { provider: null, max: 3 }').memory).toBeNull();
    expect(planOf('memory:').memory).toBeNull();
  });

  test('as the context has it, and by meaning', () => {
    expect(
      planOf(`context: { memory_provider: in_memory, memory_max: 2, memory_auto_store: true }
holdfast: { memory: { embedding_model: "openai:text-embedding-3-small" } }`).memory,
    ).toMatchObject({
      provider: 'in_memory',
      max: 2,
      isStoredByItself: true,
      embeddingModel: 'openai:text-embedding-3-small',
    });
    expect(problemsOf('holdfast: { memory: { embedding_model: "openai:a" } }')[0]).toContain(
      'there is no memory',
    );
  });
});

test('open mode, and everything else that a plan has', () => {
  expect(planOf('open_mode: { max_rebuilds: 3 }').open).toBeNull();
  const plan = planOf(`execution_mode: open
open_mode: { allow_mcp_connect: false, allow_process_spawn: true, max_rebuilds: 3, allowed_mcp_urls: ["https://a"] }
budget: { inject_remaining: false }
context: { conversation_history: false }
trigger_delivery: { max_payload_chars: 500 }
holdfast: { max_steps: 3, model_timeout: 9, max_output_tokens: 77, temperature: 0.5, compact_above_tokens: 0 }`);
  expect(plan).toMatchObject({
    tellsBudget: false,
    hasHistory: false,
    maxPayloadChars: 500,
    maxSteps: 3,
    modelTimeoutMs: 9_000,
    maxOutputTokens: 77,
    temperature: 0.5,
    compactAboveTokens: 0,
  });
  expect(plan.open).toEqual({
    mayChangeInstructions: true,
    mayManageTriggers: true,
    mayConnectServers: false,
    mayManageMemory: true,
    maySpawn: true,
    maxInstructionLength: 10_000,
    maxTriggers: 10,
    maxSpawned: 3,
    maxRebuilds: 3,
    allowedUrls: ['https://a'],
  });
});

test('a mission without a judge of its own is judged by the model of the agent', () => {
  const judgeOf = (text: string) =>
    read(`model: mistral:a\nmission: { objective: x${text} }`).definition!.config.mission!.evalModel;
  expect([judgeOf(''), judgeOf(', eval_model: "openai:b"')]).toEqual(['mistral:a', 'openai:b']);
});

test('a script lies in the workspace, of the model and of those behind it', () => {
  expect(planOf('model: scripted:answers.yaml').models).toEqual(['scripted:answers.yaml']);
  expect(problemsOf('holdfast: { fallback_models: ["scripted:nowhere.yaml"] }')[0]).toMatch(
    /^2 holdfast\.fallback_models\[0\]: .*nowhere\.yaml, which can't be read/,
  );
  const { problems } = loadWorkspace(
    (() => {
      const directory = tempDirectory();
      writeFileSync(join(directory, 'a.agent'), 'name: a\nmodel: scripted:../a.yaml\n');
      return directory;
    })(),
  );
  expect(problems.map(({ code }) => code)).toEqual(['manifest.outside-workspace']);
});

describe('notes', () => {
  test.each([
    ['command: x, args: ["--token", "abc"]', 'args[1]'],
    ['command: x, args: ["-y", "--api-key=abc"]', 'args[1]'],
    ['command: x, args: ["GITHUB_TOKEN=abc"]', 'args[0]'],
    ['command: x, args: ["postgresql://me:pw@localhost/db"]', 'args[0]'],
    ['command: x, args: ["${DB_URL}"]', 'args[0]'],
    ['command: x, args: ["-H", "Authorization: Bearer abcdefgh"]', 'args[1]'],
    ['command: x, args: ["ghp_0123456789abcdefghij"]', 'args[0]'],
    ['command: x, env: { MODE: "ghp_0123456789abcdefghij" }', 'env.MODE'],
    ['url: "http://a/sk-0123456789abcdefghij/mcp"', 'url'],
    ['url: "http://a", headers: { X-Team: "Bearer abcdefgh" }', 'headers.X-Team'],
  ])(
    '[J10] what looks like a secret and would be written down is told, by its place: %s',
    (server, place) => {
      const { notes, definition } = read(`instructions: x\ntriggers: []\nservers:\n  a: { ${server} }`, {
        DB_URL: 'postgres://me:pw@host/db',
      });
      expect(definition).not.toBeNull();
      const told = notes.filter(({ message }) => message.includes('looks like a secret'));
      expect(told).toMatchObject([{ path: `servers.a.${place}`, line: 5 }]);
      expect(told[0]!.message).toContain('write ${NAME}');
    },
  );

  test.each([
    'args: ["-y", "server", "--max-tokens", "100", "--keys", "--token-file", "/run/key", "--key", "./a.pem"]',
    'args: ["--token", "--verbose", "--token=${GH_TOKEN}", "postgres://me:${GH_TOKEN}@host/db", "--token-ttl=30"]',
    'args: ["-H", "Authorization: Bearer ${GH_TOKEN}", "http://localhost:8080/a:b@c", "user@example.com"]',
  ])('[J10] what only names one, or is none, is not: %s', (args) => {
    const { notes } = read(`instructions: x\nservers: { a: { command: x, ${args} } }`);
    expect(notes.filter(({ message }) => message.includes('looks like a secret'))).toEqual([]);
  });

  test('what most have, and what this host has not', () => {
    expect(notesOf('servers: { a: { command: x, env: { T: "${OTHER}" } } }')).toEqual([
      expect.stringContaining('1 : there are no instructions'),
      expect.stringContaining('1 : there are no triggers'),
      expect.stringContaining('1 model: openai:gpt-5-mini needs OPENAI_API_KEY'),
      expect.stringContaining('2 servers: the secret OTHER is ${OTHER}, which is not set'),
    ]);
    expect(
      read('instructions: x\nmodel: mistral:a', { MISTRAL_API_KEY: 'k' }).notes.map(({ message }) => message),
    ).toEqual([
      expect.stringContaining('there are no triggers'),
      expect.stringContaining('there are no servers'),
    ]);
  });

  test('a key that is there, and not granted, is not said to be missing', () => {
    const text = 'instructions: x\nmodel: mistral:a\nsecrets: { holdfast: { implied: false } }';
    const notes = read(text, { MISTRAL_API_KEY: 'k' }).notes.map(({ message }) => message);
    expect(notes).toContain(
      'mistral:a needs MISTRAL_API_KEY, which is not granted to it: declare it among the secrets',
    );
  });

  test.each([
    ['config: { observe: true }', '2 config.observe: it is not used'],
    ['config: { cache: { ttl: 3 } }', '2 config.cache: it is not used'],
    ['identity: { agent_id: a }', '2 identity: it is not presented'],
    ['journal: { path: /srv/j }', '2 journal.path: it is not used'],
    ['open_mode: { max_custom_tools: 3 }', '2 open_mode.max_custom_tools: it is not used: no tool is made'],
    ['servers: { a: { command: x, keep_alive: false } }', '2 servers.a.keep_alive: it is not used'],
    [
      'triggers: [{ type: file_watch, watch_path: a, watch_poll_interval: 3 }]',
      '2 triggers[0].watch_poll_interval: it is not used',
    ],
  ])('what is taken of Promptise and changes nothing: %s', (text, says) => {
    expect(notesOf(text).filter((note) => note.startsWith(says))).toHaveLength(1);
  });

  test.each(['config: { observe: false, cache: null }', 'open_mode: { allow_tool_creation: false }'])(
    'what is not asked for is not noted: %s',
    (text) => {
      expect(notesOf(text).join()).not.toContain('it is not used: no tool is made');
      expect(notesOf(text).join()).not.toContain('config');
    },
  );
});
