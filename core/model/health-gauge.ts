// How each detector stands: what it has to look at, what it needs, and what it found. What is too little says nothing, and
// is called unknown, never well [P5].

import { usualMs } from './effect-history.ts';
import { errorRate, sameInARow } from './health-detectors.ts';
import { ANOMALY_TYPES, isCooling, type AnomalyType, type HealthConfig, type OnAnomaly } from './health.ts';
import type { ProcessSnapshot } from './snapshot.ts';
import { timestampOf } from './time.ts';

export interface DetectorGauge {
  readonly type: AnomalyType;
  /** `off`: the manifest does not ask for it. `unknown`: there is too little to look at, or nobody runs it here. */
  readonly state: 'off' | 'unknown' | 'ok' | 'found';
  /** How much there is to look at, and how much it needs; null where nobody knows. */
  readonly sample: number | null;
  readonly needed: number | null;
  /** For a person: what it sees now, and what it would take for an anomaly; empty where nobody knows. */
  readonly reading: string;
  readonly threshold: string;
  readonly action: OnAnomaly | null;
  /** The last time that it found something; `overAt` is null while that is there. */
  readonly last: {
    readonly description: string;
    readonly at: string;
    readonly action: string;
    readonly overAt: string | null;
  } | null;
  /** Until then the same is not found again; null where it may be. */
  readonly coolsUntil: string | null;
}

export interface GaugeInput {
  readonly snapshot: Readonly<ProcessSnapshot>;
  /** Null where nobody runs it here. */
  readonly config: HealthConfig | null;
  /** Runs that should say something. */
  readonly moving: number;
  readonly nowMs: number;
}

type Seen = Pick<DetectorGauge, 'sample' | 'needed' | 'reading' | 'threshold'>;

export function detectorGauges(input: GaugeInput): readonly DetectorGauge[] {
  return ANOMALY_TYPES.map((type) => detectorGauge(type, input));
}

function detectorGauge(type: AnomalyType, input: GaugeInput): DetectorGauge {
  const { snapshot, config, nowMs } = input;
  const found = snapshot.health.found[type];
  const seen = config === null ? null : SEEN[type](input, config);
  const isOff = config !== null && (!config.isEnabled || seen === null);
  const { sample, needed } = seen ?? { sample: null, needed: null };
  const isEnough = sample !== null && needed !== null && sample >= needed;
  const isThere = found !== undefined && found.overAt === null;
  const isSilenced = config !== null && isCooling(found, { nowMs, cooldownMs: config.cooldownMs });
  return {
    type,
    state: isThere ? 'found' : isOff ? 'off' : isEnough ? 'ok' : 'unknown',
    sample: isOff ? null : sample,
    needed: isOff ? null : needed,
    reading: isOff ? '' : (seen?.reading ?? ''),
    threshold: isOff ? '' : (seen?.threshold ?? ''),
    action: config === null || isOff ? null : config.onAnomaly[type],
    last:
      found === undefined
        ? null
        : {
            description: found.description,
            at: found.at,
            action: found.action,
            overAt: found.overAt,
          },
    coolsUntil: isSilenced ? timestampOf(found!.coolsUntilMs!) : null,
  };
}

/** Null for one that is not asked for. */
const SEEN: Readonly<Record<AnomalyType, (input: GaugeInput, config: HealthConfig) => Seen | null>> = {
  stuck: ({ snapshot }, { stuckThreshold }) => {
    const after = snapshot.health.anew.stuck ?? 0;
    const inARow = most(snapshot, ({ effects }) => sameInARow(effects, after, stuckThreshold));
    return {
      sample: callsOf(snapshot, after, stuckThreshold),
      needed: stuckThreshold,
      reading: `the same call in a row: ${inARow}`,
      threshold: `${stuckThreshold} times in a row, within a run`,
    };
  },
  loop: ({ snapshot }, { loopWindow, loopMinRepeats }) => {
    const sample = callsOf(snapshot, snapshot.health.anew.loop ?? 0, loopWindow);
    return {
      sample,
      needed: 2 * loopMinRepeats,
      reading: `calls without a pattern: ${sample}`,
      threshold: `a pattern ${loopMinRepeats} times over, in ${loopWindow} calls of a run`,
    };
  },
  empty_response: ({ snapshot }, { emptyThreshold, emptyMaxChars }) => {
    const last = snapshot.health.replies.slice(-emptyThreshold);
    const short = last.filter((length) => length <= emptyMaxChars).length;
    return {
      sample: last.length,
      needed: emptyThreshold,
      reading: `replies that are short: ${short} of the last ${last.length}`,
      threshold: `${emptyThreshold} in a row of at most ${emptyMaxChars} characters`,
    };
  },
  high_error_rate: ({ snapshot }, config) => {
    const { sample, failures } = errorRate(snapshot.health.runs, config);
    return {
      sample,
      needed: config.errorMinRuns,
      reading: `runs that failed: ${failures} of the last ${sample}`,
      threshold: `${percentText(config.errorRateThreshold)} of ${config.errorWindow} runs`,
    };
  },
  silent: ({ moving }, { silentAfterMs }) =>
    silentAfterMs === null
      ? null
      : {
          sample: moving,
          needed: 1,
          reading: moving === 0 ? 'no run is to say anything now' : `runs that should move: ${moving}`,
          threshold: `no word for ${silentAfterMs / 1_000} s from a run that should move`,
        },
  slow: ({ snapshot }, { slow }) => {
    if (slow === null) return null;
    const { percentile, minSamples, minMs } = slow;
    const { histories } = snapshot.health;
    const known = histories.filter(({ count }) => count >= minSamples);
    const [only] = known;
    return {
      sample: Math.max(0, ...histories.map(({ count }) => count)),
      needed: minSamples,
      reading:
        only === undefined
          ? 'no effect is known well enough'
          : known.length === 1
            ? `${percentile} % of ${only.count} took at most ${usualMs(only, percentile) / 1_000} s`
            : `${known.length} effects are known well enough`,
      threshold: `longer than ${percentile} % before it, and than ${minMs / 1_000} s`,
    };
  },
};

function most(
  { open }: Readonly<ProcessSnapshot>,
  count: (of: ProcessSnapshot['open'][number]) => number,
): number {
  return Math.max(0, ...open.map(count));
}

/** Of the run that has made most of them, counting no further than `enough`. */
function callsOf(snapshot: Readonly<ProcessSnapshot>, after: number, enough: number): number {
  return most(snapshot, ({ effects }) => effects.slice(-enough).filter(({ seq }) => seq > after).length);
}

function percentText(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}
