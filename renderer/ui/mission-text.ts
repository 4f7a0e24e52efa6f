// Missions in words.

import type { MissionView } from '../../core/contract/mission-view.ts';
import { counted } from './numbers.ts';

const NARROW_SPACE = '\u{202f}';

type Evaluation = MissionView['history'][number];

export const MISSION_STATUS: Readonly<Record<MissionView['status'], string>> = {
  active: 'Active',
  completed: 'Completed',
  failed: 'Failed',
  paused: 'Paused',
};

/** The same within a sentence: "its mission has failed". */
export const MISSION_CLAUSE: Readonly<Record<MissionView['status'], string>> = {
  active: 'is active',
  completed: 'is completed',
  failed: 'has failed',
  paused: 'is paused',
};

const OUTCOMES: Readonly<Record<Evaluation['outcome'], string>> = {
  achieved: 'achieved',
  unsure: 'achieved, but not sure enough',
  not_achieved: 'not achieved',
};

export function shareText(share: number): string {
  return `${Math.round(share * 100)}${NARROW_SPACE}%`;
}

export function verdictText({ outcome, confidence, progress }: Evaluation): string {
  const way = progress === null ? 'progress unknown' : `progress ${shareText(progress)}`;
  return `${OUTCOMES[outcome]}, confidence ${shareText(confidence)}, ${way}`;
}

/** What a chart of them says to who can't see it. */
export function historyText({ history, evaluations }: MissionView): string {
  const last = history.at(-1);
  if (last === undefined) return 'No verdict yet';
  const many =
    evaluations === history.length
      ? counted(evaluations, 'verdict')
      : `the last ${history.length} of ${counted(evaluations, 'verdict')}`;
  return `Confidence and progress in ${many}; the last: ${verdictText(last)}`;
}

/** When it is judged next. */
export function nextVerdictText({ status, terms, isJudging }: MissionView): string {
  if (isJudging) return 'the judge is asked right now';
  if (terms === null) return 'unknown';
  if (terms.nextIn === null)
    return status === 'paused' ? 'none while it is paused' : `none: it ${MISSION_CLAUSE[status]}`;
  return terms.nextIn === 0 ? 'due now' : `after ${counted(terms.nextIn, 'more run')}`;
}
