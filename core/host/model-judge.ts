// A model as the judge of a mission. It is asked by this host, with a key that is among the secrets of the process, about what
// its journal has, in which no secret stands. Each asking is one call: a further one is the mission's to make, and booked anew.

import type { JudgedView } from '../agent/models/judge-prompt.ts';
import type { OpenedModel } from '../agent/models/open-model.ts';
import type { TokenUsage } from '../agent/models/token-usage.ts';
import { AppError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Judge, JudgeCall, JudgeView } from '../model/judge.ts';
import type { ReportedUse } from '../model/model-calls.ts';
import type { CallOff } from '../model/ports.ts';
import type { ModelJudges, SecretReader } from '../runtime/model-judges.ts';
import { UnderWay } from '../runtime/under-way.ts';

/** Whoever asks ends it when its time is over, and says so; this is only for what does not hear that. */
const SLACK_MS = 5_000;

export interface ModelJudgeOptions {
  readonly model: string;
  /** In which scripts lie. */
  readonly workspace: string;
  readonly timeoutMs: number;
  readonly secretOf: SecretReader;
}

/** Those of a workspace. */
export function modelJudgesIn(workspace: string): ModelJudges {
  return (model, { config }, secretOf) =>
    new ModelJudge({
      model,
      workspace,
      secretOf,
      timeoutMs: (config.mission?.judgeTimeoutMs ?? 0) + SLACK_MS,
    });
}

export class ModelJudge implements Judge {
  readonly #options: ModelJudgeOptions;
  readonly #underWay = new UnderWay();

  constructor(options: ModelJudgeOptions) {
    this.#options = options;
  }

  judge(view: JudgeView, call: JudgeCall): Promise<Json> {
    return this.#underWay.follow(this.#asked(view, call));
  }

  idle(): Promise<void> {
    return this.#underWay.idle();
  }

  async #asked(view: JudgeView, { callOff, onBegan, onUsed }: JudgeCall): Promise<Json> {
    const { timeoutMs } = this.#options;
    const opened = await this.#open(view);
    // Whoever runs no judge by a model loads nothing of it.
    const { judgeWithModel } = await import('../agent/models/judge-model.ts');
    const signal = signalOf(callOff);
    if (signal.aborted) throw new AppError('mission.called-off', 'the judge was called off');
    onBegan();
    const outcome = await judgeWithModel({
      models: [opened],
      view: judgedView(view),
      signal,
      timeoutMs,
      retries: 0,
    });
    const { model, maybePaid, usage } = outcome;
    if (model !== null) onUsed(useOf(usage));
    else if (maybePaid === 0) onUsed(null);
    if ('verdict' in outcome) return { ...outcome.verdict };
    throw new AppError('mission.no-verdict', outcome.unknown);
  }

  async #open({ runs }: JudgeView): Promise<OpenedModel> {
    const { model, workspace, timeoutMs, secretOf } = this.#options;
    const { KEY_NAMES, openModel } = await import('../agent/models/open-model.ts');
    const provider = model.slice(0, model.indexOf(':'));
    const names = Object.hasOwn(KEY_NAMES, provider) ? KEY_NAMES[provider as keyof typeof KEY_NAMES] : [];
    return openModel(model, { keys: keysFrom(secretOf, names, runs), directory: workspace, timeoutMs });
  }
}

/** The first of them that the manifest names. One that can't be had now is none to go on without. */
function keysFrom(
  secretOf: SecretReader,
  names: readonly string[],
  run: number,
): Readonly<Record<string, string>> {
  for (const name of names) {
    const answer = secretOf(name, run);
    if (answer.ok) return { [name]: answer.value };
    if (answer.refusal !== 'unknown') throw new AppError(`secret.${answer.refusal}`, answer.message);
  }
  return {};
}

function signalOf(callOff: CallOff): AbortSignal {
  const controller = new AbortController();
  callOff.addEventListener('abort', () => controller.abort());
  if (callOff.aborted) controller.abort();
  return controller.signal;
}

function judgedView({
  objective,
  successCriteria,
  state,
  lastRun,
  conversation,
  before,
}: JudgeView): JudgedView {
  return {
    objective,
    criteria: successCriteria,
    state,
    trigger: lastRun === null ? '' : `${lastRun.triggerType} ${lastRun.triggerId}: ${lastRun.payload}`,
    effects: lastRun?.effects ?? [],
    results: lastRun === null ? [] : [lastRun.response],
    conversation,
    before,
  };
}

/** What went in or came out without its count is not nothing. */
function useOf(tokens: TokenUsage): ReportedUse {
  return { tokens, isUnclear: tokens.tokensIn === undefined || tokens.tokensOut === undefined };
}
