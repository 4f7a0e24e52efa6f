// Values that something begins with instead of those it had. Pure.

import { jsonProblem } from '../actions/json-problem.ts';

export interface ChangedValue {
  readonly id: number;
  readonly key: string;
  /** JSON, as typed: it is sent so, and no number changes. */
  readonly text: string;
}

/** What is to be done about them first, or null. One that is empty altogether is none. */
export function valuesProblem(what: string, values: readonly ChangedValue[]): string | null {
  const seen = new Set<string>();
  for (const { key, text } of entered(values)) {
    if (key === '') return `Name the ${what} that begins with another value.`;
    if (seen.has(key)) return `The ${what} ${key} is there twice.`;
    if (jsonProblem(text) !== null) return `The value of ${key} is not JSON yet.`;
    seen.add(key);
  }
  return null;
}

/** As requests take them. */
export function recordOf(values: readonly ChangedValue[]): Record<string, string> {
  return Object.fromEntries(entered(values).map(({ key, text }) => [key, text]));
}

function entered(values: readonly ChangedValue[]): readonly ChangedValue[] {
  return values
    .map((value) => ({ ...value, key: value.key.trim() }))
    .filter(({ key, text }) => key !== '' || text.trim() !== '');
}
