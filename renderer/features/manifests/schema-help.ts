// What a JSON Schema says of one setting, for a person who is writing it.

type Schema = Readonly<Record<string, unknown>>;

export interface SettingHelp {
  readonly path: string;
  readonly type: string;
  readonly description: string;
  /** As JSON; null for none. */
  readonly fallback: string | null;
  readonly allowed: readonly string[];
  readonly limits: string;
  /** The settings in it, and whether each is needed. */
  readonly keys: readonly {
    readonly name: string;
    readonly isNeeded: boolean;
    readonly description: string;
  }[];
}

/** Of the setting that these keys lead to; null where the schema knows none. */
export function helpFor(root: Schema, keys: readonly string[]): SettingHelp | null {
  let options: readonly Schema[] = alternatives(root, root);
  for (const key of keys) {
    options = options.flatMap((option) => alternatives(root, partOf(option, key)));
    if (options.length === 0) return null;
  }
  const last = options.at(-1);
  if (last === undefined) return null;
  const all = [...new Set(options.flatMap(allowedOf))];
  return {
    path: keys.join('.'),
    type: [...new Set(options.map(typeOf))].filter((type) => type !== '').join(' or '),
    description: firstText(options, 'description'),
    fallback: fallbackOf(options),
    allowed: all,
    limits: [...new Set(options.map(limitsOf))].filter((text) => text !== '').join('; '),
    keys: keysOf(root, options),
  };
}

/** A schema, or those that it is made of: each as one of its own, with what is said above it. */
function alternatives(root: Schema, schema: Schema | null, depth = 0): readonly Schema[] {
  if (schema === null || depth > 8) return [];
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const { $ref: _, ...over } = schema;
    return alternatives(root, { ...referred(root, reference), ...over }, depth + 1);
  }
  for (const word of ['anyOf', 'oneOf', 'allOf']) {
    const parts = schema[word];
    if (!Array.isArray(parts)) continue;
    const { [word]: _, ...over } = schema;
    return parts.filter(isSchema).flatMap((part) => alternatives(root, { ...over, ...part }, depth + 1));
  }
  return [schema];
}

function referred(root: Schema, reference: string): Schema {
  let found: unknown = root;
  for (const part of reference.replace(/^#\/?/, '').split('/')) {
    if (part !== '') found = isSchema(found) ? found[part] : undefined;
  }
  return isSchema(found) ? found : {};
}

function partOf(schema: Schema, key: string): Schema | null {
  const { properties, items, additionalProperties: others } = schema;
  if (isSchema(properties) && Object.hasOwn(properties, key) && isSchema(properties[key])) {
    return properties[key];
  }
  if (/^\d+$/.test(key) && isSchema(items)) return items;
  return isSchema(others) ? others : null;
}

function typeOf({ type, enum: values, const: only }: Schema): string {
  if (values !== undefined || only !== undefined) return 'one of these';
  const types = Array.isArray(type) ? type : [type];
  const words: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
    array: 'list',
    object: 'settings',
    null: 'nothing',
  };
  return types.map((one) => words[String(one)] ?? '').join(' or ');
}

function allowedOf({ enum: values, const: only }: Schema): readonly string[] {
  const all = Array.isArray(values) ? values : only === undefined ? [] : [only];
  return all.map((value) => JSON.stringify(value));
}

const LIMITS: readonly (readonly [string, (value: number) => string])[] = [
  ['minimum', (value) => `at least ${value}`],
  ['exclusiveMinimum', (value) => `more than ${value}`],
  ['maximum', (value) => `at most ${value}`],
  ['maxLength', (value) => `${value} characters at most`],
];

function limitsOf(schema: Schema): string {
  return LIMITS.flatMap(([key, words]) => {
    const value = schema[key];
    // What no number of a manifest reaches says nothing.
    const isLimit = typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
    return isLimit ? [words(value)] : [];
  }).join(', ');
}

function fallbackOf(options: readonly Schema[]): string | null {
  const found = options.find((option) => Object.hasOwn(option, 'default'));
  if (found === undefined) return null;
  const value = found['default'];
  // What a section has by itself is said of each of its settings.
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? null
    : JSON.stringify(value);
}

function keysOf(root: Schema, options: readonly Schema[]): SettingHelp['keys'] {
  const found = new Map<string, { name: string; isNeeded: boolean; description: string }>();
  for (const option of options) {
    const { properties, required } = option;
    if (!isSchema(properties)) continue;
    for (const [name, part] of Object.entries(properties)) {
      const description = firstText(alternatives(root, isSchema(part) ? part : null), 'description');
      const isNeeded = Array.isArray(required) && required.includes(name);
      if (!found.has(name)) found.set(name, { name, isNeeded, description });
    }
  }
  return [...found.values()];
}

function firstText(options: readonly Schema[], key: string): string {
  for (const option of options) if (typeof option[key] === 'string') return option[key];
  return '';
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
