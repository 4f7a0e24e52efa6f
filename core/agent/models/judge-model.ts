// A model as the judge of a mission. It gives a verdict, or says for a person why there is none: an unavailable judge is
// an unknown, never a verdict [P5].

import { randomBytes } from 'node:crypto';
import { AppError } from '../../model/errors.ts';
import { numberAt } from '../../model/json.ts';
import { callModel, type CallWait, type ModelAnswer } from './call-model.ts';
import {
  judgePrompt,
  VERDICT_SCHEMA,
  verdictIn,
  type JudgedView,
  type JudgeVerdict,
} from './judge-prompt.ts';
import type { OpenedModel } from './open-model.ts';
import type { TokenUsage } from './token-usage.ts';

export interface JudgeCall {
  /** The model of the manifest's `eval_model` or the process's, and what comes after it. */
  readonly models: readonly OpenedModel[];
  readonly view: JudgedView;
  readonly signal?: AbortSignal;
  /** For everything, waits included; 2 minutes unless said otherwise. */
  readonly timeoutMs?: number;
  /** How often each model is tried again; 2 unless said otherwise. */
  readonly retries?: number;
  readonly onWait?: (wait: CallWait) => void;
}

export type JudgeOutcome = ({ readonly verdict: JudgeVerdict } | { readonly unknown: string }) & {
  /** What is left out is not known; all of it where no answer came. */
  readonly usage: TokenUsage;
  /** Which model answered; null where none did. */
  readonly model: string | null;
  /** How many calls that failed may be counted all the same [S33]. */
  readonly maybePaid: number;
};

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_RETRIES = 2;
/** What a model thinks counts as well. */
const MAX_OUTPUT_TOKENS = 4_000;

/** Does not reject because of a model: that is an unknown. */
export async function judgeWithModel(call: JudgeCall): Promise<JudgeOutcome> {
  const { models, view, timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES, onWait } = call;
  const messages = judgePrompt(view, randomBytes(12).toString('hex'));
  const tooLong = AbortSignal.timeout(timeoutMs);
  let answer: ModelAnswer;
  try {
    answer = await callModel({
      models,
      prompt: {
        messages,
        json: { name: 'verdict', schema: VERDICT_SCHEMA },
        maxOutputTokens: MAX_OUTPUT_TOKENS,
      },
      signal: call.signal === undefined ? tooLong : AbortSignal.any([call.signal, tooLong]),
      retries,
      ...(onWait === undefined ? {} : { onWait }),
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isTooLong = tooLong.aborted && call.signal?.aborted !== true;
    const unknown = isTooLong
      ? `The judge gave no verdict within ${Math.round(timeoutMs / 1_000)} s.`
      : `The judge could not be asked: ${error.message}`;
    return { unknown, usage: {}, model: null, maybePaid: numberAt(error.detail, 'maybePaid') };
  }
  const { text, finish, usage, model, maybePaid } = answer;
  const facts = { usage, model, maybePaid };
  if (finish === 'content-filter') return { unknown: `${model} refused to judge.`, ...facts };
  const said = verdictIn(text);
  if ('verdict' in said) return { ...said, ...facts };
  const why = finish === 'length' ? 'its answer is cut off' : said.unknown;
  return { unknown: `${model} gave no verdict that can be used: ${why}.`, ...facts };
}
