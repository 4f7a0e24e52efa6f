// The schema of a manifest for editors: what each key is, what it is by default, and what may stand there.

import { z } from 'zod';
import { isObject, type JsonObject } from '../model/json.ts';
import { KEY_HELP } from './key-help.ts';
import { Manifest, MOVED_SECTIONS, NULLABLE_SECTIONS } from './manifest-schema.ts';

/** JSON Schema, draft 7, which editors of YAML know. */
export function manifestJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(Manifest, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  const whole = JSON.parse(JSON.stringify(schema)) as Writable;
  whole['title'] = 'An agent of Holdfast';
  whole['description'] =
    'A manifest, *.agent: Promptise’s keys and defaults; under holdfast what it has no word for.';
  describe(whole, [], true);
  const sections = whole['properties'] as Writable;
  // Null is as good as not there.
  for (const name of NULLABLE_SECTIONS) {
    const { description, ...section } = sections[name] as Writable;
    sections[name] = { description, anyOf: [section, { type: 'null' }] };
  }
  return whole as JsonObject;
}

type Writable = Record<string, unknown>;

/** Of several that may stand somewhere, each is not explained anew. */
function describe(schema: unknown, place: readonly string[], isWhole: boolean): void {
  if (!isObject(schema)) return;
  const node = schema as Writable;
  const help = KEY_HELP[helpKey(place)];
  if (isWhole && help !== undefined) node['description'] = help;
  for (const choice of ['anyOf', 'oneOf', 'allOf']) {
    const options = node[choice];
    if (Array.isArray(options))
      for (const option of options as readonly unknown[]) describe(option, place, false);
  }
  const { properties, additionalProperties, items } = node;
  if (isObject(properties)) {
    for (const [key, property] of Object.entries(properties)) describe(property, [...place, key], true);
  }
  describe(additionalProperties, [...place, '*'], true);
  describe(items, [...place, '*'], true);
}

/** What stands under `config` and in a place of its own is explained once. */
function helpKey([first = '', second, ...rest]: readonly string[]): string {
  const isMoved = first === 'config' && second !== undefined && MOVED_SECTIONS.includes(second);
  return (isMoved ? [second, ...rest] : [first, ...(second === undefined ? [] : [second]), ...rest]).join(
    '.',
  );
}
