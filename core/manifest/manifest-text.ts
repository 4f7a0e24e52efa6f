// A manifest written back as text. What would be something else to a reader of YAML 1.1, as Promptise is, stands in quotes.

import { Document, isScalar, parseDocument, visit, type ToStringOptions } from 'yaml';
import type { Json, JsonObject } from '../model/json.ts';
import type { Place } from './manifest-document.ts';
import { MOVED_SECTIONS } from './manifest-schema.ts';

/** Long texts stay on their line: folded, they would be others to a person. */
const LAYOUT: ToStringOptions = { lineWidth: 0 };
const READ_AS = { compat: 'yaml-1.1', merge: true } as const;

/** A new one. */
export function manifestText(document: JsonObject): string {
  return textOf(new Document(document, READ_AS));
}

/** One to be changed; comments, order and quotes of the rest stay. @throws what `yaml` throws where the text is no YAML */
export function openedManifest(text: string): Document {
  const document = parseDocument(text, READ_AS);
  const [error] = document.errors;
  if (error !== undefined) throw error;
  return document;
}

export function textOf(document: Document): string {
  return document.toString(LAYOUT);
}

/** What an alias stands for is put in its place, so that each part can be changed, or taken away, for itself. */
export function expandAliases(document: Document): void {
  visit(document, {
    Alias: (_, alias) => document.createNode(alias.toJS(document), { aliasDuplicateObjects: false }),
  });
  visit(document, {
    Value: (_, node) => {
      delete node.anchor;
    },
  });
}

/** A section that is there and empty is none yet. */
export function setIn(document: Document, place: Place, value: Json): void {
  for (let length = 1; length < place.length; length += 1) {
    const at = place.slice(0, length);
    const node = document.getIn(at, true);
    if (isScalar(node) && node.value === null) document.setIn(at, document.createNode({}));
  }
  // A value that has parts is one in which further places can be set.
  document.setIn(place, typeof value === 'object' && value !== null ? document.createNode(value) : value);
}

/** Where a setting is to stand: what may be said in two places is said in the one where it is, or where its section is. */
export function whereWritten(document: Document, place: readonly string[]): readonly string[] {
  const [section = '', key = ''] = place;
  if (section === 'memory' && key !== '') {
    const context = whereWritten(document, ['context']);
    const inContext = [...context, `memory_${key}`];
    if (document.hasIn(inContext) || (!document.has('memory') && document.hasIn(context))) return inContext;
  }
  const isMoved =
    MOVED_SECTIONS.includes(section) && !document.has(section) && document.hasIn(['config', section]);
  return isMoved ? ['config', ...place] : place;
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
  const document = openedManifest(text);
  for (const { place, value } of edits) {
    if (value === undefined) document.deleteIn(place);
    else setIn(document, place, value);
  }
  return textOf(document);
}
