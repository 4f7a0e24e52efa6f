// A mission as its entries tell it, read by a plain reading that knows nothing of the fold.

import type { StoredEntry } from '../../core/model/entry.ts';
import { isObject, numberAt, textAt, type JsonObject } from '../../core/model/json.ts';

export interface MissionCount {
  readonly status: string;
  readonly runs: number;
  readonly judged: number;
  readonly verdicts: number;
  readonly isJudging: boolean;
}

interface Reading {
  status: string;
  runs: number;
  verdicts: number;
  /** The runs that have a verdict, and how often the judge was asked about each in vain. */
  judged: Set<number>;
  vain: Map<number, number>;
  judging: number | null;
}

/** What there is by the last of these; null for no mission. @throws Error for what must never be written */
export function countMission(
  entries: readonly StoredEntry[],
  { retries }: { readonly retries: number },
): MissionCount | null {
  let mission: Reading | null = null;
  let isMoving = false;
  for (const { entry_type: type, data, seq } of entries) {
    if (type === 'rewind') isMoving = true;
    else if (type === 'checkpoint' && isMoving) {
      isMoving = false;
      mission = asMoved(data);
    } else if (type === 'mission_started') mission = begun();
    else if (mission !== null) read(mission, { type, data, seq, retries });
  }
  if (mission === null) return null;
  const { status, runs, verdicts, judged, judging } = mission;
  return { status, runs, verdicts, judged: Math.max(0, ...judged), isJudging: judging !== null };
}

function read(
  mission: Reading,
  line: {
    readonly type: string;
    readonly data: JsonObject;
    readonly seq: number;
    readonly retries: number;
  },
): void {
  const { type, data, seq, retries } = line;
  const run = numberAt(data, 'run');
  switch (type) {
    case 'invocation_result':
      if (mission.status === 'active') mission.runs += 1;
      return;
    case 'mission_judging':
      if (mission.judging !== null) throw new Error(`entry ${seq} asks while the judge is asked`);
      if (mission.judged.has(run)) throw new Error(`entry ${seq} asks about run ${run} a second time`);
      if (run > mission.runs) throw new Error(`entry ${seq} asks about a run that was not`);
      if ((mission.vain.get(run) ?? 0) > retries) throw new Error(`entry ${seq} asks once too often`);
      mission.judging = run;
      return;
    case 'mission_evaluated':
      evaluated(mission, { data, seq, run });
      return;
    case 'mission_completed':
    case 'mission_failed':
      mission.status = type === 'mission_completed' ? 'completed' : 'failed';
      return;
    case 'mission_changed':
      if (data['to'] === 'active' && mission.status !== 'paused') {
        Object.assign(mission, { runs: 0, judged: new Set(), vain: new Map() });
      }
      mission.status = textAt(data, 'to');
      return;
  }
}

function evaluated(
  mission: Reading,
  { data, seq, run }: { readonly data: JsonObject; readonly seq: number; readonly run: number },
): void {
  const isForBudget = data['waits_for_budget'] === true;
  if ((mission.judging === null) !== isForBudget) throw new Error(`entry ${seq} answers what nobody asked`);
  if (!isForBudget && mission.judging !== run) throw new Error(`entry ${seq} is about another run`);
  mission.judging = null;
  if (typeof data['unknown'] !== 'string') {
    mission.verdicts += 1;
    mission.judged.add(run);
  } else if (!isForBudget && data['called_off'] !== true) {
    mission.vain.set(run, (mission.vain.get(run) ?? 0) + 1);
  }
}

function begun(): Reading {
  return { status: 'active', runs: 0, verdicts: 0, judged: new Set(), vain: new Map(), judging: null };
}

/** Where a rewind has moved it is nothing but what its checkpoint says. */
function asMoved(data: JsonObject): Reading | null {
  const state = isObject(data['state']) ? data['state'] : {};
  const mark = isObject(state['holdfast']) ? state['holdfast'] : {};
  const { mission } = mark;
  if (!isObject(mission)) return null;
  const vain = isObject(mission['unknown']) ? mission['unknown'] : null;
  return {
    status: textAt(mission, 'status'),
    runs: numberAt(mission, 'runs'),
    verdicts: numberAt(mission, 'evaluations'),
    judged: new Set([numberAt(mission, 'judged')]),
    vain: vain === null ? new Map() : new Map([[numberAt(vain, 'run'), numberAt(vain, 'attempts')]]),
    judging: null,
  };
}
