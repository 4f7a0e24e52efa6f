// What a manifest says of a mission: Promptise's keys and defaults, but that a mission that is there is enabled; under
// `holdfast` what it has no word for. Durations in seconds, but for `timeout_hours`.

import { z } from 'zod';
import { modelNameText, parseModelName } from '../agent/models/model-name.ts';
import { AppError } from '../model/errors.ts';
import { DEFAULT_MISSION, ON_COMPLETE, type MissionConfig } from '../model/mission.ts';
import { escalationSchema } from './escalation-schema.ts';

/** Beyond these a number is a slip. */
const MAX_TEXT = 20_000;
const MAX_COUNT = 1e9;
const MAX_COST = 1e12;
/** A year, and a day for a judge. */
const MAX_HOURS = 8_784;
const MAX_JUDGE_SECONDS = 86_400;
const MAX_DRIFT_SECONDS = 31_536_000;
const MAX_RETRIES = 100;

export const ManifestMission = z
  .strictObject({
    enabled: z.boolean().default(true),
    objective: z.string().trim().max(MAX_TEXT).default(''),
    success_criteria: z.string().trim().max(MAX_TEXT).default(DEFAULT_MISSION.successCriteria),
    eval_model: z.string().trim().nullish(),
    eval_every: z.number().int().min(1).max(MAX_COUNT).default(DEFAULT_MISSION.evalEvery),
    confidence_threshold: z.number().min(0).max(1).default(DEFAULT_MISSION.confidenceThreshold),
    timeout_hours: z.number().min(0).max(MAX_HOURS, 'a year at most').default(0),
    max_invocations: z.number().int().min(0).max(MAX_COUNT).default(DEFAULT_MISSION.maxInvocations),
    auto_complete: z.boolean().default(DEFAULT_MISSION.autoComplete),
    on_complete: z.enum(ON_COMPLETE).nullable().default(DEFAULT_MISSION.onComplete),
    escalation: escalationSchema.nullish(),
    holdfast: z
      .strictObject({
        judge_timeout: z
          .number()
          .positive()
          .max(MAX_JUDGE_SECONDS, 'a day at most')
          .default(DEFAULT_MISSION.judgeTimeoutMs / 1000),
        judge_retries: z.number().int().min(0).max(MAX_RETRIES).default(DEFAULT_MISSION.judgeRetries),
        judge_backoff: z
          .number()
          .positive()
          .max(60, 'a minute at most, which no wait is longer than')
          .default(DEFAULT_MISSION.judgeBackoffMs / 1000),
        judge_cost: z.number().min(0).max(MAX_COST).default(DEFAULT_MISSION.judgeCost),
        drift_after: z.number().min(0).max(MAX_DRIFT_SECONDS, 'a year at most').default(0),
      })
      .prefault({}),
  })
  .superRefine((mission, context) => {
    const { enabled, objective, eval_model, eval_every, max_invocations, timeout_hours, holdfast } = mission;
    const refuse = (path: string[], message: string): void =>
      context.addIssue({ code: 'custom', path, message });
    const modelProblem = eval_model === undefined || eval_model === null ? null : problemOf(eval_model);
    if (modelProblem !== null) refuse(['eval_model'], modelProblem);
    if (!enabled) return;
    if (objective === '') {
      refuse(['objective'], 'a mission needs one: say what is to be achieved, or set enabled to false');
    }
    if (max_invocations > 0 && eval_every > max_invocations) {
      refuse(
        ['eval_every'],
        `it would be judged after every ${eval_every} runs, and max_invocations lets it have ${max_invocations}`,
      );
    }
    const { judge_timeout, drift_after } = holdfast;
    if (timeout_hours > 0 && judge_timeout > timeout_hours * 3_600) {
      refuse(
        ['holdfast', 'judge_timeout'],
        `a judge may take ${judge_timeout} seconds, which is more than the whole mission, whose timeout_hours is ${timeout_hours}`,
      );
    }
    if (timeout_hours > 0 && drift_after > timeout_hours * 3_600) {
      refuse(
        ['holdfast', 'drift_after'],
        `it would drift after ${drift_after} seconds, and has failed by then: timeout_hours is ${timeout_hours}`,
      );
    }
  });
type ManifestMission = z.output<typeof ManifestMission>;

/** What is wrong with the name of a model. */
function problemOf(name: string): string | null {
  try {
    parseModelName(name);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message.replace(/\.$/, '');
  }
}

/** Null where there is none, or it is not enabled. `checkScript`: of a scripted judge, which is a file. */
export function missionOf(
  mission: ManifestMission | null | undefined,
  checkScript: (path: string) => void,
): MissionConfig | null {
  if (mission === null || mission === undefined || !mission.enabled) return null;
  const { judge_timeout, judge_retries, judge_backoff, judge_cost, drift_after } = mission.holdfast;
  const judge = mission.eval_model == null ? null : parseModelName(mission.eval_model);
  if (judge?.provider === 'scripted') checkScript(judge.path);
  return {
    objective: mission.objective,
    successCriteria: mission.success_criteria,
    evalModel: judge === null ? null : modelNameText(judge),
    evalEvery: mission.eval_every,
    confidenceThreshold: mission.confidence_threshold,
    timeoutMs: mission.timeout_hours * 3_600_000,
    maxInvocations: mission.max_invocations,
    autoComplete: mission.auto_complete,
    onComplete: mission.on_complete ?? DEFAULT_MISSION.onComplete,
    escalation: mission.escalation ?? null,
    judgeTimeoutMs: judge_timeout * 1000,
    judgeRetries: judge_retries,
    judgeBackoffMs: judge_backoff * 1000,
    judgeCost: judge_cost,
    driftAfterMs: drift_after * 1000,
  };
}
