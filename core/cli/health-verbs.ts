// The verb for what was found of a process's health, and what the verbs that look tell of it.

import { InvalidArgumentError } from 'commander';
import type { DetectorView } from '../contract/health-views.ts';
import { ANOMALY_TYPES, isAnomalyType } from '../model/health.ts';
import { at, type HostVerb } from './host-verb.ts';
import { safeText } from './safe-text.ts';

export const HEALTH_VERBS: readonly HostVerb[] = [
  {
    usage: at('clear', ' [type]'),
    description:
      'say that what was found of its health is seen: it is looked for anew, and its hold is lifted',
    asks: 'health.clear',
    more: ([, type]) => ({ type: type === undefined ? null : typeOf(type) }),
  },
];

function typeOf(text: string): string {
  if (isAnomalyType(text)) return text;
  throw new InvalidArgumentError(`[type] must be one of ${ANOMALY_TYPES.join(', ')}, not ${text}`);
}

/** A line for each detector that is on, and for what was found by one that is not any more. */
export function healthLines(detectors: readonly DetectorView[]): readonly string[] {
  const shown = detectors.filter(({ state, last }) => state !== 'off' || last !== null);
  const isKnown = detectors.some(({ threshold }) => threshold !== '');
  const lines = shown.filter(({ last }) => isKnown || last !== null).map(detectorLine);
  return lines.length === 0 ? [] : ['health:', ...lines];
}

function detectorLine({ type, state, reading, sample, needed, last, coolsUntil }: DetectorView): string {
  const verdict = state === 'unknown' && sample !== null ? `unknown, ${sample} of ${needed} needed` : state;
  const parts = [
    verdict,
    state === 'found' ? '' : reading,
    last === null
      ? ''
      : `${last.overAt === null ? 'since' : 'last'} ${safeText(last.at)}: ${safeText(last.description)}`,
    coolsUntil === null ? '' : `not told again before ${coolsUntil}`,
  ].filter((part) => part !== '');
  return `  ${type}: ${parts.join('; ')}`;
}
