// The verb for missions, and what the verbs that look tell of them.

import { InvalidArgumentError, Option } from 'commander';
import type { MissionView } from '../contract/mission-view.ts';
import type { ProcessDetail } from '../contract/process-detail.ts';
import { counted } from '../host/counted.ts';
import { MISSION_ORDERS, type MissionOrder } from '../model/mission.ts';
import { at, type Given, type HostVerb } from './host-verb.ts';

const ABOUT: Readonly<Record<MissionOrder, string>> = {
  pause: 'judge it no more, and let its limits wait, until it is resumed',
  resume: 'take it up again; after its end its limits begin anew',
  fail: 'say that it has failed; the process is held',
  complete: 'say that it is achieved; what then is in the manifest',
};
const SHOWN_VERDICTS = 10;

export const MISSION_VERBS: readonly HostVerb[] = [
  {
    usage: at('mission'),
    description: 'show the mission of a process; or, with one of these, decide about it',
    asks: 'mission.change',
    options: MISSION_ORDERS.map((order) => new Option(`--${order}`, ABOUT[order])),
    more: (_, given) => ({ order: orderOf(given) }),
    look: {
      isMeant: (given) => ordersIn(given).length === 0,
      asks: 'processes.read',
      more: () => ({}),
      says: (answer) => said(answer as ProcessDetail),
      picks: (answer) => ({ mission: (answer as ProcessDetail).mission }),
    },
  },
];

function ordersIn(given: Given): readonly MissionOrder[] {
  return MISSION_ORDERS.filter((order) => given[order] === true);
}

function orderOf(given: Given): MissionOrder {
  const [order, ...more] = ordersIn(given);
  if (order === undefined || more.length > 0) {
    throw new InvalidArgumentError(`Say one of these: ${MISSION_ORDERS.map((one) => `--${one}`).join(', ')}`);
  }
  return order;
}

function said({ mission, row }: ProcessDetail): readonly string[] {
  return mission === null ? [`${row.name} has no mission.`] : missionLines(mission);
}

/** What is known of a mission, a line for each thing; what nobody runs here tells of no terms [P5]. */
export function missionLines(mission: MissionView): readonly string[] {
  const { objective, successCriteria, status, since, reason, runs, evaluations, history } = mission;
  const { advancedAt, unknown, isJudging, terms } = mission;
  const last = history.at(-1);
  return [
    `mission, ${status} since ${since}${reason === '' ? '' : ` (${reason})`}: ${oneLine(objective)}`,
    ...(successCriteria === '' ? [] : [`  achieved when: ${oneLine(successCriteria)}`]),
    `  ${counted(runs, 'run')}${terms?.maxInvocations == null ? '' : ` of ${terms.maxInvocations}`}, ${counted(evaluations, 'verdict')}, last advance ${advancedAt}`,
    ...(terms?.endsAt == null ? [] : [`  its time is over at ${terms.endsAt}`]),
    ...(terms?.driftsAt == null ? [] : [`  drifting from ${terms.driftsAt} on, unless it advances`]),
    ...(terms?.evalModel == null ? [] : [`  judged by ${terms.evalModel}`]),
    `  next verdict: ${nextText(mission)}`,
    ...(isJudging ? ['  the judge is asked right now'] : []),
    ...(unknown === null
      ? []
      : [
          `  no verdict at ${unknown.at}${unknown.attempts > 1 ? `, ${unknown.attempts} times` : ''}: ${oneLine(unknown.reason)}`,
        ]),
    ...(last === undefined
      ? []
      : [`  last ${counted(Math.min(SHOWN_VERDICTS, history.length), 'verdict')}:`]),
    ...history.slice(-SHOWN_VERDICTS).map(verdictLine),
  ];
}

function verdictLine(one: MissionView['history'][number]): string {
  const { at: when, invocation, outcome, confidence, progress, reasoning } = one;
  const way = progress === null ? 'progress unknown' : `progress ${progress}`;
  const why = reasoning === '' ? '' : ` · ${oneLine(reasoning)}`;
  return `    ${when}  after invocation ${invocation}  ${outcome.replace('_', ' ')}, confidence ${confidence}, ${way}${why}`;
}

function nextText({ status, terms }: MissionView): string {
  if (terms === null) return 'known to the host that runs it';
  if (terms.nextIn === null)
    return status === 'failed' ? 'none: it has failed' : `none while it is ${status}`;
  return terms.nextIn === 0 ? 'due now' : `after ${counted(terms.nextIn, 'more run')}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
