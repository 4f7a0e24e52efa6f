// What a trigger lets through, in Promptise's filter language: a small part of Python's expressions, read once when the
// process is defined and worked out for every event.
//
// Names: `payload`, `metadata`, `trigger_type`, `trigger_id`, `event_id`; any other is a key of the payload. Look-ups
// `payload['a']`, `payload.a`, `items[0]`; what is missing is None. Comparisons, `in`, `is`, `and`, `or`, `not`, minus,
// literals, lists, tuples, sets, and the functions and methods of filter-functions.ts. At most 2,000 characters and 200
// elements. What can't be worked out lets nothing through.
//
// Where this is not as Promptise: a wrong number of arguments, half a character (`\ud83d`) and a character by name
// (`\N{…}`) are refused when the filter is read; `is` compares numbers and texts by type and value; a whole number of an
// event is an integer however it was written; digits of other scripts are no numbers; a set is written in the order of
// its items; brackets nest 100 deep; and the work for an event is bounded.

import { excerptOf } from './filter-error.ts';
import { evaluate, type FilterSubject } from './filter-evaluate.ts';
import { treeOf, type FilterNode } from './filter-parser.ts';
import { isTrue } from './filter-values.ts';

export type { FilterSubject } from './filter-evaluate.ts';

export interface Filter {
  readonly text: string;
  readonly tree: FilterNode;
}

/** `why` is for a person: the part of the filter that decided, without anything out of the event. */
export type FilterAnswer = { readonly matches: true } | { readonly matches: false; readonly why: string };

const SHOWN = 120;

/** @throws `trigger.bad-filter`, `detail` being `{ column, why, excerpt }` */
export function parseFilter(text: string): Filter {
  return { text, tree: treeOf(text) };
}

/** Never throws, and takes no longer than a bounded number of steps whatever the event holds. */
export function applyFilter(filter: Filter, subject: FilterSubject): FilterAnswer {
  const outcome = evaluate(filter.tree, subject);
  if ('fault' in outcome) {
    return { matches: false, why: `${shown(filter, outcome.at)} can't be worked out: ${outcome.fault}` };
  }
  if (isTrue(outcome.value)) return { matches: true };
  return { matches: false, why: `${shown(filter, outcome.decidedBy)} is not true` };
}

function shown({ text }: Filter, { from, to }: FilterNode): string {
  const part = excerptOf(text.slice(from, to), 0, SHOWN);
  return `"${part}"`;
}
