// What goes over a host's local socket: one JSON value a line, in UTF-8.
//
//   console → host   {id, name, request}   a request of the contract
//                    {id, subscribe}       true: what the host says unasked comes too; false: no more, and nothing is watched
//   host → console   {id, result}          the answer, in whatever order the answers are ready
//                    {event: {name, payload}}
//                    {id: null, result}    why the connection ends: the line could not be understood, or there are too many

import { z } from 'zod';
import type { Failure } from '../contract/define.ts';

/** Of a request: the longest text that one may carry, every character escaped, with room to spare. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
/** Of an answer or an event; a fleet of fifty thousand processes fits. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const Id = z.number().int();

export const FromConsole = z.union([
  z.strictObject({ id: Id, name: z.string().max(200), request: z.unknown() }),
  z.strictObject({ id: Id, subscribe: z.boolean() }),
]);
export type FromConsole = z.output<typeof FromConsole>;

const AnyResult = z.union([
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.object({
      code: z.string(),
      message: z.string(),
      detail: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
]);

export const FromHost = z.union([
  z.object({ id: Id.nullable(), result: AnyResult }),
  z.object({ event: z.object({ name: z.string(), payload: z.unknown() }) }),
]);
export type FromHost = z.output<typeof FromHost>;

export function toLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** Undefined: no JSON. */
export function fromLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

export function refused(code: string, message: string): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: { code, message } };
}
