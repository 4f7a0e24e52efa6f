// What every provider of models takes for the name of a tool: 1 to 64 letters, digits, `_` and `-`.

export const MAX_TOOL_NAME = 64;

/** A name as models accept it. */
export function acceptableName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, MAX_TOOL_NAME) || '_';
}
