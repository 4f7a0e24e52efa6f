// A manifest's text as a document in which each place has its line. Whatever is wrong with the text is told all at once.

import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
} from 'yaml';
import { messageOf } from '../model/errors.ts';
import { MAX_MANIFEST_BYTES } from './manifest-file.ts';

/** Something about one place of a manifest. `path` is empty for the whole, `line` null where nothing of it is written. */
export interface ManifestProblem {
  readonly path: string;
  readonly line: number | null;
  readonly message: string;
}

/** Where something stands: keys, and numbers in lists. */
export type Place = readonly PropertyKey[];

export interface ManifestDocument {
  readonly value: unknown;
  readonly problems: readonly ManifestProblem[];
  /** What a reader of YAML 1.1, as Promptise is, takes for something else. */
  readonly ambiguous: readonly ManifestProblem[];
  /** Of the place, or of the nearest that is around it. */
  readonly lineOf: (place: Place) => number | null;
}

/** Of settings, lists and values in them, with all that aliases put in place. */
const MAX_VALUES = 200_000;
const MAX_LEVELS = 100;
/** Keys by `<<` too, as Promptise's reader has them. */
const READ_AS = { prettyErrors: false, merge: true } as const;
/** Of what is no YAML: those behind follow from the first, mostly. */
const MAX_ERRORS = 10;

export function readDocument(text: string): ManifestDocument {
  const nothing = { value: null, ambiguous: [], lineOf: () => null };
  const refused = (line: number | null, message: string): ManifestDocument => ({
    ...nothing,
    problems: [{ path: '', line, message }],
  });
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_MANIFEST_BYTES) {
    return refused(null, `it has ${bytes} bytes, and a manifest has ${MAX_MANIFEST_BYTES} at most`);
  }
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { ...READ_AS, lineCounter: lines });
    const problems = [...document.errors, ...document.warnings]
      .slice(0, MAX_ERRORS)
      .map(({ pos, code, message }): ManifestProblem => ({
        path: '',
        line: lines.linePos(pos[0]).line,
        message:
          code === 'MULTIPLE_DOCS'
            ? 'a second document begins with ---: a file has one manifest'
            : `it is not YAML: ${firstLine(message)}`,
      }));
    if (problems.length > 0) return { ...nothing, problems };
    const value = document.toJS() as unknown;
    const tooMuch = tooMuchIn(value);
    if (tooMuch !== null) return refused(null, tooMuch);
    return {
      value,
      problems: [],
      ambiguous: ambiguousIn(document, lines),
      lineOf: (place) => lineOf(document, lines, place),
    };
  } catch (error) {
    // Aliases that lead nowhere or too far, and what is nested deeper than anybody writes.
    return refused(null, `it is not YAML: ${firstLine(messageOf(error))}`);
  }
}

/** As far as it can be made out, whatever is wrong with it; undefined where nothing can. */
export function readableIn(text: string): unknown {
  try {
    const value = parseDocument(text, READ_AS).toJS() as unknown;
    return tooMuchIn(value) === null ? value : undefined;
  } catch {
    return undefined; // Whoever checks it is told what is wrong.
  }
}

/** Before any of it is copied: what is named by an alias is one value until then, however often it is named. */
function tooMuchIn(document: unknown): string | null {
  let count = 0;
  const isWithin = (value: unknown, level: number): boolean => {
    count += 1;
    if (count > MAX_VALUES || level > MAX_LEVELS) return false;
    if (typeof value !== 'object' || value === null) return true;
    return Object.values(value).every((inner) => isWithin(inner, level + 1));
  };
  if (isWithin(document, 0)) return null;
  return count > MAX_VALUES
    ? `it has more than ${MAX_VALUES} values, with those that aliases stand for. Put large data into a file`
    : `it is nested more than ${MAX_LEVELS} levels deep`;
}

/** What follows it shows the text itself, in which there may be a secret. */
function firstLine(message: string): string {
  return message.split('\n')[0]!.replace(/:$/, '');
}

/** As a person writes it: `triggers[0].type`. */
export function placeText(place: Place): string {
  return place
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function lineOf(document: Document, lines: LineCounter, place: Place): number | null {
  let node: unknown = document.contents;
  let found = startOf(node, lines);
  for (const key of place) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(
        ({ key: one }) => (isScalar(one) ? String(one.value) : null) === String(key),
      );
      if (pair === undefined) break;
      found = startOf(pair.key, lines) ?? found;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      found = startOf(node, lines) ?? found;
    } else break;
  }
  return found;
}

function startOf(node: unknown, lines: LineCounter): number | null {
  const range = (node as Partial<Node> | null | undefined)?.range;
  return range == null ? null : lines.linePos(range[0]).line;
}

/** Promptise reads YAML 1.1, in which these are truth values and numbers of another base. */
const MEANS_A_TRUTH = /^(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/;
const MEANS_A_NUMBER =
  /^[-+]?(?:0[0-7_]*[1-9][0-7_]*|0b[01_]+|[1-9][0-9]*_[0-9_]*|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;

function ambiguousIn(document: Document, lines: LineCounter): readonly ManifestProblem[] {
  const found: ManifestProblem[] = [];
  visit(document, {
    Scalar: (key, node, ancestors) => {
      if (node.type !== 'PLAIN' || key === 'key' || node.source === undefined) return;
      const { source } = node;
      const means = MEANS_A_TRUTH.test(source)
        ? 'true or false'
        : MEANS_A_NUMBER.test(source)
          ? 'another number'
          : null;
      if (means === null) return;
      const path = placeText(placeOf([...ancestors, node]));
      const how =
        means === 'true or false'
          ? `write true or false, or "${source}" in quotes`
          : 'write it in decimal digits, or in quotes';
      found.push({ path, line: startOf(node, lines), message: `${source} is ${means} to Promptise: ${how}` });
    },
  });
  return found;
}

function placeOf(nodes: readonly unknown[]): Place {
  return nodes.flatMap((node, at): PropertyKey[] => {
    if (isPair(node)) return [String(isScalar(node.key) ? node.key.value : node.key)];
    return isSeq(node) ? [node.items.indexOf(nodes[at + 1])] : [];
  });
}
