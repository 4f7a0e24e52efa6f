import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { openModel, type OpenedModel, type OpenModelOptions } from '../../core/agent/models/open-model.ts';
import { tempDirectory } from './temp-directory.ts';

/** A model behind such a base address, without a key. */
export function at(url: string, options: Partial<OpenModelOptions> = {}): Promise<OpenedModel> {
  return openModel(`openai-compatible:m@${url}`, { keys: {}, ...options });
}

/** A model that answers from this script. */
export function scripted(yaml: string, options: Partial<OpenModelOptions> = {}): Promise<OpenedModel> {
  const directory = tempDirectory();
  writeFileSync(join(directory, 'answers.yaml'), yaml);
  return openModel('scripted:answers.yaml', { keys: {}, directory, ...options });
}

export function asked(text: string, ...after: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return [{ role: 'user', content: [{ type: 'text', text }] }, ...after];
}

/** What was thrown; fails where nothing was. */
export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
