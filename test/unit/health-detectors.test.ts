// Each detector alone: what it finds, and that it does not find what is not there.

import { describe, expect, test } from 'vitest';
import { usualMs, withDuration } from '../../core/model/effect-history.ts';
import {
  emptyReplies,
  errorRate,
  failingRuns,
  loop,
  sameInARow,
  silent,
  slow,
  stuck,
  type Call,
} from '../../core/model/health-detectors.ts';
import {
  DEFAULT_HEALTH,
  emptyHealth,
  isCooling,
  openAnomalies,
  type EffectHistory,
  type FoundAnomaly,
} from '../../core/model/health.ts';

/** A letter for each call; its name is the lower case of it. */
const calls = (letters: string): Call[] =>
  Array.from(letters, (letter, at) => ({ name: letter.toLowerCase(), argsHash: letter, seq: at + 1 }));

describe('stuck: the same call so often in a row', () => {
  test.each([
    ['', null],
    ['aa', null],
    ['aaa', 3],
    ['baaaa', 3],
    ['aaab', null],
    ['aaAa', null],
  ])('%j', (letters, count) => {
    const found = stuck(calls(letters), DEFAULT_HEALTH, 0);
    expect(found?.details['consecutive_count'] ?? null).toBe(count);
  });

  test('the same arguments of another tool are another call', () => {
    const [a, b] = calls('ab');
    expect(stuck([a!, a!, { ...b!, argsHash: 'a' }], DEFAULT_HEALTH, 0)).toBeNull();
    expect(stuck([a!, a!, { ...a!, argsHash: 'x' }], DEFAULT_HEALTH, 0)).toBeNull();
  });

  test('begun anew, what was called before does not count', () => {
    expect(stuck(calls('aaaa'), DEFAULT_HEALTH, 1)).not.toBeNull();
    expect(stuck(calls('aaaa'), DEFAULT_HEALTH, 2)).toBeNull();
    expect(sameInARow(calls('aaaa'), 2, 10)).toBe(2);
  });
});

describe('loop: a pattern that repeats at the end', () => {
  test.each([
    ['aba', null],
    ['abab', [2, 2]],
    ['xababab', [2, 3]],
    ['abcabc', [3, 2]],
    ['abcab', null],
    ['aabaab', [3, 2]],
    // That is being stuck, and nothing else.
    ['aaaaaaaa', null],
    ['ababc', null],
  ])('%j', (letters, found) => {
    const details = loop(calls(letters), DEFAULT_HEALTH, 0)?.details;
    expect(details === undefined ? null : [details['pattern_length'], details['repeat_count']]).toEqual(
      found,
    );
  });

  test('what lies before the window does not count, nor what was called before it began anew', () => {
    const config = { loopWindow: 6, loopMinRepeats: 3 };
    expect(loop(calls('ababab'), config, 0)).not.toBeNull();
    expect(loop(calls('ababab'), config, 1)).toBeNull();
    expect(loop(calls('abcabcabc'), config, 0)).toBeNull();
    expect(loop(calls('abcabcabc'), { ...config, loopWindow: 9 }, 0)).not.toBeNull();
  });

  test('a long pattern is told by its beginning', () => {
    const letters = 'abcdefghijklm'.repeat(2);
    const found = loop(calls(letters), { loopWindow: 40, loopMinRepeats: 2 }, 0);
    expect(found?.details['pattern']).toEqual('a b c d e f g h i j …'.split(' '));
  });
});

test('empty replies: so many in a row, and a longer one between them is none', () => {
  expect(emptyReplies([2, 0], DEFAULT_HEALTH)).toBeNull();
  expect(emptyReplies([50, 2, 0, 10], DEFAULT_HEALTH)?.details['lengths']).toEqual([2, 0, 10]);
  expect(emptyReplies([2, 11, 2], DEFAULT_HEALTH)).toBeNull();
});

test('failing runs: nothing is said of too few [P5]', () => {
  const config = { errorWindow: 4, errorMinRuns: 3, errorRateThreshold: 0.5 };
  expect(failingRuns('00', config)).toBeNull();
  expect(errorRate('00', config)).toEqual({ sample: 2, failures: 2, isEnough: false });
  expect(failingRuns('001', config)?.details).toEqual({
    error_rate: 0.6667,
    error_count: 2,
    window_size: 3,
    threshold: 0.5,
  });
  expect(failingRuns('0111', config)).toBeNull();
  expect(failingRuns('000001111', config)).toBeNull();
});

