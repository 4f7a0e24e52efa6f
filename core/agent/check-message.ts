// How a run of mode `check` says where its code left the record. It goes as the message of its failure, for a program.

import { isObject, textAt, type Json } from '../model/json.ts';

/** What is expected, or found, where there is nothing more. */
export const END_OF_INVOCATION = 'the end of the invocation';

/** Both together have to fit into a message, whatever has to be escaped in them. */
const MAX_PART = 1_500;

export interface Divergence {
  readonly expected: string;
  readonly found: string;
}

export function divergenceMessage({ expected, found }: Divergence): string {
  return JSON.stringify({ expected: expected.slice(0, MAX_PART), found: found.slice(0, MAX_PART) });
}

/** Null for what no check says. */
export function divergenceOf(message: string): Divergence | null {
  let value: Json;
  try {
    value = JSON.parse(message) as Json;
  } catch {
    return null;
  }
  if (!isObject(value) || textAt(value, 'expected') === '' || textAt(value, 'found') === '') return null;
  return { expected: textAt(value, 'expected'), found: textAt(value, 'found') };
}
