// What a manifest says twice, or in vain: of an agent with code of its own, what only one without has.

import { isObject, type JsonObject } from '../model/json.ts';
import { memoryOf, memoryWritten } from './agent-schema.ts';
import type { Place } from './manifest-document.ts';
import type { Manifest } from './manifest-schema.ts';

interface Wrong {
  readonly place: Place;
  readonly message: string;
}

const HAS_CODE =
  'this agent has code, so nothing would come of it: leave it out, or leave out the entrypoint and let a model do the work';

/** Of an agent without code. What it is named for only, as its model, may stand there all the same. */
const MODELS_ONLY: readonly (readonly [place: Place, isSaid: (value: unknown) => boolean])[] = [
  [['servers'], hasKeys],
  [['memory'], isSaid],
  [['execution_mode'], (mode) => mode === 'open'],
  [['context', 'conversation_history'], (has) => has === false],
  [['config', 'approval'], isSaid],
  [['holdfast', 'tools'], hasKeys],
  [['holdfast', 'servers'], hasKeys],
  [['holdfast', 'approval'], hasKeys],
  [['holdfast', 'memory'], hasKeys],
  [['holdfast', 'fallback_models'], (models) => Array.isArray(models) && models.length > 0],
];

/** `document`: as it was checked, in which nothing stands that nobody wrote. */
export function checkAgent(manifest: Manifest, document: JsonObject): readonly Wrong[] {
  return [
    ...saidTwice(manifest, document),
    ...(manifest.entrypoint == null ? ofModel(manifest) : ofCode(document)),
  ];
}

function ofCode(document: JsonObject): readonly Wrong[] {
  const found = MODELS_ONLY.filter(([place, isThere]) => isThere(valueAt(document, place))).map(
    ([place]): Wrong => ({ place, message: HAS_CODE }),
  );
  const context = valueAt(document, ['context']);
  const memory = isObject(context) ? Object.keys(context).filter((key) => key.startsWith('memory_')) : [];
  return [...found, ...memory.map((key): Wrong => ({ place: ['context', key], message: HAS_CODE }))];
}

function ofModel({ servers, holdfast, memory, context }: Manifest): readonly Wrong[] {
  const those = Object.keys(servers).join(', ') || 'none';
  const remembers = memoryOf(memoryWritten(memory, context), null) !== null;
  const inVain =
    remembers || holdfast.memory.embedding_model == null
      ? []
      : [
          {
            place: ['holdfast', 'memory', 'embedding_model'],
            message: 'there is no memory that would use it: add memory: {}',
          },
        ];
  const unknown = Object.keys(holdfast.servers)
    .filter((name) => !Object.hasOwn(servers, name))
    .map((name) => ({
      place: ['holdfast', 'servers', name],
      message: `there is no server of this name; there are: ${those}`,
    }));
  return [...inVain, ...unknown];
}

function saidTwice(manifest: Manifest, document: JsonObject): readonly Wrong[] {
  const wrong: Wrong[] = [];
  const { world, context, memory } = manifest;
  if (hasKeys(world) && hasKeys(context.initial_state)) {
    const message = 'the state that it begins with is given twice, here and as world: give it in one place';
    wrong.push({ place: ['context', 'initial_state'], message });
  }
  const written = valueAt(document, ['context']);
  for (const key of Object.keys(memory ?? {})) {
    if (!isObject(written) || !Object.hasOwn(written, `memory_${key}`)) continue;
    const message = `it is given twice, here and as memory.${key}: give it in one place`;
    wrong.push({ place: ['context', `memory_${key}`], message });
  }
  return wrong;
}

function valueAt(document: JsonObject, place: Place): unknown {
  return place.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined),
    document,
  );
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function hasKeys(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}
