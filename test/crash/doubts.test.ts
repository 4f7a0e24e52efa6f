// The judge of doubts by itself: what it lets pass, and what it does not.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../core/model/json.ts';
import { unreportedDoubts } from './doubts.ts';

type Line = readonly [entry_type: string, data?: JsonObject];

const started = (effectClass: string): Line => [
  'effect_started',
  { effect_id: 'e/pay#0', name: 'pay', class: effectClass, key: 'k' },
];
const finished = (more: JsonObject = {}): Line => ['effect_finished', { effect_id: 'e/pay#0', ...more }];
const RESOLVED: Line = ['effect_resolved', { effect_id: 'e/pay#0' }];
const HELD: Line = ['hold_placed', { hold: 'in_doubt' }];
const LIFTED: Line = ['hold_lifted', { hold: 'in_doubt' }];
const DIED: Line = ['worker_exited'];
const RESTARTED: Line = ['writer_opened'];

function judge(lines: readonly Line[], asked: readonly string[] = []): readonly string[] {
  const entries = lines.map(([entry_type, data = {}], at) => ({
    seq: at + 1,
    timestamp: '2026-01-05T09:00:00.000+00:00',
    entry_type,
    data,
  }));
  return unreportedDoubts(entries, asked).map(({ text }) => text);
}

describe('nothing is wrong', () => {
  test.each<[string, readonly Line[], (readonly string[])?]>([
    ['with an effect that ends', [started('ask'), finished()]],
    ['with a death between effects', [started('ask'), finished(), DIED, started('ask'), finished()]],
    ['where one was taken back before its worker’s end', [started('ask'), finished(), DIED]],
    [
      'where an operator decides, and it is done',
      [started('ask'), DIED, HELD, RESOLVED, LIFTED, started('ask'), finished()],
    ],
    ['where the hold was there before', [HELD, started('ask'), RESTARTED, RESOLVED]],
    ['where repeating is allowed', [started('retry'), DIED, started('retry'), finished()]],
    [
      'where whoever it was done with was asked',
      [started('reconcile'), DIED, finished({ reconciled: true })],
      ['k'],
    ],
    [
      'where they said that it did not happen',
      [started('reconcile'), DIED, started('reconcile'), finished()],
      ['k'],
    ],
  ])('%s', (_what, lines, asked) => {
    expect(judge(lines, asked)).toEqual([]);
  });
});

test.each<[string, readonly Line[]]>([
  ['announced again without a decision', [started('ask'), DIED, HELD, started('ask'), finished()]],
  ['came to an end without a decision', [started('ask'), RESTARTED, finished()]],
  ['decided while nothing was held', [started('ask'), DIED, RESOLVED]],
  ['decided while nothing was held', [started('ask'), DIED, HELD, LIFTED, RESOLVED]],
  ['announced again, and nobody was asked', [started('reconcile'), DIED, started('reconcile'), finished()]],
  ['came to an end without an answer', [started('reconcile'), DIED, finished()]],
  ['is left so', [started('ask'), DIED, HELD]],
])('an effect of which it is told that it was in doubt, and: %s', (text, lines) => {
  const [problem, ...more] = judge(lines);
  expect(problem).toContain(text);
  expect(more).toEqual([]);
});
