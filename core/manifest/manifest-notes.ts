// What is worth knowing of a manifest that can be used: what is missing that most have, what is taken and not used, and what
// this host has not.

import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { keyNamesOf } from '../model/model-keys.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { Environment } from './expand-variables.ts';
import { looksLikeSecret, secretArguments } from './literal-secrets.ts';
import type { ManifestProblem, Place } from './manifest-document.ts';
import type { Manifest } from './manifest-schema.ts';
import type { ReadManifest } from './read-manifest.ts';

export interface Noted {
  readonly read: ReadManifest;
  readonly manifest: Manifest;
  readonly document: JsonObject;
  readonly definition: ProcessDefinition;
  readonly environment: Environment;
}

type Note = readonly [place: Place, message: string];

export function notesOf(noted: Noted): readonly ManifestProblem[] {
  const { read, definition } = noted;
  const isModel = definition.entrypoint === '';
  const notes = [
    ...missing(noted, isModel),
    ...unused(noted, isModel),
    ...(isModel ? [...serversUnused(noted), ...secretsWritten(noted), ...keysMissing(noted)] : []),
    ...variablesMissing(noted),
  ];
  return [...notes.map(([place, message]) => read.at(place, message)), ...(isModel ? [] : read.ambiguous)];
}

function missing({ manifest, definition }: Noted, isModel: boolean): readonly Note[] {
  const { triggers, servers } = manifest;
  const notes: Note[] = [];
  if (isModel && definition.description === '') {
    notes.push([[], 'there are no instructions: the model is told nothing of what it is for']);
  }
  if (triggers.length === 0) {
    notes.push([[], 'there are no triggers: it handles nothing but what is handed to it by hand']);
  }
  if (isModel && Object.keys(servers).length === 0) {
    notes.push([[], 'there are no servers: it has no tools but those of its own']);
  }
  return notes;
}

/** Taken for the sake of Promptise's manifests: what it is for, and what there is here. */
const UNUSED: readonly (readonly [
  place: readonly string[],
  isNoted: (value: Json) => boolean,
  message: string,
])[] = [
  [['identity'], isSaid, 'it is not presented to anybody; every entry names the process that wrote it'],
  [
    ['journal', 'path'],
    isSaid,
    'it is not used: the journal of a workspace is one directory, .holdfast-journal',
  ],
  [['config', 'observe'], isOn, 'it is not used: the journal and the console show all that happens'],
  [['config', 'cache'], isOn, 'it is not used: no answer is given twice, so each call of the model is made'],
  [
    ['config', 'optimize_tools'],
    isOn,
    'it is not used: the model is told of every tool that is not disabled',
  ],
  [['config', 'adaptive'], isOn, 'it is not used: there is one way to work, tools until there is an answer'],
  [
    ['config', 'drain_timeout'],
    isSaid,
    'it is not used: what runs at a stop goes on from its record at the next start',
  ],
  [
    ['config', 'inbox', 'scan_with_guardrails'],
    isOn,
    'it is not used: nothing is scanned; who writes is on record',
  ],
  ...[
    'redact_sensitive',
    'max_pending',
    'max_retries_after_deny',
    'deny_window',
    'deny_scope',
    'sequential',
    'context_messages',
    'metadata',
  ].map((key): (typeof UNUSED)[number] => [
    ['config', 'approval', key],
    isSaid,
    'it is not used: each call waits for itself, and whoever decides sees the whole',
  ]),
];
const UNUSED_OPEN: readonly (readonly [key: string, message: string])[] = [
  ['allow_tool_creation', 'no tool is made at run time: serve it over MCP'],
  ['max_custom_tools', 'no tool is made at run time'],
  ['sandbox_custom_tools', 'no tool is made at run time'],
  ['identity_mcp_urls', 'no identity is presented to a server'],
];
/** Of an agent with code. */
const ONLY_OF_MODELS = [
  'fallback_models',
  'model_timeout',
  'max_steps',
  'max_output_tokens',
  'temperature',
  'compact_above_tokens',
];

