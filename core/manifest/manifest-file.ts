// A manifest's bytes as its text. What is read is shown, and written back by whoever edits it, so it is never taken for what
// it is not.

import { readFileSync, statSync } from 'node:fs';

/** A longer one is no manifest. */
export const MAX_MANIFEST_BYTES = 1_000_000;

/** @throws what the system does, or an error whose message goes on after "it can't be read: " */
export function manifestFileText(path: string): string {
  const facts = statSync(path);
  // A pipe would be waited for.
  if (!facts.isFile()) throw new Error('it is no file');
  if (facts.size > MAX_MANIFEST_BYTES) {
    throw new Error(`it has ${facts.size} bytes, and ${MAX_MANIFEST_BYTES} are the most that a manifest has`);
  }
  const bytes = readFileSync(path);
  try {
    // With its byte order mark, which is kept when it is saved.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Error('it is not UTF-8. Save it in that encoding', { cause: error });
  }
}
