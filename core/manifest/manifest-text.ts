// A manifest written back as text. What would be something else to a reader of YAML 1.1, as Promptise is, stands in quotes.

import { Document, parseDocument, type ToStringOptions } from 'yaml';
import type { Json, JsonObject } from '../model/json.ts';
import type { Place } from './manifest-document.ts';

/** Long texts stay on their line: folded, they would be others to a person. */
const LAYOUT: ToStringOptions = { lineWidth: 0 };
const QUOTING = { compat: 'yaml-1.1' } as const;

/** A new one. */
export function manifestText(document: JsonObject): string {
  return new Document(document, QUOTING).toString(LAYOUT);
}

export interface ManifestEdit {
  readonly place: Place;
  /** Undefined takes it away. */
  readonly value: Json | undefined;
}

/**
 * An existing one with these changes; what is not changed keeps its comments, its order and its quotes.
 * @throws what `yaml` throws where the text is no YAML, or a place lies inside of a text or a number
 */
export function editedManifest(text: string, edits: readonly ManifestEdit[]): string {
  const document = parseDocument(text, QUOTING);
  const [error] = document.errors;
  if (error !== undefined) throw error;
  for (const { place, value } of edits) {
    if (value === undefined) document.deleteIn(place);
    else document.setIn(place, value);
  }
  return document.toString(LAYOUT);
}