function unused({ document, manifest }: Noted, isModel: boolean): readonly Note[] {
  const notes: Note[] = UNUSED.flatMap(([place, isNoted, message]): Note[] =>
    isNoted(valueAt(document, place)) ? [[place, message]] : [],
  );
  for (const [key, message] of isModel ? UNUSED_OPEN : []) {
    const value = valueAt(document, ['open_mode', key]);
    if (isSaid(value) && value !== false) notes.push([['open_mode', key], `it is not used: ${message}`]);
  }
  if (isModel && manifest.execution_mode !== 'open' && isSaid(valueAt(document, ['open_mode']))) {
    notes.push([['open_mode'], 'it is not used: execution_mode is strict']);
  }
  for (const key of isModel ? [] : ONLY_OF_MODELS) {
    if (isSaid(valueAt(document, ['holdfast', key]))) {
      notes.push([['holdfast', key], 'it is not used: this agent has code, which asks a model by itself']);
    }
  }
  manifest.triggers.forEach((trigger, at) => {
    if (trigger.type !== 'file_watch') return;
    for (const key of ['watch_poll_interval', 'watch_max_pending_events'] as const) {
      if (trigger[key] === undefined) continue;
      notes.push([
        ['triggers', at, key],
        'it is not used: how often is looked, and how much waits, is kept by the host',
      ]);
    }
  });
  return notes;
}

function serversUnused({ document, manifest }: Noted): readonly Note[] {
  return Object.keys(manifest.servers).flatMap((name): Note[] =>
    (
      [
        [
          'keep_alive',
          (value: Json) => value === false,
          'it is not used: a server lives as long as the worker that started it',
        ],
        ['audience', isSaid, 'it is not used: no identity is presented to a server'],
        ['forward_caller_token', isOn, 'it is not used: nobody who calls an agent hands it a token'],
      ] as const
    ).flatMap(([key, isNoted, message]): Note[] => {
      const place = ['servers', name, key];
      return isNoted(valueAt(document, place)) ? [[place, message]] : [];
    }),
  );
}

/** Guessed: what the manifest could name is written into journals as it stands. */
function secretsWritten({ manifest }: Noted): readonly Note[] {
  return Object.entries(manifest.servers).flatMap(([name, server]): Note[] => {
    const texts = 'command' in server ? { env: server.env } : { headers: server.headers };
    const places: Place[] = [
      ...('command' in server
        ? secretArguments(server.args).map((at): Place => ['args', at])
        : looksLikeSecret(server.url)
          ? [['url']]
          : []),
      ...Object.entries(texts).flatMap(([section, given]) =>
        Object.entries(given).flatMap(([key, text]): Place[] =>
          looksLikeSecret(text) ? [[section, key]] : [],
        ),
      ),
    ];
    return places.map((place) => [['servers', name, ...place], SECRET_WRITTEN]);
  });
}

const SECRET_WRITTEN =
  "what looks like a secret stands here itself, and is written into the journal with the agent's plan: write ${NAME}, which is the secret of that name, or else the variable of the host's environment";

function keysMissing({ definition, environment }: Noted): readonly Note[] {
  const { agent, secrets } = definition.config;
  return (agent?.models ?? []).flatMap((model, at): Note[] => {
    const names = keyNamesOf(model);
    const isThere = (name: string): boolean => {
      const source = secrets.sources[name];
      return source !== undefined && (source.kind !== 'variable' || isSet(environment, source.variable));
    };
    // One at an address of its own mostly asks for none.
    if (names.length === 0 || model.startsWith('openai-compatible:') || names.some(isThere)) return [];
    const place = at === 0 ? ['model'] : ['holdfast', 'fallback_models', at - 1];
    const why = names.some((name) => isSet(environment, name))
      ? 'which is not granted to it: declare it among the secrets'
      : 'which is not set in the environment of this host';
    return [[place, `${model} needs ${names.join(' or ')}, ${why}`]];
  });
}

/** Of what it can't start without. */
function variablesMissing({ manifest, definition, environment }: Noted): readonly Note[] {
  return Object.entries(definition.config.secrets.sources).flatMap(([name, source]): Note[] => {
    if (source.kind !== 'variable' || source.isOptional === true || isSet(environment, source.variable))
      return [];
    const message = `the secret ${name} is \${${source.variable}}, which is not set in the environment of this host: it can't be started without it`;
    const isDeclared = Object.hasOwn(manifest.secrets.secrets, name);
    return [[isDeclared ? ['secrets', 'secrets', name] : ['servers'], message]];
  });
}

function isSet(environment: Environment, name: string): boolean {
  return Object.hasOwn(environment, name) && (environment[name] ?? '') !== '';
}

function valueAt(document: JsonObject, place: readonly string[]): Json {
  return place.reduce<Json>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key]! : null),
    document,
  );
}

function isSaid(value: Json): boolean {
  return value !== null;
}

function isOn(value: Json): boolean {
  return value !== null && value !== false;
}
