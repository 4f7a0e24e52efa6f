import type { z } from 'zod';

/** A request of the console to its host: its name, and the shapes of what goes and what comes back. */
export interface RequestDefinition<Req extends z.ZodType = z.ZodType, Res extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly request: Req;
  readonly response: Res;
}

export function defineRequest<Req extends z.ZodType, Res extends z.ZodType>(
  name: string,
  request: Req,
  response: Res,
): RequestDefinition<Req, Res> {
  return { name, request, response };
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Every answer: nothing is ever thrown across a boundary, where only an error's text would survive. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Failure };
