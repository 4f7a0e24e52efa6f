// The protocol, exhaustively: journal, host, worker, world, operators, clock and messages as a small machine that asks the
// product's own pure functions what to do, and every order of what can happen to it, to a depth [P1, P2, P3, P4].
// HOLDFAST_PROTOCOL_DEPTH goes deeper than fits into a test run.

import { describe, expect, test } from 'vitest';
import { explore } from './protocol/explore.ts';
import { MUTANTS } from './protocol/mutants.ts';
import { RULES } from './protocol/rules.ts';
import { SCENARIOS } from './protocol/scenarios.ts';

const DEPTH = Number(process.env['HOLDFAST_PROTOCOL_DEPTH'] ?? 10);
/** Deep enough for every mutant; one that needs more is one that the programs are too weak for. */
const MUTANT_DEPTH = 16;
const MANY_STATES = 60_000;

describe('in every order of events', () => {
  let states = 0;
  let transitions = 0;

  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    '[P1, P2, P3, P4] no promise is broken: %s',
    { timeout: 600_000 },
    (_, scenario) => {
      const depth = DEPTH + scenario.deeper;
      const explored = explore(scenario, RULES, { depth });
      states += explored.states;
      transitions += explored.transitions;
      expect(explored.found).toEqual([]);
      expect(explored.isExhausted || explored.depth >= depth).toBe(true);
    },
  );

  test('[P2] what was explored is worth the name', () => {
    console.log(`the protocol: ${states} states, ${transitions} transitions, to depth ${DEPTH} and beyond`);
    expect(states).toBeGreaterThan(50_000);
    expect(transitions).toBeGreaterThan(states);
  });
});

describe('with one rule wrong', () => {
  test.each(MUTANTS.map((mutant) => [mutant.breaks, mutant.name, mutant] as const))(
    '[%s] breaks: %s',
    { timeout: 120_000 },
    (_, __, { scenario, rules, breaks }) => {
      const { found } = explore(scenario, rules, {
        depth: MUTANT_DEPTH,
        mostStates: MANY_STATES,
        until: breaks,
      });
      expect(found.map(({ promise }) => promise)).toContain(breaks);
    },
  );

  test('there are at least thirty of them, each another', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
    expect(MUTANTS.length).toBeGreaterThanOrEqual(30);
  });
});
