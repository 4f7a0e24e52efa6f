// What a call asks of a model, and what each provider has to be told besides.

import { hash } from 'node:crypto';
import type {
  JSONObject,
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolChoice,
} from '@ai-sdk/provider';
import type { OpenedModel } from './open-model.ts';

export interface ModelTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JSONSchema7;
}

export interface ModelPrompt {
  /** The AI SDK's messages: plain JSON. {@link ModelAnswer.message} is the one to go on with. */
  readonly messages: LanguageModelV4Prompt;
  readonly tools?: readonly ModelTool[];
  readonly toolChoice?: LanguageModelV4ToolChoice;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** What the answer is held to, where the provider can do that; elsewhere the messages have to ask for it. */
  readonly json?: { readonly name: string; readonly schema: JSONSchema7 };
  /**
   * Given, what does not change from call to call is kept in the provider's cache, where it has one. The same for all
   * calls that begin with the same messages: a process's name.
   */
  readonly cacheKey?: string;
}

export function callOptionsOf(prompt: ModelPrompt, opened: OpenedModel): LanguageModelV4CallOptions {
  const { messages, tools, toolChoice, maxOutputTokens, temperature, json, cacheKey } = prompt;
  const isCached = cacheKey !== undefined;
  const providerOptions = optionsFor(opened, cacheKey);
  return {
    prompt: isCached && opened.provider === 'anthropic' ? withBreakpoints(messages) : messages,
    ...(tools === undefined || tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function' as const, ...tool })) }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(json === undefined || !opened.hasStructuredOutput
      ? {}
      : { responseFormat: { type: 'json' as const, ...json } }),
    ...(providerOptions === null ? {} : { providerOptions: { [opened.provider]: providerOptions } }),
  };
}

function optionsFor({ provider }: OpenedModel, cacheKey: string | undefined): JSONObject | null {
  // At most 64 characters, and nothing of what it is made of.
  const key = cacheKey === undefined ? {} : { promptCacheKey: hash('sha256', cacheKey).slice(0, 32) };
  switch (provider) {
    case 'openai':
      // Nothing is kept there: a conversation goes on from the journal, weeks later too.
      return { store: false, ...key };
    case 'mistral':
      return cacheKey === undefined ? null : key;
    case 'anthropic':
    case 'google':
    case 'openai-compatible':
    case 'scripted':
      // Marked in the messages, kept without being asked, or not known.
      return null;
  }
}

const BREAKPOINT = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** The instructions, with the tools before them, and all that was said so far: each is read from the cache next time. */
function withBreakpoints(messages: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const instructions = messages.findLastIndex(({ role }) => role === 'system');
  return messages.map((message, at) =>
    at === instructions || at === messages.length - 1 ? marked(message) : message,
  );
}

function marked(message: LanguageModelV4Message): LanguageModelV4Message {
  return { ...message, providerOptions: { ...message.providerOptions, ...BREAKPOINT } };
}