test('silent: from the moment on, and never where it is not looked for', () => {
  expect(silent(59_999, { silentAfterMs: 60_000 })).toBeNull();
  expect(silent(60_000, { silentAfterMs: 60_000 })?.description).toMatch(/^a run has said nothing for 60 s/);
  expect(silent(1e9, { silentAfterMs: null })).toBeNull();
});

describe('slow: longer than nearly all before it', () => {
  const slowness = { percentile: 99, minSamples: 20, minMs: 10 };
  const history = (durations: readonly number[]): readonly EffectHistory[] =>
    durations.reduce<readonly EffectHistory[]>(
      (histories, ms, at) => withDuration(histories, { name: 'look', ms, seq: at + 1 }),
      [],
    );

  test('only beyond its own history, and only with enough of it [P5]', () => {
    const usual = Array.from({ length: 20 }, (_, at) => 20 + at);
    expect(slow({ name: 'look', ms: 60 }, history(usual.slice(1)), slowness)).toBeNull();
    expect(slow({ name: 'look', ms: 60 }, history(usual), slowness)?.details).toMatchObject({
      tool_name: 'look',
      running_ms: 60,
      usual_ms: 40,
      sample_size: 20,
    });
    expect(slow({ name: 'look', ms: 40 }, history(usual), slowness)).toBeNull();
    expect(slow({ name: 'other', ms: 60_000 }, history(usual), slowness)).toBeNull();
  });

  test('what is quick at any rate is not slow', () => {
    expect(slow({ name: 'look', ms: 9 }, history(Array.from({ length: 20 }, () => 1)), slowness)).toBeNull();
  });

  test('no more than the percentile are above what is usual, in buckets of at most half as much again', () => {
    const durations = Array.from({ length: 500 }, (_, at) => (at * 7_919) % 100_000);
    const sorted = [...durations].sort((a, b) => a - b);
    for (const percentile of [50, 90, 99, 99.9]) {
      const exact = sorted[Math.ceil((percentile / 100) * sorted.length) - 1]!;
      const usual = usualMs(history(durations)[0]!, percentile);
      expect(usual).toBeGreaterThanOrEqual(exact);
      expect(usual).toBeLessThanOrEqual(exact * 1.5 + 1);
    }
  });

  test('a history stays small, and what was long ago weighs less [C27]', () => {
    let histories: readonly EffectHistory[] = [];
    for (let seq = 1; seq <= 5_000; seq += 1) {
      histories = withDuration(histories, { name: 'look', ms: seq < 2_500 ? 5_000 : 50, seq });
    }
    expect(histories[0]!.count).toBeLessThanOrEqual(1_000);
    expect(usualMs(histories[0]!, 50)).toBe(50);
    for (let seq = 5_001; seq <= 5_200; seq += 1) {
      histories = withDuration(histories, { name: `name ${seq}`, ms: 1, seq });
    }
    expect(histories).toHaveLength(32);
    expect(histories.map(({ name }) => name)).not.toContain('look');
  });

  test('a duration beyond every bucket is in the last one', () => {
    expect(usualMs(history([1e300])[0]!, 99)).toBe(80_000_000);
  });
});

test('what is there is told in the order in which it was found', () => {
  const found = (at: string, overAt: string | null): FoundAnomaly => ({
    description: '',
    action: 'log',
    at,
    eventId: null,
    effectId: null,
    overAt,
    coolsUntilMs: null,
  });
  const health = {
    ...emptyHealth(),
    found: {
      stuck: found('2026-01-02T00:00:00+00:00', null),
      silent: found('2026-01-01T00:00:00+00:00', null),
      slow: found('2026-01-01T00:00:00+00:00', '2026-01-01T00:00:01+00:00'),
    },
  };
  expect(openAnomalies(health).map(({ type }) => type)).toEqual(['silent', 'stuck']);
});

test('[S22] a clock that was set while nobody saw it leaves nothing silenced for longer than it was to be', () => {
  const found: FoundAnomaly = {
    description: '',
    action: 'log',
    at: '',
    eventId: null,
    effectId: null,
    overAt: null,
    coolsUntilMs: 1_000_000,
  };
  const cooldownMs = 300_000;
  expect(isCooling(found, { nowMs: 999_999, cooldownMs })).toBe(true);
  expect(isCooling(found, { nowMs: 1_000_000, cooldownMs })).toBe(false);
  expect(isCooling(found, { nowMs: 1_000_000 - 3_600_000, cooldownMs })).toBe(false);
  expect(isCooling({ ...found, coolsUntilMs: null }, { nowMs: 0, cooldownMs })).toBe(false);
});
