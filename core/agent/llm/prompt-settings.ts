// What every call of a model in a turn is asked with, whatever it is about.

import type { ModelPrompt } from '../models/model-prompt.ts';
import type { Turn } from './tool.ts';

export type PromptSettings = Pick<ModelPrompt, 'maxOutputTokens' | 'temperature' | 'cacheKey'>;

export function promptSettings({ ctx, plan }: Pick<Turn, 'ctx' | 'plan'>): PromptSettings {
  const { maxOutputTokens, temperature } = plan;
  return {
    cacheKey: ctx.process,
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...(temperature === null ? {} : { temperature }),
  };
}
