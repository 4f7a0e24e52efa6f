import type { JsonObject } from './json.ts';

/**
 * What went wrong (`code`, stable, `area.what-happened`), to what and what to do next (`message`, one or two
 * sentences for a person), and the facts for a program (`detail`). Not worth repeating unless it is a
 * {@link RetryableError}.
 */
export class AppError extends Error {
  readonly code: string;
  readonly detail: JsonObject;

  constructor(code: string, message: string, detail: JsonObject = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.detail = detail;
  }
}

/** The same request may succeed later, unchanged: a lock held, a disk full, a peer starting. */
export class RetryableError extends AppError {
  constructor(code: string, message: string, detail: JsonObject = {}, options?: ErrorOptions) {
    super(code, message, detail, options);
    this.name = 'RetryableError';
  }
}

/** The sentence of anything thrown, for a journal or a screen. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'something was thrown that has no text';
  }
}

/** The code of anything thrown: ours, the operating system's (`ENOENT`), or the class name. */
export function codeOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  if (error instanceof Error) {
    const { code } = error as Error & { code?: unknown };
    return typeof code === 'string' ? code : error.name;
  }
  return 'unknown';
}

/** The error itself if it is ours, else ours around it. */
export function asAppError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError(codeOf(error), messageOf(error), {}, { cause: error });
}

/** Marks a union as exhausted, so that a new member breaks the build. */
export function never(value: never): never {
  throw new AppError('internal.unhandled-case', `Unhandled case: ${String(value)}`);
}
