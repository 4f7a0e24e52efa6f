// One answer of a model, whatever it takes: the models of the plan in their order, until one answers.
//
// S24  The whole of it is one effect, so that an attempt that comes later finds the answer whichever model gave it. Where all ask
//      to be asked later, that is an outcome too, and what comes after the wait is another effect.
// S27  The record of a call refers to its prompt by a hash over what the prompt is made of that was there before the turn, and
//      which answers and results came since, and by how many messages those are.
// S33  A call that may have been paid ends its attempt: the next one is announced, and booked, anew, and what the one before
//      was booked at stays reserved. So a kill inside a call costs one more call at most, and everybody sees which.

import { hash } from 'node:crypto';
import { AppError, codeOf, messageOf, RetryableError } from '../../model/errors.ts';
import { backoffMs } from '../../model/backoff.ts';
import type { Json } from '../../model/json.ts';
import { MAX_MODEL_NAME } from '../../model/limits.ts';
import type { EffectCall, ModelTokens } from '../define-agent.ts';
import { DidNotHappen, EffectFailed, NotAgain } from '../effect-errors.ts';
import { streamModel, type ModelAnswer, type PassedOver } from '../models/call-model.ts';
import type { ModelPrompt } from '../models/model-prompt.ts';
import { tokensOf, tokensOfText } from './estimate-tokens.ts';
import { glimpsesOf, type Glimpses } from './glimpses.ts';
import { answerAsRecorded, recordedAnswer, type RecordedAnswer } from './recorded-answer.ts';
import type { Skeleton } from './skeleton.ts';
import type { Turn } from './tool.ts';
import { openedModel } from './worker-models.ts';

/** How often a model is called again of which nobody knows whether it was paid. */
const MAX_TRIES = 3;
const FIRST_WAIT_MS = 1_000;
/** So often the models of a plan are waited for that ask to be asked later. */
const MAX_ROUNDS = 10;
/** Of an answer whose plan does not say how long it may be. */
const USUAL_ANSWER = 1_024;
const MAX_NAME = 150;

export interface Question {
  /** What the effect is called. */
  readonly effect: string;
  readonly prompt: ModelPrompt;
  /** What it is about, the same in every re-run. */
  readonly about: Skeleton;
}

/** What is recorded of it. */
type Outcome = { readonly answer: RecordedAnswer } | { readonly later: Later };

/** Nobody answers now, and this one says when it will. */
interface Later {
  readonly model: string;
  readonly waitMs: number;
  readonly why: string;
}

/** @throws the failure of the last model where none answers */
export async function askModel(turn: Turn, question: Question): Promise<ModelAnswer> {
  const { ctx } = turn;
  for (let round = 1; ; round += 1) {
    const outcome = await asked(turn, question);
    if ('answer' in outcome) return answerAsRecorded(outcome.answer);
    const { model, waitMs, why } = outcome.later;
    if (round >= MAX_ROUNDS)
      throw new AppError('model.rate-limited', `${why}, after ${round} rounds of waiting`);
    await ctx.sleep(waitMs, `${model.slice(0, MAX_NAME)} to take calls again`);
  }
}

async function asked(turn: Turn, { effect, prompt, about }: Question): Promise<Outcome> {
  const { plan } = turn;
  const glimpses = glimpsesOf(turn.show);
  const chain = new Chain(turn, prompt, glimpses);
  const attempts = MAX_TRIES * Math.max(1, plan.models.length);
  const options = {
    class: 'retry' as const,
    model: pricedName(plan.models[0] ?? ''),
    expects: expected(turn, prompt),
    args: referenceOf(prompt, about),
    retry: { attempts, backoffMs: FIRST_WAIT_MS },
  };
  try {
    const outcome = await turn.ctx.effect<Json>(
      effect,
      options,
      async (call) => (await chain.call(call)) as unknown as Json,
    );
    return outcome as unknown as Outcome;
  } catch (error) {
    if (!(error instanceof EffectFailed) || error.effect !== effect) throw error;
    throw failureIn(error.message);
  } finally {
    glimpses.end();
  }
}

/** The models of a plan, one after the other: what one has refused for good is not asked again in this run. */
class Chain {
  readonly #turn: Turn;
  readonly #prompt: ModelPrompt;
  readonly #glimpses: Glimpses;
  readonly #passedOver: PassedOver[] = [];
  readonly #later: Later[] = [];
  #at = 0;
  #tries = 0;

  constructor(turn: Turn, prompt: ModelPrompt, glimpses: Glimpses) {
    this.#turn = turn;
    this.#prompt = prompt;
    this.#glimpses = glimpses;
  }

