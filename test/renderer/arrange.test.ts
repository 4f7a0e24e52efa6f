import { assert, constantFrom, property, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import {
  arrange,
  BY_NAME,
  countsOf,
  groupRows,
  nextSorting,
  type Wanted,
} from '../../renderer/stores/arrange.ts';
import { holdOrder } from '../../renderer/stores/held-order.ts';
import { stepFor } from '../../renderer/features/fleet/use-fleet-keys.ts';
import { before, budgetOf, journalOf, limitOf, rowOf } from './fixtures.ts';

const rows = [
  rowOf({ name: 'b', state: 'failed', restarts: 3, why: 'same error as before' }),
  rowOf({ name: 'a10', lastEntryAt: null }),
  rowOf({ name: 'a9', state: 'suspended', doubts: 1, lastEntryAt: before(5) }),
  rowOf({ journalId: 'j-sent', name: 'a', live: false, state: 'failed', doubts: 2 }),
];
const journals = [journalOf({ id: 'j-sent' }), journalOf()];
const table = Object.fromEntries(rows.map((row) => [row.key, row]));
const wanted = (over: Partial<Wanted> = {}): Wanted => ({
  text: '',
  filter: null,
  sorting: BY_NAME,
  ...over,
});
const names = (over: Partial<Wanted> = {}): string[] =>
  arrange(table, journals, wanted(over)).map(({ name }) => name);

test('the calm order: journals as the host lists them, names within them, numbers by value', () => {
  expect(names()).toEqual(['a', 'a9', 'a10', 'b']);
  const groups = groupRows(arrange(table, journals, wanted()), journals);
  expect(groups.map(({ journal, rows: own }) => [journal.id, own.length])).toEqual([
    ['j-sent', 1],
    ['j-demo', 3],
  ]);
});

test('sorting by a column keeps journals together; never sorts as oldest', () => {
  expect(names({ sorting: { column: 'restarts', descending: true } })).toEqual(['a', 'b', 'a9', 'a10']);
  expect(names({ sorting: { column: 'last', descending: false } })).toEqual(['a', 'a10', 'b', 'a9']);
});

test('by budget the fullest limit counts; without limits the runs, and unknown is least', () => {
  const limited = (name: string, ...spent: number[]) =>
    rowOf({ name, budget: budgetOf({ limits: spent.map((one) => limitOf({ spent: one })) }) });
  const all = [
    limited('half', 50, 20),
    limited('most', 10, 90),
    rowOf({ name: 'nine', budget: budgetOf({ runs: 9 }) }),
    rowOf({ name: 'unknown', budget: budgetOf({ runs: null }) }),
    rowOf({ name: 'two', budget: budgetOf({ runs: 2 }) }),
  ];
  const those = Object.fromEntries(all.map((row) => [row.key, row]));
  const sorting = { column: 'budget', descending: true } as const;
  expect(arrange(those, journals, wanted({ sorting })).map(({ name }) => name)).toEqual([
    'most',
    'half',
    'nine',
    'two',
    'unknown',
  ]);
});

test('a column’s head turns the order round, another begins with what matters', () => {
  expect(nextSorting(BY_NAME, 'name')).toEqual({ column: 'name', descending: true });
  expect(nextSorting(BY_NAME, 'restarts')).toEqual({ column: 'restarts', descending: true });
});

test('[S41] what nobody runs is counted apart, whatever state its journal last told', () => {
  expect(countsOf(rows)).toMatchObject({ running: 1, failed: 1, suspended: 1, doubt: 1, recorded: 1 });
  expect(names({ filter: 'failed' })).toEqual(['b']);
  expect(names({ filter: 'recorded' })).toEqual(['a']);
});

test('a state that nobody knows is counted as unknown', () => {
  expect(countsOf([rowOf({ state: 'hibernating' })])).toMatchObject({ unknown: 1, running: 0 });
});

test('all words of the filter must be found, in name, state or reason', () => {
  expect(names({ text: 'ERROR b' })).toEqual(['b']);
  expect(names({ text: 'a suspended' })).toEqual(['a9']);
  expect(names({ text: 'nothing' })).toEqual([]);
});

const all = (): boolean => true;

test('a held order keeps every row in its place and counts what would change', () => {
  expect(holdOrder(['a', 'b', 'c'], ['a', 'b', 'c'], all)).toEqual({ keys: ['a', 'b', 'c'], changes: 0 });
  expect(holdOrder(['a', 'b', 'c'], ['c', 'a', 'b'], all)).toEqual({ keys: ['a', 'b', 'c'], changes: 1 });
  expect(holdOrder(['a', 'b'], ['new', 'a', 'b'], all)).toEqual({ keys: ['a', 'b'], changes: 1 });
  expect(holdOrder(['a', 'b'], ['a'], all)).toEqual({ keys: ['a', 'b'], changes: 1 });
});

test('a process that is gone leaves a held list at once', () => {
  expect(holdOrder(['a', 'b'], ['a'], (key) => key !== 'b')).toEqual({ keys: ['a'], changes: 0 });
});

test('no change is counted exactly when applying changes nothing', () => {
  const keys = uniqueArray(constantFrom('a', 'b', 'c', 'd', 'e', 'f'));
  assert(
    property(keys, keys, (held, fresh) => {
      const { keys: shown, changes } = holdOrder(held, fresh, all);
      expect(shown).toEqual(held);
      expect(changes === 0).toBe(JSON.stringify(held) === JSON.stringify(fresh));
    }),
  );
});

test('keys lead from row to row and stop at the ends', () => {
  const keys = ['a', 'b', 'c'];
  expect(stepFor('j', keys, null)).toBe('a');
  expect(stepFor('ArrowDown', keys, 'a')).toBe('b');
  expect(stepFor('j', keys, 'c')).toBe('c');
  expect(stepFor('k', keys, 'a')).toBe('a');
  expect(stepFor('G', keys, 'a')).toBe('c');
  expect(stepFor('Home', keys, 'c')).toBe('a');
  expect(stepFor('Delete', keys, 'a')).toBeNull();
  expect(stepFor('Backspace', keys, 'a')).toBeNull();
  expect(stepFor('j', [], null)).toBeNull();
});
