// What counts as an anomaly. Pure: from what the journal tells, and durations that somebody measured. Null: nothing found.

import { usualMs } from './effect-history.ts';
import type { EffectHistory, Finding, HealthConfig, SlowConfig } from './health.ts';

/** One call of a run, as its effect is recorded. */
export interface Call {
  readonly name: string;
  readonly argsHash: string;
  readonly seq: number;
}

const MAX_NAME = 100;
const MAX_PATTERN = 10;
/** Shorter than this nothing is a pattern: the same call again and again is being stuck. */
const MIN_PATTERN = 2;

function isSame(a: Call, b: Call): boolean {
  return a.argsHash === b.argsHash && a.name === b.name;
}

/** How often the last call was made in a row, counting no further than `most`; those up to the entry `after` do not count. */
export function sameInARow(calls: readonly Call[], after: number, most: number): number {
  const last = calls.at(-1);
  if (last === undefined) return 0;
  let count = 0;
  for (let at = calls.length - 1; at >= 0 && count < most; at -= 1) {
    const call = calls[at]!;
    if (call.seq <= after || !isSame(call, last)) break;
    count += 1;
  }
  return count;
}

export function stuck(
  calls: readonly Call[],
  { stuckThreshold }: Pick<HealthConfig, 'stuckThreshold'>,
  after: number,
): Finding | null {
  const count = sameInARow(calls, after, stuckThreshold);
  if (count < stuckThreshold) return null;
  const name = shown(calls.at(-1)!.name);
  return {
    description: `${name} was called ${count} times in a row with the same arguments`,
    details: { tool_name: name, consecutive_count: count },
  };
}

export function loop(
  calls: readonly Call[],
  { loopWindow, loopMinRepeats }: Pick<HealthConfig, 'loopWindow' | 'loopMinRepeats'>,
  after: number,
): Finding | null {
  const most = Math.min(loopWindow, calls.length);
  for (let length = MIN_PATTERN; length * loopMinRepeats <= most; length += 1) {
    const repeated = (times: number): boolean => isRepeated(calls, { length, times, after });
    if (!repeated(loopMinRepeats)) continue;
    let times = loopMinRepeats;
    while (length * (times + 1) <= most && repeated(times + 1)) times += 1;
    const names = calls.slice(-length).map(({ name }) => shown(name));
    const told = names.length <= MAX_PATTERN ? names : [...names.slice(0, MAX_PATTERN), '…'];
    return {
      description: `the same ${length} calls were made ${times} times over: ${told.join(', ')}`,
      details: { pattern: told, repeat_count: times, pattern_length: length },
    };
  }
  return null;
}

/** Whether the last `length` calls, which are not all the same, are there `times` times in a row. */
function isRepeated(
  calls: readonly Call[],
  { length, times, after }: { readonly length: number; readonly times: number; readonly after: number },
): boolean {
  const end = calls.length;
  for (let at = end - 1; at >= end - length * (times - 1); at -= 1) {
    if (!isSame(calls[at]!, calls[at - length]!)) return false;
  }
  const last = calls[end - 1]!;
  let isAllSame = true;
  for (let at = end - length * times; at < end; at += 1) {
    if (calls[at]!.seq <= after) return false;
    if (isAllSame && !isSame(calls[at]!, last)) isAllSame = false;
  }
  return !isAllSame;
}

export function emptyReplies(
  replies: readonly number[],
  { emptyThreshold, emptyMaxChars }: Pick<HealthConfig, 'emptyThreshold' | 'emptyMaxChars'>,
): Finding | null {
  const lengths = replies.slice(-emptyThreshold);
  if (lengths.length < emptyThreshold || lengths.some((length) => length > emptyMaxChars)) return null;
  return {
    description: `the last ${emptyThreshold} replies had at most ${emptyMaxChars} characters each`,
    details: { consecutive_count: emptyThreshold, max_chars: emptyMaxChars, lengths },
  };
}

export interface ErrorRate {
  readonly sample: number;
  readonly failures: number;
  readonly isEnough: boolean;
}

export function errorRate(
  runs: string,
  { errorWindow, errorMinRuns }: Pick<HealthConfig, 'errorWindow' | 'errorMinRuns'>,
): ErrorRate {
  const last = runs.slice(-errorWindow);
  const failures = last.split('0').length - 1;
  return { sample: last.length, failures, isEnough: last.length >= errorMinRuns };
}

export function failingRuns(
  runs: string,
  config: Pick<HealthConfig, 'errorWindow' | 'errorMinRuns' | 'errorRateThreshold'>,
): Finding | null {
  const { sample, failures, isEnough } = errorRate(runs, config);
  if (!isEnough || failures / sample < config.errorRateThreshold) return null;
  return {
    description: `${failures} of the last ${sample} runs failed`,
    details: {
      error_rate: Math.round((failures / sample) * 1e4) / 1e4,
      error_count: failures,
      window_size: sample,
      threshold: config.errorRateThreshold,
    },
  };
}

export function silent(
  silentMs: number,
  { silentAfterMs }: Pick<HealthConfig, 'silentAfterMs'>,
): Finding | null {
  if (silentAfterMs === null || silentMs < silentAfterMs) return null;
  return {
    description: `a run has said nothing for ${span(silentMs)}, and waits for nothing that is known`,
    details: { silent_seconds: Math.round(silentMs / 100) / 10, threshold_seconds: silentAfterMs / 1_000 },
  };
}

export function slow(
  { name, ms }: { readonly name: string; readonly ms: number },
  histories: readonly EffectHistory[],
  { percentile, minSamples, minMs }: SlowConfig,
): Finding | null {
  if (ms <= minMs) return null;
  const history = histories.find((known) => known.name === name);
  if (history === undefined || history.count < minSamples) return null;
  const usual = usualMs(history, percentile);
  if (ms <= usual) return null;
  return {
    description: `${shown(name)} is under way for ${span(ms)}; ${percentile} % of ${history.count} before it took at most ${span(usual)}`,
    details: {
      tool_name: shown(name),
      running_ms: Math.round(ms),
      usual_ms: usual,
      percentile,
      sample_size: history.count,
    },
  };
}

function shown(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1)}…`;
}

function span(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
