// Every interleaving to a depth: breadth first, so that the first trace found is one of the shortest, each state once.

import { hash } from 'node:crypto';
import { actionsIn } from './actions.ts';
import { beginning } from './deaths.ts';
import { broken } from './invariants.ts';
import { Library, type Promised } from './journal.ts';
import { Machine, type Model } from './machine.ts';
import type { Rules } from './rules.ts';
import { copyOf, type Scenario, type State } from './state.ts';

export interface Found {
  readonly promise: Promised;
  readonly what: string;
  /** What happened until then. */
  readonly trace: readonly string[];
}

export interface Explored {
  readonly states: number;
  readonly transitions: number;
  /** How many things happened one after the other. */
  readonly depth: number;
  /** Nothing is left that could happen. */
  readonly isExhausted: boolean;
  /** The first of each promise. */
  readonly found: readonly Found[];
}

export interface ExploreOptions {
  readonly depth: number;
  readonly mostStates?: number;
  /** Stops as soon as this one is broken. */
  readonly until?: Promised;
}

interface Step {
  readonly before: Step | null;
  readonly name: string;
}

const traceOf = (step: Step | null): readonly string[] => {
  const names: string[] = [];
  for (let at = step; at !== null; at = at.before) names.unshift(at.name);
  return names;
};

export function explore(
  scenario: Scenario,
  rules: Rules,
  { depth, mostStates = Infinity, until }: ExploreOptions,
): Explored {
  const model: Model = { rules, scenario, library: new Library(rules), effects: new Map() };
  const found = new Map<Promised, Found>();
  const seen = new Set<string>();
  let frontier: { readonly state: State; readonly step: Step | null }[] = [];
  let transitions = 0;
  let reached = 0;
  const isNew = (state: State): boolean => {
    const key = hash('md5', JSON.stringify(state), 'base64');
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
  const result = (): Explored => ({
    states: seen.size,
    transitions,
    depth: reached,
    isExhausted: frontier.length === 0,
    found: [...found.values()],
  });
  const first = beginning(model);
  isNew(first);
  frontier.push({ state: first, step: null });
  while (frontier.length > 0) {
    const next: typeof frontier = [];
    for (const { state, step } of frontier) {
      const actions = actionsIn(model, state);
      const blame = (promise: Promised, what: string, at: Step | null): void => {
        if (!found.has(promise)) found.set(promise, { promise, what, trace: traceOf(at) });
      };
      for (const { promise, what } of broken(model, state, actions)) blame(promise, what, step);
      if (reached >= depth) continue;
      for (const { name, act } of actions) {
        const machine = new Machine(model, copyOf(state));
        act(machine);
        transitions += 1;
        const taken = { before: step, name };
        for (const { promise, what } of machine.violations) blame(promise, what, taken);
        if (isNew(machine.state)) next.push({ state: machine.state, step: taken });
      }
      if (until !== undefined && found.has(until)) return result();
      if (seen.size > mostStates) return result();
    }
    if (reached >= depth) return result();
    frontier = next;
    reached += next.length > 0 ? 1 : 0;
  }
  return result();
}