  /**
   * @throws DidNotHappen where nothing was paid, NotAgain where something may have been and no model is left; anything else
   * leaves the attempt in doubt, and there is another
   */
  async call({ signal, used }: Pick<EffectCall<Json>, 'signal' | 'used'>): Promise<Outcome> {
    const { models } = this.#turn.plan;
    for (;;) {
      const model = models[this.#at];
      if (model === undefined) return this.#nobody(used);
      try {
        const answer = await this.#ask(model, signal);
        used(answer.usage, pricedName(model));
        return { answer: recordedAnswer({ ...answer, passedOver: this.#passedOver }) };
      } catch (error) {
        this.#failed(model, error);
        const isOver = models[this.#at] === undefined && this.#later.length === 0;
        // It may have been paid: whatever comes next is announced before.
        if (maybePaid(error)) throw doubt(error, isOver);
      }
    }
  }

  async #ask(model: string, signal: AbortSignal): Promise<ModelAnswer> {
    this.#glimpses.of(model);
    const opened = await openedModel(this.#turn, model).catch((error: unknown) => {
      throw new AppError(codeOf(error), messageOf(error), { maybePaid: 0 });
    });
    return streamModel({
      models: [opened],
      prompt: this.#prompt,
      signal,
      paysAgain: false,
      silenceMs: this.#turn.plan.modelTimeoutMs,
      see: this.#glimpses.see,
      onWait: ({ text, waitMs }) => this.#glimpses.wait(text.replace(/ in \d+ s$/, ''), waitMs),
    });
  }

  /** The same model is asked again, or it is passed over. */
  #failed(model: string, error: unknown): void {
    const why = messageOf(error);
    const mayHelp = error instanceof RetryableError && maybePaid(error);
    this.#tries += 1;
    if (mayHelp && this.#tries < MAX_TRIES) {
      this.#glimpses.wait(
        `${why}; it may have been paid, and is asked again`,
        backoffMs(FIRST_WAIT_MS, this.#tries),
      );
      return;
    }
    const { retryAfterMs } = error instanceof AppError ? error.detail : {};
    if (typeof retryAfterMs === 'number') this.#later.push({ model, waitMs: retryAfterMs, why });
    this.#passedOver.push({ model, code: codeOf(error), why });
    this.#at += 1;
    this.#tries = 0;
    const next = this.#turn.plan.models[this.#at];
    if (next !== undefined) this.#glimpses.wait(`${why}; ${next} is asked instead`, null);
  }

  #nobody(used: EffectCall<Json>['used']): Outcome {
    const [soonest] = this.#later.toSorted((a, b) => a.waitMs - b.waitMs);
    if (soonest !== undefined) {
      used({});
      return { later: soonest };
    }
    const last = this.#passedOver.at(-1);
    throw new DidNotHappen(
      failureText(
        last?.code ?? 'model.none',
        this.#passedOver.map(({ why }) => why).join('; ') || 'It has no model.',
      ),
    );
  }
}

function maybePaid(error: unknown): boolean {
  return !(error instanceof AppError) || error.detail['maybePaid'] !== 0;
}

function doubt(error: unknown, isFinal: boolean): AppError {
  const text = failureText(codeOf(error), messageOf(error));
  return isFinal ? new NotAgain(text) : new RetryableError(codeOf(error), text);
}

// --- failures, as they stand in the journal: what a program goes by, and then what a person reads

function failureText(code: string, message: string): string {
  return `${code}: ${message}`;
}

const FAILURE = /^[^:]*: (model\.[a-z-]{1,100}|secret\.[a-z-]{1,100}): /;

function failureIn(message: string): AppError {
  const found = FAILURE.exec(message);
  return found === null
    ? new AppError('model.failed', message)
    : new AppError(found[1]!, message.slice(found[0].length));
}

// --- what a call is announced with

/** As price tables name it, wherever it is asked for. */
function pricedName(model: string): string {
  return model.replace(/@https?:.*$/i, '').slice(0, MAX_MODEL_NAME);
}

function expected({ plan }: Turn, { messages, tools = [] }: ModelPrompt): ModelTokens {
  return {
    tokensIn: tokensOf(messages) + toolText(tools).tokens,
    tokensOut: plan.maxOutputTokens ?? USUAL_ANSWER,
  };
}

function referenceOf(
  { tools = [], toolChoice, maxOutputTokens, temperature }: ModelPrompt,
  { text, messages }: Skeleton,
): Json {
  const settings = [toolText(tools).json, toolChoice?.type, maxOutputTokens, temperature];
  const digest = hash('sha256', [text, ...settings].join('\n'));
  return { messages, prompt: digest.slice(0, 32) };
}

interface ToolText {
  readonly json: string;
  readonly tokens: number;
}
const toolTexts = new WeakMap<NonNullable<ModelPrompt['tools']>, ToolText>();

/** The same for all calls of a turn. */
function toolText(tools: NonNullable<ModelPrompt['tools']>): ToolText {
  let found = toolTexts.get(tools);
  if (found === undefined) {
    const json = JSON.stringify(tools);
    found = { json, tokens: tokensOfText(json) };
    toolTexts.set(tools, found);
  }
  return found;
}
