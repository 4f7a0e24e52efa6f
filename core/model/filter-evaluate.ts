// A filter's tree, worked out for one event with Python's rules. Nothing of JavaScript is reachable from a name: keys
// are looked up among an object's own ones, and functions in a table.

import type { Comparison, FilterNode } from './filter-parser.ts';
import { FUNCTIONS, METHODS } from './filter-functions.ts';
import {
  contains,
  Display,
  isEqual,
  isIdentical,
  isOrdered,
  isTrue,
  lookUp,
  NotANumber,
  numberOf,
  setOf,
  typeName,
  valueOf,
  type Value,
} from './filter-values.ts';
import { FilterFault, newWork, type Work } from './filter-work.ts';
import type { Json, JsonObject } from './json.ts';
import { never } from './errors.ts';

/** What a filter is asked about. */
export interface FilterSubject {
  readonly payload: Json;
  readonly metadata: JsonObject;
  readonly triggerType: string;
  readonly triggerId: string;
  readonly eventId: string;
}

/** What came of it, and the part of the expression that decided. */
export type Outcome =
  | { readonly value: Value; readonly decidedBy: FilterNode }
  | { readonly fault: string; readonly at: FilterNode };

interface Scope {
  readonly subject: FilterSubject;
  readonly work: Work;
  /** The operation that is being worked out. */
  at: FilterNode;
}

export function evaluate(tree: FilterNode, subject: FilterSubject): Outcome {
  const scope: Scope = { subject, work: newWork(), at: tree };
  try {
    return decide(tree, scope);
  } catch (error) {
    if (error instanceof FilterFault) return { fault: error.message, at: scope.at };
    throw error;
  }
}

/** Of a chain of `and` the part that is not true is what decided. */
function decide(node: FilterNode, scope: Scope): { value: Value; decidedBy: FilterNode } {
  if (node.kind !== 'and') return { value: valueAt(node, scope), decidedBy: node };
  let value: Value = null;
  for (const item of node.items) {
    const outcome = decide(item, scope);
    if (!isTrue(outcome.value)) return outcome;
    ({ value } = outcome);
  }
  return { value, decidedBy: node };
}

function valueAt(node: FilterNode, scope: Scope): Value {
  const { work } = scope;
  const each = (nodes: readonly FilterNode[]): Value[] => nodes.map((item) => valueAt(item, scope));
  const now = (): void => {
    scope.at = node;
  };
  switch (node.kind) {
    case 'constant':
      return node.value;
    case 'name':
      now();
      return named(node.name, scope);
    case 'display': {
      const items = each(node.items);
      now();
      return node.of === 'set' ? setOf(items, work) : new Display(node.of, items);
    }
    case 'and':
      return decide(node, scope).value;
    case 'or': {
      let value: Value = false;
      for (const item of node.items) {
        value = valueAt(item, scope);
        if (isTrue(value)) break;
      }
      return value;
    }
    case 'not':
      return !isTrue(valueAt(node.of, scope));
    case 'minus': {
      const value = valueAt(node.of, scope);
      now();
      return negative(value);
    }
    case 'compare': {
      let left = valueAt(node.first, scope);
      for (const { by, right: of } of node.rest) {
        const right = valueAt(of, scope);
        now();
        if (!isTrueThat(left, by, right, work)) return false;
        left = right;
      }
      return true;
    }
    case 'item': {
      const container = valueAt(node.of, scope);
      const key = valueAt(node.key, scope);
      now();
      return lookUp(container, key, work);
    }
    case 'field': {
      const container = valueAt(node.of, scope);
      now();
      return lookUp(container, node.name, work);
    }
    case 'call': {
      const args = each(node.args);
      now();
      return FUNCTIONS.get(node.name)!.call(args, work);
    }
    case 'method': {
      const args = [valueAt(node.of, scope), ...each(node.args)];
      now();
      return METHODS.get(node.name)!.call(args, work);
    }
    default:
      return never(node);
  }
}

function named(name: string, { subject, work }: Scope): Value {
  switch (name) {
    case 'payload':
      return valueOf(subject.payload, work);
    case 'metadata':
      return subject.metadata;
    case 'trigger_type':
      return subject.triggerType;
    case 'trigger_id':
      return subject.triggerId;
    case 'event_id':
      return subject.eventId;
    default:
      return lookUp(valueOf(subject.payload, work), name, work);
  }
}

function negative(value: Value): Value {
  if (value instanceof NotANumber) return new NotANumber();
  const number = numberOf(value);
  if (number === null) throw new FilterFault(`there is no minus ${typeName(value)}`);
  return -number;
}

function isTrueThat(left: Value, by: Comparison, right: Value, work: Work): boolean {
  switch (by) {
    case '==':
      return isEqual(left, right, work);
    case '!=':
      return !isEqual(left, right, work);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(by, left, right, work);
    case 'in':
      return contains(right, left, work);
    case 'not in':
      return !contains(right, left, work);
    case 'is':
      return isIdentical(left, right, work);
    case 'is not':
      return !isIdentical(left, right, work);
    default:
      return never(by);
  }
}
