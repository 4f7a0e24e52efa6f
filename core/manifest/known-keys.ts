import { z } from 'zod';
import { isObject } from '../model/json.ts';

/**
 * The keys that a schema knows of an object at this place; none where the place is no object with keys of its own.
 * @param value what stands there: among several shapes it tells which one was meant
 */
export function knownKeys(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
  value?: unknown,
): readonly string[] {
  const inner = unwrapped(schema);
  if (inner !== schema) return knownKeys(inner, path, value);
  if (schema instanceof z.ZodUnion) {
    return knownKeys(meantOption(schema.options, value), path, value);
  }
  const [key, ...rest] = path;
  if (key === undefined) return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const part = partOf(schema, key);
  return part === undefined
    ? []
    : knownKeys(part, rest, (value as Record<PropertyKey, unknown> | undefined)?.[key]);
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return schema.unwrap();
  }
  // What is read and then made something else of.
  return schema instanceof z.ZodPipe ? schema.in : schema;
}

/** Of several shapes the one that has most of the keys that somebody wrote, and the `type` where that tells them apart. */
export function meantOption(options: readonly z.core.$ZodType[], value: unknown): z.core.$ZodType {
  const keys = isObject(value) ? Object.keys(value) : [];
  const type = isObject(value) ? value['type'] : undefined;
  const scoreOf = (option: z.core.$ZodType): number => {
    const object = unwrapped(option);
    if (!(object instanceof z.ZodObject)) return -1;
    const shape = object.shape as Readonly<Record<string, z.core.$ZodType>>;
    const isOfType = shape['type'] instanceof z.ZodLiteral && shape['type'].value === type;
    return keys.filter((key) => Object.hasOwn(shape, key)).length + (isOfType ? 1_000 : 0);
  };
  return [...options].sort((a, b) => scoreOf(b) - scoreOf(a))[0]!;
}

function partOf(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject)
    return (schema.shape as Readonly<Record<PropertyKey, z.core.$ZodType>>)[key];
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return schema instanceof z.ZodArray ? schema.element : undefined;
}
