// What is watched of how a process behaves, and what is done about what is found. The detectors are health-detectors.ts.

import type { EscalationTarget } from './escalation.ts';

/** Promptise's words, and behind them our own. */
export const ANOMALY_TYPES = [
  'stuck',
  'loop',
  'empty_response',
  'high_error_rate',
  'silent',
  'slow',
] as const;
export type AnomalyType = (typeof ANOMALY_TYPES)[number];

/** The key of what is told outside of an anomaly. */
export const HEALTH_PREFIX = 'health/';

export function healthKey(type: AnomalyType): string {
  return `${HEALTH_PREFIX}${type}`;
}

export function isAnomalyType(text: string): text is AnomalyType {
  return (ANOMALY_TYPES as readonly string[]).includes(text);
}

/** `log`: an entry, as all of them are. `escalate`: somebody is told as well, and nothing is held. */
export const ON_ANOMALY = ['log', 'pause', 'escalate', 'stop'] as const;
export type OnAnomaly = (typeof ON_ANOMALY)[number];

export interface SlowConfig {
  /** Above 0 and below 100. */
  readonly percentile: number;
  /** Of the same effect; with fewer nothing is called slow. */
  readonly minSamples: number;
  /** What is under way for less than this is not. */
  readonly minMs: number;
}

export interface HealthConfig {
  readonly isEnabled: boolean;
  /** The same call so often in a row, within a run. */
  readonly stuckThreshold: number;
  /** Calls of a run that are looked at, and how often a pattern at their end is there. */
  readonly loopWindow: number;
  readonly loopMinRepeats: number;
  /** Replies in a row of at most so many characters. */
  readonly emptyThreshold: number;
  readonly emptyMaxChars: number;
  /** Of so many last runs, at least `errorMinRuns`, this share failed. */
  readonly errorWindow: number;
  readonly errorMinRuns: number;
  readonly errorRateThreshold: number;
  /** A run that should move has said nothing for so long; null: that is not looked for. */
  readonly silentAfterMs: number | null;
  /** An effect is under way for longer than nearly all before it; null: that is not looked for. */
  readonly slow: SlowConfig | null;
  readonly onAnomaly: Readonly<Record<AnomalyType, OnAnomaly>>;
  /** For so long after an anomaly the same type is not found again. */
  readonly cooldownMs: number;
  /** Whom `escalate` tells, beside the desktop. */
  readonly escalation: EscalationTarget | null;
}

export const DEFAULT_HEALTH: HealthConfig = {
  isEnabled: false,
  stuckThreshold: 3,
  loopWindow: 20,
  loopMinRepeats: 2,
  emptyThreshold: 3,
  emptyMaxChars: 10,
  errorWindow: 10,
  errorMinRuns: 10,
  errorRateThreshold: 0.5,
  silentAfterMs: 600_000,
  slow: { percentile: 99, minSamples: 20, minMs: 1_000 },
  onAnomaly: onAll('log'),
  cooldownMs: 300_000,
  escalation: null,
};

/** The same for each, but that what is slow is only told: one in a hundred is, by its definition. */
export function onAll(action: OnAnomaly): Record<AnomalyType, OnAnomaly> {
  return {
    stuck: action,
    loop: action,
    empty_response: action,
    high_error_rate: action,
    silent: action,
    slow: 'log',
  };
}

/** How many runs and replies are kept, whatever a manifest asks for: they are in every checkpoint. */
export const MAX_RUNS = 200;
export const MAX_REPLIES = 50;

/** What a detector found: what an entry says of it. */
export interface Finding {
  /** A sentence for a person. */
  readonly description: string;
  /** Promptise's keys where it has them. */
  readonly details: Readonly<Record<string, string | number | readonly string[] | readonly number[]>>;
}

/** The last anomaly of its type. */
export interface FoundAnomaly {
  readonly description: string;
  /** An {@link OnAnomaly}, as it was configured then. */
  readonly action: string;
  readonly at: string;
  /** Of what it was found; null where it is the process as a whole. */
  readonly eventId: string | null;
  readonly effectId: string | null;
  /** When it was gone again, or an operator had seen it; null while it is there. */
  readonly overAt: string | null;
  /** Epoch milliseconds until which the type is not found again; null once somebody said to begin anew. */
  readonly coolsUntilMs: number | null;
}

/** How long effects of a name took. */
export interface EffectHistory {
  readonly name: string;
  /** The last entry that told of one. */
  readonly seq: number;
  readonly count: number;
  /** How many were in each bucket of durations, by its index. */
  readonly buckets: Readonly<Record<string, number>>;
}

/** What the detectors look at, and what they found, as the journal tells it. Its parts are replaced, never changed. */
export interface HealthState {
  /** `1` for a run that went well and `0` for one that failed, oldest first. */
  runs: string;
  /** Lengths of the last replies, oldest first. */
  replies: readonly number[];
  histories: readonly EffectHistory[];
  found: Readonly<Partial<Record<AnomalyType, FoundAnomaly>>>;
  /** Entries up to this one are not looked at any more, by type. */
  anew: Readonly<Partial<Record<AnomalyType, number>>>;
}

export function emptyHealth(): HealthState {
  return { runs: '', replies: [], histories: [], found: {}, anew: {} };
}

/** What is there now, the first found first. */
export function openAnomalies({
  found,
}: Readonly<Pick<HealthState, 'found'>>): readonly (FoundAnomaly & { readonly type: AnomalyType })[] {
  return ANOMALY_TYPES.flatMap((type) => {
    const anomaly = found[type];
    return anomaly === undefined || anomaly.overAt !== null ? [] : [{ type, ...anomaly }];
  }).sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/**
 * Whether the type is not to be found again yet. On a clock that was set while no host saw it, more may seem to be left
 * than there ever was: that counts for nothing.
 */
export function isCooling(
  found: FoundAnomaly | undefined,
  { nowMs, cooldownMs }: { readonly nowMs: number; readonly cooldownMs: number },
): boolean {
  const left = (found?.coolsUntilMs ?? nowMs) - nowMs;
  return left > 0 && left <= cooldownMs;
}
