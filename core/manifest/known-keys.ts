import { z } from 'zod';

/** The keys that a schema knows of an object at this place; none where the place is no object with keys of its own. */
export function knownKeys(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return knownKeys(schema.unwrap(), path);
  }
  // What is read and then made something else of.
  if (schema instanceof z.ZodPipe) return knownKeys(schema.in, path);
  const [key, ...rest] = path;
  if (key === undefined) return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const part = partOf(schema, key);
  return part === undefined ? [] : knownKeys(part, rest);
}

function partOf(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject)
    return (schema.shape as Readonly<Record<PropertyKey, z.core.$ZodType>>)[key];
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return schema instanceof z.ZodArray ? schema.element : undefined;
}
