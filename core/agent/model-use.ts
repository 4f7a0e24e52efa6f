// What an effect says of the model that it calls: beforehand, and what was used in the end.

import { AppError } from '../model/errors.ts';
import { MAX_MODEL_NAME, MAX_TOKENS } from '../model/limits.ts';
import { TOKEN_METERS, total, type TokenMeter } from '../model/meters.ts';
import type { ReportedUse } from '../model/model-calls.ts';
import type { TokensUsed } from '../model/prices.ts';
import type { EffectOptions, ModelTokens } from './define-agent.ts';

type Call = Pick<EffectOptions, 'model' | 'expects'>;

/** @throws `effect.bad-option` before anything is done */
export function checkedCall(
  name: string,
  { model, expects }: Call,
): { model?: string; expects?: TokensUsed } {
  if (model === undefined) {
    if (expects === undefined) return {};
    throw badOption(name, 'expects tokens and names no model. Give it one, like openai:gpt-5-mini');
  }
  if (typeof model !== 'string' || model === '' || model.length > MAX_MODEL_NAME) {
    throw badOption(name, `must name its model with a text of 1 to ${MAX_MODEL_NAME} characters`);
  }
  if (expects === undefined) return { model };
  const { tokens, isUnclear } = understood(expects);
  if (isUnclear) {
    throw badOption(
      name,
      `expects what is no number of tokens: each of ${TOKEN_METERS.join(', ')} is a whole number from 0 to ${MAX_TOKENS}`,
    );
  }
  return { model, expects: tokens };
}

function badOption(name: string, what: string): AppError {
  return new AppError('effect.bad-option', `The effect ${name} ${what}.`);
}

/**
 * Collects what one attempt tells. It never throws for a number that is none, since by then the model was called: what is
 * unclear is told as unclear.
 */
export class UseReport {
  readonly #effect: string;
  readonly #hasModel: boolean;
  #use: ReportedUse | null = null;

  constructor(effect: string, hasModel: boolean) {
    this.#effect = effect;
    this.#hasModel = hasModel;
  }

  /** Until now; null where nothing was told. */
  get told(): ReportedUse | null {
    return this.#use;
  }

  readonly add = (given: ModelTokens, model?: string): void => {
    if (!this.#hasModel) throw badOption(this.#effect, 'told what it used of a model and names none');
    const more = understood(given);
    const before: ReportedUse = this.#use ?? { tokens: {}, isUnclear: false };
    const tokens: Partial<Record<TokenMeter, number>> = {};
    for (const kind of TOKEN_METERS) {
      const sum = total(before.tokens[kind] ?? 0, more.tokens[kind] ?? 0);
      if (sum > 0) tokens[kind] = Math.min(sum, MAX_TOKENS);
    }
    const by = model === undefined ? before.model : model.slice(0, MAX_MODEL_NAME);
    this.#use = {
      tokens,
      isUnclear: before.isUnclear || more.isUnclear,
      ...(by === undefined ? {} : { model: by }),
    };
  };
}

/** A kind that is left out, or undefined, is none; what is no count, or a kind that there is not, is unclear. */
function understood(given: unknown): ReportedUse {
  if (typeof given !== 'object' || given === null) return { tokens: {}, isUnclear: true };
  const tokens: Partial<Record<TokenMeter, number>> = {};
  let isUnclear = false;
  for (const [kind, count] of Object.entries(given)) {
    if (!isKind(kind)) isUnclear = true;
    else if (Number.isSafeInteger(count) && count >= 0 && count <= MAX_TOKENS) tokens[kind] = count as number;
    else if (count !== undefined) isUnclear = true;
  }
  return { tokens, isUnclear };
}

function isKind(text: string): text is TokenMeter {
  return (TOKEN_METERS as readonly string[]).includes(text);
}
