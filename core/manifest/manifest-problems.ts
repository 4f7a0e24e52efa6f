// What an editor of manifests asks: what is wrong with a text and where, and what is worth knowing of it.

import type { ManifestProblem } from './manifest-document.ts';
import { processOf } from './process-of.ts';

export type { ManifestProblem } from './manifest-document.ts';
export { manifestJsonSchema } from './manifest-json-schema.ts';

/** All that is wrong with it; nothing where its process could run. `path`: where it lies, or would. */
export function manifestProblems(directory: string, path: string, text: string): readonly ManifestProblem[] {
  return processOf({ directory, path }, text).faults.map(({ path: place, line, message }) => ({
    path: place,
    line,
    message,
  }));
}

/** Of one that nothing is wrong with. */
export function manifestNotes(directory: string, path: string, text: string): readonly ManifestProblem[] {
  return processOf({ directory, path }, text).notes;
}
